#include "shrink/shrink.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "protocol/check.hpp"
#include "shrink/edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ronde::props {
namespace {

using Clock = std::chrono::steady_clock;

/// Counts the machines' steps, so that a choice can be dated.
class StepCounter final : public sim::Observer {
public:
    void on_step(sim::StepSeen const& seen) override { steps_ = seen.number; }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

private:
    std::uint64_t steps_ = 0;
};

/// A tape as far as `length`, and another seed from there on.
class PrefixOracle final : public sim::Oracle {
public:
    PrefixOracle(sim::Tape const& tape, std::size_t length, std::uint64_t seed, StepCounter const* counter)
        : tape_(&tape), length_(length), rest_(seed), counter_(counter) {}
    std::uint32_t pick(sim::Choice kind, std::uint64_t key, std::uint32_t n) override {
        if (n == 1)
            return 0;
        bool const taped = next_ < length_ && tape_->entries[next_].n == n;
        std::uint32_t const picked = taped ? tape_->entries[next_].picked : rest_.pick(kind, key, n);
        if (++next_ == length_ && counter_ != nullptr)
            step_ = counter_->steps() + 1U;
        return picked;
    }
    /// In which the last taped choice was made.
    [[nodiscard]] std::uint64_t step() const { return step_; }

private:
    sim::Tape const* tape_;
    std::size_t length_;
    std::size_t next_ = 0;
    sim::SeededOracle rest_;
    StepCounter const* counter_;
    std::uint64_t step_ = 0;
};

bool violates_after(Script const& script, sim::Tape const& tape, std::size_t length, std::uint64_t seed,
                    PropertyId property) {
    PrefixOracle oracle(tape, length, seed, nullptr);
    sim::World world(script.plan, &oracle);
    Watch watch(world, PropertySet::of(property));
    watch.finish(world.run());
    return !watch.violations().empty();
}

}  // namespace

Shrunk shrink(Script script, PropertyId property, ShrinkOptions const& options) {
    // Properties of one run are asked of one run alone.
    JudgeOptions const how{.twins = property >= PropertyId::d1 || property == PropertyId::s5};
    return shrink(
        std::move(script), [&](Script const& candidate) { return judge(candidate, how).violation_of(property); },
        options);
}

Shrunk shrink(Script script, Failing const& failing, ShrinkOptions const& options) {
    Shrunk shrunk;
    auto const begun = Clock::now();
    auto const over = [&] {
        auto const used_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count();
        return used_ns >= options.budget_ns || shrunk.runs >= options.most_runs;
    };
    auto first = failing(script);
    ++shrunk.runs;
    RONDE_CHECK(first.has_value(), "shrink: expected a script that fails");
    shrunk.violation = std::move(*first);
    Offer const offer = [&](Script const& candidate) {
        if (over())
            return false;
        ++shrunk.runs;
        auto violation = failing(candidate);
        if (!violation)
            return false;
        ++shrunk.steps;
        shrunk.violation = std::move(*violation);
        return true;
    };
    for (std::uint64_t before = ~std::uint64_t{0}; before != shrunk.steps && !over();) {
        before = shrunk.steps;
        fewer_choices(script, offer);
        fewer_faults(script, offer);
        fewer_ranks(script, offer);
        usual_keys(script, offer);
        simpler_faults(script, offer);
        rounder_numbers(script, offer);
    }
    shrunk.finished = !over();
    shrunk.script = std::move(script);
    return shrunk;
}

CriticalStep critical_step(Script const& script, PropertyId property, std::uint32_t continuations) {
    sim::Tape const tape = judge(script, {.twins = false, .keep_tape = true}).tape;
    CriticalStep critical;
    critical.continuations = continuations;
    auto const certain = [&](std::size_t length) {
        for (std::uint32_t i = 0; i < continuations; ++i) {
            if (!violates_after(script, tape, length, script.plan.seed + 1'000U + i, property))
                return false;
        }
        return true;
    };
    // Certain with all choices; what is certain with some of them is not always so with more, but nearly.
    std::size_t low = 0;
    std::size_t high = tape.entries.size();
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (certain(middle))
            high = middle;
        else
            low = middle + 1;
    }
    critical.choices = high;
    if (high == 0)
        return critical;
    StepCounter counter;
    PrefixOracle oracle(tape, high, script.plan.seed, &counter);
    sim::World world(script.plan, &oracle);
    world.watch(counter);
    (void)world.run();
    critical.step = oracle.step();
    return critical;
}

std::string size_text(Script const& script) {
    auto const some = [](std::size_t count, std::string_view one) {
        return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
    };
    std::string text = fmt::format("{}, {}, {}", some(script.plan.nranks, "rank"), some(script.plan.nroots, "root"),
                                   some(script.plan.faults.size(), "fault"));
    if (script.tape)
        text += ", " + some(script.tape->entries.size(), "choice");
    return text;
}

std::string test_file(Script const& script, Violation const& violation, std::string const& test_name) {
    std::string text = fmt::format("/// {}: {}.\n"
                                   "#include \"engine/tape_oracle.hpp\"\n"
                                   "#include \"observe/watch.hpp\"\n"
                                   "#include \"scenario/scenario.hpp\"\n"
                                   "\n"
                                   "#include <gtest/gtest.h>\n"
                                   "\n"
                                   "namespace ronde {{\n"
                                   "namespace {{\n"
                                   "\n"
                                   "TEST({}, {}) {{\n"
                                   "    auto const plan = sim::read_scenario(R\"({})\", \"{}.toml\");\n"
                                   "    ASSERT_TRUE(plan) << plan.error();\n",
                                   name_of(violation.property), violation.sentence, name_of(violation.property),
                                   test_name, "\n" + sim::write_scenario(script.plan), script.plan.name);
    if (script.tape) {
        text += fmt::format("    auto const tape = sim::tape_from(R\"({})\");\n"
                            "    ASSERT_TRUE(tape) << tape.error();\n"
                            "    sim::TapeOracle choices = sim::TapeOracle::replay(*tape);\n"
                            "    sim::World world(*plan, &choices);\n",
                            sim::to_text(*script.tape));
    } else {
        text += "    sim::World world(*plan);\n";
    }
    text += "    props::Watch watch(world);\n";
    // What the policies are known to break is no news to run(), so it is looked for by name.
    protocol::Policies const policies = protocol::resolve(script.plan.policies, script.plan.nranks, script.plan.nroots);
    if (expected_of(policies, script.plan.nroots).has(violation.property))
        text += fmt::format("    (void)watch.run();\n"
                            "    for (props::Violation const& violation : watch.violations())\n"
                            "        EXPECT_NE(name_of(violation.property), \"{}\") << to_text(violation);\n",
                            name_of(violation.property));
    else
        text += "    EXPECT_EQ(watch.run(), \"\");\n";
    return text + "}\n"
                  "\n"
                  "}  // namespace\n"
                  "}  // namespace ronde\n";
}

}  // namespace ronde::props
