#include "check/cases.hpp"

#include "engine/draw.hpp"
#include "engine/pct_oracle.hpp"
#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ronde::props {
namespace {

// Streams of the seed.
constexpr std::uint64_t kCases = 1;
constexpr std::uint64_t kMutations = 2;
constexpr std::uint64_t kSchedules = 3;

/// Counts what a scheduler was asked.
class OrderCounter final : public sim::Oracle {
public:
    explicit OrderCounter(sim::Oracle& source) : source_(&source) {}
    std::uint32_t pick(sim::Choice kind, std::uint64_t key, std::uint32_t n) override {
        return source_->pick(kind, key, n);
    }
    std::uint32_t pick_among(sim::Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) override {
        ++orders_;
        actors_.insert(actors.begin(), actors.end());
        return source_->pick_among(kind, key, actors);
    }
    [[nodiscard]] std::uint64_t orders() const { return orders_; }
    [[nodiscard]] std::uint64_t actors() const { return actors_.size(); }

private:
    sim::Oracle* source_;
    std::uint64_t orders_ = 0;
    std::set<std::uint64_t> actors_;
};

/// Changes a few of the draws, or cuts the tape: what follows is then drawn anew.
sim::Tape mutated(sim::Tape tape, std::uint64_t seed, std::uint64_t index) {
    std::uint64_t counter = 0;
    auto const below = [&](std::uint64_t n) {
        return static_cast<std::size_t>(sim::below(sim::draw(sim::draw(seed, kMutations, index), 0, counter++), n));
    };
    if (tape.entries.empty())
        return tape;
    if (below(8) == 0) {
        tape.entries.resize(below(tape.entries.size()));
        return tape;
    }
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
        sim::TapeEntry& entry = tape.entries[below(tape.entries.size())];
        entry.picked = static_cast<std::uint32_t>(below(entry.n));
    }
    return tape;
}

}  // namespace

sim::Read<Strategy> strategy_from(std::string_view text) {
    Strategy strategy;
    std::string_view const name = text.substr(0, text.find(':'));
    std::string_view const rest = name.size() < text.size() ? text.substr(name.size() + 1) : std::string_view();
    if (name == "pct") {
        strategy.kind = Strategy::Kind::pct;
        auto const [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), strategy.depth);
        bool const number = failed == std::errc() && end == rest.data() + rest.size();
        if (name.size() == text.size() || (number && strategy.depth >= 1 && strategy.depth <= 64))
            return strategy;
    }
    if (text == "random")
        return strategy;
    if (text == "guided") {
        strategy.kind = Strategy::Kind::guided;
        return strategy;
    }
    return tl::unexpected(
        fmt::format("'{}' is no strategy; expected random, guided, pct, or pct:D with a depth of 1 to "
                    "64",
                    text));
}

std::string to_text(Strategy const& strategy) {
    switch (strategy.kind) {
    case Strategy::Kind::random: return "random";
    case Strategy::Kind::guided: return "guided";
    case Strategy::Kind::pct: break;
    }
    return fmt::format("pct:{}", strategy.depth);
}

void CaseRunner::make(std::uint64_t index, Heritage const& heritage, CaseResult& result) const {
    Shape shape = rules_.shape;
    shape.any_order = rules_.strategy.kind == Strategy::Kind::pct;
    std::uint64_t const seed = sim::draw(rules_.seed, kCases, index);
    sim::SeededOracle fresh(seed);
    if (rules_.strategy.kind != Strategy::Kind::guided) {
        result.plan = make_plan(fresh, shape);
        return;
    }
    // Every fourth case is drawn from nothing, so that the corpus does not close in on itself.
    bool const kin = !heritage.corpus.empty() && index % 4 != 0;
    sim::TapeOracle draws =
        kin ? sim::TapeOracle::replay(
                  mutated(heritage.corpus[sim::below(seed, heritage.corpus.size())], rules_.seed, index), &fresh)
            : sim::TapeOracle::record(fresh);
    result.plan = make_plan(draws, shape);
    result.draws = draws.tape();
}

void CaseRunner::play(sim::Oracle& choices, CaseResult& result) {
    world_.begin(result.plan, &choices);
    watch_.watch(world_);
    result.reach.clear();
    world_.watch(result.reach);
    watch_.play();
    result.outcome = watch_.outcome();
    PropertySet const expected = expected_of(result.outcome.policies, result.outcome.nroots);
    for (Violation const& violation : watch_.violations()) {
        if (expected.has(violation.property))
            result.expected = result.expected.with(violation.property);
        else
            result.unexpected.push_back(violation);
    }
}

sim::WorldPlan CaseRunner::plan_of(std::uint64_t index) {
    CaseResult result;
    make(index, {}, result);
    return result.plan;
}

void CaseRunner::run(std::uint64_t index, Heritage const& heritage, CaseResult& result) {
    under_way_.store(index, std::memory_order_relaxed);
    result.index = index;
    result.unexpected.clear();
    result.expected = {};
    result.tape.reset();
    result.orders = result.actors = 0;
    make(index, heritage, result);
    sim::SeededOracle seeded(result.plan.seed);
    if (rules_.strategy.kind != Strategy::Kind::pct) {
        play(seeded, result);
        if (!result.unexpected.empty() || index % rules_.twins_every == 0)
            compare(result);
        return;
    }
    sim::PctOracle scheduler(sim::draw(rules_.seed, kSchedules, index), rules_.strategy.depth, heritage.most_orders,
                             seeded);
    sim::TapeOracle recorder = sim::TapeOracle::record(scheduler);
    OrderCounter counter(recorder);
    play(counter, result);
    result.orders = counter.orders();
    result.actors = counter.actors();
    bool const compared = index % rules_.twins_every == 0;
    if (!result.unexpected.empty() || compared)
        result.tape = recorder.tape();
    if (compared)
        compare(result);
}

/// Played once more, in every other way there is.
void CaseRunner::compare(CaseResult& result) {
    Judged const judged = judge({result.plan, result.tape}, {}, judges_);
    for (Violation const& violation : judged.violations) {
        bool const known = std::any_of(result.unexpected.begin(), result.unexpected.end(),
                                       [&](Violation const& other) { return other.property == violation.property; });
        if (!known)
            result.unexpected.push_back(violation);
    }
    if (judged.outcome.digest == result.outcome.digest)
        return;
    result.unexpected.push_back({PropertyId::d1,
                                 result.outcome.steps,
                                 result.outcome.simulated_ns,
                                 {},
                                 fmt::format("a case and its script have the digests {} and {}",
                                             to_text(result.outcome.digest), to_text(judged.outcome.digest))});
}

}  // namespace ronde::props
