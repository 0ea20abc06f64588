/// A moment of a chronicle as the picture of a ring.
#pragma once

#include "chronicle/chronicle.hpp"
#include "ring/ring_dot.hpp"
#include "svg/phase_style.hpp"

#include <string>

namespace ronde::viz {

/// The phase of a healthy life in which a rank stood at `at_ns`: the last one that it had entered.
[[nodiscard]] protocol::Phase phase_at(RankStory const& story, TimeNs at_ns);
/// What a picture shows of it: the phase, or that it had not come yet, or was dead, or had failed.
[[nodiscard]] PhaseLook look_at(RankStory const& story, TimeNs at_ns);
/// When the first rank said that something had gone wrong, and whom it blamed; kNever: nobody did.
[[nodiscard]] TimeNs first_failure_ns(Chronicle const& chronicle);

/// How a rank stands, however that is known.
struct RankNow {
    protocol::Phase phase = protocol::Phase::created;  ///< of a healthy life
    bool absent = true;
    bool dead = false;
    bool failed = false;
};
/// As it is drawn. `judged`: somebody has said by then that something went wrong.
[[nodiscard]] RingRank ring_rank(Chronicle const& chronicle, RankId rank, RankNow const& now, bool judged);
/// The same as its story has it.
[[nodiscard]] RingRank ring_rank_at(Chronicle const& chronicle, RankId rank, TimeNs at_ns, bool judged);
/// It has died by then.
[[nodiscard]] bool root_is_lost_at(Chronicle const& chronicle, std::uint32_t root, TimeNs at_ns);

/// kNever: when all was over. The title says how it stood then.
[[nodiscard]] RingPicture ring_at(Chronicle const& chronicle, TimeNs at_ns);

/// "850 ns", "12.5 ms", "2 s": three digits.
[[nodiscard]] std::string time_words(TimeNs time_ns);
/// "98 304": digits in threes.
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace ronde::viz
