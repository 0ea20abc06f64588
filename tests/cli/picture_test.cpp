/// The picture of a ring, byte for byte. `--rewrite` writes the golden files anew.
#include "viz/ring_dot.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ronde::viz {
namespace {

using protocol::Phase;

std::string golden_folder;
bool rewrite = false;

RingPicture ready_ring(std::uint32_t ranks) {
    RingPicture picture;
    picture.title = "a ring";
    picture.subtitle = "everyone is here";
    picture.ready = true;
    picture.ranks.resize(ranks);
    for (RingRank& rank : picture.ranks)
        rank.phase = Phase::ready;
    return picture;
}

RingPicture failed_ring() {
    RingPicture picture = ready_ring(4);
    picture.title = "4 ranks, failed";
    picture.subtitle = "connecting ring: rank 2 said \"no\"";
    picture.ready = false;
    for (RingRank& rank : picture.ranks)
        rank.phase = Phase::connecting_ring;
    picture.ranks[1].absent = true;
    picture.ranks[1].phase = Phase::created;
    picture.ranks[2].culprit = true;
    picture.ranks[3].phase = Phase::awaiting_successor;
    picture.ranks[2].host = picture.ranks[3].host = 1;
    return picture;
}

void expect_golden(std::string const& name, std::string const& dot) {
    std::string const path = golden_folder + "/" + name;
    if (rewrite)
        std::ofstream(path, std::ios::binary) << dot;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(dot, expected.str()) << path;
}

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

TEST(Picture, OfFourReadyRanks) { expect_golden("ready4.dot", ring_dot(ready_ring(4))); }
TEST(Picture, OfFourRanksThatFailed) { expect_golden("failed4.dot", ring_dot(failed_ring())); }

TEST(Picture, HasAnArrowForEachHandOfAReadyRing) {
    for (std::uint32_t const ranks : {2U, 3U, 64U, 513U}) {
        std::string const dot = ring_dot(ready_ring(ranks));
        EXPECT_EQ(count(dot, "penwidth=1.6"), ranks);
        EXPECT_EQ(count(dot, "style=dotted"), 0U);
        EXPECT_EQ(count(dot, "-> root0"), ranks);
    }
}

TEST(Picture, OfOneRankHasNoArrowToItself) { EXPECT_EQ(count(ring_dot(ready_ring(1)), "r0 -> r0"), 0U); }

TEST(Picture, TellsPhasesApartByShape) {
    RingPicture picture = ready_ring(7);
    Phase const phases[] = {
        Phase::listening,  Phase::checking_in, Phase::awaiting_successor, Phase::connecting_ring, Phase::gathering,
        Phase::committing, Phase::ready};
    for (std::size_t i = 0; i < 7; ++i)
        picture.ranks[i].phase = phases[i];
    std::string const dot = ring_dot(picture);
    for (char const* const shape : {"invtriangle", "triangle", "diamond", "pentagon", "hexagon", "square", "circle"})
        EXPECT_EQ(count(dot, std::string("shape=") + shape + ","), 2U)
            << shape << ": its rank and its line in the legend";
}

TEST(Picture, ConnectsRanksWithTheRootOfTheirBlock) {
    RingPicture picture = ready_ring(7);
    picture.roots = 3;
    std::string const dot = ring_dot(picture);
    EXPECT_EQ(count(dot, "-> root0"), 3U);
    EXPECT_EQ(count(dot, "-> root1"), 2U);
    EXPECT_EQ(count(dot, "-> root2"), 2U);
}

}  // namespace
}  // namespace ronde::viz

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (argument.rfind("--golden=", 0) == 0)
            ronde::viz::golden_folder = argument.substr(9);
        else if (argument == "--rewrite")
            ronde::viz::rewrite = true;
    }
    return RUN_ALL_TESTS();
}
