/// Events, actions and frames as short English lines, for transcripts and for the tail of a failed run.
#pragma once

#include "protocol/seam.hpp"

#include <string>

namespace ronde::protocol::tiny {

/// "root", "chord_out 2", "mail_in 5", "pending 0".
[[nodiscard]] std::string words(Link link);
/// "slices chord 0: 2 from 3, 64 bytes each, operation 0".
[[nodiscard]] std::string words(Frame const& frame);
/// "all_gather of 64 bytes", "send of 8 bytes to 3, tag 7".
[[nodiscard]] std::string words(Operation const& operation);
/// Without its time: "connected root", "frame chord_in 0: bye from 3".
[[nodiscard]] std::string words(Event const& event);
/// "send chord_out 0: slices ... <- table 3+2".
[[nodiscard]] std::string words(Action const& action);
[[nodiscard]] std::string words(Reception const& reception);
/// "code rank_lost, noticed in gathering, about 3" and whatever else is set.
[[nodiscard]] std::string words(Error const& error);
/// "1.5s", "250ms", "never"; seconds are cut off after the microseconds.
[[nodiscard]] std::string words_of_time(TimeNs time_ns);

}  // namespace ronde::protocol::tiny
