/// The second lane: a gather of the table around the ring, computed as a whole.
///
/// N ranks around a ring exchange N^2 frames, 10^10 at 98 304 ranks, and nothing else happens meanwhile. When nothing
/// can disturb it, the frames are not played: each rank's begin is noted, its frames are withheld, and when the last
/// rank has begun, forward/ring_forward.hpp says when each of them is done, to the nanosecond. Each machine is then
/// moved to its last slice and is fed that one as an event like any other, so that all that follows is its own doing.
///
/// Whether something disturbs it is known only afterwards: a deadline may pass in between, a root may end the job.
/// Then the outcome is void and the world is played again, frame by frame (must_be_played).
#include "forward/ring_forward.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::Turns;

/// Rings up to so many frames are played after all when somebody is waited for.
constexpr std::uint64_t kPlayableFrames = 1U << 28;

}  // namespace

bool WorldState::ring_can_be_skipped() const {
    bool const ring = policies_.gather == Gather::ring || policies_.gather == Gather::ring2;
    if (!plan_.fast_forward || plan_.any_order || !ring || plan_.nranks < 3 ||
        policies_.turns == Turns::send_then_receive)
        return false;
    // Who is served first matters when frames of the ring and others (of a hand that is still being taken, of the
    // second way, of those who are done already) meet at one CPU.
    bool const busy = plan_.host.message_service_ns > 0;
    bool const shared = plan_.host.cores > 0 || !plan_.hosts.empty();
    bool const lossy = plan_.network.loss_per_million > 0 || plan_.network.bytes_per_second > 0 || !plan_.links.empty();
    if (busy || shared || lossy)
        return false;
    return std::all_of(plan_.faults.begin(), plan_.faults.end(),
                       [](Fault const& fault) { return is_from_birth(fault.kind); });
}

/// Frames of the table's gather around the ring.
bool WorldState::is_ring_frame(Link link, Frame const& frame) {
    bool const hand = link == protocol::chord_out(0) || link == protocol::chord_in(0);
    return hand && frame.d == 0 &&
           (frame.kind == FrameKind::length || (frame.kind == FrameKind::slices && frame.b == 1));
}

/// Both lanes agree on what a frame of the ring costs, because its delay is a function of which frame it is.
TimeNs WorldState::ring_delay_ns(Connection& connection, std::uint8_t to_side, Frame const& frame) {
    Side const& from = connection.sides[1U - to_side];
    std::uint32_t const from_host = processes_[from.process].host;
    std::uint32_t const to_host = processes_[connection.sides[to_side].process].host;
    Distribution const& distance = hosts_.distance(from_host, to_host);
    bool const ring = policies_.gather == Gather::ring || policies_.gather == Gather::ring2;
    if (distance.is_constant() || !ring)
        return delay_ns(connection, from_host, to_host);
    bool const lengths = policies_.turns == Turns::lock_step_lengths;
    bool const onward = from.link == protocol::chord_out(0);
    RankId const sender = rank_of(from.process);
    std::uint32_t number = 0;
    if (frame.kind == FrameKind::length) {
        number = 2U * frame.a;
    } else {
        std::uint32_t const step = onward ? (sender + plan_.nranks - frame.a) % plan_.nranks
                                          : (frame.a + plan_.nranks - sender) % plan_.nranks;
        number = lengths ? 2U * step + 1U : step;
    }
    FrameStream const stream = frame_stream(plan_.seed, 0, sender, onward ? Way::forward : Way::backward);
    return frame_delay_ns(distance, stream, number);
}

void WorldState::ring_begins(ProcessId process) {
    if (process >= plan_.nranks || ring_start_ns_[process] != kNever)
        return;
    ring_start_ns_[process] = stamp_ns_;
    if (++ring_begun_ == plan_.nranks)
        plan_at(stamp_ns_, Happening::ring_begun, kNoProcess);
}

void WorldState::skip_ring() {
    RingForward ring;
    ring.nranks = plan_.nranks;
    ring.gather = policies_.gather;
    ring.turns = policies_.turns;
    ring.seed = plan_.seed;
    ring.start_ns = ring_start_ns_;
    NetworkPlan const& network = plan_.network;
    ring.forward.kinds = {network.same_host, network.same_rack, network.cross_rack};
    ring.forward.kind_of_link.resize(plan_.nranks);
    ring.backward = ring.forward;
    auto const kind_of = [&](RankId from, RankId to) {
        Distribution const& distance = hosts_.distance(processes_[from].host, processes_[to].host);
        return static_cast<std::uint8_t>(&distance == &network.same_host ? 0 : &distance == &network.same_rack ? 1 : 2);
    };
    for (RankId rank = 0; rank < plan_.nranks; ++rank) {
        ring.forward.kind_of_link[rank] = kind_of(rank, protocol::successor_of(rank, plan_.nranks));
        ring.backward.kind_of_link[rank] = kind_of(rank, protocol::predecessor_of(rank, plan_.nranks));
    }
    auto const result = forward(ring);
    if (!result) {  // a gather that only events can decide
        ring_spoiled_ = true;
        return;
    }
    out_.frames += result->messages;
    out_.bytes += result->bytes;
    std::uint64_t const slices = std::uint64_t{plan_.nranks} * (plan_.nranks - 1U);
    out_.frames_by_kind[static_cast<std::size_t>(FrameKind::slices)] += slices;
    out_.frames_by_kind[static_cast<std::size_t>(FrameKind::length)] += result->messages - slices;
    out_.skipped_frames += result->messages;
    for (RankId rank = 0; rank < plan_.nranks; ++rank)
        plan_at(std::max(now_ns_, result->done_ns[rank]), Happening::ring_done, rank);
}

void WorldState::end_ring(ProcessId id, Slot slot) {
    if (static_cast<Phase>(processes_[id].phase) != Phase::gathering || processes_[id].has(Process::kOver)) {
        ring_spoiled_ = true;
        return;
    }
    Frame const last = wear(id).skip_to_last_slice();
    if (contents_.exact()) {
        for (RankId rank = 0; rank < plan_.nranks; ++rank)
            contents_.learn(id, rank, contents_.checked_in(rank));
    }
    processes_[id].known = plan_.nranks;
    Occurrence& occurrence = occurrences_[slot];
    occurrence.frame = last;
    occurrence.content = contents_.checked_in(last.a);
    arriving_ = slot;
    arriving_as_ = {};
    feed(id, Event::arrived(stamp_ns_, protocol::chord_in(0), last, {}));
    arriving_ = kNoSlot;
}

bool WorldState::must_be_played() const {
    if (ring_spoiled_)
        return true;
    bool const somebody_waits = skips_ring_ && ring_begun_ > 0 && ring_begun_ < plan_.nranks;
    return somebody_waits && std::uint64_t{plan_.nranks} * plan_.nranks <= kPlayableFrames;
}

}  // namespace ronde::sim
