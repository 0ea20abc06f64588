#include "observe/watch.hpp"

#include "observe/check_ins.hpp"
#include "observe/endings.hpp"
#include "observe/tables.hpp"
#include "protocol/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::props {

std::string to_text(Violation const& violation) {
    return fmt::format("{} at step {}, {} ns: {}", name_of(violation.property), violation.step, violation.at_ns,
                       violation.sentence);
}

PropertySet expected_of(protocol::Profile profile) noexcept { return expected_of(protocol::policies_of(profile), 1); }

PropertySet expected_of(protocol::Policies const& policies, std::uint32_t nroots) noexcept {
    bool const silent = policies.verdicts == protocol::Verdicts::silent;
    bool const endless = policies.deadlines == protocol::Deadlines::none;
    PropertySet expected;
    if (endless)
        expected = expected.with(PropertyId::l2).with(PropertyId::s7);  // a silent stranger keeps its door [3.4]
    if (silent || endless || policies.reply == protocol::Reply::callback)
        expected = expected.with(PropertyId::l3).with(PropertyId::s4);
    if (policies.auth != protocol::Auth::keyed)
        expected = expected.with(PropertyId::s5).with(PropertyId::s4);
    // Whoever comes first is believed to be the predecessor, and every hello at a root.
    if (policies.auth == protocol::Auth::none)
        expected = expected.with(PropertyId::s3).with(PropertyId::s9);
    // Two processes of one rank may be counted, each at one of two roots. That is noticed soon, but without a commit
    // some may be ready before, with either of them [5.8].
    if (policies.commit == protocol::Commit::none && nroots > 1)
        expected = expected.with(PropertyId::s2);
    return expected;
}

Watch::Watch() : Watch(everyday()) {}

Watch::Watch(PropertySet wanted) {
    add(std::make_unique<TableExact>(), wanted);
    add(std::make_unique<TablesEqual>(), wanted);
    add(std::make_unique<OneRing>(), wanted);
    add(std::make_unique<CountedOnce>(), wanted);
    add(std::make_unique<StrangersChangeNothing>(), wanted);
    add(std::make_unique<BoundsHold>(), wanted);
    add(std::make_unique<EverythingReleased>(), wanted);
    add(std::make_unique<DevicesDistinct>(), wanted);
    add(std::make_unique<OnlyThisSession>(), wanted);
    add(std::make_unique<ReadyOnceHealed>(), wanted);
    add(std::make_unique<EndsByDeadline>(), wanted);
    add(std::make_unique<NamesTheMissing>(), wanted);
    add(std::make_unique<MeasureDecreases>(), wanted);
    add(std::make_unique<FunctionOfItsEvents>(), wanted);
}

Watch::Watch(sim::World& world, PropertySet wanted) : Watch(wanted) { watch(world); }

Watch::~Watch() = default;

void Watch::add(std::unique_ptr<PropertyObserver> property, PropertySet wanted) {
    if (wanted.has(property->id()))
        properties_.push_back(std::move(property));
}

void Watch::watch(sim::World& world) {
    world_ = &world;
    own_scene_.emplace(world.look());
    begin(*own_scene_);
    world.watch(*this);
}

void Watch::begin(Scene const& scene) {
    scene_ = &scene;
    nranks_ = scene.plan().nranks;
    findings_.clear();
    forget_actions();
    find_premise(scene.plan(), premise_);
    told_.clear();
    for (auto& told : told_of_)
        told.clear();
    for (auto const& property : properties_) {
        if (!property->begin(scene, premise_))
            continue;
        told_.push_back(property.get());
        for (std::uint32_t kind = 0; kind < kStepKinds; ++kind) {
            if (property->wants().has(static_cast<StepKind>(kind)))
                told_of_[kind].push_back(property.get());
        }
    }
}

std::string Watch::run() {
    play();
    PropertySet const expected = expected_of(scene_->policies(), scene_->plan().nroots);
    std::string text;
    for (Violation const& violation : violations()) {
        if (!expected.has(violation.property))
            text += to_text(violation) + '\n';
    }
    return text;
}

void Watch::play() {
    RONDE_CHECK(world_ != nullptr, "Watch::play: expected a world to watch");
    world_->run(outcome_);
    judge_end();
}

void Watch::finish(sim::Outcome const& outcome) {
    outcome_ = outcome;
    judge_end();
}

void Watch::judge_end() {
    findings_.at(outcome_.steps, outcome_.simulated_ns);
    for (PropertyObserver* const property : told_)
        property->at_end(outcome_, *scene_, findings_);
}

std::optional<Violation> Watch::unexpected() const {
    PropertySet const expected = expected_of(scene_->policies(), scene_->plan().nroots);
    auto const found = std::find_if(violations().begin(), violations().end(),
                                    [&](Violation const& violation) { return !expected.has(violation.property); });
    return found == violations().end() ? std::nullopt : std::optional(*found);
}

/// Nearly every answer is one piece, which is still there when the step is over.
void Watch::on_actions(ProcessId process, protocol::Actions const& actions) {
    auto const again = [](protocol::Action const& action) { return action.kind == protocol::ActionKind::reserve; };
    bool const rank = process < nranks_;
    bool const whole = !actions.more() && (rank || std::none_of(actions.begin(), actions.end(), again));
    RONDE_CHECK(copied_ || pieces_ == 0, "a piece of an answer says that it is not the last one");
    ++pieces_;
    most_actions_ = std::max(most_actions_, actions.size());
    if (whole && !copied_)
        return;
    copied_ = true;
    actions_.insert(actions_.end(), actions.begin(), actions.end());
}

void Watch::on_step(sim::StepSeen const& seen) {
    findings_.at(seen.number, seen.now_ns);
    std::span<protocol::Action const> actions = actions_;
    if (pieces_ > 0 && !copied_)
        actions = {seen.actions->begin(), seen.actions->end()};
    Step const step{&seen, actions, std::max(pieces_, 1U), most_actions_};
    for (PropertyObserver* const property : told_of_[static_cast<std::size_t>(step.kind())])
        property->on_step(step, *scene_, findings_);
    pieces_ = most_actions_ = 0;
    if (copied_)
        forget_actions();
}

void Watch::forget_actions() {
    actions_.clear();
    copied_ = false;
    pieces_ = most_actions_ = 0;
}

void Watch::on_fault(TimeNs now_ns, sim::Fault const& fault) {
    for (PropertyObserver* const property : told_)
        property->on_fault(now_ns, fault);
}

}  // namespace ronde::props
