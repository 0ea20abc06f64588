/// What of a chronicle a sequence diagram shows: which processes, which part of the time, and so which messages.
#pragma once

#include "chronicle/chronicle.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// Lifelines that one picture has room for.
inline constexpr std::uint32_t kMostLifelines = 36;  // 32 ranks, and the four roots that an id can name
inline constexpr std::uint32_t kNoColumn = 0xffff'ffffU;

struct SequenceChoice {
    std::vector<RankId> ranks;  ///< empty: all of them
    TimeNs from_ns = 0;
    TimeNs until_ns = kNever;
};

/// A choice that fits. Points into the chronicle, which must outlive it.
struct SequenceScene {
    Chronicle const* chronicle = nullptr;
    TimeNs from_ns = 0;
    TimeNs until_ns = 0;                   ///< not before from_ns
    std::vector<ProcessIndex> columns;     ///< left to right: roots, ranks, others
    std::vector<std::uint32_t> column_of;  ///< by process; kNoColumn: not shown
    std::vector<std::uint32_t> messages;   ///< indices: some part of the trip is in the window, both ends are shown
    std::vector<std::uint32_t> calls;      ///< the same; of those without anybody at the other end too
    std::uint64_t hidden_messages = 0;     ///< in the window, but with somebody who is not shown

    [[nodiscard]] bool shows(TimeNs at_ns) const { return from_ns <= at_ns && at_ns <= until_ns; }
    [[nodiscard]] bool shows_process(ProcessIndex process) const {
        return process < column_of.size() && column_of[process] != kNoColumn;
    }
};

/// With chosen ranks, roots and others are shown if they have to do with these. An error of one line, without the name
/// of a flag, when steps were not kept, more than kMostLifelines processes would be shown, a rank does not exist, or
/// nothing happens in the window.
[[nodiscard]] tl::expected<SequenceScene, std::string> sequence_scene(Chronicle const& chronicle,
                                                                      SequenceChoice const& choice);

/// When a message is over, for a picture: received, or where it was sent if it never was.
[[nodiscard]] TimeNs over_ns(MessageStory const& message) noexcept;
/// The same of a call: connected, failed, or the end of the chronicle.
[[nodiscard]] TimeNs over_ns(CallStory const& call, TimeNs end_ns) noexcept;

/// "check_in", "slices 3-5": what an arrow is called. A single slice has one number; slices go around, modulo nranks.
[[nodiscard]] std::string message_label(MessageStory const& message, std::uint32_t nranks);

}  // namespace ronde::viz
