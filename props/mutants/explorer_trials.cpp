#include "explore/explore.hpp"
#include "mutants/trials_of.hpp"

#include <fmt/format.h>

#include <vector>

namespace ronde::mutants {
namespace {

using explore::ExploreSettings;
using protocol::Gather;
using protocol::Profile;

/// No trial of the machine as it is takes half as many before it is at rest.
constexpr std::uint32_t kMostSteps = 300;

struct Trial {
    std::string name;
    ExploreSettings settings;
};

ExploreSettings job(std::uint32_t nranks, Gather gather = Gather::automatic, std::uint32_t nroots = 1,
                    Profile profile = Profile::ronde) {
    ExploreSettings settings;
    settings.nranks = nranks;
    settings.nroots = nroots;
    settings.policies = protocol::policies_of(profile);
    if (gather != Gather::automatic)
        settings.policies.gather = gather;
    settings.limit_depth = kMostSteps;
    return settings;
}

void add(std::vector<Trial>& trials, std::string const& name, ExploreSettings const& settings) {
    trials.push_back({fmt::format("{} ranks, {}", settings.nranks, name), settings});
}

void add_given(std::vector<Trial>& trials, ExploreSettings settings, std::string_view fault) {
    settings.given.push_back(explore::fault_from(fault, settings).value());
    add(trials, std::string(fault), settings);
}

std::vector<Trial> healthy_trials() {
    std::vector<Trial> trials;
    for (std::uint32_t const nranks : {1U, 2U, 3U}) {
        add(trials, "star", job(nranks));
        add(trials, "doubling", job(nranks, Gather::doubling));
        add(trials, "ring", job(nranks, Gather::ring));
        add(trials, "ring both ways", job(nranks, Gather::ring2));
        add(trials, "profile article", job(nranks, Gather::automatic, 1, Profile::article));
        add(trials, "profile nccl", job(nranks, Gather::automatic, 1, Profile::nccl));
    }
    add(trials, "two roots", job(2, Gather::automatic, 2));
    add(trials, "two roots", job(3, Gather::automatic, 2));
    add(trials, "doubling", job(4, Gather::doubling));
    add(trials, "ring both ways", job(4, Gather::ring2));
    return trials;
}

std::vector<Trial> troubled_trials(bool fast) {
    std::vector<Trial> trials;
    ExploreSettings twin = job(2);
    twin.twin = 0;
    add(trials, "rank 0 is there twice", twin);
    for (std::uint32_t const nroots : {1U, 2U}) {
        ExploreSettings device = job(2, Gather::automatic, nroots);
        device.same_device = {0, 1};
        add(trials, nroots == 1 ? "one device" : "one device, two roots", device);
    }
    for (std::string_view const fault :
         {"stranger:0=claim", "stranger:root0=claim", "drop:1", "crash:1", "crash:0", "crash:root0", "reset:1@root",
          "reset:1@chord0", "crash-reset:1", "stranger:0=nothing", "stranger:root0=nothing"})
        add_given(trials, job(2), fault);
    for (std::string_view const fault : {"crash:1", "crash:0", "crash:root0", "crash-reset:2", "reset:0@root"})
        add_given(trials, job(3), fault);
    for (std::string_view const fault : {"crash:1", "crash:2", "crash-reset:0"})
        add_given(trials, job(3, Gather::doubling), fault);
    add_given(trials, job(2, Gather::automatic, 2), "crash:1");
    if (fast)
        return trials;
    ExploreSettings any = job(3);
    any.faults = 1;
    add(trials, "any fault", any);
    any = job(2);
    any.faults = 2;
    add(trials, "any two faults", any);
    return trials;
}

}  // namespace

std::optional<Kill> put_through_explorer(bool fast, Note note, void* context) {
    std::vector<Trial> trials = healthy_trials();
    for (Trial& trial : troubled_trials(fast))
        trials.push_back(std::move(trial));
    for (Trial const& trial : trials) {
        note(trial.settings.nranks, trial.name, context);
        explore::Exploration const exploration = explore::explore(trial.settings);
        if (exploration.found) {
            return Kill{std::string(name_of(exploration.found->broken.property)), trial.settings.nranks, trial.name,
                        exploration.found->broken.why};
        }
        if (exploration.answer == explore::Answer::gave_up)  // it does not come to rest
            return Kill{"L4", trial.settings.nranks, trial.name, exploration.gave_up_why};
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
