/// Programs that run in the processes: their calls, and the bytes of these.
#include "world/programs.hpp"

#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {

void WorldState::host(Programs& programs) {
    programs_ = &programs;
    operations_left_.clear();  // programs decide what comes after ready
    skips_ring_ = false;       // a world that has to be played again would run them twice
}

// --- calls ----------------------------------------------------------------------------------------------------------

void WorldState::abort(ProcessId id) {
    if (processes_[id].alive() && !processes_[id].has(Process::kOver))
        tell_later(id, Happening::give_up);
}

/// Nobody looks at the process's sockets meanwhile: what comes is noticed when it is awake again.
void WorldState::sleep(ProcessId id, TimeNs wake_ns) {
    Process& process = processes_[id];
    process.busy_until_ns = std::max(process.busy_until_ns, wake_ns);
    if (wake_ns < kNever)
        plan_at(wake_ns, Happening::operate, id);
}

void WorldState::leave(ProcessId id) {
    Process const& process = processes_[id];
    if (process.has(Process::kDead) || process.has(Process::kOver))
        return;
    perform_finish(id);
}

// --- what programs see ----------------------------------------------------------------------------------------------

protocol::Verdict WorldState::verdict_of(ProcessId id) const {
    protocol::Error const& error = ranks_[id].error();
    if (auto const heard = heard_.find(id); heard != heard_.end() && heard->second.error == error)
        return heard->second;
    protocol::Verdict verdict;
    verdict.error = error;
    return verdict;
}

std::vector<ProcessId> WorldState::holders_known_to(ProcessId id) const {
    std::vector<ProcessId> holders(plan_.nranks);
    for (RankId rank = 0; rank < plan_.nranks; ++rank)
        holders[rank] = plan_.nranks == 1 ? id : contents_.holder(id, rank);
    return holders;
}

// --- bytes ----------------------------------------------------------------------------------------------------------

/// A copy, since the program's buffer is its own again before the frame arrives. 0: none.
std::uint32_t WorldState::bytes_to_send(ProcessId id, Action const& action) {
    if (programs_ == nullptr || action.frame.payload_bytes == 0)
        return 0;
    std::vector<std::byte> bytes;
    bytes.reserve(action.frame.payload_bytes);
    programs_->read(id, action.first, action.count, bytes);
    RONDE_CHECK(bytes.size() == action.frame.payload_bytes, "a frame carries what its header says");
    return contents_.keep_bytes(std::move(bytes));
}

void WorldState::place_bytes(ProcessId id, Reception const& reception, std::uint32_t content) {
    if (programs_ != nullptr && content != 0)
        programs_->write(id, reception.first, reception.count, contents_.bytes_of(content));
}

}  // namespace ronde::sim
