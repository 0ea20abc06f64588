/// Feeds recordings back to fresh machines and compares the states.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ronde::net {

/// Where a recording and the machine part ways, or where the recording itself is damaged.
struct ReplayDifference {
    std::string file;
    std::uint64_t event = 0;  ///< number of the last event before the difference, counted from 1
    std::string event_text;   ///< what it was, in words
    std::string what;         ///< "the state differs", "the recording is damaged"
    std::string expected;     ///< as recorded
    std::string got;
};

struct ReplayedFile {
    std::string file;
    std::uint64_t events = 0;
    std::uint64_t checks = 0;
    std::string outcome;  ///< where the machine stands at the end: "ready", "failed: …"
    std::string note;     ///< such as an end cut off; empty when there is nothing to say
};

struct ReplayReport {
    std::vector<ReplayedFile> files;
    std::optional<ReplayDifference> difference;  ///< the first; nothing after it was replayed

    [[nodiscard]] bool same() const noexcept { return !difference.has_value(); }
    /// Several lines for people; ends with a newline.
    [[nodiscard]] std::string text() const;
};

/// One step of a replayed machine, after it. Valid during the call.
struct ReplayedStep {
    protocol::Event const* event = nullptr;
    protocol::Actions const* actions = nullptr;  ///< the last piece of a long answer
    protocol::Rank const* rank = nullptr;        ///< one of the two is set
    protocol::Root const* root = nullptr;
    std::uint8_t phase_before = 0;  ///< protocol::Phase or RootPhase
    std::uint8_t phase_after = 0;
};

/// Told of what the machines of a replay do, file after file.
class ReplayObserver {
public:
    virtual ~ReplayObserver() = default;
    /// A file begins: one of the two is set, and valid until the next one begins.
    virtual void on_machine(protocol::RankConfig const* rank, protocol::RootConfig const* root) = 0;
    /// One piece of what a step asks for; on_step follows.
    virtual void on_actions(protocol::TimeNs now_ns, protocol::Actions const& actions) = 0;
    virtual void on_step(ReplayedStep const& step) = 0;
    /// The file is over. `cut_off`: its process was killed, or still runs.
    virtual void on_end(bool cut_off) = 0;
};

/// Replays each *.ronde file of `directory`, in the order of their names, and stops at the first difference. The error
/// says why nothing could be replayed: no such directory, no recordings, a file that cannot be read.
[[nodiscard]] tl::expected<ReplayReport, std::string> replay(std::string const& directory,
                                                             ReplayObserver* observer = nullptr);

}  // namespace ronde::net
