/// What this executable is told, and the tests that it makes of the folder.
#pragma once

#include <string>

namespace ronde::sim::museum {

struct Options {
    std::string folder = RONDE_MUSEUM_FOLDER;  ///< of the exhibits; --folder=FOLDER for others
    std::string guide = RONDE_MUSEUM_GUIDE;    ///< docs/museum.md
    bool tell = false;                         ///< --tell: what happened in each world, as expected or not
};
Options& options();

/// Registers a test for each exhibit and profile, and a failing one for each that cannot be read.
void register_exhibits(std::string const& folder, bool tell);

}  // namespace ronde::sim::museum
