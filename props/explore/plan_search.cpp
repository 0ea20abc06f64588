#include "explore/plan_search.hpp"

namespace ronde::explore {
namespace {

/// A second search, depth first, shows a circle.
void look_for_circles(PlanResult& result, FaultPlan const& plan, ExploreSettings const& settings,
                      KeepGoing const& keep_going) {
    Search search(*result.room, plan, settings, keep_going);
    result.answer = search.depth_first();
    result.found = search.found();
    result.circular = result.found.has_value();
    result.gave_up_why = search.gave_up_why();
    result.out_of_time = search.out_of_time();
}

/// One search, and another one that shows a circle if there may be one.
PlanResult search_once(Job const& job, FaultPlan const& plan, ExploreSettings const& settings,
                       std::atomic<std::uint64_t> const& most_depth, KeepGoing const& keep_going) {
    PlanResult result;
    result.room = std::make_unique<MachineRoom>(job);
    Search search(*result.room, plan, settings, keep_going);
    bool const broad = settings.order == Order::breadth_first;
    result.answer = broad ? search.breadth_first(most_depth) : search.depth_first();
    result.gave_up_why = search.gave_up_why();
    result.out_of_time = search.out_of_time();
    result.counts = search.counts();
    result.by_depth = search.counts_by_depth();
    result.found = search.found();
    result.outcomes = search.outcomes();
    result.why_not_turned = broad ? search.why_not_turned() : std::string();
    result.counts.node_states = result.room->states();
    result.counts.machine_steps = result.room->steps();
    if (!result.why_not_turned.empty())
        return result;
    bool const perhaps_circles = broad && is_asked(settings, Property::l4) && result.answer == Answer::holds &&
                                 search.circles() != Search::Circles::none;
    if (perhaps_circles)
        look_for_circles(result, plan, settings, keep_going);
    if (!result.found)
        result.room.reset();
    return result;
}

}  // namespace

void PlanResult::cut_to(std::uint64_t most_depth) {
    bool const in_the_midst = answer == Answer::broken && !circular;
    std::uint64_t const depths_begun = by_depth.size() + (in_the_midst ? 1U : 0U);
    if (depths_begun <= most_depth + 1U || out_of_time)
        return;
    counts = by_depth[most_depth];
    by_depth.resize(most_depth + 1U);
    answer = Answer::gave_up;
    gave_up_why = "what is left is longer than what was found";
    found.reset();
    room.reset();
}

PlanResult search_plan(Job const& job, FaultPlan const& plan, ExploreSettings const& settings,
                       std::atomic<std::uint64_t> const& most_depth, KeepGoing const& keep_going) {
    PlanResult result = search_once(job, plan, settings, most_depth, keep_going);
    if (result.why_not_turned.empty() || result.out_of_time)
        return result;
    ExploreSettings without = settings;
    without.symmetry = Symmetry::none;
    std::string const why_not = std::move(result.why_not_turned);
    result = search_once(job, plan, without, most_depth, keep_going);
    result.why_not_turned = why_not;
    return result;
}

}  // namespace ronde::explore
