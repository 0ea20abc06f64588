/// A scene that exists on paper only: what a property looks at is whatever a test has written down.
#pragma once

#include "observe/property.hpp"
#include "protocol/policy.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ronde::props {

class PaperScene final : public Scene {
public:
    explicit PaperScene(std::uint32_t nranks) {
        plan_.nranks = nranks;
        update();
    }

    /// After a change of the plan.
    void update() {
        policies_ = protocol::resolve(plan_.policies, plan_.nranks, plan_.nroots);
        facts_.resize(plan_.nranks + plan_.nroots);
        for (ProcessId process = 0; process < facts_.size(); ++process) {
            sim::ProcessFacts& facts = facts_[process];
            facts.kind = process < plan_.nranks ? sim::ProcessFacts::Kind::rank : sim::ProcessFacts::Kind::root;
            facts.rank = process < plan_.nranks ? process : kNoRank;
            facts.started = true;
        }
        tables_.assign(plan_.nranks, std::vector<ProcessId>(plan_.nranks));
        for (auto& table : tables_) {
            for (RankId rank = 0; rank < plan_.nranks; ++rank)
                table[rank] = rank;
        }
        known_.assign(plan_.nranks, plan_.nranks);
    }
    ProcessId add_stranger() {
        facts_.push_back({});
        facts_.back().kind = sim::ProcessFacts::Kind::stranger;
        facts_.back().outsider = true;
        return static_cast<ProcessId>(facts_.size() - 1U);
    }

    sim::WorldPlan plan_;
    protocol::Policies policies_;
    std::vector<sim::ProcessFacts> facts_;
    std::map<ProcessId, sim::Holdings> holdings_;
    std::map<ProcessId, protocol::RankState> states_;
    std::vector<std::vector<ProcessId>> tables_;
    std::vector<std::uint32_t> known_;
    std::map<ProcessId, protocol::Entry> entries_;
    std::map<std::pair<ProcessId, std::uint32_t>, sim::OtherEnd> ends_;
    std::map<std::uint32_t, std::uint32_t> ports_;

    [[nodiscard]] sim::WorldPlan const& plan() const override { return plan_; }
    [[nodiscard]] protocol::Policies const& policies() const override { return policies_; }
    [[nodiscard]] std::uint32_t processes() const override { return static_cast<std::uint32_t>(facts_.size()); }
    [[nodiscard]] sim::ProcessFacts facts(ProcessId process) const override { return facts_[process]; }
    [[nodiscard]] sim::Holdings holdings(ProcessId process) const override {
        auto const found = holdings_.find(process);
        return found == holdings_.end() ? sim::Holdings{} : found->second;
    }
    [[nodiscard]] protocol::RankState const& state(ProcessId process) const override { return states_.at(process); }
    [[nodiscard]] bool exact() const override { return true; }
    [[nodiscard]] std::uint32_t known(ProcessId process) const override { return known_[process]; }
    [[nodiscard]] std::span<ProcessId const> table(ProcessId reader) const override { return tables_[reader]; }
    [[nodiscard]] protocol::Entry entry_of(ProcessId process) const override {
        auto const found = entries_.find(process);
        if (found != entries_.end())
            return found->second;
        protocol::Entry entry;
        entry.rank = process;
        entry.device_id = process;
        return entry;
    }
    [[nodiscard]] sim::OtherEnd other_end(ProcessId process, protocol::Link link) const override {
        auto const found = ends_.find({process, link.value});
        return found == ends_.end() ? sim::OtherEnd{} : found->second;
    }
    [[nodiscard]] std::uint32_t hosts() const override { return 1; }
    [[nodiscard]] std::uint32_t ports_in_use(std::uint32_t host) const override {
        auto const found = ports_.find(host);
        return found == ports_.end() ? 0 : found->second;
    }
    [[nodiscard]] bool at_rest() const override { return true; }
};

/// A step that a test has made up.
struct PaperStep {
    protocol::Event event;
    sim::StepSeen seen;
    std::vector<protocol::Action> actions;
    protocol::RankConfig config;
    protocol::Rank rank{config};
    protocol::Root root;
    std::uint32_t pieces = 1;
    std::uint32_t most_actions = 1;

    /// Of a rank that goes from one phase to another.
    static std::unique_ptr<PaperStep> of_rank(ProcessId process, protocol::Phase before, protocol::Phase after,
                                              TimeNs now_ns = 0) {
        auto step = std::make_unique<PaperStep>();
        step->seen.process = process;
        step->seen.now_ns = now_ns;
        step->seen.rank = &step->rank;
        step->seen.phase_before = static_cast<std::uint8_t>(before);
        step->seen.phase_after = static_cast<std::uint8_t>(after);
        step->seen.event = &step->event;
        return step;
    }
    static std::unique_ptr<PaperStep> ready(ProcessId process) {
        return of_rank(process, protocol::Phase::committing, protocol::Phase::ready);
    }
    /// A root takes `from`'s check-in as `rank`.
    static std::unique_ptr<PaperStep> welcome(ProcessId root, ProcessId from, RankId rank) {
        auto step = std::make_unique<PaperStep>();
        step->seen.process = root;
        step->seen.from = from;
        step->seen.root = &step->root;
        step->seen.event = &step->event;
        step->event.kind = protocol::EventKind::frame;
        step->event.frame.kind = protocol::FrameKind::check_in;
        step->event.link = protocol::pending(0);
        protocol::Action learn;
        learn.kind = protocol::ActionKind::learn;
        learn.first = rank;
        step->actions.push_back(learn);
        return step;
    }
    [[nodiscard]] Step step() const { return {&seen, actions, pieces, most_actions}; }
};

/// Tells a property of steps and of the end, and gives back what it found.
template <class P>
class Trial {
public:
    explicit Trial(Scene const& scene) : scene_(scene), concerned_(property_.begin(scene, premise_of(scene.plan()))) {}
    Trial& see(PaperStep const& step) {
        if (concerned_ && property_.wants().has(step.step().kind()))
            property_.on_step(step.step(), scene_, findings_);
        return *this;
    }
    Trial& end(sim::Outcome const& outcome) {
        if (concerned_)
            property_.at_end(outcome, scene_, findings_);
        return *this;
    }
    [[nodiscard]] std::string sentence() const {
        return findings_.violations().empty() ? std::string() : findings_.violations().front().sentence;
    }
    P& property() { return property_; }

private:
    P property_;
    Scene const& scene_;
    Findings findings_;
    bool concerned_;
};

}  // namespace ronde::props
