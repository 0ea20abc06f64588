#include "cli/usage.hpp"

#include "scenario/near.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ronde::cli {
namespace {

std::string command_line_here;  ///< of this process; written once

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

std::vector<std::string> commands_of(CLI::App const& app) {
    std::vector<std::string> names;
    for (CLI::App const* sub : app.get_subcommands([](CLI::App const*) { return true; })) {
        if (!sub->get_name().empty())
            names.push_back(sub->get_name());
    }
    return names;
}

/// What stands on the command line and means nothing: a flag rather than its value, where both are left over.
std::string unexpected(CLI::App const& app, std::string const& command, std::vector<std::string> const& extras) {
    auto const starts_with_dash = [](std::string const& extra) { return extra.rfind('-', 0) == 0; };
    auto const flag = std::find_if(extras.begin(), extras.end(), starts_with_dash);
    bool const command_wanted = !commands_of(app).empty() && !starts_with_dash(extras.front());
    bool const is_flag = flag != extras.end() && !command_wanted;
    std::string const& given = is_flag ? *flag : extras.front();
    auto const owned = words_of(app);
    std::vector<std::string_view> const words(owned.begin(), owned.end());
    std::string hint = did_you_mean(given.substr(0, given.find('=')), words);
    if (hint.empty() && !is_flag && command == "ronde run")
        hint = "; a program stands behind --, as in ronde run -n 8 -- ./prog";
    if (hint.empty())
        hint = fmt::format("; see {} --help", command);
    return fmt::format("unknown {} '{}'{}", is_flag ? "flag" : command_wanted ? "command" : "argument", given, hint);
}

/// CLI11: "--ranks: 1 required N missing".
std::string said_plainly(std::string text) {
    auto const at = text.find(": 1 required ");
    if (at != std::string::npos && text.size() > 8 && text.rfind(" missing") == text.size() - 8)
        return fmt::format("{}: its value {} is missing", text.substr(0, at),
                           text.substr(at + 13, text.size() - at - 21));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    return sim::nearest_hint(word, candidates);
}

std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
        return std::string(word);
    std::string text = "'";
    for (char const c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

void remember_command_line(std::span<char const* const> arguments) {
    command_line_here = "ronde";
    for (std::string const argument : arguments.subspan(std::min<std::size_t>(1, arguments.size()))) {
        // The text of an id holds a secret, which is not to get into files that are shown around.
        std::size_t const id = argument.find("ronde1-");
        command_line_here +=
            id == std::string::npos ? " " + shell_word(argument) : " " + argument.substr(0, id) + "ronde1-...";
    }
}

std::string const& command_line() noexcept { return command_line_here; }

std::string command_of(CLI::App const& app) {
    std::string path;
    for (CLI::App const* step = &selected(app); step->get_parent() != nullptr; step = step->get_parent())
        path.insert(0, " " + step->get_name());
    return "ronde" + path;
}

std::string one_line(CLI::App const& app, CLI::ParseError const& error) {
    CLI::App const& at = selected(app);
    std::string const command = command_of(app);
    auto const extras = at.remaining();
    auto const commands = commands_of(at);
    std::string text;
    if (!extras.empty())
        text = unexpected(at, command, extras);
    else if (!commands.empty() && at.get_subcommands().empty())
        text = fmt::format("no command given; expected {}; see {} --help", fmt::join(commands, ", "), command);
    else
        text = said_plainly(error.what());
    return command + ": " + text;
}

}  // namespace ronde::cli
