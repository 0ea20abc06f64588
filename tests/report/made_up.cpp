#include "made_up.hpp"

namespace ronde::sim {

using protocol::Phase;

Outcome ready_outcome() {
    Outcome outcome;
    outcome.name = "made-up";
    outcome.seed = 7;
    outcome.nranks = 1'000;
    outcome.nroots = 2;
    outcome.policies = protocol::resolve(protocol::policies_of(protocol::Profile::ronde), 1'000, 2);
    outcome.ends[static_cast<std::size_t>(End::ready)] = 1'000;
    outcome.last_table_ns = 1'234'567'890;
    outcome.last_ready_ns = 1'300'000'000;
    outcome.simulated_ns = 61'300'000'000;
    outcome.slowest = 999;
    for (TimeNs rank = 0; rank < 1'000; ++rank) {
        outcome.phases[static_cast<std::size_t>(Phase::checking_in)].add((rank + 1) * kMillisecondNs);
        outcome.phases[static_cast<std::size_t>(Phase::listening)].add(0);
        outcome.phases[static_cast<std::size_t>(Phase::gathering)].add(340 * kMicrosecondNs);
    }
    outcome.slowest_in[static_cast<std::size_t>(Phase::checking_in)] = 999;
    outcome.slowest_in[static_cast<std::size_t>(Phase::gathering)] = 0;
    outcome.frames = 30'000;
    outcome.bytes = 3 << 20;
    outcome.frames_by_kind[static_cast<std::size_t>(protocol::FrameKind::check_in)] = 1'000;
    outcome.storm.connects = 1'500;
    outcome.storm.accepts = 1'200;
    outcome.storm.syn_drops = 300;
    outcome.storm.syn_retransmits = 310;
    outcome.storm.packets_lost = 10;
    outcome.storm.ghosts = 4;
    outcome.storm.queue_high_water = 129;
    outcome.storm.backlog = 128;
    outcome.storm.descriptors_high_water = 70;
    outcome.storm.ports_high_water = 33;
    outcome.storm.connects_after_retries = {900, 290, 10};
    outcome.queue_depth = {{0, 0}, {1'000, 129}};
    outcome.digest = {0x0123'4567'89ab'cdefU, 0xfedc'ba98'7654'3210U};
    outcome.events = 2'000'000;
    outcome.steps = 50'000;
    outcome.world_bytes = 512'000;
    return outcome;
}

Outcome failed_outcome() {
    Outcome outcome;
    outcome.name = "made-up";
    outcome.nranks = 16;
    outcome.nroots = 1;
    outcome.policies = protocol::resolve(protocol::policies_of(protocol::Profile::ronde), 16, 1);
    for (RankId rank = 0; rank < 16; ++rank) {
        RankEnd one;
        one.rank = rank;
        one.end = rank == 3 || rank == 4   ? End::not_there
                  : rank == 7              ? End::dead
                  : rank >= 8 && rank < 12 ? End::hanging
                                           : End::failed;
        one.phase = Phase::awaiting_successor;
        if (one.end == End::failed) {
            one.error.code = protocol::Code::rank_lost;
            one.error.phase = Phase::awaiting_successor;
            one.error.failure = protocol::Failure::reset;
            one.error.about = 7;
            one.error.about_phase = static_cast<std::uint32_t>(Phase::checking_in);
            one.at_ns = kSecondNs + rank;
        }
        ++outcome.ends[static_cast<std::size_t>(one.end)];
        outcome.not_ready.push_back(one);
    }
    outcome.simulated_ns = 2 * kSecondNs;
    outcome.events = 100;
    outcome.steps = 90;
    return outcome;
}

Costs some_costs() { return {500 * kMillisecondNs, 400 * kMillisecondNs, 64U << 20}; }

}  // namespace ronde::sim
