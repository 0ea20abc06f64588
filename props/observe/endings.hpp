/// Properties of how it ends, and of the way there.
#pragma once

#include "observe/premise.hpp"
#include "observe/property.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ronde::props {

/// L1: once faults stop and all are present, everyone is ready within a computed bound.
///
/// A bootstrap that survives a fault by failing later has not survived it. Faults that the protocol promises to live
/// through (premise.hpp says which) are let pass; from the moment when the last one is over the clock runs. The bound
/// counts what may still be waited for: kernels that had doubled their pauses, and machines that had doubled their
/// patience [clauses 3.4, 3.5, 6.3].
class ReadyOnceHealed final : public PropertyObserver {
public:
    /// What a world may take from the end of its last fault, `healed_ns`, to the last rank's ready.
    [[nodiscard]] static TimeNs bound_ns(TimeNs healed_ns, sim::WorldPlan const& plan);

    [[nodiscard]] PropertyId id() const override { return PropertyId::l1; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::of(); }
    void on_fault(TimeNs now_ns, sim::Fault const& fault) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    TimeNs healed_ns_ = 0;
};

/// L2: every rank ends by its deadline, ready or with an error.
///
/// The promise that no bootstrap of old makes: whatever dies, vanishes or stays away, nobody waits for ever. A process
/// that stood still may be late by as long as it stood [clause 6.2]. After ready an operation without a budget may wait
/// without limit; that is clause 7.1's business.
class EndsByDeadline final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::l2; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;
    void on_fault(TimeNs now_ns, sim::Fault const& fault) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    std::vector<TimeNs> started_ns_;  ///< by process; -1: not yet
    TimeNs grace_ns_ = 0;             ///< what processes stood still, or had to wait for their processor
};

/// L3: errors name exactly the ranks that are missing, and blame nobody to whom nothing happened.
///
/// "Timed out" costs an engineer an evening on a thousand hosts; "ranks 40-47 never came" costs a minute. A root that
/// misses ranks lists all that have not checked in and nobody else; and no rank to whom nothing happened blames another
/// one to whom nothing happened, and who has not ended [clauses 6.1, 6.2].
class NamesTheMissing final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::l3; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering() | StepKinds::of_roots(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    void judge_blame(protocol::Error const& error, RankId rank, Findings& findings);
    void judge_list(Step const& step, Scene const& scene, Findings& findings);
    void judge_missing(sim::RankEnd const& end, Scene const& scene, Findings& findings) const;

    Premise premise_;
    std::vector<std::vector<bool>> present_;  ///< by root, by local id
    std::vector<bool> judged_;                ///< by root
    std::vector<bool> ended_;                 ///< by rank: it has failed or closed
};

/// How far a machine has come. Compared in the order of the members.
struct Headway {
    std::uint32_t phase = 0;
    std::uint32_t operation = 0;
    std::uint64_t work = 0;  ///< connections made and admitted, slices heard and served
    friend auto operator<=>(Headway const&, Headway const&) = default;
};
[[nodiscard]] Headway headway_of(protocol::RankState const& state);
[[nodiscard]] Headway headway_of(protocol::Root const& root);

/// L4: in a calm world every machine comes nearer to ready with all but a few of its steps.
///
/// What is left to do is finite and never grows, so the bootstrap ends: termination is seen as safety, step by step,
/// also in worlds that are too large to be tried in every order. Steps that change nothing that counts (a repeated
/// notice, a timer that finds nothing due) are few: a bound for each machine [clause 1.1].
class MeasureDecreases final : public PropertyObserver {
public:
    /// Steps without progress that a machine may make in a calm world, of `nranks` ranks.
    [[nodiscard]] static std::uint32_t most_idle_steps(std::uint32_t nranks, bool root);

    [[nodiscard]] PropertyId id() const override { return PropertyId::l4; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    struct Machine {
        Headway progress;
        std::uint32_t idle = 0;
    };
    std::vector<Machine> machines_;  ///< by process
    std::uint32_t most_of_ranks_ = 0;
    std::uint32_t most_of_roots_ = 0;
};

/// D4: a machine that is fed the same events again goes through the same states.
///
/// Recordings can be replayed, and worlds compared, only because nothing but its events reaches a machine: no clock, no
/// address, no byte that was never written. A second machine is fed what the first one was fed, and compared byte by
/// byte. For recordings of real runs `ronde replay` does the same [clause 1.1].
class FunctionOfItsEvents final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::d4; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::of_ranks(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    struct Twin {
        protocol::RankConfig config;
        protocol::Rank machine;
        bool parted = false;
    };
    std::vector<std::unique_ptr<Twin>> twins_;  ///< by process
    protocol::Actions actions_;
};

}  // namespace ronde::props
