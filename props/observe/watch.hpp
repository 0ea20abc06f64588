/// A world under all properties, in three lines:
///
///     sim::World world(plan);
///     props::Watch watch(world);
///     EXPECT_EQ(watch.run(), "");
///
/// The text names what was violated, a line for each violation.
#pragma once

#include "observe/property.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ronde::props {

/// Properties that a profile is known to break, because it follows programs that do.
[[nodiscard]] PropertySet expected_of(protocol::Profile profile) noexcept;
/// The same of a set of policies, which may differ from its profile's in single choices, with so many roots.
[[nodiscard]] PropertySet expected_of(protocol::Policies const& policies, std::uint32_t nroots) noexcept;

/// The properties of one world at a time. One Watch may be used for many worlds, one after the other; it then keeps
/// the memory it has.
class Watch final : public sim::Observer {
public:
    /// All properties but D4, which doubles the work of the machines.
    Watch();
    /// With those in `wanted` alone.
    explicit Watch(PropertySet wanted);
    /// ... and watches `world`, which must not have begun.
    explicit Watch(sim::World& world, PropertySet wanted = everyday());
    ~Watch() override;
    Watch(Watch const&) = delete;
    Watch& operator=(Watch const&) = delete;

    [[nodiscard]] static PropertySet everyday() { return PropertySet::all().without(PropertySet::of(PropertyId::d4)); }

    /// Begins with a world. A scene of its own may be given; it must outlive the Watch's use of it.
    void watch(sim::World& world);
    void begin(Scene const& scene);

    /// Runs the world that is watched to its end. What was violated, a line each; what the profile is expected to break
    /// is left out. The outcome stays with outcome().
    [[nodiscard]] std::string run();
    [[nodiscard]] sim::Outcome const& outcome() const { return outcome_; }
    /// Runs the world that is watched to its end, without words: outcome() and violations() have what came of it.
    void play();
    /// For those that run the world themselves: it is over.
    void finish(sim::Outcome const& outcome);

    /// All of them, in the order in which they were seen; of one property the first few.
    [[nodiscard]] std::vector<Violation> const& violations() const { return findings_.violations(); }
    /// The first one that is not expected.
    [[nodiscard]] std::optional<Violation> unexpected() const;

    void on_actions(ProcessId process, protocol::Actions const& actions) override;
    void on_step(sim::StepSeen const& seen) override;
    void on_fault(TimeNs now_ns, sim::Fault const& fault) override;

private:
    void judge_end();
    void forget_actions();
    void add(std::unique_ptr<PropertyObserver> property, PropertySet wanted);

    std::vector<std::unique_ptr<PropertyObserver>> properties_;
    std::vector<PropertyObserver*> told_;                             ///< those that this world can concern
    std::array<std::vector<PropertyObserver*>, kStepKinds> told_of_;  ///< ... by kind of step
    Premise premise_;
    std::optional<WorldScene> own_scene_;
    Scene const* scene_ = nullptr;
    sim::World* world_ = nullptr;
    Findings findings_;
    std::vector<protocol::Action> actions_;  ///< of the step under way, when it has several pieces
    bool copied_ = false;                    ///< they are there
    std::uint32_t nranks_ = 0;
    std::uint32_t pieces_ = 0;
    std::uint32_t most_actions_ = 0;
    sim::Outcome outcome_;
};

}  // namespace ronde::props
