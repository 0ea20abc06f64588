#include "chronicle/world_chronicler.hpp"

#include "report/causes.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace ronde::viz {

using protocol::Phase;

namespace {

/// A ring passes N^2 frames: beyond that many, steps are not worth their memory.
bool is_worth_details(sim::World const& world) {
    std::uint32_t const nranks = world.plan().nranks;
    protocol::Gather const gather = world.look().policies().gather;
    bool const ring = gather == protocol::Gather::ring || gather == protocol::Gather::ring2;
    std::uint64_t const steps = ring ? std::uint64_t{nranks} * nranks : nranks;
    return nranks <= kMostDetailedRanks && steps < kMostDetailedSteps;
}

std::string fault_text(sim::Fault const& fault) {
    std::string text(name_of(fault.kind));
    if (fault.kind == sim::FaultKind::stranger)
        text += fmt::format(" ({})", name_of(fault.stranger));
    if (fault.kind == sim::FaultKind::crash && fault.death != sim::Death::fin)
        text += fmt::format(" ({})", name_of(fault.death));
    if (fault.duration_ns != kNever && fault.duration_ns != 0)
        text += " " + sim::about(fault.duration_ns);
    return text;
}

bool is_deadly(sim::FaultKind kind) { return kind == sim::FaultKind::crash || kind == sim::FaultKind::restart; }

RankEnd end_of(sim::End end) {
    switch (end) {
    case sim::End::ready: return RankEnd::ready;
    case sim::End::failed: return RankEnd::failed;
    case sim::End::hanging: return RankEnd::hanging;
    case sim::End::dead: return RankEnd::dead;
    case sim::End::not_there: return RankEnd::not_there;
    }
    return RankEnd::hanging;
}

std::string verdict_text(sim::Outcome const& outcome) {
    if (outcome.all_ready())
        return outcome.broken.empty() ? "ready" : "a promise was broken: " + outcome.broken;
    auto const causes = sim::causes_of(outcome);
    if (causes.empty())
        return "not ready";
    sim::Cause const& first = causes.front();
    std::string_view const who = first.count == 1 ? "rank" : "ranks";
    return fmt::format("{} {}: {}", who, sim::shortened(sim::ranks_text(first.ranks)), first.message);
}

}  // namespace

Peer WorldChronicler::WorldPeers::other_end(ProcessIndex process, protocol::Link link) const {
    sim::OtherEnd const end = world_.look().other_end(process, link);
    return {end.process, end.link, end.syn_retransmits};
}

WorldChronicler::WorldChronicler(sim::World& world)
    : world_(world), peers_(world), builder_(chronicle_, peers_), detailed_(is_worth_details(world)) {
    sim::WorldPlan const& plan = world.plan();
    chronicle_.nranks = plan.nranks;
    chronicle_.nroots = plan.nroots;
    chronicle_.hosts_per_rack = plan.network.hosts_per_rack;
    chronicle_.seed = plan.seed;
    chronicle_.first_retransmit_ns = plan.network.first_retransmit_ns;
    chronicle_.has_steps = detailed_;
    on_begin_again();
    if (detailed_)
        world.keep_dependencies();
    world.watch(*this);
}

void WorldChronicler::on_begin_again() {
    builder_.forget_all();
    chronicle_.faults.clear();
    chronicle_.listener.clear();
    RankStory nobody;
    nobody.entered_ns.fill(kNever);
    chronicle_.ranks.assign(chronicle_.nranks, nobody);
    died_ns_.assign(std::size_t{chronicle_.nranks} + chronicle_.nroots, kNever);
    next_sample_ns_ = 0;
    sample_every_ns_ = 1;
}

// --- while it runs --------------------------------------------------------------------------------------------------

void WorldChronicler::on_actions(sim::ProcessId process, protocol::Actions const& actions) {
    if (detailed_)
        builder_.asked(process, world_.program_now_ns(), std::span(actions.begin(), actions.end()));
}

void WorldChronicler::on_step(sim::StepSeen const& seen) {
    chronicle_.end_ns = seen.now_ns;
    note_phase(seen);
    sample(seen.now_ns);
    if (!detailed_)
        return;
    StepStory story;
    story.at_ns = seen.now_ns;
    story.process = seen.process;
    story.from = seen.from;
    story.phase_before = seen.phase_before;
    story.phase_after = seen.phase_after;
    story.text = sim::step_text(seen, chronicle_.nranks, chronicle_.nroots);
    builder_.took(std::move(story), *seen.event);
    if (chronicle_.steps.size() >= kMostDetailedSteps)
        give_up_details();
}

void WorldChronicler::give_up_details() {
    detailed_ = false;
    chronicle_.has_steps = false;
    builder_.forget_all();
}

/// A process that took the place of a dead rank goes on with its story; a second one beside the first does not.
void WorldChronicler::note_phase(sim::StepSeen const& seen) {
    if (seen.rank == nullptr)
        return;
    RankId rank = seen.process;
    if (rank >= chronicle_.nranks) {
        rank = world_.look().facts(seen.process).rank;
        if (rank >= chronicle_.nranks || !world_.look().facts(rank).dead)
            return;
    }
    auto& entered = chronicle_.ranks[rank].entered_ns;
    if (TimeNs& born = entered[static_cast<std::size_t>(Phase::created)]; born == kNever)
        born = seen.now_ns;
    if (seen.phase_after == seen.phase_before)
        return;
    if (TimeNs& first = entered[seen.phase_after]; first == kNever)
        first = seen.now_ns;
    auto const now = static_cast<Phase>(seen.phase_after);
    if ((now == Phase::committing || now == Phase::ready) && chronicle_.ranks[rank].table_ns == kNever)
        chronicle_.ranks[rank].table_ns = seen.now_ns;
}

/// One sample for each time at which something changed; of too many every second one is dropped, again and again.
void WorldChronicler::sample(TimeNs now_ns) {
    if (now_ns < next_sample_ns_)
        return;
    sim::Look const look = world_.look();
    sim::Storm const& storm = look.storm();
    protocol::Root const& root = look.root(0);
    ListenerSample const taken{.at_ns = now_ns,
                               .queue_depth = 0,
                               .accepts = root.accepted(),
                               .syn_drops = storm.syn_drops,
                               .ghosts = storm.ghosts,
                               .syn_retransmits = storm.syn_retransmits,
                               .data_retransmits = storm.data_retransmits,
                               .checked_in = root.checked_in()};
    auto& samples = chronicle_.listener;
    auto const counts = [](ListenerSample const& one) {
        return std::tuple(one.accepts, one.syn_drops, one.ghosts, one.syn_retransmits, one.data_retransmits,
                          one.checked_in);
    };
    if (!samples.empty() && counts(samples.back()) == counts(taken))
        return;
    samples.push_back(taken);
    next_sample_ns_ = now_ns + sample_every_ns_;
    if (samples.size() < kMostSamples)
        return;
    std::size_t kept = 0;
    for (std::size_t i = 1; i < samples.size(); i += 2)
        samples[kept++] = samples[i];
    samples.resize(kept);
    sample_every_ns_ =
        std::max<TimeNs>(2 * sample_every_ns_, (now_ns - samples.front().at_ns) / TimeNs{2 * kMostSamples});
}

void WorldChronicler::on_fault(TimeNs now_ns, sim::Fault const& fault) {
    constexpr std::size_t kMostNamedTargets = 64;
    std::string const text = fault_text(fault);
    std::size_t named = 0;
    auto const struck = [&](ProcessIndex process) {
        if (is_deadly(fault.kind) && process < died_ns_.size())
            died_ns_[process] = std::min(died_ns_[process], now_ns);
        if (++named <= kMostNamedTargets)
            chronicle_.faults.push_back({now_ns, process, text});
    };
    switch (fault.target) {
    case sim::Target::root: struck(chronicle_.nranks + fault.index); break;
    case sim::Target::ranks:
        for (sim::RankRange const& range : fault.ranks) {
            for (RankId rank = range.first; rank < range.first + range.count; ++rank)
                struck(rank);
        }
        break;
    case sim::Target::host:
        for (ProcessIndex process = 0; process < died_ns_.size(); ++process) {
            if (world_.look().facts(process).host == fault.index)
                struck(process);
        }
        break;
    }
    if (named > kMostNamedTargets)
        chronicle_.faults.push_back({now_ns, kNobody, fmt::format("{}: {} processes", text, named)});
}

// --- when it is over ------------------------------------------------------------------------------------------------

Chronicle WorldChronicler::finish(sim::Outcome const& outcome) {
    std::string_view const profile = name_of(outcome.policies.profile);
    chronicle_.profile = profile;
    chronicle_.ready = outcome.all_ready();
    chronicle_.verdict = verdict_text(outcome);
    chronicle_.title = fmt::format("{}: {}, {}", outcome.name, sim::plural(outcome.nranks, "rank"),
                                   chronicle_.ready ? "ready" : "failed");
    chronicle_.subtitle = fmt::format("profile {}, gather {}", profile, name_of(outcome.policies.gather));
    chronicle_.subtitle += outcome.last_table_ns == kNever
                               ? fmt::format("; {}", chronicle_.verdict)
                               : fmt::format(", full table after {}", sim::about(outcome.last_table_ns));
    chronicle_.plan = sim::write_scenario(world_.plan());
    chronicle_.backlog = outcome.storm.backlog;
    chronicle_.calls_after_retries.assign(outcome.storm.connects_after_retries.begin(),
                                          outcome.storm.connects_after_retries.end());
    add_processes();
    add_ends(outcome);
    blame(outcome);
    add_queue_depth(outcome);
    if (detailed_) {
        sim::CriticalPath const path = world_.critical_path();
        mark_critical(path);
        if (chronicle_.ready)
            add_slack(path);
    }
    return std::move(chronicle_);
}

void WorldChronicler::add_processes() {
    sim::Look const look = world_.look();
    std::map<std::uint32_t, std::uint32_t> hosts;  // numbers without gaps, in the order of the processes
    chronicle_.processes.resize(look.processes());
    for (ProcessIndex index = 0; index < look.processes(); ++index) {
        sim::ProcessFacts const facts = look.facts(index);
        Process& process = chronicle_.processes[index];
        bool const first = index < chronicle_.nranks;
        process.kind = first                                         ? Process::Kind::rank
                       : facts.kind == sim::ProcessFacts::Kind::root ? Process::Kind::root
                                                                     : Process::Kind::extra;
        process.rank = facts.rank;
        process.host = hosts.emplace(facts.host, static_cast<std::uint32_t>(hosts.size())).first->second;
        if (chronicle_.nranks <= kMostNamed)
            process.name = sim::process_name(index, chronicle_.nranks, chronicle_.nroots);
    }
    chronicle_.nhosts = static_cast<std::uint32_t>(hosts.size());
}

void WorldChronicler::add_ends(sim::Outcome const& outcome) {
    for (RankStory& story : chronicle_.ranks) {
        story.end = RankEnd::ready;
        story.last_phase = Phase::ready;
    }
    for (sim::RankEnd const& one : outcome.not_ready) {
        RankStory& story = chronicle_.ranks[one.rank];
        story.end = end_of(one.end);
        story.last_phase = one.phase;
        story.error = one.error;
        story.message = sim::message_of(one);
        if (one.end == sim::End::failed)
            story.ended_ns = one.at_ns;
        else if (one.end == sim::End::dead)
            story.ended_ns = died_ns_[one.rank];
    }
}

/// Whom the errors name, and whoever left without one.
void WorldChronicler::blame(sim::Outcome const& outcome) {
    auto const mark = [&](RankId rank) {
        if (rank < chronicle_.nranks)
            chronicle_.ranks[rank].culprit = true;
    };
    for (sim::RankEnd const& one : outcome.not_ready) {
        if (one.end == sim::End::dead || one.end == sim::End::not_there)
            mark(one.rank);
        if (one.end != sim::End::failed)
            continue;
        mark(one.error.about);
        for (std::uint32_t i = 0; i < one.verdict.range_count; ++i) {
            for (RankId rank = one.verdict.ranges[i].first; rank <= one.verdict.ranges[i].last; ++rank)
                mark(rank);
        }
    }
}

/// Both lists are in the order of time: counts go on until the next sample, and the depth until its next point.
void WorldChronicler::add_queue_depth(sim::Outcome const& outcome) {
    std::vector<ListenerSample> merged;
    merged.reserve(chronicle_.listener.size() + outcome.queue_depth.size());
    auto const add = [&merged](ListenerSample const& one) {
        if (!merged.empty() && merged.back().at_ns == one.at_ns && merged.back().queue_depth <= one.queue_depth)
            merged.back() = one;
        else
            merged.push_back(one);
    };
    ListenerSample now;
    auto depth = outcome.queue_depth.begin();
    auto const add_depths = [&](TimeNs until_ns) {
        for (; depth != outcome.queue_depth.end() && depth->at_ns <= until_ns; ++depth) {
            now.at_ns = depth->at_ns;
            now.queue_depth = depth->depth;
            add(now);
        }
    };
    for (ListenerSample one : chronicle_.listener) {
        add_depths(one.at_ns);
        one.queue_depth = now.queue_depth;
        now = one;
        add(now);
    }
    add_depths(kNever);
    chronicle_.listener = std::move(merged);
}

/// The chain has stretches of time, and a chronicle steps and messages: those that fill the stretches.
void WorldChronicler::mark_critical(sim::CriticalPath const& path) {
    struct Stretch {
        TimeNs begin_ns;
        TimeNs end_ns;
        bool trip;
    };
    std::map<ProcessIndex, std::vector<Stretch>> at;
    std::map<std::pair<ProcessIndex, ProcessIndex>, std::vector<Stretch>> between;
    for (sim::PathPiece const& piece : path.pieces) {
        bool const trip = piece.wait == sim::Wait::travel;
        if (piece.wait == sim::Wait::busy)
            continue;
        at[piece.process].push_back({piece.begin_ns, piece.end_ns, trip});
        if (trip && piece.from != sim::kNoProcess)
            between[{piece.from, piece.process}].push_back({piece.begin_ns, piece.end_ns, true});
    }
    for (StepStory& step : chronicle_.steps) {
        auto const stretches = at.find(step.process);
        if (stretches == at.end())
            continue;
        step.critical = std::any_of(stretches->second.begin(), stretches->second.end(), [&](Stretch const& one) {
            return one.trip ? step.at_ns == one.end_ns : step.at_ns > one.begin_ns && step.at_ns <= one.end_ns;
        });
    }
    for (MessageStory& message : chronicle_.messages) {
        auto const stretches = between.find({message.from, message.to});
        if (stretches == between.end() || message.received_ns == kNever)
            continue;
        bool const fills = std::any_of(stretches->second.begin(), stretches->second.end(), [&](Stretch const& one) {
            return message.sent_ns == one.begin_ns && message.received_ns >= one.end_ns;
        });
        message.critical = fills && chronicle_.steps[message.receive_step].critical;
    }
}

/// Where somebody has no table, nobody knows what it would have been late for.
void WorldChronicler::add_slack(sim::CriticalPath const& path) {
    for (RankId rank = 0; rank < chronicle_.nranks && rank < path.slack_ns.size(); ++rank)
        chronicle_.ranks[rank].slack_ns = path.slack_ns[rank];
}

}  // namespace ronde::viz
