/// A ring that stands, for tests that begin there, and slices whose bytes tell whose they are.
#pragma once

#include "small_job.hpp"

#include <gtest/gtest.h>

namespace ronde::net::test {

using Buffers = std::vector<std::vector<std::byte>>;

/// Byte i of the slice of `rank`: no two ranks, and no two pages of one slice, look alike.
inline std::byte pattern(protocol::RankId rank, std::size_t i) {
    return static_cast<std::byte>(std::size_t{rank} * 131U + i * 7U + (i >> 8U) * 31U + (i >> 16U));
}

inline void fill_slice(std::span<std::byte> slice, protocol::RankId rank) {
    for (std::size_t i = 0; i < slice.size(); ++i)
        slice[i] = pattern(rank, i);
}

[[nodiscard]] inline bool is_slice(std::span<const std::byte> slice, protocol::RankId rank) {
    for (std::size_t i = 0; i < slice.size(); ++i) {
        if (slice[i] != pattern(rank, i))
            return false;
    }
    return true;
}

[[nodiscard]] inline protocol::Operation make(protocol::OperationKind kind, std::uint64_t slice_bytes = 0,
                                              protocol::RankId peer = protocol::kNoRank, std::uint64_t tag = 0) {
    protocol::Operation operation;
    operation.kind = kind;
    operation.slice_bytes = slice_bytes;
    operation.peer = peer;
    operation.tag = tag;
    return operation;
}

/// A ring that stands, for tests that begin there.
class StandingRing {
public:
    explicit StandingRing(JobPlan plan) : job(std::move(plan)) {
        job.boot();
        EXPECT_TRUE(job.all_ready()) << job.complaints();
    }
    RankDriver& operator[](protocol::RankId rank) { return *job.ranks[rank]; }

    void all_gather(std::size_t slice_bytes) {
        std::uint32_t const nranks = job.plan.nranks;
        Buffers buffers(nranks);
        for (protocol::RankId rank = 0; rank < nranks; ++rank) {
            buffers[rank].resize(nranks * slice_bytes);
            fill_slice(std::span(buffers[rank]).subspan(rank * slice_bytes, slice_bytes), rank);
        }
        job.operate_all([&](protocol::RankId) { return make(protocol::OperationKind::all_gather, slice_bytes); },
                        buffers);
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        for (protocol::RankId rank = 0; rank < nranks; ++rank) {
            for (protocol::RankId from = 0; from < nranks; ++from) {
                auto const slice = std::span(buffers[rank]).subspan(from * slice_bytes, slice_bytes);
                ASSERT_TRUE(is_slice(slice, from)) << "rank " << rank << " has a wrong slice of rank " << from;
            }
        }
    }

    SmallJob job;
};

}  // namespace ronde::net::test
