#include "scenario/near.hpp"
#include "scenario/scenario.hpp"
#include "scenario/schema.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

namespace ronde::sim {
namespace {

/// Names the file and the line of whatever is wrong.
class Place {
public:
    explicit Place(std::string_view file) : file_(file) {}
    [[nodiscard]] std::string say(toml::source_region const& at, std::string_view what, std::string_view why) const {
        return fmt::format("{}:{}: {}: {}", file_, at.begin.line, what, why);
    }
    [[nodiscard]] std::string say(toml::source_region const& at, std::string_view why) const {
        return fmt::format("{}:{}: {}", file_, at.begin.line, why);
    }

private:
    std::string_view file_;
};

using Found = std::string;  ///< an error of one line, or empty

std::vector<std::string_view> key_names(Section const& section) {
    std::vector<std::string_view> names;
    for (Key const& key : section.keys)
        names.push_back(key.name);
    return names;
}

std::vector<std::string_view> section_names() {
    std::vector<std::string_view> names;
    for (Section const& section : schema()) {
        if (!section.name.empty())
            names.push_back(section.name);
    }
    return names;
}

/// What may stand in this section of a file: at the top, other sections too.
std::vector<std::string_view> names_in(Section const& section) {
    auto names = key_names(section);
    if (section.name.empty()) {
        auto const sections = section_names();
        names.insert(names.end(), sections.begin(), sections.end());
    }
    return names;
}

/// The text of a value, as it would stand on a command line. Lists are joined; fractions have to be texts, because
/// a binary fraction is not what was written.
Read<std::string> text_of(toml::node const& node) {
    if (auto const* text = node.as_string())
        return text->get();
    if (auto const* number = node.as_integer())
        return fmt::format("{}", number->get());
    if (auto const* flag = node.as_boolean())
        return std::string(flag->get() ? "true" : "false");
    if (auto const* list = node.as_array()) {
        std::string joined;
        for (toml::node const& element : *list) {
            auto const text = element.is_array() ? tl::unexpected(std::string()) : text_of(element);
            if (!text)
                return tl::unexpected(std::string("expected a list of numbers or texts"));
            joined += (joined.empty() ? "" : ", ") + *text;
        }
        return joined;
    }
    if (node.is_floating_point())
        return tl::unexpected(std::string("a fraction needs quotes and a unit, such as \"1.5ms\" or \"0.5%\""));
    return tl::unexpected(std::string("expected a number, true, false, a text in quotes, or a list"));
}

Found unknown_key(Place const& place, Section const& section, toml::key const& key) {
    auto const names = names_in(section);
    std::string hint = nearest_hint(key.str(), names);
    if (hint.empty()) {
        // Perhaps it belongs somewhere else.
        for (Section const& other : schema()) {
            if (key_named(other, key.str()) != nullptr)
                hint = fmt::format("; {} has one", other.name.empty() ? "the top" : full_name(other, key.str()));
        }
    }
    if (hint.empty())
        hint = fmt::format("; expected {}", list_text(names));
    return place.say(key.source(), full_name(section, key.str()), "no such key" + hint);
}

Found read_keys(Place const& place, Section const& section, toml::table const& table, WorldPlan& plan,
                std::size_t index) {
    std::vector<std::string_view> given;
    // In the order of the schema, whatever that of the file is: `profile` comes before what changes single policies.
    for (auto const& [key, node] : table) {
        bool const is_section = section.name.empty() && section_named(key.str()) != nullptr;
        if (!is_section && key_named(section, key.str()) == nullptr)
            return unknown_key(place, section, key);
        given.push_back(key.str());
    }
    for (Key const& key : section.keys) {
        toml::node const* const node = table.get(key.name);
        if (node == nullptr)
            continue;
        auto const text = text_of(*node);
        auto const why = text ? key.take(plan, index, *text) : text.error();
        if (!why.empty())
            return place.say(node->source(), full_name(section, key.name), why);
    }
    for (std::string_view const name : section.required) {
        if (table.get(name) == nullptr)
            return place.say(table.source(), fmt::format("[[{}]]", section.name), fmt::format("{} is missing", name));
    }
    if (section.check) {
        if (auto const why = section.check(plan, index, given); !why.empty())
            return place.say(table.source(), fmt::format("[[{}]]", section.name), why);
    }
    return {};
}

Found read_section(Place const& place, Section const& section, toml::node const& node, WorldPlan& plan) {
    if (!section.repeated) {
        auto const* const table = node.as_table();
        if (table == nullptr)
            return place.say(node.source(), section.name, fmt::format("expected a section [{}]", section.name));
        return read_keys(place, section, *table, plan, 0);
    }
    auto const* const list = node.as_array();
    if (list == nullptr || !list->is_homogeneous(toml::node_type::table))
        return place.say(node.source(), section.name,
                         fmt::format("expected sections [[{}]], in double brackets", section.name));
    for (toml::node const& element : *list) {
        section.append(plan);
        if (auto why = read_keys(place, section, *element.as_table(), plan, section.count(plan) - 1); !why.empty())
            return why;
    }
    return {};
}

std::string_view stem_of(std::string_view file) {
    auto const slash = file.rfind('/');
    if (slash != std::string_view::npos)
        file.remove_prefix(slash + 1);
    auto const dot = file.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot);
}

/// "fault.0.at" as a section, an index and a key.
struct KeyPath {
    Section const* section = nullptr;
    std::size_t index = 0;
    Key const* key = nullptr;
};

Read<KeyPath> path_from(WorldPlan const& plan, std::string_view name) {
    KeyPath path;
    auto const dot = name.find('.');
    std::string_view const first = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    std::string_view rest = dot == std::string_view::npos ? name : name.substr(dot + 1);
    path.section = section_named(first);
    if (path.section == nullptr) {
        auto const sections = section_names();
        return tl::unexpected(fmt::format("{}: no such section{}", first, nearest_hint(first, sections)));
    }
    if (path.section->repeated) {
        auto const count = path.section->count(plan);
        auto const [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), path.index);
        bool const numbered = fault == std::errc{} && end != rest.data() + rest.size() && *end == '.';
        if (!numbered || path.index >= count)
            return tl::unexpected(fmt::format("{}: expected {}.N.KEY with N below {}, the number of [[{}]] there are",
                                              name, first, count, first));
        rest = rest.substr(static_cast<std::size_t>(end - rest.data()) + 1);
    }
    path.key = key_named(*path.section, rest);
    if (path.key == nullptr) {
        auto const names = key_names(*path.section);
        return tl::unexpected(
            fmt::format("{}: no such key{}", full_name(*path.section, rest), nearest_hint(rest, names)));
    }
    return path;
}

}  // namespace

Read<WorldPlan> read_scenario(std::string_view toml, std::string_view file) {
    Place const place(file);
    toml::table root;
    try {
        root = toml::parse(toml, file);
    } catch (toml::parse_error const& error) {
        std::string why(error.description());
        std::replace(why.begin(), why.end(), '\n', ' ');
        return tl::unexpected(place.say(error.source(), why));
    }
    WorldPlan plan;
    plan.name = stem_of(file);
    for (Section const& section : schema()) {
        toml::node const* const node = section.name.empty() ? &root : root.get(section.name);
        if (node == nullptr)
            continue;
        if (auto why = read_section(place, section, *node, plan); !why.empty())
            return tl::unexpected(std::move(why));
    }
    return plan;
}

std::string set_key(WorldPlan& plan, std::string_view assignment) {
    auto const equals = assignment.find('=');
    if (equals == std::string_view::npos)
        return fmt::format("'{}': expected KEY=VALUE, such as network.same_rack=50us", assignment);
    auto const path = path_from(plan, assignment.substr(0, equals));
    if (!path)
        return path.error();
    auto const why = path->key->take(plan, path->index, assignment.substr(equals + 1));
    return why.empty() ? why : fmt::format("{}: {}", full_name(*path->section, path->key->name), why);
}

}  // namespace ronde::sim
