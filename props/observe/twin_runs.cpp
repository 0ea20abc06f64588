#include "observe/twin_runs.hpp"

#include "engine/seeded_oracle.hpp"
#include "observe/premise.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::props {
namespace {

using protocol::kMillisecondNs;

Violation violation_of(PropertyId id, sim::Outcome const& outcome, std::string sentence) {
    return {id, outcome.steps, outcome.simulated_ns, {}, std::move(sentence)};
}

}  // namespace

std::optional<Violation> same_again(sim::WorldPlan const& plan, sim::Oracle& again, sim::Outcome const& first,
                                    sim::World& room) {
    sim::WorldPlan played = plan;
    played.fast_forward = false;  // a watched world plays every frame
    room.begin(played, &again);
    sim::Outcome const second = room.run();
    if (second.digest == first.digest)
        return std::nullopt;
    return violation_of(PropertyId::d1, second,
                        fmt::format("two runs of one plan have the digests {} and {}, over {} and {} steps",
                                    to_text(first.digest), to_text(second.digest), first.steps, second.steps));
}

std::optional<Violation> any_schedule(sim::WorldPlan const& plan, std::uint64_t seed, sim::World& room) {
    if (!plan.faults.empty() || !premise_of(plan).calm)
        return std::nullopt;
    sim::SeededOracle choices(seed);
    room.begin(plan, &choices);
    sim::Outcome const outcome = room.run();
    return calm_end(outcome, WorldScene(room.look()), seed);
}

std::optional<Violation> calm_end(sim::Outcome const& outcome, Scene const& scene, std::uint64_t seed) {
    if (!outcome.all_ready())
        return violation_of(PropertyId::d2, outcome,
                            fmt::format("with the choices of seed {} {} of {} ranks are ready, in a calm world", seed,
                                        outcome.count(sim::End::ready), outcome.nranks));
    if (!scene.exact() || outcome.nranks == 1 || outcome.skipped_frames > 0)
        return std::nullopt;
    for (RankId reader = 0; reader < outcome.nranks; ++reader) {
        for (RankId rank = 0; rank < outcome.nranks; ++rank) {
            if (scene.holder(reader, rank) != rank && reader != rank)
                return violation_of(PropertyId::d2, outcome,
                                    fmt::format("with the choices of seed {} rank {} has another entry of rank {}",
                                                seed, reader, rank));
        }
    }
    return std::nullopt;
}

std::optional<Violation> both_lanes(sim::WorldPlan const& plan, sim::World& room) {
    sim::WorldPlan other = plan;
    other.fast_forward = true;
    room.begin(other);
    if (!room.skips_ring())
        return std::nullopt;
    sim::Outcome const whole = room.run();
    if (whole.skipped_frames == 0)
        return std::nullopt;
    other.fast_forward = false;
    room.begin(other);
    return lanes_differ(whole, room.run());
}

std::optional<Violation> lanes_differ(sim::Outcome const& whole, sim::Outcome const& played) {
    bool const same = whole.ends == played.ends && whole.last_table_ns == played.last_table_ns &&
                      whole.last_ready_ns == played.last_ready_ns && whole.phases == played.phases &&
                      whole.frames == played.frames && whole.bytes == played.bytes;
    if (same)
        return std::nullopt;
    return violation_of(PropertyId::d3, played,
                        fmt::format("computed as a whole the last table is there after {} ns, played after {} ns",
                                    whole.last_table_ns, played.last_table_ns));
}

std::optional<Violation> strangers_delay_nobody(sim::WorldPlan const& plan, sim::Outcome const& with,
                                                sim::World& room) {
    if (plan.faults.empty())
        return std::nullopt;
    sim::WorldPlan calm = plan;
    std::erase_if(calm.faults, [](sim::Fault const& fault) { return fault.kind == sim::FaultKind::stranger; });
    bool const strangers_alone = calm.faults.empty();
    if (!strangers_alone || !premise_of(plan).passing || !premise_of(calm).calm)
        return std::nullopt;
    room.begin(calm);
    sim::Outcome const without = room.run();
    if (!without.all_ready())
        return std::nullopt;  // L1's business
    // A door may be held for its patience; then the one who waits finds its socket given up at worst once, and has
    // doubled its own patience.
    TimeNs const patience_ns = TimeNs{plan.policies.handshake_patience_ms} * kMillisecondNs;
    TimeNs const answer_ns = 2 * TimeNs{plan.policies.answer_patience_ms} * kMillisecondNs;
    if (with.all_ready() && with.last_ready_ns <= without.last_ready_ns + patience_ns + answer_ns)
        return std::nullopt;
    return violation_of(PropertyId::s5, with,
                        fmt::format("without strangers the last rank is ready after {} ms, with them {}",
                                    without.last_ready_ns / kMillisecondNs,
                                    with.all_ready() ? fmt::format("after {} ms", with.last_ready_ns / kMillisecondNs)
                                                     : std::string("not everyone is")));
}

}  // namespace ronde::props
