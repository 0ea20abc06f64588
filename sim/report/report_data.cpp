/// The report for programs: JSON and CSV.
#include "report/causes.hpp"
#include "report/critical_path.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace ronde::sim {
namespace {

using Json = nlohmann::ordered_json;
using protocol::Phase;

/// Errors that are listed one by one; a world of a million hanging ranks has the rest in `causes`.
constexpr std::size_t kMostErrors = 1'000;

Json rank_or_null(RankId rank) { return rank == kNoRank ? Json(nullptr) : Json(rank); }
Json time_or_null(TimeNs time_ns) { return time_ns == kNever ? Json(nullptr) : Json(time_ns); }

Json phases_json(Outcome const& outcome) {
    Json phases = Json::object();
    for (std::uint32_t p = 0; p < protocol::kPhaseCount; ++p) {
        Histogram const& times = outcome.phases[p];
        if (times.count() == 0)
            continue;
        phases[std::string(name_of(static_cast<Phase>(p)))] = {{"min_ns", times.least_ns()},
                                                               {"median_ns", times.quantile_ns(500)},
                                                               {"p90_ns", times.quantile_ns(900)},
                                                               {"p99_ns", times.quantile_ns(990)},
                                                               {"max_ns", times.most_ns()},
                                                               {"slowest_rank", rank_or_null(outcome.slowest_in[p])},
                                                               {"ranks", times.count()}};
    }
    return phases;
}

Json storm_json(Outcome const& outcome) {
    Storm const& storm = outcome.storm;
    Json depth = Json::array();
    for (QueueDepth const& point : outcome.queue_depth)
        depth.push_back({point.at_ns, point.depth});
    return {{"connects", storm.connects},
            {"accepts", storm.accepts},
            {"syn_drops", storm.syn_drops},
            {"ack_drops", storm.ack_drops},
            {"ghosts", storm.ghosts},
            {"syn_retransmits", storm.syn_retransmits},
            {"synack_retransmits", storm.synack_retransmits},
            {"data_retransmits", storm.data_retransmits},
            {"packets_lost", storm.packets_lost},
            {"refused", storm.refused},
            {"overflow_resets", storm.overflow_resets},
            {"resets", storm.resets},
            {"queue_high_water", storm.queue_high_water},
            {"backlog", storm.backlog},
            {"descriptors_high_water", storm.descriptors_high_water},
            {"ports_high_water", storm.ports_high_water},
            {"connects_after_retries", storm.connects_after_retries},
            {"queue_depth", std::move(depth)}};
}

Json frames_json(Outcome const& outcome) {
    Json frames = Json::object();
    for (std::size_t kind = 0; kind < outcome.frames_by_kind.size(); ++kind) {
        if (outcome.frames_by_kind[kind] > 0)
            frames[std::string(name_of(static_cast<protocol::FrameKind>(kind)))] = outcome.frames_by_kind[kind];
    }
    return frames;
}

Json errors_json(Outcome const& outcome) {
    Json errors = Json::array();
    for (RankEnd const& one : outcome.not_ready) {
        if (errors.size() == kMostErrors)
            break;
        errors.push_back({{"rank", one.rank},
                          {"phase", name_of(one.phase)},
                          {"code", code_of(one)},
                          {"about", one.end == End::failed ? rank_or_null(one.error.about) : Json(one.rank)},
                          {"message", message_of(one)},
                          {"remedy", remedy_of(one)},
                          {"at_ns", one.end == End::failed ? Json(one.at_ns) : Json(nullptr)}});
    }
    return errors;
}

Json causes_json(Outcome const& outcome) {
    Json causes = Json::array();
    for (Cause const& cause : causes_of(outcome)) {
        Json ranges = Json::array();
        for (RankRange const& range : cause.ranks)
            ranges.push_back({range.first, range.first + range.count - 1});
        causes.push_back({{"end", name_of(cause.end)},
                          {"count", cause.count},
                          {"ranks", std::move(ranges)},
                          {"message", cause.message},
                          {"remedy", cause.remedy}});
    }
    return causes;
}

/// Null for a world in which no rank had its table.
Json path_json(CriticalPath const& path, std::uint32_t nranks, std::uint32_t nroots) {
    if (path.pieces.empty())
        return nullptr;
    auto const name = [&](ProcessId process) {
        return process == kNoProcess ? Json(nullptr) : Json(process_name(process, nranks, nroots));
    };
    Json spent = Json::object();
    for (std::uint32_t wait = 0; wait < kWaits; ++wait)
        spent[fmt::format("{}_ns", name_of(static_cast<Wait>(wait)))] = path.spent_ns[wait];
    Json pieces = Json::array();
    for (PathPiece const& piece : path.pieces) {
        pieces.push_back({{"wait", name_of(piece.wait)},
                          {"process", name(piece.process)},
                          {"from", name(piece.from)},
                          {"begin_ns", piece.begin_ns},
                          {"end_ns", piece.end_ns},
                          {"steps", piece.steps}});
    }
    Slack const slack = slack_of(path, nranks);
    return {{"end_ns", path.end_ns},
            {"process", name(path.pieces.back().process)},
            {"spent", std::move(spent)},
            {"pieces", std::move(pieces)},
            {"slack",
             {{"ranks_without", slack.ranks_without},
              {"median_ns", slack.median_ns},
              {"most_ns", slack.most_ns},
              {"of_ranks_ns", slack.of_ranks_ns}}}};
}

std::string seconds(TimeNs time_ns) { return fmt::format("{}.{:09}", time_ns / kSecondNs, time_ns % kSecondNs); }

/// One column of CSV.
struct Column {
    std::string_view name;
    std::function<std::string(Outcome const&, Costs const&)> value;
};

template <class T>
std::string number(T value) {
    return fmt::format("{}", value);
}
std::string time_or_nothing(TimeNs time_ns) { return time_ns == kNever ? std::string() : number(time_ns); }

std::vector<Column> const& columns() {
    static std::vector<Column> const all = [] {
        std::vector<Column> list{
            {"verdict", [](auto const& o, auto const&) { return std::string(stands(o) ? "ready" : "failed"); }},
            {"ranks", [](auto const& o, auto const&) { return number(o.nranks); }},
            {"roots", [](auto const& o, auto const&) { return number(o.nroots); }},
            {"profile", [](auto const& o, auto const&) { return std::string(name_of(o.policies.profile)); }},
            {"gather", [](auto const& o, auto const&) { return std::string(name_of(o.policies.gather)); }},
            {"seed", [](auto const& o, auto const&) { return number(o.seed); }},
            {"time_to_table_ns", [](auto const& o, auto const&) { return time_or_nothing(o.last_table_ns); }},
            {"time_to_ready_ns", [](auto const& o, auto const&) { return time_or_nothing(o.last_ready_ns); }},
            {"simulated_ns", [](auto const& o, auto const&) { return number(o.simulated_ns); }},
            {"messages", [](auto const& o, auto const&) { return number(o.frames); }},
            {"bytes", [](auto const& o, auto const&) { return number(o.bytes); }},
            {"connects", [](auto const& o, auto const&) { return number(o.storm.connects); }},
            {"syn_drops", [](auto const& o, auto const&) { return number(o.storm.syn_drops); }},
            {"syn_retransmits", [](auto const& o, auto const&) { return number(o.storm.syn_retransmits); }},
            {"ghosts", [](auto const& o, auto const&) { return number(o.storm.ghosts); }},
            {"queue_high_water", [](auto const& o, auto const&) { return number(o.storm.queue_high_water); }},
            {"strangers", [](auto const& o, auto const&) { return number(o.storm.strangers); }}};
        for (std::uint32_t e = 0; e < kEnds; ++e) {
            list.push_back(
                {name_of(static_cast<End>(e)), [e](auto const& o, auto const&) { return number(o.ends[e]); }});
        }
        list.push_back({"digest", [](auto const& o, auto const&) { return to_text(o.digest); }});
        list.push_back({"events", [](auto const& o, auto const&) { return number(o.events); }});
        list.push_back({"bytes_per_rank", [](auto const& o, auto const&) { return number(bytes_per_rank(o)); }});
        list.push_back({"wall_ns", [](auto const&, auto const& c) { return number(c.wall_ns); }});
        return list;
    }();
    return all;
}

}  // namespace

std::string outcome_json(Outcome const& outcome, Costs const& costs, CriticalPath const* path) {
    Json ends = Json::object();
    for (std::uint32_t e = 0; e < kEnds; ++e)
        ends[std::string(name_of(static_cast<End>(e)))] = outcome.ends[e];
    Json json{{"verdict", stands(outcome) ? "ready" : "failed"},
              {"scenario", outcome.name},
              {"ranks", outcome.nranks},
              {"profile", name_of(outcome.policies.profile)},
              {"gather", name_of(outcome.policies.gather)},
              {"roots", outcome.nroots},
              {"seed", outcome.seed},
              {"digest", to_text(outcome.digest)},
              {"time_to_table_ns", time_or_null(outcome.last_table_ns)},
              {"time_to_ready_ns", time_or_null(outcome.last_ready_ns)},
              {"slowest_rank", rank_or_null(outcome.slowest)},
              {"ends", std::move(ends)},
              {"phases", phases_json(outcome)},
              {"messages", outcome.frames},
              {"messages_by_kind", frames_json(outcome)},
              {"bytes", outcome.bytes},
              {"strangers", outcome.storm.strangers},
              {"storm", storm_json(outcome)},
              {"simulated_s", Json::parse(seconds(outcome.simulated_ns))},
              {"events", outcome.events},
              {"steps", outcome.steps},
              {"skipped_frames", outcome.skipped_frames},
              {"waiting_ring_unplayed", outcome.waiting_ring_unplayed},
              {"broken", outcome.broken.empty() ? Json(nullptr) : Json(outcome.broken)},
              {"bytes_per_rank", bytes_per_rank(outcome)},
              {"wall_s", Json::parse(seconds(costs.wall_ns))},
              {"cpu_s", Json::parse(seconds(costs.cpu_ns))},
              {"events_per_s", events_per_s(outcome, costs)},
              {"peak_rss_bytes", costs.peak_rss_bytes},
              {"causes", causes_json(outcome)},
              {"errors", errors_json(outcome)}};
    if (path != nullptr)
        json["critical_path"] = path_json(*path, outcome.nranks, outcome.nroots);
    return json.dump(2) + "\n";
}

std::string outcome_csv_head() {
    std::string line;
    for (Column const& column : columns())
        line += fmt::format("{}{}", line.empty() ? "" : ",", column.name);
    return line + "\n";
}

std::string outcome_csv_row(Outcome const& outcome, Costs const& costs) {
    std::string line;
    for (Column const& column : columns())
        line += (&column == columns().data() ? "" : ",") + column.value(outcome, costs);
    return line + "\n";
}

}  // namespace ronde::sim
