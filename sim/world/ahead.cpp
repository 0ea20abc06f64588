/// Memory that is asked for before it is needed. Changes nothing but the time that it takes.
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

/// The statement without an instruction is for the compiler, to which a function that only asks for lines does nothing,
/// so that it leaves out the call.
template <class Record>
void fetch(Record const& record) {
    constexpr std::size_t kLine = 64;
    auto const* const bytes = reinterpret_cast<std::byte const*>(&record);
    for (std::size_t at = 0; at < sizeof record; at += kLine)
        __builtin_prefetch(bytes + at);
    if constexpr (sizeof record % kLine != 0)
        __builtin_prefetch(bytes + sizeof record - 1U);
    asm volatile("");
}

}  // namespace

/// Large worlds live in memory that is far away: what the next occurrences are about is asked for early, each thing
/// when what names it has had the time to come. No more than that: a line that is asked for in vain delays another one.
void WorldState::fetch_ahead() {
    constexpr std::size_t kFar = 14;
    constexpr std::size_t kMiddle = 8;
    constexpr std::size_t kNear = 4;
    if (Slot const far = queue_.peek_slot(kFar); far < kTimerSlot)
        fetch(occurrences_[far]);
    if (Slot const middle = queue_.peek_slot(kMiddle); middle < kTimerSlot) {
        Occurrence const& occurrence = occurrences_[middle];
        if (occurrence.connection != kNoConnection)
            fetch(connections_[occurrence.connection]);
        else if (occurrence.process < processes_.size())
            fetch_process(occurrence.process);
    } else if (middle != kNoSlot) {
        fetch_process(middle & ~kTimerSlot);
    }
    Slot const near = queue_.peek_slot(kNear);
    if (near >= kTimerSlot)
        return;
    Occurrence const& occurrence = occurrences_[near];
    if (occurrence.connection != kNoConnection)
        return fetch_process(connections_[occurrence.connection].sides[occurrence.side].process);
    // Whether it still stands is told by a bit of the rank that called.
    std::uint32_t bit = 0;
    if (occurrence.kind == Happening::quiet_frame)
        fetch(processes_[std::min(quiet_owner(occurrence.process, occurrence.link, bit), plan_.nranks)]);
}

void WorldState::fetch_process(ProcessId process) const {
    fetch(processes_[process]);
    fetch(ranks_[process]);
}

}  // namespace ronde::sim
