#include "golden.hpp"

#include <gtest/gtest.h>

#include <string_view>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        constexpr std::string_view kGolden = "--golden=";
        if (argument == "--rewrite")
            ronde::sim::rewrite_golden_files();
        else if (argument.starts_with(kGolden))
            ronde::sim::set_golden_folder(std::string(argument.substr(kGolden.size())));
    }
    return RUN_ALL_TESTS();
}
