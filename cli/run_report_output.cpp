#include "cli/run_report.hpp"
#include "cli/values.hpp"
#include "protocol/policy.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ronde::cli {

using protocol::kNoRank;
using sim::about;
using sim::about_bytes;
using sim::plural;
using sim::shortened;
using sim::spaced;

namespace {

std::string group_line(FailureGroup const& group) {
    if (group.ranks.size() == 1)
        return fmt::format("rank {}: {}\n", group.ranks.front(), group.message);
    return fmt::format("{} ranks ({}): {}\n", group.ranks.size(), shortened(ranks_text(group.ranks)), group.message);
}

std::string phase_table(RunReport const& report) {
    std::string text = fmt::format("  {:<20}{:>12}{:>12}{:>12}   slowest\n", "phase", "min", "median", "max");
    for (PhaseTimes const& times : report.phases) {
        if (times.max_ns == 0)
            continue;  // over within the step that began it
        text += fmt::format("  {:<20}{:>12}{:>12}{:>12}   rank {}\n", spaced(name_of(times.phase)), about(times.min_ns),
                            about(times.median_ns), about(times.max_ns), times.slowest_rank);
    }
    return text;
}

}  // namespace

std::string report_text(RunFacts const& facts, RunReport const& report) {
    std::string text;
    std::string const shape = fmt::format("profile {}, gather {}, {}", name_of(facts.profile), name_of(facts.gather),
                                          plural(facts.nroots, "root"));
    if (report.ready)
        text += fmt::format("ready: {} in a ring ({})\n", plural(facts.nranks, "rank"), shape);
    else
        text += fmt::format("failed: {} of {} ended with an error ({})\n", report.errors.size(),
                            plural(facts.nranks, "rank"), shape);
    if (report.digests_differ)
        text += "table digest  DIFFERENT between ranks that are ready: this is a bug worth a report\n";
    else if (!report.table_digest.empty())
        text += fmt::format("table digest  {}\n", report.table_digest);
    if (report.time_to_table_ns > 0)
        text += fmt::format("full table    {}, last rank ready {}\n", about(report.time_to_table_ns),
                            about(report.time_to_ready_ns));
    if (report.barriers > 0)
        text +=
            fmt::format("barrier       {} (median of {}, slowest rank)\n", about(report.barrier_ns), report.barriers);
    if (report.all_gathers > 0)
        text += fmt::format("all_gather    {} for {} of each rank (median of {}, slowest rank), contents correct\n",
                            about(report.all_gather_ns), about_bytes(facts.all_gather_bytes), report.all_gathers);
    if (!report.phases.empty())
        text += phase_table(report);
    text += fmt::format("{}, {}; CPU {} in all; memory of a rank's own {}, resident {}\n",
                        plural(report.messages, "message"), about_bytes(report.bytes), about(facts.cpu_ns),
                        about_bytes(facts.own_bytes), about_bytes(facts.peak_rss_bytes));
    if (report.strangers > 0 || report.retries > 0)
        text += fmt::format("{}, {}\n", plural(report.strangers, "stranger"),
                            plural(report.retries, "repeated connection"));
    return text;
}

std::string failure_text(RunFacts const&, RunReport const& report) {
    std::string text;
    std::string_view said;
    for (FailureGroup const& group : report.groups) {
        text += group_line(group);
        if (!group.remedy.empty() && group.remedy != said)
            text += fmt::format("  -> {}\n", group.remedy);
        said = group.remedy;
    }
    return text;
}

std::string report_json(RunFacts const& facts, RunReport const& report) {
    using Json = nlohmann::ordered_json;
    auto const rank_or_null = [](protocol::RankId rank) { return rank == kNoRank ? Json(nullptr) : Json(rank); };
    Json phases = Json::object();
    for (PhaseTimes const& times : report.phases) {
        phases[std::string(name_of(times.phase))] = {{"min_ns", times.min_ns},
                                                     {"median_ns", times.median_ns},
                                                     {"max_ns", times.max_ns},
                                                     {"slowest_rank", times.slowest_rank},
                                                     {"ranks", times.ranks}};
    }
    Json errors = Json::array();
    for (RankFailure const& failure : report.errors) {
        errors.push_back({{"rank", failure.rank},
                          {"phase", name_of(failure.phase)},
                          {"code", failure.code},
                          {"about", rank_or_null(failure.about)},
                          {"message", failure.message},
                          {"remedy", failure.remedy}});
    }
    Json json{{"verdict", report.ready ? "ready" : "failed"},
              {"ranks", facts.nranks},
              {"profile", name_of(facts.profile)},
              {"gather", name_of(facts.gather)},
              {"roots", facts.nroots},
              {"table_digest",
               report.table_digest.empty() || report.digests_differ ? Json(nullptr) : Json(report.table_digest)},
              {"time_to_table_ns", report.time_to_table_ns > 0 ? Json(report.time_to_table_ns) : Json(nullptr)},
              {"time_to_ready_ns", report.time_to_ready_ns > 0 ? Json(report.time_to_ready_ns) : Json(nullptr)},
              {"phases", std::move(phases)},
              {"messages", report.messages},
              {"bytes", report.bytes},
              {"cpu_s", static_cast<double>(facts.cpu_ns) / 1e9},
              {"peak_rss_bytes", facts.peak_rss_bytes},
              {"own_bytes", facts.own_bytes},
              {"strangers", report.strangers},
              {"retries", report.retries}};
    if (report.all_gathers > 0) {
        json["all_gather_ns"] = report.all_gather_ns;
        json["all_gather_bytes"] = facts.all_gather_bytes;
        json["all_gathers"] = report.all_gathers;
    }
    if (report.barriers > 0) {
        json["barrier_ns"] = report.barrier_ns;
        json["barriers"] = report.barriers;
    }
    json["errors"] = std::move(errors);
    return json.dump(2) + "\n";
}

}  // namespace ronde::cli
