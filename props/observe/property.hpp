/// A property: something that is told of every step and every end, and says when what it stands for does not hold.
#pragma once

#include "observe/premise.hpp"
#include "observe/property_id.hpp"
#include "observe/scene.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace ronde::props {

struct Violation {
    PropertyId property = PropertyId::s1;
    std::uint64_t step = 0;     ///< number of the machine's step that showed it; of the last one when the end did
    TimeNs at_ns = 0;           ///< simulated
    std::vector<RankId> ranks;  ///< whom it is about; may be empty
    std::string sentence;       ///< one, without period
    friend bool operator==(Violation const&, Violation const&) = default;
};

/// "S1 at step 42, 1.5ms: rank 3 is ready with 7 of 8 entries"
[[nodiscard]] std::string to_text(Violation const& violation);

/// What kind of step it was. Each is of one kind: the first of those that fit.
enum class StepKind : std::uint8_t {
    rank_starts,    ///< a rank's machine is told that it begins
    rank_moves,     ///< a rank enters another phase
    rank_stays,     ///< any other step of a rank
    root_check_in,  ///< a root hears a check-in
    root_moves,     ///< a root enters another phase
    root_stays,     ///< any other step of a root
};
inline constexpr std::uint32_t kStepKinds = 6;

/// Some kinds of steps.
class StepKinds {
public:
    template <class... Kinds>
    [[nodiscard]] static constexpr StepKinds of(Kinds... kinds) {
        return StepKinds(static_cast<std::uint8_t>((0U | ... | (1U << static_cast<std::uint32_t>(kinds)))));
    }
    [[nodiscard]] static constexpr StepKinds all() { return StepKinds((1U << kStepKinds) - 1U); }
    [[nodiscard]] static constexpr StepKinds of_ranks() {
        return of(StepKind::rank_starts, StepKind::rank_moves, StepKind::rank_stays);
    }
    [[nodiscard]] static constexpr StepKinds of_roots() {
        return of(StepKind::root_check_in, StepKind::root_moves, StepKind::root_stays);
    }
    /// All in which a rank may enter a phase.
    [[nodiscard]] static constexpr StepKinds entering() { return of(StepKind::rank_starts, StepKind::rank_moves); }
    /// All in which a root may take a check-in.
    [[nodiscard]] static constexpr StepKinds welcoming() { return of(StepKind::root_check_in); }

    [[nodiscard]] constexpr StepKinds operator|(StepKinds other) const {
        return StepKinds(static_cast<std::uint8_t>(bits_ | other.bits_));
    }
    [[nodiscard]] constexpr bool has(StepKind kind) const {
        return (bits_ >> static_cast<std::uint32_t>(kind) & 1U) != 0;
    }

private:
    explicit constexpr StepKinds(std::uint8_t bits) : bits_(bits) {}
    std::uint8_t bits_;
};

/// One step of one machine, all of its pieces together.
struct Step {
    sim::StepSeen const* seen = nullptr;
    std::span<protocol::Action const> actions;  ///< of all pieces, in order
    std::uint32_t pieces = 1;                   ///< calls of the machine
    std::uint32_t most_actions = 0;             ///< of one piece

    [[nodiscard]] ProcessId process() const { return seen->process; }
    [[nodiscard]] protocol::Event const& event() const { return *seen->event; }
    [[nodiscard]] bool is_rank() const { return seen->rank != nullptr; }
    [[nodiscard]] StepKind kind() const {
        bool const moves = seen->phase_before != seen->phase_after;
        if (!is_rank())
            return frame(protocol::FrameKind::check_in) ? StepKind::root_check_in
                   : moves                              ? StepKind::root_moves
                                                        : StepKind::root_stays;
        return event().kind == protocol::EventKind::start ? StepKind::rank_starts
               : moves                                    ? StepKind::rank_moves
                                                          : StepKind::rank_stays;
    }
    /// A rank has entered `phase` in this step.
    [[nodiscard]] bool enters(protocol::Phase phase) const {
        return is_rank() && seen->phase_after == static_cast<std::uint8_t>(phase) &&
               seen->phase_before != seen->phase_after;
    }
    [[nodiscard]] bool frame(protocol::FrameKind kind) const {
        return event().kind == protocol::EventKind::frame && event().frame.kind == kind;
    }
};

/// Where properties put what they have found. One property keeps its first few violations of a world.
class Findings {
public:
    static constexpr std::uint32_t kMostOfOne = 4;

    void clear() {
        violations_.clear();
        step_ = 0;
        now_ns_ = 0;
    }
    void at(std::uint64_t step, TimeNs now_ns) {
        step_ = step;
        now_ns_ = now_ns;
    }
    void add(PropertyId property, std::vector<RankId> ranks, std::string sentence) {
        auto const same = [&](Violation const& violation) { return violation.property == property; };
        if (std::count_if(violations_.begin(), violations_.end(), same) < kMostOfOne)
            violations_.push_back({property, step_, now_ns_, std::move(ranks), std::move(sentence)});
    }
    [[nodiscard]] std::vector<Violation> const& violations() const { return violations_; }

private:
    std::vector<Violation> violations_;
    std::uint64_t step_ = 0;
    TimeNs now_ns_ = 0;
};

/// Used for one world after the other. What it remembers of a world begins anew with begin().
class PropertyObserver {
public:
    virtual ~PropertyObserver() = default;
    [[nodiscard]] virtual PropertyId id() const = 0;
    /// `premise` is that of the scene's plan. False: nothing in this world can concern it, and it is told no more of
    /// it.
    [[nodiscard]] virtual bool begin(Scene const& scene, Premise const& premise) = 0;
    /// It need be told of steps of these kinds only. The same for all worlds.
    [[nodiscard]] virtual StepKinds wants() const { return StepKinds::all(); }
    virtual void on_step(Step const&, Scene const&, Findings&) {}
    virtual void on_fault(TimeNs, sim::Fault const&) {}
    virtual void at_end(sim::Outcome const&, Scene const&, Findings&) {}
};

}  // namespace ronde::props
