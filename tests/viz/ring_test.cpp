/// The picture of a ring, byte for byte. `--rewrite` writes the golden files anew.
#include "ring/ring_dot.hpp"
#include "svg/text_size.hpp"
#include "viz/golden.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace ronde::viz {
namespace {

using protocol::Phase;

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

/// A box for each text of a graph: what is written, where, and how large it is.
struct Label {
    std::string text;
    Box box;
};

std::string value_of(std::string const& line, std::string const& key) {
    std::size_t const at = line.find(" " + key + "=");
    if (at == std::string::npos)
        return {};
    std::size_t const from = at + key.size() + 2;
    bool const quoted = line[from] == '"';
    std::size_t const end = quoted ? line.find('"', from + 1) : line.find_first_of(",]", from);
    return line.substr(quoted ? from + 1 : from, end - from - (quoted ? 1 : 0));
}

Tenths tenths(std::string const& points) { return std::llround(std::stod(points) * 10); }

/// Texts that stand free: titles, names of hosts, numbers outside of nodes, names of culprits.
std::vector<Label> labels_of(std::string const& dot) {
    std::vector<Label> labels;
    std::istringstream lines(dot);
    for (std::string line; std::getline(lines, line);) {
        std::string const text = value_of(line, "label");
        if (line.find("shape=plaintext") == std::string::npos || text.empty() || text.ends_with("\\l"))
            continue;
        std::string const place = value_of(line, "pos");
        Tenths const size = Tenths{std::stol(value_of(line, "fontsize"))} * 10;
        Tenths const width = text_width(text, size);
        Tenths const x = tenths(place);
        Tenths const y = tenths(place.substr(place.find(',') + 1));
        labels.push_back({text, {x - width / 2, y - size / 2, width, size}});
    }
    return labels;
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

/// Several hosts, several racks, some ranks that are blamed.
RingPicture busy_ring(std::uint32_t ranks, std::uint32_t ranks_per_host) {
    RingPicture picture = ready_ring(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        picture.ranks[rank].host = rank / ranks_per_host;
    picture.hosts_per_rack = 4;
    picture.ready = false;
    for (std::uint32_t const rank : {1U, 2U, ranks / 2, ranks - 1})
        picture.ranks[rank].culprit = true;
    return picture;
}

class LabelsOfRings : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LabelsOfRings, DoNotCoverOneAnother) {
    RingPicture uneven = busy_ring(GetParam(), 8);
    for (std::uint32_t rank = 0; rank < GetParam(); ++rank)
        uneven.ranks[rank].host = rank / 16 * 3 + (rank % 16 < 8 ? 0 : rank % 16 < 9 ? 1 : 2);
    for (RingPicture const& picture : {ready_ring(GetParam()), busy_ring(GetParam(), 8), uneven}) {
        std::vector<Label> const labels = labels_of(ring_dot(picture));
        ASSERT_GE(labels.size(), 2U);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_FALSE(labels[i].box.overlaps(labels[j].box)) << labels[i].text << " and " << labels[j].text;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LabelsOfRings, testing::Values(4U, 8U, 64U, 100U, 101U, 512U, 1000U, 4096U));

TEST(Picture, OfADeadRankIsNoPhase) {
    RingPicture picture = ready_ring(4);
    picture.ranks[2].dead = true;
    std::string const dot = ring_dot(picture);
    EXPECT_EQ(count(dot, "shape=octagon"), 2U) << "the rank, and its line in the legend";
    EXPECT_EQ(count(dot, "-> root0"), 3U) << "a dead process holds no connection";
    EXPECT_EQ(count(dot, "style=dotted"), 2U) << "and no hand";
}

TEST(Picture, HasArcsForRacksOutsideOfThoseForHosts) {
    std::string const dot = ring_dot(busy_ring(64, 8));
    EXPECT_EQ(count(dot, "\"rack "), 2U);
    EXPECT_EQ(count(dot, "\"host "), 8U);
}

TEST(Picture, LetsGoOfTheRootWhenItsConnectionsAreClosed) {
    RingPicture picture = ready_ring(5);
    picture.ranks[0].left_root = picture.ranks[3].left_root = true;
    EXPECT_EQ(count(ring_dot(picture), "-> root0"), 3U);
}

}  // namespace
}  // namespace ronde::viz
