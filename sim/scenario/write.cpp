#include "scenario/scenario.hpp"
#include "scenario/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

/// Bare where TOML has a word for it, quoted otherwise. TOML's numbers have 63 bits.
std::string quoted(std::string_view text) {
    auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
    bool const number = !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), is_digit) &&
                        (text.size() == 1 || text.front() != '0');
    if (number || text == "true" || text == "false")
        return std::string(text);
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            result += c;
    }
    return result + "\"";
}

/// The keys of `plan` that are not as they would be without being written.
std::string changed_keys(Section const& section, WorldPlan const& plan, std::size_t index, WorldPlan const& plain,
                         std::size_t plain_index) {
    std::string text;
    for (Key const& key : section.keys) {
        std::string const value = key.text_of(plan, index);
        bool const required =
            std::find(section.required.begin(), section.required.end(), key.name) != section.required.end();
        if (!value.empty() && (required || value != key.text_of(plain, plain_index)))
            text += fmt::format("{} = {}\n", key.name, quoted(value));
    }
    return text;
}

}  // namespace

std::string write_scenario(WorldPlan const& plan) {
    std::string text;
    auto const add = [&text](std::string_view head, std::string const& keys) {
        if (!text.empty() && !head.empty())
            text += "\n";
        text += head;
        text += keys;
    };
    for (Section const& section : schema()) {
        if (!section.repeated) {
            WorldPlan plain;
            // A file without a name would be called after itself, and policies are those of the profile.
            plain.name.clear();
            if (section.name == "policy")
                plain.policies = protocol::policies_of(plan.policies.profile);
            std::string const keys = changed_keys(section, plan, 0, plain, 0);
            if (!keys.empty())
                add(section.name.empty() ? std::string() : fmt::format("[{}]\n", section.name), keys);
            continue;
        }
        WorldPlan plain = plan;
        section.append(plain);
        for (std::size_t i = 0; i < section.count(plan); ++i)
            add(fmt::format("[[{}]]\n", section.name), changed_keys(section, plan, i, plain, section.count(plan)));
    }
    return text;
}

}  // namespace ronde::sim
