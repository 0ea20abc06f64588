/// Texts that are compared byte by byte with a file beside the tests.
#pragma once

#include <string>

namespace ronde::sim {

void expect_golden(std::string const& name, std::string const& text);
/// From the command line of this executable.
void set_golden_folder(std::string folder);
void rewrite_golden_files();

}  // namespace ronde::sim
