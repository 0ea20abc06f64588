#include "explore/explore.hpp"

#include "explore/story.hpp"

#include <time.h>  // NOLINT(modernize-deprecated-headers): more than C has

#include <algorithm>
#include <chrono>

namespace ronde::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// What a second, complete search may cost that looks for a shorter counterexample.
constexpr std::uint64_t kShorterStates = 2'000'000;

TimeNs cpu_of_this_process_ns() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return TimeNs{time.tv_sec} * protocol::kSecondNs + time.tv_nsec;
}

/// All selections of `size` out of `faults`, the same one allowed again.
void select(std::vector<Fault> const& faults, std::uint32_t size, std::size_t from, std::vector<Fault>& chosen,
            std::vector<FaultPlan>& plans) {
    if (chosen.size() == size) {
        plans.push_back({chosen, size, true});
        return;
    }
    for (std::size_t i = from; i < faults.size(); ++i) {
        chosen.push_back(faults[i]);
        select(faults, size, i, chosen, plans);
        chosen.pop_back();
    }
}

/// With the reduction each set of faults is a search of its own: a budget that all share would tie everything to
/// everything. A set need not happen as a whole, so the smaller ones are in the larger ones.
std::vector<FaultPlan> plans_of(ExploreSettings const& settings) {
    if (!settings.given.empty()) {
        std::vector<Fault> given = settings.given;
        std::sort(given.begin(), given.end());
        return {{given, static_cast<std::uint32_t>(given.size()), true}};
    }
    std::vector<Fault> const possible = settings.faults == 0 ? std::vector<Fault>{} : possible_faults(settings);
    if (possible.empty())
        return {FaultPlan{}};
    if (settings.reduction == Reduction::none)
        return {{possible, settings.faults, false}};
    std::vector<FaultPlan> plans;
    std::vector<Fault> chosen;
    select(possible, settings.faults, 0, chosen, plans);
    return plans;
}

void add(SearchCounts& sum, SearchCounts const& more) {
    sum.states += more.states;
    sum.transitions += more.transitions;
    sum.rests += more.rests;
    sum.reduced += more.reduced;
    sum.depth = std::max(sum.depth, more.depth);
    sum.bytes = std::max(sum.bytes, more.bytes);
    sum.mistaken_2_65 += more.mistaken_2_65;
}

class Explorer {
public:
    Explorer(ExploreSettings const& settings, std::function<void(Progress const&)> const& progress)
        : job_(settings), room_(job_), progress_(progress), begun_(Clock::now()),
          cpu_begun_ns_(cpu_of_this_process_ns()) {
        result_.settings = settings;
        result_.settings.reduction = reduction_of(settings);
    }

    Exploration run();

private:
    [[nodiscard]] TimeNs elapsed_ns() const {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun_).count();
    }
    Answer search(FaultPlan const& plan);
    Answer look_for_circles(FaultPlan const& plan);
    void take(Counterexample const& found);
    void shorten();

    Job job_;
    MachineRoom room_;
    std::function<void(Progress const&)> const& progress_;
    Clock::time_point begun_;
    TimeNs cpu_begun_ns_;
    Exploration result_;
};

Exploration Explorer::run() {
    std::vector<FaultPlan> const plans = plans_of(result_.settings);
    result_.searches = plans.size();
    for (FaultPlan const& plan : plans) {
        Answer const answer = search(plan);
        if (answer == Answer::gave_up && !result_.found) {
            result_.answer = Answer::gave_up;
            break;
        }
        if (answer == Answer::gave_up)
            break;
        ++result_.searches_done;
        if (result_.found && (result_.settings.order == Order::depth_first || result_.found->path.empty()))
            break;
    }
    if (result_.found) {
        shorten();
        result_.answer = Answer::broken;
        result_.story = story_of(room_, *result_.found);
    }
    result_.node_states = room_.states();
    result_.machine_steps = room_.steps();
    result_.elapsed_ns = elapsed_ns();
    result_.cpu_ns = cpu_of_this_process_ns() - cpu_begun_ns_;
    return std::move(result_);
}

/// One plan. When a counterexample is known already, only a shorter one is looked for.
Answer Explorer::search(FaultPlan const& plan) {
    ExploreSettings const& settings = result_.settings;
    auto const keep_going = [&](SearchCounts const& counts) {
        SearchCounts sum = result_.counts;
        add(sum, counts);
        if (progress_)
            progress_({sum, result_.searches_done, result_.searches, elapsed_ns()});
        return elapsed_ns() < settings.budget_ns;
    };
    Search search(room_, plan, settings, keep_going);
    std::uint64_t const most_depth = result_.found ? result_.found->path.size() - 1U : settings.limit_depth;
    Answer answer = settings.order == Order::depth_first ? search.depth_first() : search.breadth_first(most_depth);
    add(result_.counts, search.counts());
    result_.outcomes.insert(search.outcomes().begin(), search.outcomes().end());
    if (answer == Answer::broken)
        take(*search.found());
    bool const cut_short = answer == Answer::gave_up && result_.found && elapsed_ns() < settings.budget_ns;
    if (cut_short)
        return Answer::holds;  // no shorter one here
    if (answer == Answer::gave_up)
        result_.gave_up_why = search.gave_up_why();
    bool const broad = settings.order == Order::breadth_first && is_asked(settings, Property::l4);
    if (answer == Answer::holds && broad && search.circles() != Search::Circles::none)
        answer = look_for_circles(plan);
    if (answer == Answer::holds && result_.counts.states > settings.limit_states) {
        result_.gave_up_why = search.gave_up_why();
        return Answer::gave_up;
    }
    return answer;
}

/// A second search, depth first, shows a circle.
Answer Explorer::look_for_circles(FaultPlan const& plan) {
    Search search(room_, plan, result_.settings,
                  [&](SearchCounts const&) { return elapsed_ns() < result_.settings.budget_ns; });
    Answer const answer = search.depth_first();
    if (answer == Answer::broken)
        take(*search.found());
    if (answer == Answer::gave_up)
        result_.gave_up_why = search.gave_up_why();
    return answer;
}

void Explorer::take(Counterexample const& found) {
    if (!result_.found || found.path.size() < result_.found->path.size())
        result_.found = found;
}

/// The reduced search may run ahead with what has nothing to do with it.
void Explorer::shorten() {
    if (result_.settings.reduction == Reduction::none || result_.found->path.empty())
        return;
    ExploreSettings complete = result_.settings;
    complete.reduction = Reduction::none;
    complete.limit_states = kShorterStates;
    Search search(room_, result_.found->plan, complete, [](SearchCounts const&) { return true; });
    if (search.breadth_first(result_.found->path.size() - 1U) == Answer::broken)
        take(*search.found());
}

}  // namespace

Exploration explore(ExploreSettings const& settings, std::function<void(Progress const&)> const& progress) {
    return Explorer(settings, progress).run();
}

}  // namespace ronde::explore
