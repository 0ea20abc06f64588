#include "viz/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace ronde::viz {
namespace {

std::string folder;
bool rewrite = false;

/// The line of `text` that holds its `at`-th byte.
std::string line_at(std::string const& text, std::size_t at) {
    std::size_t const begin = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    std::size_t const from = begin == std::string::npos ? 0 : begin + 1;
    return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

void expect_golden(std::string const& name, std::string const& bytes) {
    std::string const path = folder + "/" + name;
    if (rewrite)
        std::ofstream(path, std::ios::binary) << bytes;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream read;
    read << file.rdbuf();
    std::string const expected = read.str();
    if (bytes == expected)
        return;
    auto const parted = std::mismatch(bytes.begin(), bytes.end(), expected.begin(), expected.end());
    auto const at = static_cast<std::size_t>(parted.first - bytes.begin());
    ADD_FAILURE() << path << " differs at byte " << at << "\n  expected " << line_at(expected, at) << "\n  got      "
                  << line_at(bytes, at);
}

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace ronde::viz

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (argument.starts_with("--golden="))
            ronde::viz::folder = argument.substr(9);
        else if (argument == "--rewrite")
            ronde::viz::rewrite = true;
    }
    return RUN_ALL_TESTS();
}
