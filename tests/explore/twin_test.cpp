/// The check-in, written a second time for another tool (props/explore/twin), comes to the same ends.
#include "explore/plans.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace ronde::explore {
namespace {

using Lines = std::set<std::string>;

bool has_spin() { return std::system("command -v spin cc > /dev/null") == 0; }

/// The distinct ends that spin finds, one line each; empty when something failed.
Lines ends_of_the_twin(std::uint32_t nranks, std::uint32_t crashes) {
    std::string const command = fmt::format(
        "room=$(mktemp -d) && cd \"$room\" && spin -a -DN={} -DCRASHES={} {} > /dev/null && "
        "cc -O1 -w -DSAFETY -DPRINTF -o pan pan.c && ./pan -m1000000 | grep ^OUTCOME | sort -u; rm -r \"$room\"",
        nranks, crashes, RONDE_TWIN);
    Lines lines;
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 256> line{};
    while (pipe != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr)
        lines.insert(std::string(line.data(), std::strlen(line.data()) - 1U));
    if (pipe != nullptr)
        pclose(pipe);
    return lines;
}

/// Ranks of "(0, 2-3)" as bits.
std::uint32_t bits_of(std::string const& ranges) {
    std::uint32_t bits = 0;
    std::istringstream words(ranges);
    for (std::string word; std::getline(words, word, ',');) {
        std::size_t const dash = word.find('-');
        auto const first = std::stoul(word);
        auto const last = dash == std::string::npos ? first : std::stoul(word.substr(dash + 1));
        for (auto rank = first; rank <= last; ++rank)
            bits |= 1U << rank;
    }
    return bits;
}

/// An outcome of the explorer, as far as the twin knows it, in the twin's words.
std::string in_the_twins_words(std::string const& outcome, std::uint32_t nranks) {
    std::uint32_t died = 0;
    std::uint32_t round = 2;
    std::uint32_t about = 255;
    std::uint32_t missing = 0;
    std::istringstream words(outcome);
    for (std::string part; std::getline(words, part, '|');) {
        std::size_t const at = part.find_first_not_of(' ');
        part = part.substr(at, part.find_last_not_of(' ') + 1 - at);
        for (std::uint32_t rank = 0; rank < nranks; ++rank)
            died |= part.rfind(fmt::format("{} died", rank), 0) == 0 ? 1U << rank : 0U;
        if (part == "root0 collecting")
            round = 0;  // nobody lived long enough to tell it a deadline
        if (part.rfind("root0 failed", 0) != 0)
            continue;
        bool const lists = part.find("ranks_missing") != std::string::npos;
        round = lists ? 3 : 4;
        about = static_cast<std::uint32_t>(std::stoul(part.substr(part.find("about ") + 6)));
        if (lists)
            missing = bits_of(part.substr(part.find('(') + 1));
    }
    return fmt::format("OUTCOME died {} round {} about {} missing {}", died, round, about, missing);
}

/// The same of the real machine: any `crashes` of its ranks may die.
Lines ends_of_the_machine(std::uint32_t nranks, std::uint32_t crashes) {
    Lines lines;
    for (std::uint32_t first = 0; first < nranks; ++first) {
        for (std::uint32_t second = first + 1U; second < (crashes == 2 ? nranks : first + 2U); ++second) {
            ExploreSettings settings = job_of(nranks);
            settings.given.push_back(fault_from(fmt::format("crash:{}", first), settings).value());
            if (crashes == 2)
                settings.given.push_back(fault_from(fmt::format("crash:{}", second), settings).value());
            for (std::string const& outcome : expect_all_holds(settings).outcomes)
                lines.insert(in_the_twins_words(outcome, nranks));
        }
    }
    return lines;
}

void expect_same_ends(std::uint32_t nranks, std::uint32_t crashes) {
    Lines const twin = ends_of_the_twin(nranks, crashes);
    EXPECT_EQ(ends_of_the_machine(nranks, crashes), twin) << nranks << " ranks";
    if (crashes == 1) {
        EXPECT_EQ(twin.size(), 3U * nranks + 1U);
    }
}

TEST(Twin, SpinAndTheExplorerComeToTheSameEndsWhenARankDies) {
    if (!has_spin())
        GTEST_SKIP() << "spin is not installed (./dev setup)";
    expect_same_ends(RONDE_TWIN_RANKS - 1, 1);
    expect_same_ends(RONDE_TWIN_RANKS, 1);
}

TEST(Twin, SpinAndTheExplorerComeToTheSameEndsWhenTwoRanksDie) {
    if (!has_spin())
        GTEST_SKIP() << "spin is not installed (./dev setup)";
    expect_same_ends(RONDE_TWIN_RANKS - 1, 2);
}

}  // namespace
}  // namespace ronde::explore
