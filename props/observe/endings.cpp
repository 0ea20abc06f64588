#include "observe/endings.hpp"

#include "observe/welcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace ronde::props {
namespace {

using protocol::Code;
using protocol::kMillisecondNs;
using protocol::kSecondNs;
using protocol::Phase;
using sim::FaultKind;
using Kind = sim::ProcessFacts::Kind;

}  // namespace

// --- L1 -------------------------------------------------------------------------------------------------------------

TimeNs ReadyOnceHealed::bound_ns(TimeNs healed_ns, sim::WorldPlan const& plan) {
    // A kernel doubles its pauses, so what it last began ends after as much time as has passed. Then a machine may be
    // in its longest patience with an unanswered connection (8 s and an eighth), pause, and do so once more with a
    // peer, whose doors may be full of strangers for their patience.
    TimeNs const doors_ns = 2 * TimeNs{plan.policies.handshake_patience_ms} * kMillisecondNs;
    return 2 * healed_ns + TimeNs{2} * 9'500 * kMillisecondNs + doors_ns + plan.budget_ns / 16;
}

bool ReadyOnceHealed::begin(Scene const& scene, Premise const& premise) {
    healed_ns_ = 0;
    if (!premise.passing)
        return false;
    for (sim::Fault const& fault : scene.plan().faults) {
        if (fault.kind == FaultKind::late)
            healed_ns_ += fault.duration_ns;
    }
    return true;
}

void ReadyOnceHealed::on_fault(TimeNs now_ns, sim::Fault const& fault) {
    TimeNs const lasts_ns = fault.duration_ns == kNever ? 0 : fault.duration_ns;
    TimeNs visits_ns = 0;
    if (fault.kind == FaultKind::stranger)
        visits_ns = static_cast<TimeNs>(fault.times) * fault.every.most_ns();
    healed_ns_ = std::max(healed_ns_, now_ns + lasts_ns + visits_ns);
}

void ReadyOnceHealed::at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) {
    TimeNs const due_ns = bound_ns(healed_ns_, scene.plan());
    if (due_ns >= scene.plan().budget_ns - kSecondNs)
        return;  // the deadline may come first
    std::vector<RankId> ranks;
    for (sim::RankEnd const& end : outcome.not_ready)
        ranks.push_back(end.rank);
    if (!ranks.empty()) {
        sim::RankEnd const& end = outcome.not_ready.front();
        return findings.add(id(), ranks,
                            fmt::format("faults were over after {} ms, and rank {} is {} in {}, not ready: {}",
                                        healed_ns_ / kMillisecondNs, end.rank, sim::name_of(end.end),
                                        protocol::name_of(end.phase), protocol::describe(end.verdict)));
    }
    if (outcome.last_ready_ns > due_ns)
        findings.add(id(), {outcome.slowest},
                     fmt::format("faults were over after {} ms, and the last rank was ready after {} ms; {} ms were "
                                 "allowed",
                                 healed_ns_ / kMillisecondNs, outcome.last_ready_ns / kMillisecondNs,
                                 due_ns / kMillisecondNs));
}

// --- L2 -------------------------------------------------------------------------------------------------------------

bool EndsByDeadline::begin(Scene const& scene, Premise const&) {
    sim::WorldPlan const& plan = scene.plan();
    started_ns_.assign(scene.processes(), -1);
    // Who has to share a processor notices its deadline when it has its turn.
    auto const crowd_ns = [&](sim::HostPlan const& host) {
        return (host.accept_service_ns + host.message_service_ns) * static_cast<TimeNs>(8U * plan.nranks + 512U);
    };
    grace_ns_ = crowd_ns(plan.host);
    for (sim::HostOverride const& special : plan.hosts)
        grace_ns_ = std::max(grace_ns_, crowd_ns(special.host));
    std::uint64_t slowness = 1;
    for (sim::Fault const& fault : plan.faults) {
        if (fault.kind == FaultKind::slow)
            slowness *= std::max<std::uint64_t>(fault.amount, 1);
    }
    grace_ns_ *= static_cast<TimeNs>(std::min<std::uint64_t>(slowness, 1'000'000));
    return plan.budget_ns < kNever;
}

void EndsByDeadline::on_fault(TimeNs, sim::Fault const& fault) {
    if (fault.kind == FaultKind::pause)
        grace_ns_ = fault.duration_ns >= kNever - grace_ns_ ? kNever : grace_ns_ + fault.duration_ns;
}

void EndsByDeadline::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (!step.is_rank())
        return;
    if (step.event().kind == protocol::EventKind::start) {
        if (step.process() >= started_ns_.size())
            started_ns_.resize(step.process() + std::size_t{1}, -1);
        started_ns_[step.process()] = step.seen->now_ns;
        return;
    }
    bool const ends = step.enters(Phase::failed) || step.enters(Phase::ready);
    bool const bootstraps = step.seen->phase_before < static_cast<std::uint8_t>(Phase::ready);
    if (!ends || !bootstraps)
        return;
    TimeNs const late_ns = step.seen->now_ns - started_ns_[step.process()] - scene.plan().budget_ns;
    if (late_ns <= grace_ns_)
        return;
    sim::ProcessFacts const facts = scene.facts(step.process());
    bool const told_so = facts.endless && scene.policies().deadlines == protocol::Deadlines::everywhere;
    if (told_so)
        return;
    RankId const rank = facts.rank;
    findings.add(id(), {rank}, fmt::format("rank {} has ended {} us after its deadline", rank, late_ns / 1'000));
}

void EndsByDeadline::at_end(sim::Outcome const&, Scene const& scene, Findings& findings) {
    for (ProcessId process = 0; process < scene.processes(); ++process) {
        sim::ProcessFacts const facts = scene.facts(process);
        // A rank that was told to follow a profile without deadlines has promised nothing.
        bool const told_so = facts.endless && scene.policies().deadlines == protocol::Deadlines::everywhere;
        bool const waits =
            facts.kind == Kind::rank && !told_so && facts.started && !facts.dead && !facts.over && !facts.ready;
        TimeNs const started_ns = process < started_ns_.size() ? started_ns_[process] : -1;
        if (!waits || started_ns < 0 || grace_ns_ == kNever)
            continue;
        if (!scene.at_rest() && started_ns + scene.plan().budget_ns + grace_ns_ > scene.plan().simulated_limit_ns)
            continue;  // the world was stopped before that deadline
        findings.add(
            id(), {facts.rank},
            fmt::format("rank {} waits for ever, {}", facts.rank, protocol::name_of(scene.state(process).phase)));
    }
}

// --- L3 -------------------------------------------------------------------------------------------------------------

bool NamesTheMissing::begin(Scene const& scene, Premise const& premise) {
    premise_ = premise;
    protocol::Partition const partition{scene.plan().nranks, scene.plan().nroots};
    present_.resize(scene.plan().nroots);
    for (std::uint32_t index = 0; index < scene.plan().nroots; ++index)
        present_[index].assign(partition.expected_check_ins(index), false);
    judged_.assign(scene.plan().nroots, false);
    ended_.assign(scene.plan().nranks, false);
    return true;
}

/// `rank` was the first to notice. Whom it waited for, or whose connection ended, may be somebody's victim: what it
/// says of one who has ended already is true, though not the whole story.
void NamesTheMissing::judge_blame(protocol::Error const& error, RankId rank, Findings& findings) {
    auto const spared = [&](RankId id) { return id < premise_.touched.size() && !premise_.touched[id]; };
    bool const waited = error.code == Code::deadline || error.code == Code::ranks_missing;
    bool const innocent =
        spared(rank) && spared(error.about) && !ended_[error.about] && (error.other == kNoRank || spared(error.other));
    if (waited || !innocent)
        return;
    protocol::Verdict verdict;
    verdict.error = error;
    findings.add(id(), {rank, error.about},
                 fmt::format("nothing happened to rank {}, and rank {} ends with: {}", error.about, rank,
                             protocol::describe(verdict)));
}

void NamesTheMissing::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (step.is_rank()) {
        bool const fails = step.enters(Phase::failed);
        if (!fails && !step.enters(Phase::closed))
            return;
        RankId const rank = scene.rank_of(step.process());
        protocol::Error const& error = step.seen->rank->error();
        if (fails && error.reporter == rank)
            judge_blame(error, rank, findings);
        ended_[rank] = true;
        return;
    }
    std::uint32_t const index = step.process() - scene.plan().nranks;
    Welcome const welcome = welcome_in(step, scene);
    if (welcome.process != kNoProcess && welcome.local_id < present_[index].size())
        present_[index][welcome.local_id] = true;
    bool const ends = step.seen->phase_before < static_cast<std::uint8_t>(protocol::RootPhase::judging) &&
                      step.seen->phase_after != step.seen->phase_before;
    bool const own_word = step.event().kind == protocol::EventKind::timer && ends;
    if (own_word && !judged_[index] && step.seen->root->verdict().error.code == Code::ranks_missing)
        judge_list(step, scene, findings);
}

/// A root has just said who is missing.
void NamesTheMissing::judge_list(Step const& step, Scene const& scene, Findings& findings) {
    std::uint32_t const index = step.process() - scene.plan().nranks;
    judged_[index] = true;
    protocol::Verdict const& verdict = step.seen->root->verdict();
    protocol::Partition const partition{scene.plan().nranks, scene.plan().nroots};
    std::uint32_t absent = 0;
    std::vector<bool> listed(scene.plan().nranks, false);
    std::uint32_t named = verdict.more_ranks;
    for (std::uint32_t i = 0; i < verdict.range_count; ++i) {
        for (RankId rank = verdict.ranges[i].first; rank <= verdict.ranges[i].last && rank < listed.size(); ++rank) {
            listed[rank] = true;
            ++named;
        }
    }
    for (std::uint32_t local_id = 0; local_id < present_[index].size(); ++local_id) {
        RankId const rank = (partition.first_of(index) + local_id) % scene.plan().nranks;
        bool const here = present_[index][local_id];
        absent += here ? 0U : 1U;
        bool const told = listed[rank] != here || (!here && verdict.more_ranks > 0);
        if (!told)
            return findings.add(id(), {rank},
                                fmt::format("root {} lists the missing, and {} rank {}", index,
                                            here ? "names the present" : "forgets the absent", rank));
    }
    if (named != absent)
        findings.add(id(), {}, fmt::format("root {} names {} ranks, {} are missing", index, named, absent));
}

/// Nothing happened but that some ranks never came: everyone alive says so, and which.
void NamesTheMissing::judge_missing(sim::RankEnd const& end, Scene const& scene, Findings& findings) const {
    protocol::Verdict const& verdict = end.verdict;
    bool const said = end.error.code == Code::ranks_missing && end.error.phase == Phase::checking_in;
    bool exact = said;
    std::uint32_t named = verdict.more_ranks;
    for (std::uint32_t i = 0; i < verdict.range_count; ++i) {
        for (RankId rank = verdict.ranges[i].first; rank <= verdict.ranges[i].last; ++rank) {
            ++named;
            exact = exact && std::binary_search(premise_.never.begin(), premise_.never.end(), rank);
        }
    }
    bool const all = scene.plan().nroots > 1 || named == premise_.never.size();
    if (exact && all && named > 0)
        return;
    findings.add(id(), {end.rank},
                 fmt::format("{} ranks never came, and rank {} ends with: {}", premise_.never.size(), end.rank,
                             protocol::describe(verdict)));
}

void NamesTheMissing::at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) {
    if (!premise_.only_missing || premise_.never.size() >= outcome.nranks)
        return;
    for (sim::RankEnd const& end : outcome.not_ready) {
        if (end.end == sim::End::failed)
            judge_missing(end, scene, findings);
    }
}

// --- L4 -------------------------------------------------------------------------------------------------------------

Headway headway_of(protocol::RankState const& state) {
    // Two masks at once, and by hand: not every processor that a build is for has an instruction for it, and then each
    // count is a call. Sums in fields of 2, 4 and 8 bits.
    auto const bits = [](std::uint32_t mask, std::uint32_t other) {
        std::uint64_t sums = std::uint64_t{mask} << 32U | other;
        sums -= sums >> 1U & 0x5555'5555'5555'5555U;
        sums = (sums & 0x3333'3333'3333'3333U) + (sums >> 2U & 0x3333'3333'3333'3333U);
        return ((sums + (sums >> 4U)) & 0x0f0f'0f0f'0f0f'0f0fU) * 0x0101'0101'0101'0101U >> 56U;
    };
    Headway progress;
    progress.phase = static_cast<std::uint32_t>(state.phase);
    progress.operation = state.operation;
    std::uint64_t work = 6 * bits(state.out_open | state.gone_out, state.in_open | state.gone_in);
    for (protocol::Dial const& dial : state.dials) {
        // An open chord is counted with its bit.
        if (dial.state != protocol::Dial::State::open || dial.link.link_class() != protocol::LinkClass::chord_out)
            work += static_cast<std::uint64_t>(dial.state);
    }
    for (protocol::Door const door : state.doors)
        work += door == protocol::Door::challenged ? 1U : 0U;
    using State = protocol::RankState;
    constexpr std::uint32_t steps = std::uint32_t{State::kKnowsSuccessor} | State::kTable | State::kInspected |
                                    State::kRootOpen | State::kPreviousRootOpen | State::kServedAll | State::kRootDone |
                                    State::kCommitted;
    work += state.accepted + 2U * bits(state.served, state.heard) + state.window + state.from_prev + state.from_next +
            state.turn + bits(state.early, state.spoken) + bits(state.flags & steps, 0);
    work += state.listeners;
    progress.work = work;
    return progress;
}

Headway headway_of(protocol::Root const& root) {
    return {static_cast<std::uint32_t>(root.phase()), 0,
            std::uint64_t{root.accepted()} + root.checked_in() + root.done()};
}

std::uint32_t MeasureDecreases::most_idle_steps(std::uint32_t nranks, bool root) {
    // A rank: its listeners, a notice for each door, a timer for each patience. A root hears hello and proof of each
    // check-in, which its counters do not show, the end of each connection, and that somebody waits.
    return root ? 32U + 8U * nranks : 24U + 2U * protocol::log2_ceil(nranks);
}

bool MeasureDecreases::begin(Scene const& scene, Premise const& premise) {
    machines_.assign(scene.processes(), Machine{});
    most_of_ranks_ = most_idle_steps(scene.plan().nranks, false);
    most_of_roots_ = most_idle_steps(scene.plan().nranks, true);
    // After ready, operations follow one another as the program likes.
    return premise.calm;
}

void MeasureDecreases::on_step(Step const& step, Scene const& scene, Findings& findings) {
    Machine& machine = machines_[step.process()];
    if (step.is_rank() && step.seen->phase_before == static_cast<std::uint8_t>(Phase::ready))
        return;
    Headway const now = step.is_rank() ? headway_of(step.seen->rank->state()) : headway_of(*step.seen->root);
    auto const whose = [&] {
        return step.is_rank() ? fmt::format("rank {}", step.process())
                              : fmt::format("root {}", step.process() - scene.plan().nranks);
    };
    auto const ranks = [&] { return step.is_rank() ? std::vector<RankId>{step.process()} : std::vector<RankId>{}; };
    if (now < machine.progress)
        findings.add(id(), ranks(),
                     fmt::format("{} has gone back in {}, from ({}, {}, {}) to ({}, {}, {}), in a calm world", whose(),
                                 protocol::name_of(step.event().kind), machine.progress.phase,
                                 machine.progress.operation, machine.progress.work, now.phase, now.operation,
                                 now.work));
    machine.idle += now == machine.progress ? 1U : 0U;
    machine.progress = now;
    std::uint32_t const most = step.is_rank() ? most_of_ranks_ : most_of_roots_;
    if (machine.idle == most + 1U)
        findings.add(id(), ranks(),
                     fmt::format("{} has made {} steps that bring it no nearer to its end", whose(), machine.idle));
}

// --- D4 -------------------------------------------------------------------------------------------------------------

bool FunctionOfItsEvents::begin(Scene const& scene, Premise const&) {
    twins_.clear();
    twins_.resize(scene.processes());
    return true;
}

void FunctionOfItsEvents::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (!step.is_rank())
        return;
    if (step.process() >= twins_.size())
        twins_.resize(step.process() + std::size_t{1});
    std::unique_ptr<Twin>& twin = twins_[step.process()];
    if (!twin) {
        twin = std::make_unique<Twin>();
        twin->config = step.seen->rank->config();
        twin->machine = protocol::Rank(twin->config);
    }
    if (twin->parted)
        return;
    twin->machine.step(step.event(), actions_.clear());
    std::uint32_t count = actions_.size();
    while (actions_.more()) {
        twin->machine.step(protocol::Event::resume(step.event().now), actions_.clear());
        count += actions_.size();
    }
    bool const same = std::memcmp(&twin->machine.state(), &step.seen->rank->state(), sizeof(protocol::RankState)) == 0;
    if (same && count == step.actions.size())
        return;
    twin->parted = true;
    RankId const rank = scene.facts(step.process()).rank;
    findings.add(
        id(), {rank},
        fmt::format("rank {} was fed {} again and is in another state", rank, protocol::name_of(step.event().kind)));
}

}  // namespace ronde::props
