#include "protocol/told_backlog.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ronde::protocol {
namespace {

TEST(ToldBacklog, IsAPowerOfFourThatIsNoPromiseTooMuch) {
    EXPECT_EQ(backlog_told_by(0), 4'096U) << "nothing said: what Linux grants by default";
    EXPECT_EQ(backlog_told_by(1), 16U);
    EXPECT_EQ(backlog_told_by(5), 4'096U);
    EXPECT_EQ(backlog_told_by(7), 65'536U);
    for (std::uint32_t backlog = 16; backlog < 300'000; backlog += 5) {
        std::uint32_t const told = backlog_told_by(code_of_backlog(backlog));
        ASSERT_LE(told, backlog);
        ASSERT_TRUE(told > backlog / 4 || told == 65'536U) << backlog;
    }
}

TEST(ToldBacklog, ItsEdgesAreWhereTheyAreSaidToBe) {
    struct Edge {
        std::uint32_t backlog;
        std::uint32_t told;
    };
    constexpr std::array<Edge, 9> kEdges{{{0, 16},
                                          {8, 16},
                                          {16, 16},
                                          {63, 16},
                                          {64, 64},
                                          {128, 64},
                                          {4'095, 1'024},
                                          {4'096, 4'096},
                                          {0xffff'ffffU, 65'536}}};
    for (Edge const& edge : kEdges)
        EXPECT_EQ(backlog_told_by(code_of_backlog(edge.backlog)), edge.told) << edge.backlog;
}

}  // namespace
}  // namespace ronde::protocol
