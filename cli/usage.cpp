#include "cli/usage.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace ronde::cli {
namespace {

/// Edits (insert, delete, replace, swap neighbours) that turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped)
                next[j] = std::min(next[j], before[j - 2] + 1);
        }
        std::swap(before, row);
        std::swap(row, next);
    }
    return row[b.size()];
}

CLI::App const& selected(CLI::App const& app) {
    auto const chosen = app.get_subcommands();
    return chosen.empty() ? app : selected(*chosen.front());
}

std::vector<std::string> words_of(CLI::App const& app) {
    std::vector<std::string> words;
    for (CLI::App const* sub : app.get_subcommands([](CLI::App const*) { return true; })) {
        if (!sub->get_name().empty())
            words.push_back(sub->get_name());
    }
    for (CLI::Option const* option : app.get_options()) {
        for (std::string const& name : option->get_lnames())
            words.push_back("--" + name);
    }
    return words;
}

/// CLI11 says "The following argument was not expected: --x"; the argument is what stands behind the colon.
std::string unexpected(CLI::App const& app, std::string const& text) {
    auto const colon = text.find(": ");
    std::string rest = colon == std::string::npos ? text : text.substr(colon + 2);
    std::string const first = rest.substr(0, rest.find_first_of(" ="));
    auto const owned = words_of(app);
    std::vector<std::string_view> const words(owned.begin(), owned.end());
    std::string hint = did_you_mean(first, words);
    if (hint.empty())
        hint = fmt::format("; see {} --help", app.get_parent() == nullptr ? "ronde" : "ronde " + app.get_name());
    return fmt::format("unknown {} '{}'{}", first.rfind('-', 0) == 0 ? "flag" : "argument", first, hint);
}

}  // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (std::string_view const candidate : candidates) {
        std::size_t const d = distance(word, candidate);
        if (d < best_distance) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view const near = closest(word, candidates);
    return near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
}

std::string one_line(CLI::App const& app, CLI::ParseError const& error) {
    CLI::App const& at = selected(app);
    std::string path = "ronde";
    std::vector<std::string> names;
    for (CLI::App const* step = &at; step->get_parent() != nullptr; step = step->get_parent())
        names.insert(names.begin(), step->get_name());
    for (std::string const& name : names)
        path += " " + name;

    std::string text = error.what();
    if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr)
        text = unexpected(at, text);
    else if (dynamic_cast<CLI::RequiredError const*>(&error) != nullptr && names.empty())
        text = "no command given: ronde run -n 8 starts a ring here; see ronde --help";
    std::replace(text.begin(), text.end(), '\n', ' ');
    return path + ": " + text;
}

}  // namespace ronde::cli
