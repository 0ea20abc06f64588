/// Scenario files: a WorldPlan as TOML, read, changed key by key, and written.
///
///     auto plan = load_scenario("storm-32k");
///     if (!plan) return fail(plan.error());
///     if (auto const why = set_key(*plan, "network.same_rack=50us"); !why.empty()) return fail(why);
///
/// Every error is one line: where, which key, what was given, what was expected. What single keys cannot show, such as
/// a rank that no host holds, is said by contradiction_in (world/plan.hpp) once all changes are made.
#pragma once

#include "scenario/values.hpp"

#include <span>
#include <string>
#include <string_view>

namespace ronde::sim {

/// A text as a plan. `file` is named in errors ("storm.toml:12: [network] same_rak: …"), and its stem is the name of
/// the world unless the text gives one. Keys that are left out keep the defaults of WorldPlan.
[[nodiscard]] Read<WorldPlan> read_scenario(std::string_view toml, std::string_view file);

/// The plan as a scenario that reads back as the same plan. Keys that are as they would be anyway are left out.
[[nodiscard]] std::string write_scenario(WorldPlan const& plan);

/// "KEY=VALUE" with a key of the top ("ranks"), of a section ("network.same_rack") or of an element that is there
/// already ("fault.0.at"). Changing the profile sets all policies anew. An error, or an empty text.
[[nodiscard]] std::string set_key(WorldPlan& plan, std::string_view assignment);

/// A scenario that comes with the program.
struct Shipped {
    std::string_view name;
    std::string_view toml;
    /// Its first line, without the "# ".
    [[nodiscard]] std::string_view title() const;
};
/// Sorted by name.
[[nodiscard]] std::span<Shipped const> shipped_scenarios();

/// A shipped scenario by its name, or a file by its path (whatever has a '/' or ends with .toml).
[[nodiscard]] Read<WorldPlan> load_scenario(std::string const& name_or_path);

}  // namespace ronde::sim
