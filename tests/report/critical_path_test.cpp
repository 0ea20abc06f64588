/// The longest chain, in words.
#include "report/critical_path.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

TEST(CriticalPathText, SaysWhatTheTimeWasSpentOnAndWhoHadTime) {
    WorldPlan plan;
    plan.nranks = 3;
    CriticalPath path;
    path.end_ns = 60;
    path.pieces = {{2, kNoProcess, Wait::start, 0, 10, 1},
                   {3, 2, Wait::travel, 10, 30, 1},
                   {3, kNoProcess, Wait::busy, 30, 35, 1},
                   {3, kNoProcess, Wait::service, 35, 40, 1},
                   {2, 3, Wait::travel, 40, 60, 1}};
    path.spent_ns = {10, 40, 5, 5, 0};
    path.slack_ns = {30, 20, 0, 0};
    EXPECT_EQ(critical_path_text(path, plan),
              "critical path, 60 ns to the table of rank 2: start 10 ns, travel 40 ns, busy 5 ns, service 5 ns\n"
              "  at     0 ns     10 ns  rank 2 is not there yet\n"
              "  at    10 ns     20 ns  on the way from rank 2 to root 0\n"
              "  at    30 ns      5 ns  root 0 is busy with others\n"
              "  at    35 ns      5 ns  root 0 works on it\n"
              "  at    40 ns     20 ns  on the way from root 0 to rank 2\n"
              "slack of the ranks: none for 1, median 20 ns, most 30 ns\n");
}

TEST(CriticalPathText, IsEmptyWithoutAPath) { EXPECT_EQ(critical_path_text({}, WorldPlan{}), ""); }

}  // namespace
}  // namespace ronde::sim
