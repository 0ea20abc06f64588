/// What worlds keep things in: each against the plainest thing that does the same.
#include "engine/draw.hpp"
#include "world/fifo.hpp"
#include "world/histogram.hpp"
#include "world/slab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

namespace ronde::sim {
namespace {

TEST(Fifo, IsADequeThatKeepsItsMemory) {
    Fifo<std::uint64_t> fifo;
    std::deque<std::uint64_t> deque;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        std::uint64_t const bits = draw(1, 2, i);
        // It grows for a while, and shrinks for a while.
        bool const grows = below(bits, 10) < (i / 2'000 % 2 == 0 ? 7U : 3U);
        std::uint64_t const which = bits % 16;
        if (which == 0) {
            fifo.erase_if([](std::uint64_t item) { return item % 5 == 0; });
            std::erase_if(deque, [](std::uint64_t item) { return item % 5 == 0; });
        } else if (which == 1) {
            fifo.push_front(i);
            deque.push_front(i);
        } else if (which == 2) {
            auto const at = static_cast<std::ptrdiff_t>(below(draw(3, 4, i), deque.size() + 1));
            EXPECT_EQ(*fifo.insert(fifo.begin() + at, i), i);
            deque.insert(deque.begin() + at, i);
        } else if (grows) {
            fifo.push_back(i);
            deque.push_back(i);
        } else if (!deque.empty()) {
            ASSERT_EQ(fifo.front(), deque.front());
            fifo.pop_front();
            deque.pop_front();
        }
        ASSERT_EQ(fifo.size(), deque.size());
        ASSERT_EQ(fifo.empty(), deque.empty());
        if (i % 64 == 0) {
            ASSERT_TRUE(std::equal(fifo.begin(), fifo.end(), deque.begin(), deque.end()));
        }
    }
    fifo.clear();
    EXPECT_TRUE(fifo.empty());
}

TEST(Slab, HandsOutTheSameNumbersAfterItWasCleared) {
    struct Record {
        std::uint64_t value = 7;
    };
    Slab<Record> slab;
    std::vector<std::uint32_t> first;
    for (int round = 0; round < 2; ++round) {
        std::vector<std::uint32_t> made;
        for (std::uint32_t i = 0; i < 3'000; ++i) {
            made.push_back(slab.make());
            ASSERT_EQ(slab[made.back()].value, 7U) << "as new, whatever was there before";
            slab[made.back()].value = i;
            if (i % 3 == 2)
                slab.free(made[i - 1]);
        }
        EXPECT_EQ(slab.in_use(), 2'000U);
        if (round == 0)
            first = made;
        else
            EXPECT_EQ(made, first);
        slab.clear();
        EXPECT_EQ(slab.in_use(), 0U);
    }
}

TEST(Histogram, DoesNotDependOnTheOrderOfWhatIsAdded) {
    std::vector<protocol::TimeNs> values;
    for (std::uint64_t i = 0; i < 500; ++i)
        values.push_back(static_cast<protocol::TimeNs>(draw(5, 6, i) >> (draw(7, 8, i) % 50 + 14)));
    Histogram forwards;
    for (protocol::TimeNs const value : values)
        forwards.add(value);
    std::sort(values.begin(), values.end());
    Histogram ascending;
    for (protocol::TimeNs const value : values)
        ascending.add(value);
    Histogram descending;
    descending.add(1);
    descending.clear();
    EXPECT_EQ(descending, Histogram());
    for (auto value = values.rbegin(); value != values.rend(); ++value)
        descending.add(*value);
    EXPECT_EQ(forwards, ascending);
    EXPECT_EQ(forwards, descending);
    EXPECT_EQ(forwards.quantile_ns(0), values.front());
    EXPECT_EQ(forwards.quantile_ns(1'000), values.back());
    for (std::uint32_t per_mille : {10U, 250U, 500U, 900U, 990U}) {
        protocol::TimeNs const exact = values[(values.size() * per_mille + 999U) / 1'000U - 1U];
        EXPECT_GE(forwards.quantile_ns(per_mille), exact);
        EXPECT_LE(forwards.quantile_ns(per_mille), exact + exact / 64);
    }
}

}  // namespace
}  // namespace ronde::sim
