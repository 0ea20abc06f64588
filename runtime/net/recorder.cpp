#include "net/recorder.hpp"

#include "net/os_failure.hpp"
#include "net/recording_format.hpp"
#include "protocol/bytes.hpp"
#include "protocol/error.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace ronde::net {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{32} << 10U;

StateDigest digest_of(std::span<const std::byte> bytes) noexcept {
    XXH128_hash_t const hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.low64, hash.high64};
}

}  // namespace

std::string to_text(StateDigest const& digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

StateDigest state_digest_of(protocol::Rank const& rank) noexcept {
    return digest_of(std::as_bytes(std::span(&rank.state(), 1)));
}

StateDigest state_digest_of(protocol::Root const& root, std::span<const protocol::RootRecord> records) {
    std::array<std::byte, 64 + 2 * protocol::kVerdictBytes> shown{};
    protocol::ByteWriter writer(shown.data());
    writer.put(static_cast<std::uint8_t>(root.phase()));
    writer.put(root.nranks()).put(root.expected()).put(root.checked_in()).put(root.done()).put(root.strangers());
    writer.put(static_cast<std::uint64_t>(root.deadline()));
    auto const verdicts = std::span(shown).subspan(64);
    protocol::encode_verdict(root.verdict(), verdicts);
    protocol::encode_verdict(root.missing(), verdicts.subspan(protocol::kVerdictBytes));

    static_assert(std::has_unique_object_representations_v<protocol::RootRecord>);
    XXH64_hash_t const seed = XXH3_64bits(shown.data(), shown.size());
    XXH128_hash_t const hash = XXH3_128bits_withSeed(records.data(), records.size_bytes(), seed);
    return {hash.low64, hash.high64};
}

std::string recording_name(protocol::RankConfig const& config) { return fmt::format("rank-{:05}.ronde", config.rank); }
std::string recording_name(protocol::RootConfig const& config) {
    return fmt::format("root-{}.ronde", config.root_index);
}

Recorder::Recorder(std::string path, Fd fd, std::uint32_t check_every)
    : path_(std::move(path)), fd_(std::move(fd)), check_every_(check_every == 0 ? 1 : check_every) {}

Recorder::~Recorder() { flush(); }

tl::expected<std::unique_ptr<Recorder>, std::string>
Recorder::create(std::string const& directory, protocol::RankConfig const& config, std::uint32_t check_every) {
    return open(directory, recording_name(config), recording::head_of(config), check_every);
}

tl::expected<std::unique_ptr<Recorder>, std::string>
Recorder::create(std::string const& directory, protocol::RootConfig const& config, std::uint32_t check_every) {
    return open(directory, recording_name(config), recording::head_of(config), check_every);
}

tl::expected<std::unique_ptr<Recorder>, std::string> Recorder::open(std::string const& directory,
                                                                    std::string const& name,
                                                                    std::vector<std::byte> const& head,
                                                                    std::uint32_t check_every) {
    if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST) {
        return tl::unexpected(
            fmt::format("cannot make the folder {} for recordings: {}", directory, describe_errno(errno)));
    }
    std::string path = directory + "/" + name;
    Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!fd)
        return tl::unexpected(fmt::format("cannot record to {}: {}", path, describe_errno(errno)));
    std::unique_ptr<Recorder> recorder(new Recorder(std::move(path), std::move(fd), check_every));
    recorder->buffer_ = head;
    return recorder;
}

void Recorder::event(protocol::Event const& event) {
    if (ended_)
        return;
    recording::append_event(buffer_, event, last_now_);
    last_now_ = event.now;
    ++unchecked_;
}

void Recorder::check(StateDigest const& digest) {
    if (ended_)
        return;
    auto const unchecked = std::span(buffer_).subspan(checked_bytes_);
    std::uint64_t const hash = XXH3_64bits(unchecked.data(), unchecked.size());
    recording::append_check(buffer_, hash, digest);
    unchecked_ = 0;
    checked_bytes_ = buffer_.size();
    if (buffer_.size() >= kWriteBytes)
        flush();
}

void Recorder::end(StateDigest const& digest) {
    if (ended_)
        return;
    if (unchecked_ > 0)
        check(digest);
    recording::append_end(buffer_);
    checked_bytes_ = buffer_.size();
    ended_ = true;
    flush();
    fd_.reset();
}

/// Writes what a check covers; the rest has to stay, its hash is still to be taken.
void Recorder::flush() {
    std::size_t written = 0;
    while (written < checked_bytes_ && trouble_.empty()) {
        ssize_t const count = ::write(fd_.get(), buffer_.data() + written, checked_bytes_ - written);
        if (count >= 0)
            written += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            trouble_ = fmt::format("{}: {}", path_, describe_errno(errno));
    }
    if (!trouble_.empty())
        ended_ = true;
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(checked_bytes_));
    checked_bytes_ = 0;
}

}  // namespace ronde::net
