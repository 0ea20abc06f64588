#include "cli/draw_input.hpp"

#include "chronicle/sources.hpp"
#include "cli/usage.hpp"
#include "report/replay.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace ronde::cli {
namespace {

bool is_shipped(std::string const& name) {
    auto const shipped = sim::shipped_scenarios();
    return std::any_of(shipped.begin(), shipped.end(), [&](sim::Shipped const& one) { return one.name == name; });
}

std::string beginning_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(16, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

std::string hint_for(std::string const& input) {
    std::vector<std::string_view> names;
    for (sim::Shipped const& one : sim::shipped_scenarios())
        names.push_back(one.name);
    return did_you_mean(input, names);
}

viz::Chronicle made(viz::Made&& chronicle) {
    if (!chronicle)
        throw LauncherError(chronicle.error());
    return std::move(*chronicle);
}

bool is_file(std::filesystem::path const& path) {
    std::error_code trouble;
    return std::filesystem::is_regular_file(path, trouble);
}

/// The best witness first: a trace knows its run to the last step, a tape its choices; a scenario is the same run only
/// where its seed has made all of them. A folder with none of these holds recordings.
viz::Chronicle chronicle_of_folder(std::filesystem::path const& folder) {
    for (char const* const name : {"trace.txt", "trace"}) {
        if (is_file(folder / name))
            return made(viz::chronicle_of_trace((folder / name).string()));
    }
    for (char const* const name : {"tape.txt", "tape"}) {
        if (is_file(folder / name))
            return made(viz::chronicle_of_tape((folder / name).string()));
    }
    std::error_code trouble;
    if (std::filesystem::is_directory(folder / "recordings", trouble))
        return made(viz::chronicle_of_recordings((folder / "recordings").string()));
    if (is_file(folder / "scenario.toml"))
        return made(viz::chronicle_of_scenario((folder / "scenario.toml").string()));
    return made(viz::chronicle_of_recordings(folder.string()));
}

}  // namespace

viz::Chronicle chronicle_of_input(std::string const& input) {
    if (is_shipped(input))
        return made(viz::chronicle_of_scenario(input));
    std::error_code trouble;
    if (std::filesystem::is_directory(input, trouble))
        return chronicle_of_folder(input);
    if (!std::filesystem::exists(input, trouble))
        throw UsageError(fmt::format("'{}' is neither a scenario of ronde sim --list nor a file or folder{}", input,
                                     hint_for(input)));
    std::string const bytes = beginning_of(input);
    if (bytes.starts_with(sim::kTraceMark))
        return made(viz::chronicle_of_trace(input));
    if (bytes.starts_with(sim::kTapeMark))
        return made(viz::chronicle_of_tape(input));
    if (bytes.starts_with("ronderec"))
        throw UsageError(fmt::format("{} is one file of a recording; expected its folder", input));
    if (std::filesystem::path(input).extension() == ".toml")
        return made(viz::chronicle_of_scenario(input.find('/') == std::string::npos ? "./" + input : input));
    throw UsageError(fmt::format("{}: expected a scenario (.toml), a trace (ronde sim --trace), a tape (ronde sim "
                                 "--tape) or the folder of a recording (ronde run --record)",
                                 input));
}

std::string results_beside(std::string const& input) {
    std::filesystem::path const path = std::filesystem::path(input) / "results.json";
    if (is_shipped(input) || !is_file(path))
        return {};
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        throw LauncherError(fmt::format("{}: cannot read: {}", path.string(), std::strerror(errno)));
    return std::move(text).str();
}

}  // namespace ronde::cli
