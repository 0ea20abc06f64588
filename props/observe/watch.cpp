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
    findings_.clear();
    actions_.clear();
    pieces_ = most_actions_ = 0;
    told_.clear();
    for (auto const& property : properties_) {
        if (property->begin(scene))
            told_.push_back(property.get());
    }
}

std::string Watch::run() {
    RONDE_CHECK(world_ != nullptr, "Watch::run: expected a world to watch");
    finish(world_->run());
    PropertySet const expected = expected_of(scene_->policies(), scene_->plan().nroots);
    std::string text;
    for (Violation const& violation : violations()) {
        if (!expected.has(violation.property))
            text += to_text(violation) + '\n';
    }
    return text;
}

void Watch::finish(sim::Outcome const& outcome) {
    outcome_ = outcome;
    findings_.at(outcome.steps, outcome.simulated_ns);
    for (PropertyObserver* const property : told_)
        property->at_end(outcome_, *scene_, findings_);
}

std::optional<Violation> Watch::unexpected() const {
    PropertySet const expected = expected_of(scene_->policies(), scene_->plan().nroots);
    auto const found = std::find_if(violations().begin(), violations().end(),
                                    [&](Violation const& violation) { return !expected.has(violation.property); });
    return found == violations().end() ? std::nullopt : std::optional(*found);
}

void Watch::on_actions(ProcessId, protocol::Actions const& actions) {
    ++pieces_;
    most_actions_ = std::max(most_actions_, actions.size());
    actions_.insert(actions_.end(), actions.begin(), actions.end());
}

void Watch::on_step(sim::StepSeen const& seen) {
    findings_.at(seen.number, seen.now_ns);
    Step const step{&seen, actions_, std::max(pieces_, 1U), most_actions_};
    for (PropertyObserver* const property : told_)
        property->on_step(step, *scene_, findings_);
    actions_.clear();
    pieces_ = most_actions_ = 0;
}

void Watch::on_fault(TimeNs now_ns, sim::Fault const& fault) {
    for (PropertyObserver* const property : told_)
        property->on_fault(now_ns, fault);
}

}  // namespace ronde::props
