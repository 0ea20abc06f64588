#include "museum_test.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace ronde::sim::museum {

Options& options() {
    static Options told;
    return told;
}

}  // namespace ronde::sim::museum

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    auto& told = ronde::sim::museum::options();
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        constexpr std::string_view kFolder = "--folder=";
        if (argument == "--tell")
            told.tell = true;
        else if (argument.starts_with(kFolder))
            told.folder = argument.substr(kFolder.size());
    }
    ronde::sim::museum::register_exhibits(told.folder, told.tell);
    return RUN_ALL_TESTS();
}
