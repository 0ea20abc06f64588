/// The rules that recordings of real runs are held to are those of the pretend world: its own runs keep them, too.
#include "check/cases.hpp"
#include "conformance/pairs.hpp"
#include "scenario/scenario.hpp"
#include "support/sanitized.hpp"
#include "world/world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::conformance {
namespace {

/// Walks all machines of a world as a replay walks recordings.
class WorldWatcher final : public sim::Observer {
public:
    WorldWatcher(std::uint32_t nranks, std::uint32_t nroots, bool keyed)
        : nranks_(nranks), nroots_(nroots), keyed_(keyed) {}

    void on_actions(sim::ProcessId process, protocol::Actions const& actions) override {
        if (process < nranks_ + nroots_)
            asked_[process].insert(asked_[process].end(), actions.begin(), actions.end());
    }
    void on_step(sim::StepSeen const& seen) override {
        if (seen.process >= nranks_ + nroots_)
            return;
        bool const root = seen.process >= nranks_;
        Who const who{root, root ? seen.process - nranks_ : seen.process};
        Track& track = tracks_.try_emplace(who, who, to_text(who), 1U, keyed_).first->second;
        track.step(*seen.event, asked_[seen.process]);
        asked_[seen.process].clear();
    }
    void died(RankId rank) {
        if (auto const found = tracks_.find({false, rank}); found != tracks_.end())
            found->second.finish(true);
    }
    [[nodiscard]] std::vector<Finding> findings() const {
        std::vector<Finding> all = pair_ends(tracks_).findings;
        for (auto const& [who, track] : tracks_)
            all.insert(all.end(), track.findings().begin(), track.findings().end());
        return all;
    }
    [[nodiscard]] std::uint64_t pairs() const { return pair_ends(tracks_).pairs; }

private:
    std::uint32_t nranks_;
    std::uint32_t nroots_;
    bool keyed_;
    std::map<Who, Track> tracks_;
    std::map<sim::ProcessId, std::vector<protocol::Action>> asked_;
};

/// Two processes of one rank would have to be told apart.
bool has_one_process_for_each_rank(sim::WorldPlan const& plan) {
    return std::none_of(plan.faults.begin(), plan.faults.end(), [](sim::Fault const& fault) {
        return fault.kind == sim::FaultKind::duplicate || fault.kind == sim::FaultKind::restart;
    });
}

std::uint64_t expect_conforms(sim::WorldPlan const& plan) {
    auto const policies = protocol::resolve(plan.policies, plan.nranks, plan.nroots);
    WorldWatcher watcher(plan.nranks, plan.nroots, policies.auth == protocol::Auth::keyed);
    sim::World world(plan);
    world.watch(watcher);
    sim::Outcome const outcome = world.run();
    for (sim::RankEnd const& end : outcome.not_ready) {
        if (end.end == sim::End::dead)
            watcher.died(end.rank);
    }
    auto const findings = watcher.findings();
    EXPECT_TRUE(findings.empty()) << to_text(findings.front()) << "\n" << sim::write_scenario(plan);
    return watcher.pairs();
}

TEST(PretendedRules, HoldInMadeUpWorldsWithAllKindsOfFaults) {
    std::uint64_t const of_each_profile = tests::worlds_to_play(150);
    std::uint64_t pairs = 0;
    std::uint64_t worlds = 0;
    for (auto const profile : {protocol::Profile::ronde, protocol::Profile::nccl, protocol::Profile::article}) {
        props::CaseRules rules;
        rules.seed = 7;
        rules.shape.most_ranks = 24;
        rules.shape.profile = profile;
        props::CaseRunner runner(rules);
        for (std::uint64_t i = 0; i < of_each_profile && !testing::Test::HasFailure(); ++i) {
            sim::WorldPlan const plan = runner.plan_of(i);
            if (!has_one_process_for_each_rank(plan))
                continue;
            pairs += expect_conforms(plan);
            ++worlds;
        }
    }
    EXPECT_GT(worlds, 2 * of_each_profile);
    EXPECT_GT(pairs, 16 * worlds);
}

}  // namespace
}  // namespace ronde::conformance
