/// One made-up world under all properties: what `ronde check` does over and over.
#pragma once

#include "check/coverage.hpp"
#include "check/script.hpp"
#include "generate/plans.hpp"
#include "observe/watch.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::props {

/// How cases are chosen.
struct Strategy {
    enum class Kind : std::uint8_t {
        random,  ///< independent draws
        pct,     ///< independent draws of the world, and schedules of a probabilistic scheduler
        guided,  ///< draws that reached something new are kept and changed a little
    };
    Kind kind = Kind::random;
    std::uint32_t depth = 3;  ///< pct: constraints on the order that a bug may need
    friend bool operator==(Strategy const&, Strategy const&) = default;
};
/// "random", "guided", "pct" or "pct:4". Errors say what is expected.
[[nodiscard]] sim::Read<Strategy> strategy_from(std::string_view text);
[[nodiscard]] std::string to_text(Strategy const& strategy);

/// What every case of a run shares.
struct CaseRules {
    std::uint64_t seed = 1;
    Shape shape;
    Strategy strategy;
    /// Each case with index 0 modulo this is run once more in other ways: D1 to D4, and S5's comparison.
    std::uint32_t twins_every = 16;
};

/// What earlier cases have left for later ones. Changes between generations only, so that a case is a function of the
/// rules and its index, whoever runs it.
struct Heritage {
    std::vector<sim::Tape> corpus;      ///< guided: draws that reached something new
    std::uint64_t most_orders = 1'000;  ///< pct: the most choices of order that a case has had
    std::uint64_t most_actors = 0;      ///< pct: ... and the most actors among whom it chose
};

struct CaseResult {
    std::uint64_t index = 0;
    sim::WorldPlan plan;
    sim::Tape draws;                ///< guided: what the plan was made of
    std::optional<sim::Tape> tape;  ///< of the world, when the plan's seed alone did not make its choices
    std::vector<Violation> unexpected;
    PropertySet expected;  ///< broken, as the profile is known to
    CaseReach reach;
    sim::Outcome outcome;
    std::uint64_t orders = 0;
    std::uint64_t actors = 0;
};

/// Belongs to one thread and keeps its memory from case to case.
class CaseRunner {
public:
    explicit CaseRunner(CaseRules const& rules) : rules_(rules) {}
    void run(std::uint64_t index, Heritage const& heritage, CaseResult& result);
    /// The world of a case, without playing it. Of strategy guided only as far as it depends on no other case.
    [[nodiscard]] sim::WorldPlan plan_of(std::uint64_t index);
    /// Which case is under way; safe to ask from another thread, or when the process ends.
    [[nodiscard]] std::uint64_t under_way() const { return under_way_.load(std::memory_order_relaxed); }

private:
    void make(std::uint64_t index, Heritage const& heritage, CaseResult& result) const;
    void play(sim::Oracle& choices, CaseResult& result);
    void compare(CaseResult& result);

    CaseRules rules_;
    sim::World world_;  ///< of one case after the other
    Watch watch_;
    JudgeRoom judges_;
    std::atomic<std::uint64_t> under_way_{0};
};

}  // namespace ronde::props
