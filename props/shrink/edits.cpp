#include "shrink/edits.hpp"

#include "protocol/policy.hpp"
#include "scenario/schema.hpp"
#include "world/hosts.hpp"

#include <algorithm>
#include <array>

namespace ronde::props {
namespace {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kSecondNs;
using protocol::TimeNs;
using sim::Fault;
using sim::WorldPlan;

/// Offers `script` after `change`, if that changes anything a file would show, and takes it when it still fails.
template <class Change>
bool try_change(Script& script, Offer const& offer, Change change) {
    Script candidate = script;
    change(candidate);
    if (!contradiction_in(candidate.plan).empty())
        return false;
    bool const same =
        sim::write_scenario(candidate.plan) == sim::write_scenario(script.plan) && candidate.tape == script.tape;
    if (same || !offer(candidate))
        return false;
    script = std::move(candidate);
    return true;
}

/// The plan that differs from the defaults in nothing but its profile.
WorldPlan plain_plan(WorldPlan const& plan) {
    WorldPlan plain;
    plain.policies = protocol::policies_of(plan.policies.profile == protocol::Profile::custom ? protocol::Profile::ronde
                                                                                              : plan.policies.profile);
    return plain;
}

/// Removes elements, many at once first.
template <class Remove>
void fewer(std::size_t (*count)(Script const&), Script& script, Offer const& offer, Remove remove) {
    for (std::size_t piece = std::max<std::size_t>(count(script) / 2, 1); piece > 0; piece /= 2) {
        for (std::size_t first = 0; first < count(script);) {
            std::size_t const last = std::min(count(script), first + piece);
            bool const taken = try_change(script, offer, [&](Script& candidate) { remove(candidate, first, last); });
            if (!taken)
                first += piece;
        }
    }
}

constexpr std::array<TimeNs, 7> kRoundTimesNs{
    0, kMicrosecondNs, 100 * kMicrosecondNs, kMillisecondNs, 20 * kMillisecondNs, kSecondNs, 10 * kSecondNs};

}  // namespace

// --- faults ---------------------------------------------------------------------------------------------------------

void fewer_faults(Script& script, Offer const& offer) {
    fewer([](Script const& now) { return now.plan.faults.size(); }, script, offer,
          [](Script& candidate, std::size_t first, std::size_t last) {
              auto& faults = candidate.plan.faults;
              faults.erase(faults.begin() + static_cast<std::ptrdiff_t>(first),
                           faults.begin() + static_cast<std::ptrdiff_t>(last));
          });
}

void simpler_faults(Script& script, Offer const& offer) {
    for (std::size_t i = 0; i < script.plan.faults.size(); ++i) {
        auto const change = [&](auto edit) {
            return try_change(script, offer, [&](Script& candidate) { edit(candidate.plan.faults[i]); });
        };
        if (script.plan.faults[i].target == sim::Target::ranks) {
            change([](Fault& fault) { fault.ranks = {{fault.ranks.front().first, 1}}; });
            change([](Fault& fault) { fault.ranks = {{0, 1}}; });
        } else {
            change([](Fault& fault) {
                fault.target = sim::Target::ranks;
                fault.index = 0;
                fault.ranks = {{0, 1}};
            });
            change([](Fault& fault) { fault.index = 0; });
        }
        change([](Fault& fault) { fault.when = {}; });
        change([](Fault& fault) { fault.when.at_ns = 0; });
        change([](Fault& fault) { fault.times = 1; });
        change([](Fault& fault) { fault.every = sim::Distribution::constant(0); });
        change([](Fault& fault) { fault.death = sim::Death::fin; });
        change([](Fault& fault) { fault.stranger = sim::StrangerKind::silent; });
        change([](Fault& fault) { fault.listener = protocol::Listener::ring; });
        for (std::uint64_t const amount : {0U, 1U, 2U}) {
            if (amount < script.plan.faults[i].amount && change([&](Fault& fault) { fault.amount = amount; }))
                break;
        }
        while (change([](Fault& fault) { fault.amount /= 2; })) {
        }
        for (TimeNs const round_ns : kRoundTimesNs) {
            bool const lasts = script.plan.faults[i].duration_ns != protocol::kNever;
            if (lasts && round_ns < script.plan.faults[i].duration_ns &&
                change([&](Fault& fault) { fault.duration_ns = round_ns; }))
                break;
        }
        for (TimeNs const round_ns : kRoundTimesNs) {
            if (round_ns < script.plan.faults[i].when.at_ns &&
                change([&](Fault& fault) { fault.when.at_ns = round_ns; }))
                break;
        }
    }
}

// --- the job --------------------------------------------------------------------------------------------------------

WorldPlan with_ranks(WorldPlan plan, std::uint32_t nranks) {
    plan.nranks = nranks;
    plan.nroots = std::min(plan.nroots, nranks);
    std::uint32_t const hosts = sim::Hosts(plan).count() - 1U;
    for (Fault& fault : plan.faults) {
        for (sim::RankRange& range : fault.ranks) {
            range.first %= nranks;
            range.count = std::min(range.count, nranks - range.first);
        }
        if (fault.target == sim::Target::root)
            fault.index %= plan.nroots;
        if (fault.target == sim::Target::host)
            fault.index %= hosts;
        if (fault.when.rank != protocol::kNoRank)
            fault.when.rank %= nranks;
        if (fault.kind == sim::FaultKind::same_device)
            fault.amount %= nranks;
    }
    return plan;
}

void fewer_ranks(Script& script, Offer const& offer) {
    auto const with = [&](std::uint32_t nranks) {
        return nranks < script.plan.nranks && nranks > 0 && try_change(script, offer, [&](Script& candidate) {
                   candidate.plan = with_ranks(candidate.plan, nranks);
               });
    };
    for (std::uint32_t nranks = 1; nranks <= 5; ++nranks) {
        if (with(nranks))
            break;
    }
    while (with(script.plan.nranks / 2)) {
    }
    while (with(script.plan.nranks - 1U)) {
    }
    for (std::uint32_t nroots = 1; nroots < script.plan.nroots; ++nroots) {
        bool const taken = try_change(script, offer, [&](Script& candidate) {
            candidate.plan.nroots = nroots;
            for (Fault& fault : candidate.plan.faults) {
                if (fault.target == sim::Target::root)
                    fault.index %= nroots;
            }
        });
        if (taken)
            break;
    }
}

/// Every key of a scenario back to what it is when nobody mentions it.
void usual_keys(Script& script, Offer const& offer) {
    fewer([](Script const& now) { return now.plan.links.size(); }, script, offer,
          [](Script& candidate, std::size_t first, std::size_t last) {
              auto& links = candidate.plan.links;
              links.erase(links.begin() + static_cast<std::ptrdiff_t>(first),
                          links.begin() + static_cast<std::ptrdiff_t>(last));
          });
    fewer([](Script const& now) { return now.plan.hosts.size(); }, script, offer,
          [](Script& candidate, std::size_t first, std::size_t last) {
              auto& hosts = candidate.plan.hosts;
              hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(first),
                          hosts.begin() + static_cast<std::ptrdiff_t>(last));
          });
    WorldPlan const plain = plain_plan(script.plan);
    for (sim::Section const& section : sim::schema()) {
        if (section.repeated)
            continue;
        for (sim::Key const& key : section.keys) {
            // The name is nobody's fault, and fewer ranks are better than the usual ones.
            if (key.name == "name" || key.name == "ranks" || key.name == "roots" || key.name == "profile")
                continue;
            std::string const usual = key.text_of(plain, 0);
            if (usual.empty() || usual == key.text_of(script.plan, 0))
                continue;
            try_change(script, offer, [&](Script& candidate) { (void)key.take(candidate.plan, 0, usual); });
        }
    }
}

/// Where the usual value would not do. Never away from it: the two would take turns for ever.
void rounder_numbers(Script& script, Offer const& offer) {
    WorldPlan const plain = plain_plan(script.plan);
    for (std::uint64_t seed = 1; seed <= 4 && seed < script.plan.seed; ++seed) {
        if (try_change(script, offer, [&](Script& candidate) { candidate.plan.seed = seed; }))
            break;
    }
    for (TimeNs const budget_ns : {kSecondNs, 3 * kSecondNs, 10 * kSecondNs}) {
        if (script.plan.budget_ns != plain.budget_ns && budget_ns < script.plan.budget_ns &&
            try_change(script, offer, [&](Script& candidate) { candidate.plan.budget_ns = budget_ns; }))
            break;
    }
    if (script.plan.ranks_per_host.size() > 1)
        try_change(script, offer, [](Script& candidate) { candidate.plan.ranks_per_host = {1}; });
    for (sim::Distribution sim::NetworkPlan::*const distance :
         {&sim::NetworkPlan::same_host, &sim::NetworkPlan::same_rack, &sim::NetworkPlan::cross_rack}) {
        if (!(script.plan.network.*distance).is_constant())
            try_change(script, offer, [&](Script& candidate) {
                candidate.plan.network.*distance = sim::Distribution::constant(20 * kMicrosecondNs);
            });
    }
}

// --- choices --------------------------------------------------------------------------------------------------------

/// No tape at all, then an empty one (every choice is the first), then one with fewer choices that are not the first.
void fewer_choices(Script& script, Offer const& offer) {
    if (!script.tape)
        return;
    if (try_change(script, offer, [](Script& candidate) { candidate.tape.reset(); }))
        return;
    auto const cut = [](sim::Tape& tape) {
        while (!tape.entries.empty() && tape.entries.back().picked == 0)
            tape.entries.pop_back();
    };
    if (try_change(script, offer, [](Script& candidate) { candidate.tape->entries.clear(); }))
        return;
    for (std::size_t piece = script.tape->entries.size(); piece > 0; piece /= 2) {
        for (std::size_t first = 0; first < script.tape->entries.size(); first += piece) {
            try_change(script, offer, [&](Script& candidate) {
                auto& entries = candidate.tape->entries;
                for (std::size_t i = first; i < std::min(entries.size(), first + piece); ++i)
                    entries[i].picked = 0;
                cut(*candidate.tape);
            });
        }
    }
}

}  // namespace ronde::props
