/// Payloads far beyond anything that a kernel, a mailbox or a cache holds. Needs a gigabyte of memory.
#include "standing_ring.hpp"

namespace ronde::net::test {
namespace {

TEST(Large, SlicesOf64MebibytesReachEveryone) {
    JobPlan plan;
    plan.nranks = 4;
    StandingRing ring(plan);
    ring.all_gather(std::size_t{64} << 20U);
}

}  // namespace
}  // namespace ronde::net::test
