/// Scripts of failures and what is left of them: a picture beside each, and a folder where one is asked for.
#pragma once

#include "check/script.hpp"
#include "cli/kept_world.hpp"

#include <string>
#include <vector>

namespace ronde::cli {

/// A script that violates a property.
struct BrokenScript {
    std::string path;      ///< of the scenario; its tape may lie beside it
    std::string sentence;  ///< which property, and how
};

/// Draws each of the first scripts, beside it: "failures/s1-1-42.svg". Returns the paths of the pictures.
std::vector<std::string> draw_scripts(std::vector<BrokenScript> const& scripts);

/// Puts copies of the scripts, their tapes and their pictures into "failures/" of the folder, and the world of the
/// first one as keep_world() does. Returns the picture that shows that one best. Throws LauncherError.
std::string keep_scripts(RunFolder& folder, std::vector<BrokenScript> const& scripts);

}  // namespace ronde::cli
