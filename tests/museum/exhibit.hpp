/// An exhibit: a scenario, and what is to come of it under each profile.
///
/// `NAME.toml` is a scenario like any other, so `ronde sim NAME.toml` shows it. `NAME.expect.toml` beside it has the
/// expectations, in one array of tables for each profile:
///
///     [[ronde]]
///     set     = ["fault.0.ranks={rank}", "ranks={a+b}"]   # on top of the file; several in one text: "…; …"
///     with    = { rank = [0, 3], a = [1, 2], b = [5] }     # every combination is played
///     end     = "failed"         # of every rank that lives: ready, failed, hanging, or a list of them
///     code    = "rank_lost"      # of every rank that failed, or a list; so are phase, failure and field
///     about   = "{rank}"         # ranks that the errors may be about
///     other   = "0-2"            # ... and name as the other one
///     says    = "gone"           # stands in the line of every rank that failed; or a list: all of them do
///     missing = "4000-4007"      # whom those with the code ranks_missing list, exactly
///     same    = true             # all that failed hold the same code, about, other, expected and got
///     by      = "2s"             # the last rank ends no later; left out: the deadline and a second
///     not_before = "1s"          # ... and no earlier
///     delay   = "5%"             # the last rank is ready at most so much (a share or a duration) after the calm world
///     counts  = { ghosts = "> 0", failed = "= 7" }
///     expect_fail_today = "why"  # it does not come true yet; when it does, the test fails until the mark is gone
///
/// The calm world is the same without its faults. Texts may use the names of `with`.
#pragma once

#include "scenario/values.hpp"
#include "world/outcome.hpp"
#include "world/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim::museum {

/// "> 0" about a number of the outcome.
struct Bound {
    std::string name;
    std::string relation;  ///< =, <, <=, > or >=
    std::uint64_t value = 0;
};

/// What is to come of one world. Whatever is empty is not looked at.
struct Expectation {
    std::vector<End> ends;
    std::vector<std::string> codes;
    std::vector<std::string> phases;
    std::vector<std::string> failures;
    std::vector<std::string> fields;
    std::optional<std::vector<RankRange>> about;
    std::optional<std::vector<RankRange>> other;
    std::vector<std::string> says;
    std::optional<std::string> missing;
    bool same = false;
    std::optional<TimeNs> by_ns;
    std::optional<TimeNs> not_before_ns;
    std::optional<TimeNs> delay_ns;
    std::optional<std::uint32_t> delay_per_million;  ///< of the time that the calm world needs
    std::vector<Bound> counts;
};

/// One world of an exhibit.
struct Showing {
    std::string title;  ///< "ronde 2: rank=3, a=1", for messages
    WorldPlan plan;
    Expectation expected;
};

/// The showings of one table: they share an expectation, and its mark.
struct Cabinet {
    std::vector<Showing> showings;
    std::string expect_fail_today;
};

struct Exhibit {
    std::string name;                                      ///< the file's, without .toml
    std::map<std::string, std::vector<Cabinet>> cabinets;  ///< by profile
};

/// An error is one line that begins with the file. Every plan in it can be run.
[[nodiscard]] Read<Exhibit> read_exhibit(std::string const& name, std::string_view scenario,
                                         std::string_view expectations);

/// The names of all exhibits in a folder, sorted; also of those that lack one of their two files.
[[nodiscard]] std::vector<std::string> exhibits_in(std::string const& folder);
[[nodiscard]] Read<Exhibit> load_exhibit(std::string const& folder, std::string const& name);

}  // namespace ronde::sim::museum
