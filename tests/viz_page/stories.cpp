#include "viz_page/stories.hpp"

#include "chronicle/sources.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ronde::viz::pages {

Chronicle of_scenario(std::string const& name) {
    auto made = chronicle_of_scenario(name);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return made ? std::move(*made) : Chronicle{};
}

Chronicle of_text(std::string const& toml) {
    auto const plan = sim::read_scenario(toml, "a test");
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    return plan ? chronicle_of_plan(*plan) : Chronicle{};
}

Chronicle of_ranks(std::uint32_t nranks) { return of_text(fmt::format("name = \"by ranks\"\nranks = {}\n", nranks)); }

Chronicle of_a_death() {
    return of_text("name = \"a death\"\nranks = 8\nranks_per_host = 2\n\n"
                   "[[fault]]\nkind = \"crash\"\nranks = \"3\"\nwhen = \"rank 3 enters connecting_ring\"\n");
}

Chronicle of_a_hostile_name() {
    Chronicle told = of_a_death();
    told.title = told.subtitle = told.source = told.rerun = told.verdict = told.plan = kHostile;
    for (Process& process : told.processes)
        process.name = kHostile;
    for (RankStory& story : told.ranks)
        story.message = kHostile;
    for (StepStory& step : told.steps)
        step.text += kHostile;
    for (FaultStory& fault : told.faults)
        fault.text += kHostile;
    return told;
}

}  // namespace ronde::viz::pages
