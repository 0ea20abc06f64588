/// What the command line of this executable says.
#pragma once

#include <string>

namespace ronde::sim {

struct TestOptions {
    std::string document;  ///< docs/simulation.md
    bool rewrite = false;
};
TestOptions& test_options();

}  // namespace ronde::sim
