/// Check-ins: who is here, and whether what they say can all be true [clauses 5.2 and 6].
#include "protocol/root_step.hpp"

#include <algorithm>

namespace ronde::protocol {
namespace {

constexpr std::uint32_t kSharersMs = 250;

constexpr std::uint64_t device_hash(std::uint64_t host_id, std::uint64_t device_id) {
    std::uint64_t x = host_id * 0x9e37'79b9'7f4a'7c15ULL + device_id;
    x = (x ^ (x >> 32)) * 0xd6e8'feb8'6659'fd93ULL;
    return x ^ (x >> 32);
}

}  // namespace

void RootStep::on_check_in(std::uint32_t slot) noexcept {
    Frame const& frame = event_.frame;
    bool const sound = event_.payload.size() == kEntryBytes && frame.a == root_.doors_[slot].proven_rank;
    if (!sound)
        return turn_away(slot);
    if (over())
        return answer_late_comer(slot);
    if (root_.nranks_ == 0 && !adopt_first_check_in(slot))
        return;
    if (!agrees(slot))
        return;
    std::uint32_t const local_id = partition().local_id(config_.root_index, frame.a);
    Entry const entry = decode_entry(event_.payload);
    RootRecord const& known = record(local_id);
    if ((known.flags & RootRecord::kCheckedIn) == 0)
        return welcome(slot, local_id, entry);
    if (known.incarnation == entry.incarnation)
        return welcome_back(slot, local_id);
    Error error;
    error.code = Code::duplicate_rank;
    error.about = frame.a;
    error.expected = known.process_id;
    error.got = entry.process_id;
    refuse(slot, error);
}

/// Fixes what everyone is compared with. False while the driver is asked for memory: the same event comes again.
bool RootStep::adopt_reference(std::uint32_t nranks, RankId told_by) noexcept {
    std::uint32_t const expected = Partition{nranks, config_.nroots}.expected_check_ins(config_.root_index);
    if (root_.room_.records.size() < expected || root_.room_.device_index.size() < RootRoom::index_size(expected)) {
        actions_.push(ActionKind::reserve).count = expected;
        return false;
    }
    root_.nranks_ = nranks;
    root_.expected_ = expected;
    root_.policies_ = resolve(config_.policies, nranks, config_.nroots);
    root_.policy_digest_ = digest_of(root_.policies_);
    root_.reference_rank_ = told_by;
    return true;
}

/// The first check-in says how many ranks there are, if the root was not told at birth. Checked before anything is
/// reserved.
bool RootStep::adopt_first_check_in(std::uint32_t slot) noexcept {
    std::uint32_t const nranks = event_.frame.b;
    if (nranks != 0 && nranks <= kMaxRanks && config_.nroots <= nranks)
        return adopt_reference(nranks, event_.frame.a);
    Error error;
    error.code = Code::bad_argument;
    error.about = event_.frame.a;
    error.field = Field::nranks;
    error.expected = kMaxRanks;
    error.got = nranks;
    refuse(slot, error);
    return false;
}

/// Whether this check-in tells the same story as the reference. If not, everyone hears who said what.
bool RootStep::agrees(std::uint32_t slot) noexcept {
    Frame const& frame = event_.frame;
    Error error;
    error.code = Code::mismatch;
    error.about = frame.a;
    auto const differs = [&](Field field, std::uint64_t expected, std::uint64_t got) {
        if (expected == got || error.field != Field::none)
            return;
        error.field = field;
        error.other = field == Field::nranks ? root_.reference_rank_ : kNoRank;  // the rest is the root's own word
        error.expected = expected;
        error.got = got;
    };
    differs(Field::version, config_.version, frame.version);
    differs(Field::nranks, root_.nranks_, frame.b);
    differs(Field::profile, root_.policy_digest_, frame.c >> 32);
    differs(Field::roots, config_.roots_digest, frame.c & 0xffff'ffffU);
    differs(Field::root_index, config_.root_index, frame.aux);
    if (error.field == Field::none) {
        bool const mine =
            frame.a < root_.nranks_ && partition().local_id(config_.root_index, frame.a) < root_.expected_;
        if (mine)
            return true;
        error.field = Field::rank;
        error.expected = root_.nranks_;
        error.got = frame.a;
    }
    refuse(slot, error);
    return false;
}

void RootStep::welcome(std::uint32_t slot, std::uint32_t local_id, Entry const& entry) noexcept {
    RootRecord& mine = record(local_id);
    mine.incarnation = entry.incarnation;
    mine.host_id = entry.host_id;
    mine.device_id = entry.device_id;
    mine.process_id = entry.process_id;
    mine.lost_ns = kNever;
    mine.flags = RootRecord::kCheckedIn;
    ++root_.checked_in_;
    Action& learn = actions_.push(ActionKind::learn);
    learn.first = event_.frame.a;
    learn.count = 1;
    admit(slot, local_id);
    hear_deadline();
    if (policies_.device_check == DeviceCheck::at_root && is_shared(local_id)) {
        if (root_.checked_in_ == root_.expected_)
            judge_sharers();
        return;
    }
    pair_known(local_id);
    if (root_.checked_in_ == root_.expected_ && root_.phase_ == RootPhase::collecting)
        everyone_here();
}

/// Whether somebody is here with a device that another one has claimed. Others may come with the same in a moment, and
/// all are to be named; nothing is handed out any more [6.4].
bool RootStep::is_shared(std::uint32_t local_id) noexcept {
    bool const again = index_device(local_id) != kNoRank;
    if (again && root_.sharer_ == kNoRank) {
        root_.sharer_ = local_id;
        root_.sharers_due_ns_ = after_ms(kSharersMs);
    }
    return root_.sharer_ != kNoRank;
}

void RootStep::judge_sharers() noexcept {
    root_.sharers_due_ns_ = kNever;
    Verdict const sharers = root_.sharers_of(root_.sharer_);
    judge(sharers.error, &sharers);
}

/// The same process again: its first connection was lost on the way. Nothing is counted twice [S4].
void RootStep::welcome_back(std::uint32_t slot, std::uint32_t local_id) noexcept {
    RootRecord& mine = record(local_id);
    if ((mine.flags & RootRecord::kConnected) != 0)
        close_link(member(local_id));
    mine.lost_ns = kNever;
    admit(slot, local_id);
    if ((mine.flags & RootRecord::kServed) != 0 && !calls_back())
        serve(local_id);
}

/// From now on the connection belongs to this rank, or, where the root calls back, is done with.
void RootStep::admit(std::uint32_t slot, std::uint32_t local_id) noexcept {
    free_door(slot);
    if (calls_back())
        return close_link(pending(slot));
    record(local_id).flags |= RootRecord::kConnected;
    Action& action = actions_.push(ActionKind::admit);
    action.link = pending(slot);
    action.to = member(local_id);
    action.rank = rank_of(local_id);
}

/// Enters a device into the index; returns the local id that holds it already, or kNoRank.
std::uint32_t RootStep::index_device(std::uint32_t local_id) noexcept {
    RootRecord const& mine = record(local_id);
    if (mine.device_id == kNoDevice)
        return kNoRank;
    std::span<std::uint32_t> const index = root_.room_.device_index;
    std::uint64_t const mask = index.size() - 1;
    for (std::uint64_t i = device_hash(mine.host_id, mine.device_id);; ++i) {
        std::uint32_t& cell = index[i & mask];  // local id + 1; 0 is free. Half of the index always is.
        if (cell == 0) {
            cell = local_id + 1U;
            return kNoRank;
        }
        RootRecord const& other = record(cell - 1U);
        if (other.host_id == mine.host_id && other.device_id == mine.device_id)
            return cell - 1U;
    }
}

/// The verdict must be out before the most impatient rank gives up on its own; it leaves an eighth, 250 ms at most.
void RootStep::hear_deadline() noexcept {
    if (policies_.deadlines == Deadlines::none || event_.frame.d >= static_cast<std::uint64_t>(kNever - event_.now))
        return;
    TimeNs const remaining_ns = static_cast<TimeNs>(event_.frame.d);
    TimeNs const margin_ns = std::min(remaining_ns / 8, 250 * kMillisecondNs);
    TimeNs const due_ns = event_.now + remaining_ns - margin_ns;
    if (due_ns >= root_.deadline_ns_)
        return;
    root_.deadline_ns_ = due_ns;
    root_.margin_ns_ = margin_ns;
}

void RootStep::refuse(std::uint32_t slot, Error const& error) noexcept {
    if (over())
        return answer_late_comer(slot);
    find_guilty(error, nullptr);
    answer_late_comer(slot);
    tell_everyone();
}

void RootStep::answer_late_comer(std::uint32_t slot) noexcept {
    free_door(slot);
    if (policies_.verdicts == Verdicts::everyone) {
        Frame frame;
        frame.kind = FrameKind::verdict;
        frame.payload_bytes = kVerdictBytes;
        send(pending(slot), frame, Source::verdict);
    }
    close_link(pending(slot));
}

}  // namespace ronde::protocol
