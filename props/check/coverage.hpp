/// What a number of worlds have reached.
#pragma once

#include "observe/property.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ronde::props {

inline constexpr std::uint32_t kMachinePhases = protocol::kPhaseCount + 7U;  ///< of ranks, then of roots
inline constexpr std::uint32_t kNoFault = sim::kFaultKinds;                  ///< index of "nothing goes wrong"

/// Watches one world: which machine took which event in which phase, with which error code afterwards.
class CaseReach final : public sim::Observer {
public:
    static constexpr std::size_t kSteps =
        std::size_t{kMachinePhases} * protocol::kEventKindCount * protocol::kCodeCount;
    using Steps = std::array<std::uint64_t, kSteps / 64U + 1U>;  ///< a bit each

    void clear() {
        steps_ = {};
        frames_ = 0;
    }
    void on_step(sim::StepSeen const& seen) override;
    [[nodiscard]] Steps const& steps() const { return steps_; }
    /// Bit per FrameKind that a machine was fed.
    [[nodiscard]] std::uint32_t frames() const { return frames_; }

private:
    Steps steps_{};
    std::uint32_t frames_ = 0;
};

/// The same of many worlds, together with what went wrong in them. Adding is commutative.
class Coverage {
public:
    static constexpr std::size_t kTuples = CaseReach::kSteps * (sim::kFaultKinds + 1U);

    Coverage() : tuples_(kTuples / 64U + 1U, 0) {}

    /// Tuples (phase, event kind, error code, fault kind) that are new.
    std::uint32_t add(CaseReach const& reach, sim::WorldPlan const& plan, sim::Outcome const& outcome);
    void add(Coverage const& other);

    [[nodiscard]] std::uint64_t tuples() const;
    /// Cases with this fault in which a rank was in this phase; in which somebody ended with this code.
    [[nodiscard]] std::uint64_t cases_with(protocol::Phase phase, std::uint32_t fault) const {
        return by_phase_[static_cast<std::size_t>(phase)][fault];
    }
    [[nodiscard]] std::uint64_t cases_with(protocol::Code code, std::uint32_t fault) const {
        return by_code_[static_cast<std::size_t>(code)][fault];
    }

    /// One thing that a standard run has to reach, and how often it did.
    struct Probe {
        std::string name;
        std::uint64_t reached = 0;
        bool required = true;  ///< by property R, of profile ronde
    };
    [[nodiscard]] std::vector<Probe> probes() const;

    /// For reports that are merged: all counts in one list, and back. False: it is no such list.
    [[nodiscard]] std::vector<std::uint64_t> counts() const;
    [[nodiscard]] bool take_counts(std::vector<std::uint64_t> const& counts);

private:
    static constexpr std::size_t kFaultColumns = sim::kFaultKinds + 1U;
    template <std::size_t N>
    using Rows = std::array<std::array<std::uint64_t, kFaultColumns>, N>;

    /// Visits every number that is added when two of them are.
    template <class Self, class Visit>
    static void each_count(Self& self, Visit visit) {
        for (auto& row : self.by_phase_)
            for (auto& count : row)
                visit(count);
        for (auto& row : self.by_code_)
            for (auto& count : row)
                visit(count);
        for (auto& count : self.root_phases_)
            visit(count);
        for (auto& count : self.frames_)
            visit(count);
        for (auto& count : self.strangers_)
            visit(count);
        for (auto& count : self.ends_)
            visit(count);
        for (auto& count : self.moments_)
            visit(count);
    }

    enum Moment : std::uint8_t { kGhost, kSynDrop, kOverflowReset, kRefused, kReset, kLoss, kRetry, kMoments };

    std::vector<std::uint64_t> tuples_;
    Rows<protocol::kPhaseCount> by_phase_{};
    Rows<protocol::kCodeCount> by_code_{};
    std::array<std::uint64_t, 7> root_phases_{};
    std::array<std::uint64_t, protocol::kFrameKindCount> frames_{};
    std::array<std::uint64_t, sim::kStrangerKinds> strangers_{};
    std::array<std::uint64_t, sim::kEnds> ends_{};
    std::array<std::uint64_t, kMoments> moments_{};
};

}  // namespace ronde::props
