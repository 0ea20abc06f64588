/// What a kernel may do with the connections of a machine: the rules that the pretend world's TCP is built on
/// (docs/simulation.md), as far as they can be told from recordings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ronde::conformance {

enum class Rule : std::uint8_t {
    // --- seen from one end ------------------------------------------------------------------------------------------
    clock_runs_back,      ///< times of one machine never decrease
    answer_without_call,  ///< connected, connect_failed: one answer to one call that is under way
    no_listener,          ///< accepted, queued: only where a listener is bound
    beyond_credit,        ///< accepted: no more at once than asked for, each in a slot of its own
    data_before_open,     ///< a frame or an end: on a connection that stands
    data_after_end,       ///< a frame: not behind the end of its connection
    end_twice,            ///< an end: once for each connection
    paused,               ///< nothing is read where the machine does not read
    sent_unasked,         ///< sent: when something was to be sent
    wrong_errno,          ///< a failure is what its errno means in that place
    // --- seen from both ends ----------------------------------------------------------------------------------------
    heard_from_nobody,       ///< who has proven to be a rank has called
    never_sent,              ///< what is received is, in order and whole, what the other end has sent
    before_sending,          ///< ... and not before it was sent
    accepted_before_called,  ///< a connection is taken after it was asked for
    end_before_close,        ///< an end of stream comes after the other end has closed
};
inline constexpr std::uint32_t kRules = 15;

/// "end-twice".
[[nodiscard]] std::string_view name_of(Rule rule) noexcept;
/// What it says, one line.
[[nodiscard]] std::string_view meaning_of(Rule rule) noexcept;

/// Something that no kernel does.
struct Finding {
    std::string file;         ///< the recording that shows it
    std::uint64_t event = 0;  ///< its number there, from 1
    Rule rule = Rule::clock_runs_back;
    std::string what;
};
/// "rank-00002.ronde, event 14: end-twice: chord_out(0) ended a second time"
[[nodiscard]] std::string to_text(Finding const& finding);

}  // namespace ronde::conformance
