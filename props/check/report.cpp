#include "check/check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace ronde::props {
namespace {

using Json = nlohmann::ordered_json;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

double cases_per_second(CheckReport const& report) {
    return report.wall_ns > 0 ? static_cast<double>(report.cases) / seconds(report.wall_ns) : 0;
}

std::string escaped(std::string_view text) {
    std::string xml;
    for (char const c : text) {
        switch (c) {
        case '&': xml += "&amp;"; break;
        case '<': xml += "&lt;"; break;
        case '>': xml += "&gt;"; break;
        case '"': xml += "&quot;"; break;
        default:
            // XML 1.0 knows no other control characters than these.
            if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                xml += c;
        }
    }
    return xml;
}

/// Cases with a fault (columns) in which a code or a phase was seen (rows), as powers of two; rows and columns without
/// any are left out.
template <class Row>
std::string matrix_text(std::string_view title, std::vector<std::pair<std::string, Row>> const& rows,
                        Coverage const& coverage) {
    auto const cell = [&](Row row, std::uint32_t fault) { return coverage.cases_with(row, fault); };
    std::vector<std::uint32_t> columns;
    for (std::uint32_t fault = 0; fault <= kNoFault; ++fault) {
        if (std::any_of(rows.begin(), rows.end(), [&](auto const& row) { return cell(row.second, fault) > 0; }))
            columns.push_back(fault);
    }
    std::string text = fmt::format("{}\n", title);
    for (auto const& [name, row] : rows) {
        std::string line = fmt::format("  {:<20}", name);
        bool any = false;
        for (std::uint32_t const fault : columns) {
            std::uint64_t const count = cell(row, fault);
            any = any || count > 0;
            // A digit is the number of digits of the count.
            line += count == 0 ? '.' : static_cast<char>('0' + std::to_string(count).size());
        }
        if (any)
            text += line + '\n';
    }
    return text;
}

std::string columns_text(Coverage const& coverage) {
    std::string names;
    for (std::uint32_t fault = 0; fault <= kNoFault; ++fault) {
        std::uint64_t cases = 0;
        for (std::uint32_t phase = 0; phase < protocol::kPhaseCount; ++phase)
            cases = std::max(cases, coverage.cases_with(static_cast<protocol::Phase>(phase), fault));
        if (cases > 0)
            names += fmt::format("{}{}", names.empty() ? "" : " ",
                                 fault == kNoFault ? "none" : name_of(static_cast<sim::FaultKind>(fault)));
    }
    return names;
}

std::string pct_text(CheckReport const& report) {
    if (report.most_orders == 0 || report.most_actors == 0)
        return {};
    std::uint32_t const depth = strategy_from(report.strategy).value_or(Strategy{}).depth;
    double const n = static_cast<double>(report.most_actors);
    double const k = static_cast<double>(report.most_orders);
    double const rarity = n * std::pow(k, depth - 1);
    double const missed = std::exp(-static_cast<double>(report.cases) / rarity);
    return fmt::format(
        "schedules     at most {} actors and {} choices of order: a bug that needs {} of them in order is\n"
        "              found by one case with a probability of at least 1 in {:.3g}; all {} cases miss it\n"
        "              with at most {:.3g}\n",
        report.most_actors, report.most_orders, depth, rarity, report.cases, missed);
}

}  // namespace

std::string report_text(CheckReport const& report) {
    std::vector<std::string> const missed = unreached(report);
    std::string text =
        fmt::format("{}: {} cases of {} to {} ranks (profile {}, strategy {}, seed {})\n",
                    !report.holds()   ? "violated"
                    : !missed.empty() ? "not reached"
                                      : "holds",
                    report.cases, report.least_ranks, report.most_ranks, report.profile, report.strategy, report.seed);
    if (report.replayed > 0)
        text += fmt::format("scripts       {} of former failures were played first\n", report.replayed);
    text += fmt::format(
        "cost          {:.2f} s with {} job{}, {:.0f} cases/s, {:.0f} steps a case; {} cases in all ways "
        "(D1 to D4)\n",
        seconds(report.wall_ns), report.jobs, report.jobs == 1 ? "" : "s", cases_per_second(report),
        report.cases > 0 ? static_cast<double>(report.steps) / static_cast<double>(report.cases) : 0.0, report.twins);
    text += pct_text(report);
    if (report.corpus > 0)
        text += fmt::format("corpus        {} cases that reached something new\n", report.corpus);
    std::vector<Coverage::Probe> const probes = report.coverage.probes();
    auto const required = std::count_if(probes.begin(), probes.end(), [](auto const& probe) { return probe.required; });
    auto const reached = std::count_if(probes.begin(), probes.end(),
                                       [](auto const& probe) { return probe.required && probe.reached > 0; });
    text += fmt::format("reached       {} of (phase, event, code, fault); {} of {} probes\n", report.coverage.tuples(),
                        reached, required);
    if (reached < required && missed.empty()) {
        std::string names;
        for (Coverage::Probe const& probe : probes) {
            if (probe.required && probe.reached == 0)
                names += (names.empty() ? "" : ", ") + probe.name;
        }
        text += fmt::format("not reached   {} (too few cases to tell, or not the standard ones)\n", names);
    }
    for (PropertyText const& row : property_texts()) {
        auto const i = static_cast<std::size_t>(row.id);
        if (report.expected[i] > 0)
            text += fmt::format("expected      {} in {} cases: {}, which profile {} does not keep\n", row.name,
                                report.expected[i], row.sentence, report.profile);
    }
    std::vector<std::pair<std::string, protocol::Phase>> phases;
    for (std::uint32_t i = 0; i < protocol::kPhaseCount; ++i)
        phases.emplace_back(name_of(static_cast<protocol::Phase>(i)), static_cast<protocol::Phase>(i));
    std::vector<std::pair<std::string, protocol::Code>> codes;
    for (std::uint32_t i = 0; i < protocol::kCodeCount; ++i)
        codes.emplace_back(name_of(static_cast<protocol::Code>(i)), static_cast<protocol::Code>(i));
    text += fmt::format("faults        {}\n", columns_text(report.coverage));
    text += matrix_text("phases of ranks in cases with these faults (digits of the number of cases)", phases,
                        report.coverage);
    text += matrix_text("codes in cases with these faults", codes, report.coverage);
    for (std::string const& name : missed)
        text += fmt::format("R: {} was never reached in {} cases\n", name, report.cases);
    for (FailureNote const& failure : report.failures)
        text += fmt::format("{}: {}{}\n", name_of(failure.property), failure.sentence,
                            failure.script.empty() ? fmt::format(" (case {})", failure.index) : "");
    auto const scripted = std::find_if(report.failures.begin(), report.failures.end(),
                                       [](FailureNote const& failure) { return !failure.script.empty(); });
    if (scripted != report.failures.end())
        text += fmt::format("make it small: ronde shrink {0}\nrun it again:  ronde check {0}\n", scripted->script);
    return text;
}

namespace {

/// In how many cases with each fault this was reached; what never was is left out.
template <class What>
Json by_fault(Coverage const& coverage, What what) {
    Json row = Json::object();
    for (std::uint32_t fault = 0; fault <= kNoFault; ++fault) {
        std::uint64_t const cases = coverage.cases_with(what, fault);
        if (cases > 0)
            row[fault == kNoFault ? "none" : std::string(name_of(static_cast<sim::FaultKind>(fault)))] = cases;
    }
    return row;
}

Json coverage_json(Coverage const& coverage) {
    Json json;
    json["tuples"] = coverage.tuples();
    for (std::uint32_t i = 0; i < protocol::kPhaseCount; ++i) {
        auto const phase = static_cast<protocol::Phase>(i);
        json["phases"][std::string(name_of(phase))] = by_fault(coverage, phase);
    }
    for (std::uint32_t i = 0; i < protocol::kCodeCount; ++i) {
        auto const code = static_cast<protocol::Code>(i);
        json["codes"][std::string(name_of(code))] = by_fault(coverage, code);
    }
    return json;
}

/// Numbers for another `ronde check` to add to its own: hexadecimal, "-12" for a run of twelve zeros.
std::string packed(std::vector<std::uint64_t> const& counts) {
    std::string text;
    for (std::size_t i = 0; i < counts.size();) {
        std::size_t zeros = 0;
        while (i + zeros < counts.size() && counts[i + zeros] == 0)
            ++zeros;
        text += text.empty() ? "" : " ";
        text += zeros > 0 ? fmt::format("-{}", zeros) : fmt::format("{:x}", counts[i]);
        i += std::max<std::size_t>(1, zeros);
    }
    return text;
}

/// The other way round. Not what `packed` writes, or more than `most` numbers: nothing.
std::optional<std::vector<std::uint64_t>> unpacked(std::string_view text, std::size_t most) {
    std::vector<std::uint64_t> counts;
    while (!text.empty()) {
        std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        bool const zeros = word.starts_with('-');
        word.remove_prefix(zeros ? 1 : 0);
        std::uint64_t value = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, zeros ? 10 : 16);
        if (word.empty() || error != std::errc() || end != word.data() + word.size() ||
            (zeros ? value : 1) > most - counts.size())
            return std::nullopt;
        counts.insert(counts.end(), zeros ? value : 1, zeros ? 0 : value);
    }
    return counts;
}

}  // namespace

std::string report_json(CheckReport const& report) {
    Json json;
    json["verdict"] = !report.holds() ? "violated" : unreached(report).empty() ? "holds" : "not reached";
    json["seed"] = report.seed;
    json["strategy"] = report.strategy;
    json["profile"] = report.profile;
    json["least_ranks"] = report.least_ranks;
    json["most_ranks"] = report.most_ranks;
    json["cases"] = report.cases;
    json["steps"] = report.steps;
    json["cases_in_all_ways"] = report.twins;
    json["scripts_replayed"] = report.replayed;
    json["wall_s"] = seconds(report.wall_ns);
    json["wall_ns"] = report.wall_ns;
    json["cases_per_s"] = cases_per_second(report);
    json["jobs"] = report.jobs;
    json["corpus"] = report.corpus;
    json["most_orders"] = report.most_orders;
    json["most_actors"] = report.most_actors;
    json["coverage"] = coverage_json(report.coverage);
    Json properties = Json::object();
    for (PropertyText const& row : property_texts()) {
        auto const i = static_cast<std::size_t>(row.id);
        properties[std::string(row.name)] = {
            {"sentence", row.sentence}, {"broken", report.broken[i]}, {"expected", report.expected[i]}};
    }
    json["properties"] = properties;
    Json probes = Json::object();
    for (Coverage::Probe const& probe : report.coverage.probes())
        probes[probe.name] = probe.reached;
    json["probes"] = probes;
    json["unreached"] = unreached(report);
    Json failures = Json::array();
    for (FailureNote const& failure : report.failures)
        failures.push_back({{"property", name_of(failure.property)},
                            {"case", failure.index},
                            {"sentence", failure.sentence},
                            {"script", failure.script}});
    json["failures"] = failures;
    json["trouble"] = report.trouble;
    json["counts"] = packed(report.coverage.counts());
    return json.dump(2) + "\n";
}

sim::Read<CheckReport> report_from_json(std::string_view text) {
    Json const json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return tl::unexpected(std::string("it is no JSON object; expected what `ronde check --format json` writes"));
    CheckReport report;
    try {
        report.seed = json.at("seed");
        report.strategy = json.at("strategy");
        report.profile = json.at("profile");
        report.least_ranks = json.at("least_ranks");
        report.most_ranks = json.at("most_ranks");
        report.cases = json.at("cases");
        report.steps = json.at("steps");
        report.twins = json.at("cases_in_all_ways");
        report.replayed = json.at("scripts_replayed");
        report.wall_ns = json.at("wall_ns");
        report.jobs = json.at("jobs");
        report.corpus = json.at("corpus");
        report.most_orders = json.at("most_orders");
        report.most_actors = json.at("most_actors");
        report.trouble = json.at("trouble");
        for (PropertyText const& row : property_texts()) {
            auto const i = static_cast<std::size_t>(row.id);
            report.broken[i] = json.at("properties").at(std::string(row.name)).at("broken");
            report.expected[i] = json.at("properties").at(std::string(row.name)).at("expected");
        }
        for (Json const& failure : json.at("failures")) {
            auto const property = property_named(failure.at("property").get<std::string>());
            if (!property)
                return tl::unexpected(fmt::format("it names an unknown property, {}", failure.at("property").dump()));
            report.failures.push_back({*property, failure.at("case"), failure.at("sentence"), failure.at("script")});
        }
        auto const counts = unpacked(json.at("counts").get<std::string>(), report.coverage.counts().size());
        if (!counts || !report.coverage.take_counts(*counts))
            return tl::unexpected(std::string("its coverage has another shape; was it written by another version?"));
    } catch (nlohmann::json::exception const& error) {
        return tl::unexpected(fmt::format("it is no report of `ronde check`: {}", error.what()));
    }
    return report;
}

std::string report_junit(CheckReport const& report) {
    std::vector<std::string> const missed = unreached(report);
    std::string body;
    std::uint64_t failed = 0;
    for (PropertyText const& row : property_texts()) {
        std::string why;
        std::string script;
        for (FailureNote const& failure : report.failures) {
            if (failure.property != row.id)
                continue;
            why += failure.sentence + "\n";
            script = script.empty() ? failure.script : script;
        }
        if (row.id == PropertyId::r) {
            for (std::string const& name : missed)
                why += name + " was never reached\n";
        }
        body += fmt::format("    <testcase classname=\"ronde.check\" name=\"{}: {}\"", row.name, escaped(row.sentence));
        if (why.empty()) {
            body += "/>\n";
            continue;
        }
        ++failed;
        std::string const again = script.empty() ? std::string() : "run it again: ronde check " + script;
        body += fmt::format(">\n      <failure message=\"{}\">{}{}</failure>\n    </testcase>\n",
                            escaped(why.substr(0, why.find('\n'))), escaped(why), escaped(again));
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"ronde check, seed {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{:.3f}\">\n"
        "{}  </testsuite>\n</testsuites>\n",
        report.seed, kProperties, failed, seconds(report.wall_ns), body);
}

}  // namespace ronde::props
