#include "explore/explore.hpp"

#include "explore/plan_search.hpp"
#include "explore/story.hpp"

#include <fmt/format.h>

#include <time.h>  // NOLINT(modernize-deprecated-headers): more than C has

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

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
    sum.turned += more.turned;
    sum.transitions += more.transitions;
    sum.possible += more.possible;
    sum.rests += more.rests;
    sum.reduced += more.reduced;
    sum.depth = std::max(sum.depth, more.depth);
    sum.bytes = std::max(sum.bytes, more.bytes);
    sum.mistaken_2_65 += more.mistaken_2_65;
    sum.node_states += more.node_states;
    sum.machine_steps += more.machine_steps;
}

/// Searches, each with a set of faults of its own, perhaps several at once. What comes of them is put together in the
/// order of the sets, as if they had run one after the other.
class Explorer {
public:
    Explorer(ExploreSettings const& settings, std::function<void(Progress const&)> const& progress)
        : job_(settings), progress_(progress), begun_(Clock::now()), cpu_begun_ns_(cpu_of_this_process_ns()),
          most_depth_(settings.limit_depth) {
        result_.settings = settings;
        result_.settings.reduction = reduction_of(settings);
        result_.settings.symmetry = symmetry_of(settings);
    }

    Exploration run();

private:
    [[nodiscard]] TimeNs elapsed_ns() const {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun_).count();
    }
    [[nodiscard]] bool in_time() const { return elapsed_ns() < result_.settings.budget_ns; }
    void one_after_the_other();
    void side_by_side(std::uint32_t jobs);
    void work(std::vector<SearchCounts>& running, std::size_t worker);
    bool take(PlanResult result);
    void shorten();
    void show(SearchCounts const& running);

    Job job_;
    std::function<void(Progress const&)> const& progress_;
    Clock::time_point begun_;
    TimeNs cpu_begun_ns_;
    Exploration result_;
    std::vector<FaultPlan> plans_;
    std::unique_ptr<MachineRoom> room_;          ///< of what was found
    std::atomic<std::uint64_t> most_depth_ = 0;  ///< of what is looked for: shorter than what was found

    // Of searches that run side by side.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t next_ = 0;                     ///< the first plan that nobody has begun
    std::map<std::size_t, PlanResult> ready_;  ///< by plan: not yet taken, because an earlier one is missing
    std::atomic<bool> over_ = false;
};

Exploration Explorer::run() {
    plans_ = plans_of(result_.settings);
    result_.searches = plans_.size();
    auto const jobs = static_cast<std::uint32_t>(std::min<std::size_t>(result_.settings.jobs, plans_.size()));
    if (jobs <= 1)
        one_after_the_other();
    else
        side_by_side(jobs);
    if (result_.found) {
        shorten();
        result_.answer = Answer::broken;
        result_.story = story_of(*room_, *result_.found);
        result_.outcomes.clear();
    }
    result_.elapsed_ns = elapsed_ns();
    result_.cpu_ns = cpu_of_this_process_ns() - cpu_begun_ns_;
    return std::move(result_);
}

void Explorer::show(SearchCounts const& running) {
    if (!progress_)
        return;
    SearchCounts sum = result_.counts;
    add(sum, running);
    progress_({sum, result_.searches_done, result_.searches, elapsed_ns()});
}

void Explorer::one_after_the_other() {
    auto const keep_going = [this](SearchCounts const& counts) {
        show(counts);
        return in_time();
    };
    for (FaultPlan const& plan : plans_) {
        if (!take(search_plan(job_, plan, result_.settings, most_depth_, keep_going)))
            return;
    }
}

void Explorer::side_by_side(std::uint32_t jobs) {
    std::vector<SearchCounts> running(jobs);
    std::vector<std::jthread> workers;
    for (std::uint32_t worker = 0; worker < jobs; ++worker)
        workers.emplace_back([&, worker] { work(running, worker); });
    std::unique_lock lock(mutex_);
    for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
        while (ready_.count(plan) == 0) {
            changed_.wait_for(lock, std::chrono::milliseconds(100));
            SearchCounts sum;
            for (SearchCounts const& counts : running)
                add(sum, counts);
            show(sum);
        }
        if (!take(std::move(ready_.extract(plan).mapped())))
            break;
    }
    over_ = true;
}

void Explorer::work(std::vector<SearchCounts>& running, std::size_t worker) {
    auto const keep_going = [&](SearchCounts const& counts) {
        std::scoped_lock const lock(mutex_);
        running[worker] = counts;
        return !over_ && in_time();
    };
    while (!over_) {
        std::size_t plan = 0;
        {
            std::scoped_lock const lock(mutex_);
            if (next_ == plans_.size())
                return;
            plan = next_++;
        }
        PlanResult result = search_plan(job_, plans_[plan], result_.settings, most_depth_, keep_going);
        std::scoped_lock const lock(mutex_);
        running[worker] = {};
        ready_.emplace(plan, std::move(result));
        changed_.notify_one();
    }
}

/// The next plan's result. When a counterexample is known already, only a shorter one is looked for. False: no other
/// plan is asked.
bool Explorer::take(PlanResult result) {
    ExploreSettings const& settings = result_.settings;
    result.cut_to(most_depth_);
    if (!result.why_not_turned.empty()) {
        result_.settings.symmetry = Symmetry::none;
        result_.why_not_turned = result.why_not_turned;
    }
    add(result_.counts, result.counts);
    result_.outcomes.insert(result.outcomes.begin(), result.outcomes.end());
    bool const shorter = result.found && (!result_.found || result.found->path.size() < result_.found->path.size());
    if (shorter) {
        result_.found = std::move(result.found);
        room_ = std::move(result.room);
        if (!result_.found->path.empty())
            most_depth_ = result_.found->path.size() - 1U;
    }
    bool const too_many = result_.counts.states > settings.limit_all_states;
    bool const cut_short = result.answer == Answer::gave_up && result_.found && !result.out_of_time;
    if ((result.answer == Answer::gave_up && !cut_short) || (result.answer == Answer::holds && too_many)) {
        result_.gave_up_why = result.answer == Answer::gave_up
                                  ? result.gave_up_why
                                  : fmt::format("more than {} states in all searches", settings.limit_all_states);
        if (!result_.found)
            result_.answer = Answer::gave_up;
        return false;
    }
    ++result_.searches_done;
    return !result_.found || (settings.order == Order::breadth_first && !result_.found->path.empty());
}

/// The reduced search may run ahead with what has nothing to do with it.
void Explorer::shorten() {
    if (result_.settings.reduction == Reduction::none || result_.found->path.empty())
        return;
    ExploreSettings complete = result_.settings;
    complete.reduction = Reduction::none;
    complete.symmetry = Symmetry::none;
    complete.limit_states = kShorterStates;
    std::atomic<std::uint64_t> const shorter = result_.found->path.size() - 1U;
    Search search(*room_, result_.found->plan, complete, [](SearchCounts const&) { return true; });
    if (search.breadth_first(shorter) == Answer::broken && search.found()->path.size() < result_.found->path.size())
        result_.found = search.found();
}

}  // namespace

Exploration explore(ExploreSettings const& settings, std::function<void(Progress const&)> const& progress) {
    return Explorer(settings, progress).run();
}

}  // namespace ronde::explore
