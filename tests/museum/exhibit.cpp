#include "exhibit.hpp"

#include "judge.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

namespace ronde::sim::museum {
namespace {

using Values = std::map<std::string, std::string>;
constexpr std::string_view kScenarioSuffix = ".toml";
constexpr std::string_view kExpectationSuffix = ".expect.toml";

/// What is wrong with a file; caught where the reading began.
struct Unreadable {
    std::string why;
};
[[noreturn]] void refuse(std::string why) { throw Unreadable{std::move(why)}; }

template <class T>
T or_refuse(Read<T> read, std::string_view key) {
    if (!read)
        refuse(fmt::format("{}: {}", key, read.error()));
    return *std::move(read);
}

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
    std::vector<std::string_view> parts;
    for (;;) {
        auto const at = text.find(between);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

/// "{a}" is the value of a, "{a+b}" and "{a+1}" are sums.
std::string inserted(std::string_view inside, Values const& values) {
    auto const operands = parts_of(inside, '+');
    std::uint64_t sum = 0;
    for (std::string_view const operand : operands) {
        auto const found = values.find(std::string(operand));
        if (operands.size() == 1 && found != values.end())
            return found->second;
        auto const text = found == values.end() ? std::string(operand) : found->second;
        sum += or_refuse(count_from(text, 0, std::uint64_t{1} << 40), fmt::format("{{{}}}", inside));
    }
    return fmt::format("{}", sum);
}

std::string filled(std::string_view text, Values const& values) {
    std::string result;
    for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
        auto const close = text.find('}', open);
        if (close == std::string_view::npos)
            refuse(fmt::format("'{}': a brace is not closed", text));
        result += text.substr(0, open);
        result += inserted(text.substr(open + 1, close - open - 1), values);
        text.remove_prefix(close + 1);
    }
    return result + std::string(text);
}

std::string text_of(toml::node const& node, std::string_view key) {
    if (auto const* text = node.as_string())
        return text->get();
    if (auto const* number = node.as_integer())
        return fmt::format("{}", number->get());
    refuse(fmt::format("{}: expected a text in quotes or a whole number", key));
}

/// A value, or each value of a list.
std::vector<std::string> texts_of(toml::node const& node, std::string_view key) {
    std::vector<std::string> texts;
    if (auto const* list = node.as_array()) {
        for (toml::node const& element : *list)
            texts.push_back(text_of(element, key));
    } else {
        texts.push_back(text_of(node, key));
    }
    return texts;
}

// --- the keys of an expectation -------------------------------------------------------------------------------------

template <class E>
void require_name(std::string_view key, std::string_view name, std::uint32_t count) {
    std::vector<std::string_view> names;
    for (std::uint32_t i = 0; i < count; ++i)
        names.push_back(name_of(static_cast<E>(i)));
    if (std::find(names.begin(), names.end(), name) == names.end())
        refuse(fmt::format("{}: '{}' is none of {}", key, name, fmt::join(names, ", ")));
}

template <class E, std::uint32_t Count>
std::vector<std::string> names_from(std::string_view key, std::vector<std::string> texts) {
    for (std::string const& text : texts)
        require_name<E>(key, text, Count);
    return texts;
}

std::vector<End> ends_from(std::string_view key, std::vector<std::string> const& texts) {
    std::vector<End> ends;
    for (std::string const& text : texts) {
        require_name<End>(key, text, kEnds);
        for (std::uint32_t i = 0; i < kEnds; ++i) {
            if (name_of(static_cast<End>(i)) == text)
                ends.push_back(static_cast<End>(i));
        }
    }
    return ends;
}

TimeNs time_of(std::string_view key, std::string_view text) {
    constexpr TimeNs kDayNs = 24 * 3'600 * kSecondNs;
    return or_refuse(time_from(text, 0, kDayNs, false), key);
}

void read_delay(Expectation& expected, std::string_view key, std::string const& text) {
    if (text.ends_with('%'))
        expected.delay_per_million = or_refuse(share_from(text), key);
    else
        expected.delay_ns = time_of(key, text);
}

Bound bound_from(std::string_view name, std::string_view text) {
    if (!count_named(name, Outcome{}))
        refuse(fmt::format("counts: '{}' is none of {}", name, count_names()));
    auto const parts = parts_of(text, ' ');
    constexpr std::array<std::string_view, 5> kRelations{"=", "<", "<=", ">", ">="};
    if (parts.size() != 2 || std::find(kRelations.begin(), kRelations.end(), parts[0]) == kRelations.end())
        refuse(fmt::format("counts: {}: '{}': expected a relation and a number, such as \"> 0\"", name, text));
    auto const value = or_refuse(count_from(parts[1], 0, std::uint64_t{1} << 50), fmt::format("counts: {}", name));
    return {std::string(name), std::string(parts[0]), value};
}

/// Keys that are no expectation but say what is played.
bool is_setting(std::string_view key) { return key == "set" || key == "with" || key == "expect_fail_today"; }

/// Takes one key that has a single text. False: there is no such key.
bool take_single(Expectation& expected, std::string_view key, std::string const& text) {
    if (key == "about")
        expected.about = or_refuse(ranks_from(text), key);
    else if (key == "other")
        expected.other = or_refuse(ranks_from(text), key);
    else if (key == "missing")
        expected.missing = text;
    else if (key == "same")
        expected.same = or_refuse(flag_from(text), key);
    else if (key == "by")
        expected.by_ns = time_of(key, text);
    else if (key == "not_before")
        expected.not_before_ns = time_of(key, text);
    else if (key == "delay")
        read_delay(expected, key, text);
    else
        return false;
    return true;
}

/// Takes one key that may have several. False: there is no such key.
bool take_list(Expectation& expected, std::string_view key, std::vector<std::string> texts) {
    constexpr auto kFailures = static_cast<std::uint32_t>(protocol::Failure::other) + 1U;
    constexpr auto kFields = static_cast<std::uint32_t>(protocol::Field::operation) + 1U;
    if (key == "end")
        expected.ends = ends_from(key, texts);
    else if (key == "code")
        expected.codes = names_from<protocol::Code, protocol::kCodeCount>(key, std::move(texts));
    else if (key == "phase")
        expected.phases = names_from<protocol::Phase, protocol::kPhaseCount>(key, std::move(texts));
    else if (key == "failure")
        expected.failures = names_from<protocol::Failure, kFailures>(key, std::move(texts));
    else if (key == "field")
        expected.fields = names_from<protocol::Field, kFields>(key, std::move(texts));
    else if (key == "says")
        expected.says = std::move(texts);
    else
        return false;
    return true;
}

Expectation expectation_from(toml::table const& table, Values const& values) {
    Expectation expected;
    for (auto const& [toml_key, node] : table) {
        std::string_view const key = toml_key.str();
        if (is_setting(key))
            continue;
        if (key == "counts") {
            auto const* const counts = node.as_table();
            if (counts == nullptr)
                refuse("counts: expected { NAME = \"> 0\" }");
            for (auto const& [name, bound] : *counts)
                expected.counts.push_back(bound_from(name.str(), filled(text_of(bound, name.str()), values)));
            continue;
        }
        if (auto const* flag = node.as_boolean()) {
            if (!take_single(expected, key, flag->get() ? "true" : "false"))
                refuse(fmt::format("{}: no such key for true or false", key));
            continue;
        }
        auto texts = texts_of(node, key);
        for (std::string& text : texts)
            text = filled(text, values);
        bool const known = (texts.size() == 1 && take_single(expected, key, texts.front())) ||
                           take_list(expected, key, std::move(texts));
        if (!known)
            refuse(fmt::format("{}: no such key; exhibit.hpp lists them", key));
    }
    if (expected.ends.empty())
        refuse("end is missing: how do the ranks end?");
    return expected;
}

// --- what is played -------------------------------------------------------------------------------------------------

/// Every combination of the values of `with`; one empty combination if there is none.
std::vector<Values> combinations(toml::table const& table) {
    std::vector<Values> all{{}};
    auto const* const with = table.get_as<toml::table>("with");
    if (with == nullptr)
        return all;
    for (auto const& [name, node] : *with) {
        std::vector<Values> longer;
        for (Values const& values : all) {
            for (std::string const& text : texts_of(node, name.str())) {
                longer.push_back(values);
                longer.back()[std::string(name.str())] = text;
            }
        }
        all = std::move(longer);
    }
    return all;
}

WorldPlan plan_from(WorldPlan plan, std::string_view profile, toml::table const& table, Values const& values) {
    std::vector<std::string> assignments;
    // A profile sets all policies anew; where it is the file's own, those of its [policy] stay.
    if (name_of(plan.policies.profile) != profile)
        assignments.push_back(fmt::format("profile={}", profile));
    if (auto const* const set = table.get("set")) {
        for (std::string const& text : texts_of(*set, "set")) {
            std::string const whole = filled(text, values);
            for (std::string_view const part : parts_of(whole, ';'))
                assignments.emplace_back(part);
        }
    }
    for (std::string const& assignment : assignments) {
        if (auto const why = set_key(plan, assignment); !why.empty())
            refuse(fmt::format("set: {}", why));
    }
    if (auto const why = contradiction_in(plan); !why.empty())
        refuse(why);
    return plan;
}

Cabinet cabinet_from(WorldPlan const& plan, std::string const& profile, std::size_t number, toml::table const& table) {
    Cabinet cabinet;
    if (auto const* const mark = table.get("expect_fail_today"))
        cabinet.expect_fail_today = text_of(*mark, "expect_fail_today");
    for (Values const& values : combinations(table)) {
        Showing showing;
        showing.title = fmt::format("{} {}", profile, number);
        for (auto const& [name, value] : values)
            showing.title += fmt::format(", {}={}", name, value);
        showing.plan = plan_from(plan, profile, table, values);
        showing.expected = expectation_from(table, values);
        cabinet.showings.push_back(std::move(showing));
    }
    return cabinet;
}

Read<std::string> contents_of(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return tl::unexpected(fmt::format("{}: an exhibit is NAME.toml and NAME.expect.toml; this one cannot be read",
                                          path.filename().string()));
    std::ostringstream contents;
    contents << file.rdbuf();
    return contents.str();
}

}  // namespace

Read<Exhibit> read_exhibit(std::string const& name, std::string_view scenario, std::string_view expectations) {
    auto const plan = read_scenario(scenario, name + std::string(kScenarioSuffix));
    if (!plan)
        return tl::unexpected(plan.error());
    if (auto const why = contradiction_in(*plan); !why.empty())
        return tl::unexpected(fmt::format("{}{}: {}", name, kScenarioSuffix, why));
    std::string const file = name + std::string(kExpectationSuffix);
    Exhibit exhibit;
    exhibit.name = name;
    std::size_t line = 1;
    try {
        toml::table const root = toml::parse(expectations, file);
        for (auto const& [key, node] : root) {
            line = key.source().begin.line;
            if (!protocol::profile_named(key.str()))
                refuse(fmt::format("'{}' is no profile; expected [[article]], [[nccl]] or [[ronde]]", key.str()));
            auto const* const tables = node.as_array();
            if (tables == nullptr || !tables->is_homogeneous(toml::node_type::table))
                refuse(fmt::format("expected tables [[{}]], in double brackets", key.str()));
            auto& cabinets = exhibit.cabinets[std::string(key.str())];
            for (toml::node const& table : *tables) {
                line = table.source().begin.line;
                cabinets.push_back(cabinet_from(*plan, std::string(key.str()), cabinets.size() + 1, *table.as_table()));
            }
        }
        if (!exhibit.cabinets.contains("ronde"))
            refuse("says nothing about profile ronde");
    } catch (toml::parse_error const& error) {
        return tl::unexpected(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    } catch (Unreadable const& problem) {
        return tl::unexpected(fmt::format("{}:{}: {}", file, line, problem.why));
    }
    return exhibit;
}

std::vector<std::string> exhibits_in(std::string const& folder) {
    std::set<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        for (std::string_view const suffix : {kExpectationSuffix, kScenarioSuffix}) {
            if (name.ends_with(suffix)) {
                name.resize(name.size() - suffix.size());
                names.insert(name);
                break;
            }
        }
    }
    return {names.begin(), names.end()};
}

Read<Exhibit> load_exhibit(std::string const& folder, std::string const& name) {
    std::filesystem::path const stem = std::filesystem::path(folder) / name;
    auto const scenario = contents_of(stem.string() + std::string(kScenarioSuffix));
    if (!scenario)
        return tl::unexpected(scenario.error());
    auto const expectations = contents_of(stem.string() + std::string(kExpectationSuffix));
    if (!expectations)
        return tl::unexpected(expectations.error());
    return read_exhibit(name, *scenario, *expectations);
}

}  // namespace ronde::sim::museum
