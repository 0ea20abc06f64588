/// Durations in bounded memory: exact at both ends, within 1/64 of the value between them.
#pragma once

#include "protocol/units.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace ronde::sim {

/// A log-linear histogram: 64 equal steps for each doubling. Integer, so equal everywhere. Durations are >= 0 ns.
class Histogram {
public:
    void add(protocol::TimeNs duration_ns) {
        auto const value = static_cast<std::uint64_t>(duration_ns);
        ++count_in(bin_of(value));
        ++count_;
        if (count_ == 1 || duration_ns < least_ns_)
            least_ns_ = duration_ns;
        if (duration_ns > most_ns_)
            most_ns_ = duration_ns;
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] protocol::TimeNs least_ns() const { return least_ns_; }
    [[nodiscard]] protocol::TimeNs most_ns() const { return most_ns_; }

    /// The duration that `per_mille` of 1000 do not exceed: exact for 0 and 1000, otherwise the upper edge of its bin.
    /// 0 when nothing was added.
    [[nodiscard]] protocol::TimeNs quantile_ns(std::uint32_t per_mille) const {
        if (count_ == 0 || per_mille == 0)
            return least_ns_;
        std::uint64_t const wanted = (count_ * per_mille + 999U) / 1000U;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            seen += counts_[i];
            if (seen >= wanted) {
                auto const edge_ns = static_cast<protocol::TimeNs>(upper_edge(first_bin_ + i));
                return edge_ns < least_ns_ ? least_ns_ : edge_ns > most_ns_ ? most_ns_ : edge_ns;
            }
        }
        return most_ns_;
    }

    /// Empty, as if new, but keeps the memory it has.
    void clear() {
        counts_.clear();
        first_bin_ = 0;
        count_ = 0;
        least_ns_ = most_ns_ = 0;
    }

    friend bool operator==(Histogram const&, Histogram const&) = default;

private:
    static constexpr std::uint32_t kSteps = 64;
    static constexpr int kStepBits = 6;

    [[nodiscard]] static std::size_t bin_of(std::uint64_t value) {
        if (value < kSteps)
            return static_cast<std::size_t>(value);
        int const shift = static_cast<int>(std::bit_width(value)) - 1 - kStepBits;
        return static_cast<std::size_t>(shift + 1) * kSteps + static_cast<std::size_t>((value >> shift) - kSteps);
    }
    [[nodiscard]] static std::uint64_t upper_edge(std::size_t bin) {
        if (bin < kSteps)
            return bin;
        auto const shift = static_cast<int>(bin / kSteps) - 1;
        return ((std::uint64_t{kSteps} + bin % kSteps + 1U) << shift) - 1U;
    }

    /// What a phase takes is much alike for most: from the first bin that is used to the last one is a short way.
    [[nodiscard]] std::uint64_t& count_in(std::size_t bin) {
        if (counts_.empty())
            first_bin_ = bin;
        if (bin < first_bin_) {
            counts_.insert(counts_.begin(), first_bin_ - bin, 0);
            first_bin_ = bin;
        }
        if (bin - first_bin_ >= counts_.size())
            counts_.resize(bin - first_bin_ + 1U);
        return counts_[bin - first_bin_];
    }

    std::vector<std::uint64_t> counts_;  ///< from first_bin_ to the last bin that is used
    std::size_t first_bin_ = 0;
    std::uint64_t count_ = 0;
    protocol::TimeNs least_ns_ = 0;
    protocol::TimeNs most_ns_ = 0;
};

}  // namespace ronde::sim
