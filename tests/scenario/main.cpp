#include "options.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace ronde::sim {

TestOptions& test_options() {
    static TestOptions options;
    return options;
}

}  // namespace ronde::sim

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        constexpr std::string_view kDocument = "--document=";
        if (argument == "--rewrite")
            ronde::sim::test_options().rewrite = true;
        else if (argument.starts_with(kDocument))
            ronde::sim::test_options().document = argument.substr(kDocument.size());
    }
    return RUN_ALL_TESTS();
}
