#include "shrink/known_minimum.hpp"

#include "engine/tape_oracle.hpp"
#include "explore/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ronde::props {
namespace {

using protocol::EventKind;
using Clock = std::chrono::steady_clock;

/// Counts the moves of a run up to a step.
class MoveCounter final : public sim::Observer {
public:
    explicit MoveCounter(std::uint64_t last_step) : last_step_(last_step) {}
    void on_step(sim::StepSeen const& seen) override {
        bool const answer = seen.event->kind == EventKind::listening || seen.event->kind == EventKind::inspected ||
                            seen.event->kind == EventKind::sent;
        bool const before_all =
            seen.root != nullptr && seen.event->kind == EventKind::start;  // the id says: it listens
        if (!answer && !before_all && seen.number <= last_step_)
            ++moves_;
    }
    [[nodiscard]] std::uint64_t moves() const { return moves_; }

private:
    std::uint64_t last_step_;
    std::uint64_t moves_ = 0;
};

/// What of a plan's faults the explorer has, too.
struct Mix {
    std::uint32_t of_ranks = 0;  ///< bit per explore::FaultKind that befalls ranks
    std::uint32_t of_roots = 0;
    std::uint32_t faults = 0;  ///< that strike, one for each process
    bool twin = false;
    bool same_device = false;
    bool told = false;
    [[nodiscard]] std::uint32_t flaws() const { return (twin ? 1U : 0U) + (same_device ? 1U : 0U) + (told ? 1U : 0U); }
};

using Known = tl::expected<Mix, std::string>;

std::uint32_t processes_of(sim::Fault const& fault) {
    if (fault.target == sim::Target::root)
        return 1;
    std::uint32_t count = 0;
    for (sim::RankRange const& range : fault.ranks)
        count += range.count;
    return count;
}

Known with(Mix mix, sim::Fault const& fault) {
    using explore::FaultKind;
    auto const strikes = [&](FaultKind kind, std::uint32_t times = 1) {
        std::uint32_t& kinds = fault.target == sim::Target::root ? mix.of_roots : mix.of_ranks;
        kinds |= 1U << static_cast<unsigned>(kind);
        mix.faults += processes_of(fault) * times;
        return mix;
    };
    if (fault.target == sim::Target::host)
        return tl::unexpected(std::string("the explorer has no hosts"));
    switch (fault.kind) {
    case sim::FaultKind::never: return strikes(FaultKind::crash);
    case sim::FaultKind::crash:
        if (fault.death == sim::Death::silent)
            return tl::unexpected(std::string("the explorer has no host that vanishes without a word"));
        return strikes(fault.death == sim::Death::fin ? FaultKind::crash : FaultKind::crash_reset);
    case sim::FaultKind::late:
    case sim::FaultKind::slow:
    case sim::FaultKind::pause: return strikes(FaultKind::timeout);
    case sim::FaultKind::reset: return strikes(FaultKind::reset);
    case sim::FaultKind::hang:
    case sim::FaultKind::ghost: return strikes(FaultKind::drop);
    case sim::FaultKind::stranger: return strikes(FaultKind::stranger, fault.times);
    case sim::FaultKind::duplicate: mix.twin = true; return mix;
    case sim::FaultKind::same_device: mix.same_device = true; return mix;
    case sim::FaultKind::wrong_nranks: mix.told = true; return mix;
    case sim::FaultKind::interrupted: return mix;  // the call is made again: no other order comes of it
    default: return tl::unexpected(fmt::format("the explorer has no fault like {}", name_of(fault.kind)));
    }
}

Known mix_of(sim::WorldPlan const& plan) {
    Mix mix;
    for (sim::Fault const& fault : plan.faults) {
        Known more = with(mix, fault);
        if (!more)
            return more;
        mix = *more;
    }
    if (plan.gathers_after_ready > 0)
        return tl::unexpected(std::string("what comes after ready is not explored"));
    return mix;
}

explore::ExploreSettings plain_job(sim::WorldPlan const& plan, explore::Property property, std::uint32_t nranks,
                                   MinimumOptions const& options) {
    explore::ExploreSettings settings;
    settings.nranks = nranks;
    settings.nroots = std::min(plan.nroots, nranks);
    settings.policies = plan.policies;
    settings.only = property;
    settings.narrow = plan.network.window_bytes < protocol::kHeaderBytes + protocol::kEntryBytes;
    settings.limit_states = options.most_states;
    settings.limit_all_states = options.most_states;
    return settings;
}

/// Every way in which the flaws can be dealt to the ranks.
std::vector<explore::ExploreSettings> with_flaws(explore::ExploreSettings const& plain, Mix const& mix) {
    std::vector<explore::ExploreSettings> jobs{plain};
    auto const deal = [&](bool wanted, auto const& each) {
        if (!wanted)
            return;
        std::vector<explore::ExploreSettings> dealt;
        for (explore::ExploreSettings const& job : jobs)
            each(job, dealt);
        jobs = std::move(dealt);
    };
    std::uint32_t const nranks = plain.nranks;
    deal(mix.twin, [&](explore::ExploreSettings job, auto& dealt) {
        for (std::uint32_t rank = 0; rank < nranks; ++rank) {
            job.twin = rank;
            dealt.push_back(job);
        }
    });
    deal(mix.same_device, [&](explore::ExploreSettings job, auto& dealt) {
        for (std::uint32_t high = 1; high < nranks; ++high) {
            for (std::uint32_t low = 0; low < high; ++low) {
                job.same_device = {low, high};
                dealt.push_back(job);
            }
        }
    });
    deal(mix.told, [&](explore::ExploreSettings job, auto& dealt) {
        for (std::uint32_t rank = 0; rank < nranks; ++rank) {
            job.told = {rank, nranks + 1U};
            dealt.push_back(job);
        }
    });
    return jobs;
}

/// Moves of a counterexample that tell a process something, and faults.
std::uint64_t moves_of(explore::Exploration const& exploration) {
    explore::Job const job(exploration.settings);
    explore::MachineRoom room(job);
    explore::World world = first_world(room);
    std::uint64_t moves = 0;
    for (explore::Move const move : exploration.found->path) {
        explore::Fed fed;
        (void)make_move(room, exploration.found->plan.list, world, move, &fed);
        moves += fed.any || move.kind == explore::Move::Kind::fault ? 1U : 0U;
    }
    return moves;
}

class MinimumSearch {
public:
    MinimumSearch(sim::WorldPlan const& plan, Mix const& mix, explore::Property property, MinimumOptions const& options)
        : plan_(plan), mix_(mix), property_(property), options_(options) {}

    KnownMinimum run() {
        std::uint32_t const most_faults = std::min(mix_.faults, explore::kMostFaults) + mix_.flaws();
        for (std::uint32_t nranks = 1; nranks <= std::min(plan_.nranks, options_.most_ranks); ++nranks) {
            for (std::uint32_t faults = 0; faults <= most_faults; ++faults) {
                look_at(nranks, faults);
                if (!known_.command.empty() || !known_.unknown.empty())
                    return known_;
            }
        }
        known_.unknown =
            fmt::format("the explorer finds {} broken in no job of up to {} ranks with such faults: times and "
                        "limits of hosts are outside of its world",
                        name_of(property_), std::min(plan_.nranks, options_.most_ranks));
        return known_;
    }

private:
    void look_at(std::uint32_t nranks, std::uint32_t faults) {
        explore::ExploreSettings const plain = plain_job(plan_, property_, nranks, options_);
        if (faults <= std::min(mix_.faults, explore::kMostFaults))
            explore_with(plain, faults, faults);
        if (mix_.flaws() > 0 && faults >= mix_.flaws()) {
            for (explore::ExploreSettings const& job : with_flaws(plain, mix_))
                explore_with(job, faults - mix_.flaws(), faults);
        }
    }
    /// All sets of so many faults that can strike this job, the same one allowed again.
    void explore_with(explore::ExploreSettings settings, std::uint32_t strikes, std::uint32_t faults) {
        if (!contradiction_in(settings).empty())
            return;
        std::uint32_t const roots_from = settings.nranks + (settings.twin ? 1U : 0U);
        std::vector<explore::Fault> possible = possible_faults(settings);
        std::erase_if(possible, [&](explore::Fault const& fault) {
            std::uint32_t const kinds = fault.node >= roots_from ? mix_.of_roots : mix_.of_ranks;
            return (kinds >> static_cast<unsigned>(fault.kind) & 1U) == 0;
        });
        strike(settings, possible, strikes, 0, faults);
    }
    void strike(explore::ExploreSettings& settings, std::vector<explore::Fault> const& possible, std::uint32_t more,
                std::size_t from, std::uint32_t faults) {
        if (more == 0)
            return explore_one(settings, faults);
        for (std::size_t i = from; i < possible.size(); ++i) {
            settings.given.push_back(possible[i]);
            strike(settings, possible, more - 1U, i, faults);
            settings.given.pop_back();
        }
    }
    void explore_one(explore::ExploreSettings settings, std::uint32_t faults) {
        settings.budget_ns = options_.budget_ns - std::chrono::nanoseconds(Clock::now() - begun_).count();
        bool const known = !known_.command.empty();
        if (!known_.unknown.empty())
            return;
        if (known)  // only a shorter one counts
            settings.limit_depth = static_cast<std::uint32_t>(shortest_ - 1U);
        explore::Exploration const exploration = explore::explore(settings);
        bool const nothing_shorter = known && exploration.counts.depth >= settings.limit_depth;
        if (exploration.answer == explore::Answer::gave_up && !nothing_shorter) {
            known_ = {};
            known_.unknown =
                fmt::format("the explorer gave up at {} ranks: {}", settings.nranks, exploration.gave_up_why);
            return;
        }
        if (!exploration.found || (known && shortest_ <= exploration.found->path.size()))
            return;
        shortest_ = exploration.found->path.size();
        known_.size = {settings.nranks, faults, moves_of(exploration)};
        known_.command = rerun_line(exploration);
    }

    sim::WorldPlan const& plan_;
    Mix const& mix_;
    explore::Property property_;
    MinimumOptions const& options_;
    Clock::time_point begun_ = Clock::now();
    std::size_t shortest_ = 0;  ///< path to what is known
    KnownMinimum known_;
};

std::string some(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

FailureSize size_of(Script const& script, PropertyId property) {
    JudgeOptions const how{.twins = property >= PropertyId::d1 || property == PropertyId::s5};
    auto const violation = judge(script, how).violation_of(property);
    bool const by_a_step = property == PropertyId::s1 || property == PropertyId::s3 || property == PropertyId::s4 ||
                           property == PropertyId::s6 || property == PropertyId::s9;
    MoveCounter counter(violation && by_a_step ? violation->step : ~std::uint64_t{0});
    sim::TapeOracle choices = sim::TapeOracle::replay(script.tape.value_or(sim::Tape{}));
    sim::World world(script.plan, script.tape ? &choices : nullptr);
    world.watch(counter);
    (void)world.run();
    FailureSize size{script.plan.nranks, 0, counter.moves()};
    for (sim::Fault const& fault : script.plan.faults) {
        bool const flaw = is_from_birth(fault.kind) && fault.kind != sim::FaultKind::never;
        std::uint32_t const count = processes_of(fault) * fault.times;
        size.faults += flaw ? 1U : count;
        size.moves += flaw ? 0U : count;
    }
    return size;
}

KnownMinimum known_minimum(Script const& script, PropertyId property, MinimumOptions const& options) {
    KnownMinimum none;
    auto const same = explore::property_named(name_of(property));
    Known const mix = mix_of(script.plan);
    if (!same)
        none.unknown = fmt::format("the explorer does not look at {}", name_of(property));
    else if (script.plan.nranks > options.most_ranks)
        none.unknown = fmt::format("more than {} ranks are not compared", options.most_ranks);
    else if (!mix)
        none.unknown = mix.error();
    return none.unknown.empty() ? MinimumSearch(script.plan, *mix, *same, options).run() : none;
}

std::string to_text(FailureSize const& size) {
    return fmt::format("{}, {}, {}", some(size.ranks, "rank"), some(size.faults, "fault"), some(size.moves, "move"));
}

std::string comparison_text(FailureSize const& size, KnownMinimum const& known) {
    if (!known.unknown.empty())
        return fmt::format("minimum       not known: {}\n", known.unknown);
    std::string verdict = "this is as small as it can be";
    if (size != known.size)
        verdict = fmt::format("this one: {}", to_text(size));
    return fmt::format("minimum       {}; {}\n              {}\n", to_text(known.size), verdict, known.command);
}

}  // namespace ronde::props
