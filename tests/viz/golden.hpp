/// Pictures byte for byte. `--rewrite` on the command line of a test writes the golden files anew.
#pragma once

#include <string>

namespace ronde::viz {

/// Compares with NAME in the folder of `--golden=`; says where the first difference is, and not all of both.
void expect_golden(std::string const& name, std::string const& bytes);

[[nodiscard]] std::size_t count(std::string const& text, std::string const& part);

}  // namespace ronde::viz
