/// The digest of a world is the same on every machine and with every compiler. digests.txt lists worlds and theirs:
///
///     storm-4k | ranks=300 | network.same_rack=lognormal 20us 300 : 0123456789abcdef0123456789abcdef
///
/// A scenario that comes with the program, changes to it, and the digest. `golden_digests_test --digests=FILE
/// --rewrite` writes the file anew; a digest that changes is a change of behaviour, and the changelog says why.
#include "scenario/scenario.hpp"
#include "world/world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {
namespace {

std::string digests_file;
constexpr std::string_view kBetween = " | ";

struct Line {
    std::string world;  ///< "storm-4k | ranks=300 | seed=7"
    std::string digest;
};

std::vector<Line> read_lines(std::string const& path) {
    std::vector<Line> lines;
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        std::size_t const colon = text.rfind(" : ");
        if (!text.empty() && text.front() != '#' && colon != std::string::npos)
            lines.push_back({text.substr(0, colon), text.substr(colon + 3)});
    }
    return lines;
}

std::string digest_of_world(std::string const& world) {
    std::size_t end = std::min(world.find(kBetween), world.size());
    auto plan = load_scenario(world.substr(0, end));
    if (!plan)
        return plan.error();
    while (end < world.size()) {
        std::size_t const begin = end + kBetween.size();
        end = std::min(world.find(kBetween, begin), world.size());
        if (std::string const why = set_key(*plan, world.substr(begin, end - begin)); !why.empty())
            return why;
    }
    if (std::string const why = contradiction_in(*plan); !why.empty())
        return why;
    return to_text(World(*plan).run().digest);
}

TEST(GoldenDigests, AreThoseThatWereWrittenDown) {
    std::vector<Line> const lines = read_lines(digests_file);
    EXPECT_GE(lines.size(), 20U) << "in " << digests_file;
    for (Line const& line : lines)
        EXPECT_EQ(digest_of_world(line.world), line.digest) << line.world;
}

TEST(GoldenDigests, AreAllDifferent) {
    std::vector<std::string> digests;
    for (Line const& line : read_lines(digests_file))
        digests.push_back(line.digest);
    std::sort(digests.begin(), digests.end());
    EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
}

int rewrite(std::string const& path) {
    std::ifstream old(path);
    std::string text;
    for (std::string line; std::getline(old, line);) {
        std::size_t const colon = line.rfind(" : ");
        bool const entry = !line.empty() && line.front() != '#' && colon != std::string::npos;
        std::string const world = line.substr(0, colon);
        text += entry ? fmt::format("{} : {}\n", world, digest_of_world(world)) : line + "\n";
    }
    old.close();
    std::ofstream(path) << text;
    return 0;
}

}  // namespace
}  // namespace ronde::sim

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    bool rewrite = false;
    for (int i = 1; i < argc; ++i) {
        std::string const argument = argv[i];
        if (argument.starts_with("--digests="))
            ronde::sim::digests_file = argument.substr(10);
        rewrite = rewrite || argument == "--rewrite";
    }
    return rewrite ? ronde::sim::rewrite(ronde::sim::digests_file) : RUN_ALL_TESTS();
}
