/// How long an accepted connection may stay unproven [clause 3.4]. The same at ranks and at roots.
///
/// Whoever stays silent keeps its door while there is room. When somebody waits behind full doors, the one that has
/// been silent longest makes room: one goes for one who waits, so nobody is sent away in vain. Whoever was challenged
/// keeps its door: it named this job, and what it needs now is a turn on its processor, which can take long on a
/// crowded machine.
#pragma once

#include "protocol/units.hpp"

#include <algorithm>

namespace ronde::protocol {

/// From the opening of a silent door, while others wait. Hello is sent at once; this lets a kernel send it twice.
inline constexpr std::uint32_t kContestedPatienceMs = 250;
/// It halves this often at most, to 62 ms: a queue of thousands who say nothing is then emptied within two seconds.
inline constexpr std::uint32_t kMostHalvings = 2;

/// When a silent door must make room for others. `due_ns`: when it is due without them, `patience_ms` after its
/// opening. `crowds`: how many times all doors were emptied in a row and nobody behind them had a word to say.
[[nodiscard]] constexpr TimeNs contested_due_ns(TimeNs due_ns, std::uint32_t patience_ms, std::uint32_t crowds = 0) {
    std::uint32_t const contested_ms = kContestedPatienceMs >> std::min(crowds, kMostHalvings);
    return due_ns - static_cast<TimeNs>(patience_ms - std::min(patience_ms, contested_ms)) * kMillisecondNs;
}

}  // namespace ronde::protocol
