/// Properties of the tables that ready ranks hold.
#pragma once

#include "observe/property.hpp"

#include <vector>

namespace ronde::props {

/// S1: a ready rank holds exactly N entries, entry i as rank i registered it.
///
/// Ready is the word on which a program connects to anybody, and a wrong entry is found much later, as a hang in
/// somebody else's code. It must hold because a rank learns only what arrives on a connection of its gather, and every
/// such entry began as a check-in that its root compared with all others [clauses 5.4, 5.7, 5.8].
class TableExact final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s1; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering() | StepKinds::welcoming(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    std::vector<ProcessId> checked_in_;  ///< by rank, at its own root
    /// ... and at the root before it. Without a commit that one may have counted another process of the rank, and
    /// somebody is ready before the two roots hear of it [5.8]: then either of them is an entry that was registered.
    std::vector<ProcessId> at_other_root_;
};

/// S2: all ready tables are byte-identical.
///
/// Collective libraries derive rings and trees from the table on every rank alone; two tables that differ in one byte
/// give two different plans. Each table is right by S1; this one asks for no more than agreement, so it also sees what
/// S1 believes wrongly [clause 5.7].
class TablesEqual final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s2; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    std::vector<ProcessId> first_;  ///< the table of whoever was ready first
    RankId whose_ = kNoRank;
};

/// S8: two ranks on one device: nobody is ready, and both are named.
///
/// Two processes that drive one device block each other for ever in the first kernel. With the check switched on the
/// second one to check in is refused, or every rank finds the pair in its table before it commits; all that live hear
/// both numbers [clause 6.4].
class DevicesDistinct final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s8; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    [[nodiscard]] bool share(ProcessId a, ProcessId b, Scene const& scene) const;
    std::vector<ProcessId> looked_at_;  ///< the last table that was searched
    std::vector<protocol::Entry> entries_;
    bool only_shared_devices_ = false;  ///< Premise
};

/// S9: tables come only from check-ins of this session.
///
/// Ports are used again: an entry of the job before, or of a stranger, would make ranks of two jobs talk to each other.
/// It must hold because a root hears a check-in only from who has proven that it knows this id's secret
/// [clauses 3.2, 5.2].
class OnlyThisSession final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s9; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering() | StepKinds::welcoming(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    std::vector<bool> welcomed_;  ///< by process: some root has taken its check-in
};

}  // namespace ronde::props
