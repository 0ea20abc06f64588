#include "scenario/near.hpp"
#include "scenario/scenario.hpp"
#include "scenario/shipped_texts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ronde::sim {

std::string_view Shipped::title() const {
    auto const line = toml.substr(0, toml.find('\n'));
    return line.starts_with("# ") ? line.substr(2) : line;
}

std::span<Shipped const> shipped_scenarios() { return {kShippedTexts, kShippedCount}; }

Read<WorldPlan> load_scenario(std::string const& name_or_path) {
    bool const is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
    if (is_path) {
        std::ifstream file(name_or_path, std::ios::binary);
        std::ostringstream text;
        if (file)
            text << file.rdbuf();
        if (!file)
            return tl::unexpected(fmt::format("{}: cannot read: {}", name_or_path, std::strerror(errno)));
        return read_scenario(text.str(), name_or_path);
    }
    std::vector<std::string_view> names;
    for (Shipped const& shipped : shipped_scenarios()) {
        names.push_back(shipped.name);
        if (shipped.name == name_or_path)
            return read_scenario(shipped.toml, fmt::format("{}.toml", shipped.name));
    }
    return tl::unexpected(fmt::format("'{}' is no scenario{}; expected a path such as ./mine.toml, or one of {}",
                                      name_or_path, nearest_hint(name_or_path, names), list_text(names)));
}

}  // namespace ronde::sim
