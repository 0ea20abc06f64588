/// The same stories in the pretend world, by its counters and by what its machines are told.
#pragma once

#include "story.hpp"

namespace ronde::conformance::pretended {

[[nodiscard]] Facts callers_one_after_another();
[[nodiscard]] Facts all_at_once();
[[nodiscard]] Facts last_ack_meets_a_full_queue();
[[nodiscard]] Facts abort_on_overflow();
[[nodiscard]] Facts abort_on_overflow_with_cookies();
[[nodiscard]] Facts call_is_lost();
[[nodiscard]] Facts answer_is_lost();
[[nodiscard]] Facts word_is_lost();
[[nodiscard]] Facts nobody_listens();
[[nodiscard]] Facts word_before_accept();
[[nodiscard]] Facts listener_closes();
[[nodiscard]] Facts caller_closes_in_the_queue();
[[nodiscard]] Facts caller_resets_in_the_queue();
[[nodiscard]] Facts ghosts_close();
[[nodiscard]] Facts half_close();
[[nodiscard]] Facts request_is_forgotten();
[[nodiscard]] Facts calls_are_interrupted();
[[nodiscard]] Facts word_in_pieces();

[[nodiscard]] Facts three_calls_are_lost();
[[nodiscard]] Facts calls_are_lost_for_a_while();
[[nodiscard]] Facts nobody_answers();
[[nodiscard]] Facts old_requests_make_room();
[[nodiscard]] Facts busy_neighbour();

}  // namespace ronde::conformance::pretended
