#include "golden.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ronde::sim {
namespace {

std::string golden_folder;
bool rewriting = false;

}  // namespace

void set_golden_folder(std::string folder) { golden_folder = std::move(folder); }
void rewrite_golden_files() { rewriting = true; }

void expect_golden(std::string const& name, std::string const& text) {
    std::string const path = golden_folder + "/" + name;
    if (rewriting)
        std::ofstream(path, std::ios::binary) << text;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(text, expected.str()) << path;
}

}  // namespace ronde::sim
