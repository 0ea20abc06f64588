/// Feeds recordings back to fresh machines and compares the states.
#pragma once

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

/// Replays each *.ronde file of `directory`, in the order of their names, and stops at the first difference. The error
/// says why nothing could be replayed: no such directory, no recordings, a file that cannot be read.
[[nodiscard]] tl::expected<ReplayReport, std::string> replay(std::string const& directory);

}  // namespace ronde::net
