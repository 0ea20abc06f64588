#include "cli/kept_scripts.hpp"

#include "cli/failure_picture.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace ronde::cli {
namespace {

/// A night of checking may find many: whoever looks at these knows where to look next.
constexpr std::size_t kMostDrawn = 8;

/// What stands in the words of `world` must outlive it.
PlayedWorld world_of(props::Script const& script, BrokenScript const& broken) {
    return {.plan = script.plan,
            .choices = script.tape ? &*script.tape : nullptr,
            .first_ones_follow = script.tape.has_value(),
            .rerun = "ronde check " + broken.path,
            .verdict = broken.sentence};
}

props::Script loaded(std::string const& path) {
    auto script = props::load_script(path);
    if (!script)
        throw LauncherError(script.error());
    return std::move(*script);
}

void copy_into(RunFolder& folder, std::string const& path) {
    std::string const name = std::filesystem::path(path).filename().string();
    std::error_code failed;
    std::filesystem::copy_file(path, folder.place("failures/" + name + ".tmp"),
                               std::filesystem::copy_options::overwrite_existing, failed);
    if (!failed)
        std::filesystem::rename(folder.place("failures/" + name + ".tmp"), folder.place("failures/" + name), failed);
    if (failed)
        throw LauncherError(fmt::format("--out: cannot copy {} into {}: {}", path, folder.path(), failed.message()));
}

}  // namespace

std::vector<std::string> draw_scripts(std::vector<BrokenScript> const& scripts) {
    std::vector<std::string> pictures;
    for (std::size_t i = 0; i < std::min(scripts.size(), kMostDrawn); ++i) {
        BrokenScript const& broken = scripts[i];
        std::string const path = leave_picture(
            [&] {
                props::Script const script = loaded(broken.path);
                return picture_of_failure(chronicle_of(world_of(script, broken)));
            },
            [&] { return std::filesystem::path(broken.path).replace_extension().string(); });
        if (!path.empty())
            pictures.push_back(path);
    }
    if (scripts.size() > kMostDrawn)
        tell_no_picture(fmt::format("of the other {} scripts; ronde draw sequence or ring draws any of them",
                                    scripts.size() - kMostDrawn));
    return pictures;
}

std::string keep_scripts(RunFolder& folder, std::vector<BrokenScript> const& scripts) {
    if (scripts.empty())
        return {};
    std::error_code failed;
    std::filesystem::create_directory(folder.place("failures"), failed);
    if (failed)
        throw LauncherError(fmt::format("--out: cannot make {}: {}", folder.place("failures"), failed.message()));
    for (BrokenScript const& broken : scripts) {
        copy_into(folder, broken.path);
        for (std::string const& beside : {props::tape_path_of(broken.path),
                                          std::filesystem::path(broken.path).replace_extension(".svg").string()}) {
            if (std::filesystem::exists(beside, failed))
                copy_into(folder, beside);
        }
    }
    folder.list("failures/",
                fmt::format("{} a property, as ronde check and ronde shrink take them",
                            scripts.size() == 1 ? "the script that violates" : "the scripts that violate"));
    props::Script const script = loaded(scripts.front().path);
    return keep_world(folder, world_of(script, scripts.front())).picture;
}

}  // namespace ronde::cli
