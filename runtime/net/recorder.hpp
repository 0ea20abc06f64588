/// The flight recorder: every event that was fed to one machine, compact and versioned, and digests of its states.
///
/// One file per machine, "rank-00005.ronde" or "root-0.ronde". It holds the machine's configuration and its inputs,
/// never the id's secret, nonces or tags, and no bytes of slices or messages: those never decide anything.
///
///     "ronderec", format (2 bytes), machine (1: rank, 2: root), 0, length of the configuration (4), configuration
///     records, each a tag byte and what the tag says:
///       0 .. 16   an event of that kind: varint of the nanoseconds since the event before (the first: since 0), then
///                 its fields; links as 4 bytes, a frame as its 32-byte header, varint length and bytes of its payload
///       64        a check: XXH3-64 of all bytes since the last check, and XXH3-128 of the state after the events so
///       far 65        the end, followed by nothing; a file without it belongs to a process that was killed
///
/// Integers are little-endian. Not thread-safe: a recorder belongs to one driver.
#pragma once

#include "net/fd.hpp"
#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <tl/expected.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ronde::net {

/// XXH3-128 of a machine's state.
struct StateDigest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend constexpr bool operator==(StateDigest const&, StateDigest const&) = default;
};
[[nodiscard]] std::string to_text(StateDigest const& digest);

/// Of RankState's bytes, which are free of padding.
[[nodiscard]] StateDigest state_digest_of(protocol::Rank const& rank) noexcept;
/// Of what a root shows (phase, counts, deadline, verdict, missing ranks) and of its records.
[[nodiscard]] StateDigest state_digest_of(protocol::Root const& root, std::span<const protocol::RootRecord> records);

class Recorder {
public:
    /// Creates `directory` if need be and begins a new file, replacing one of the same name. The error names the path.
    /// A digest is written after every `check_every` events and after the last.
    [[nodiscard]] static tl::expected<std::unique_ptr<Recorder>, std::string>
    create(std::string const& directory, protocol::RankConfig const& config, std::uint32_t check_every = 1);
    [[nodiscard]] static tl::expected<std::unique_ptr<Recorder>, std::string>
    create(std::string const& directory, protocol::RootConfig const& config, std::uint32_t check_every = 16);
    ~Recorder();
    Recorder(Recorder const&) = delete;
    Recorder& operator=(Recorder const&) = delete;
    Recorder(Recorder&&) = delete;
    Recorder& operator=(Recorder&&) = delete;

    /// Before the step.
    void event(protocol::Event const& event);
    /// After it: whether check() is due.
    [[nodiscard]] bool check_due() const noexcept { return unchecked_ >= check_every_; }
    void check(StateDigest const& digest);
    /// Hands what is buffered to the kernel, so that it outlives this process. Called by drivers when a phase changes.
    void flush();
    /// The last digest and the end mark. Later calls of anything are ignored.
    void end(StateDigest const& digest);

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Why nothing is recorded any more ("…: No space left on device"), or empty. Trouble never disturbs the machine.
    [[nodiscard]] std::string const& trouble() const noexcept { return trouble_; }

private:
    Recorder(std::string path, Fd fd, std::uint32_t check_every);
    static tl::expected<std::unique_ptr<Recorder>, std::string> open(std::string const& directory,
                                                                     std::string const& name,
                                                                     std::vector<std::byte> const& head,
                                                                     std::uint32_t check_every);

    std::string path_;
    std::string trouble_;
    Fd fd_;
    std::uint32_t check_every_;
    std::uint32_t unchecked_ = 0;  ///< events since the last check
    bool ended_ = false;
    protocol::TimeNs last_now_ = 0;
    std::size_t checked_bytes_ = 0;  ///< of buffer_: covered by a check
    std::vector<std::byte> buffer_;
};

/// The file name of a machine's recording.
[[nodiscard]] std::string recording_name(protocol::RankConfig const& config);
[[nodiscard]] std::string recording_name(protocol::RootConfig const& config);

}  // namespace ronde::net
