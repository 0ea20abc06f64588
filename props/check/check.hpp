/// Random checking: many made-up worlds under all properties, for as long as there is time.
#pragma once

#include "check/cases.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ronde::props {

struct CheckOptions {
    CaseRules rules;
    std::int64_t budget_ns = 60'000'000'000;  ///< of the wall clock; it is looked at between generations
    std::uint64_t cases = 0;                  ///< 0: as many as there is time for
    std::uint32_t jobs = 1;                   ///< threads; results do not depend on it
    std::uint64_t part = 0;                   ///< of a campaign: this one has the cases `part` modulo `parts`
    std::uint64_t parts = 1;
    std::string failures;  ///< folder for scripts; empty: none are kept
    /// Told which cases are under way, for whoever has to say so when a broken invariant ends the process.
    std::function<void(std::vector<CaseRunner const*> const&)> on_runners;
};

struct FailureNote {
    PropertyId property = PropertyId::s1;
    std::uint64_t index = 0;  ///< of the case; of a script that was there already: 0
    std::string sentence;
    std::string script;  ///< its path, or empty
    friend bool operator==(FailureNote const&, FailureNote const&) = default;
};

struct CheckReport {
    std::uint64_t seed = 0;
    std::string strategy;
    std::string profile;
    std::uint32_t least_ranks = 0;
    std::uint32_t most_ranks = 0;
    std::uint64_t cases = 0;
    std::uint64_t steps = 0;     ///< of machines
    std::uint64_t twins = 0;     ///< cases that were run in other ways, too
    std::uint64_t replayed = 0;  ///< scripts of the folder
    std::int64_t wall_ns = 0;
    std::uint32_t jobs = 1;
    std::uint64_t corpus = 0;
    std::uint64_t most_orders = 0;
    std::uint64_t most_actors = 0;
    std::array<std::uint64_t, kProperties> broken{};    ///< cases, unexpected
    std::array<std::uint64_t, kProperties> expected{};  ///< cases, as the profile is known to
    Coverage coverage;
    std::vector<FailureNote> failures;  ///< in the order of the cases
    std::string trouble;                ///< scripts could not be read or kept: one line

    [[nodiscard]] bool holds() const { return failures.empty(); }
};

/// Cases from which on R may be judged: below it, what was not reached may be chance.
inline constexpr std::uint64_t kEnoughCases = 20'000;
/// What a standard run had to reach and did not; empty while there were too few cases to tell, or for other profiles
/// and sizes than the standard ones.
[[nodiscard]] std::vector<std::string> unreached(CheckReport const& report);

/// Scripts of the folder first, then cases until the budget is used up or a generation has failed.
[[nodiscard]] CheckReport check(CheckOptions const& options,
                                std::function<void(CheckReport const&)> const& progress = {});

/// Both together: what the parts of a campaign have found.
void merge(CheckReport& into, CheckReport const& other);

// --- reports (report.cpp) -------------------------------------------------------------------------------------------
[[nodiscard]] std::string report_text(CheckReport const& report);
[[nodiscard]] std::string report_json(CheckReport const& report);
/// What report_json wrote. Errors are one line without the file's name.
[[nodiscard]] sim::Read<CheckReport> report_from_json(std::string_view text);
/// A test case for each property.
[[nodiscard]] std::string report_junit(CheckReport const& report);

}  // namespace ronde::props
