/// How long something takes when it does not always take the same: integer nanoseconds out of 64 uniform bits.
///
/// All arithmetic is on integers, so every compiler, library and optimisation gives the same nanoseconds. A shape with
/// a curve is a table of 4096 quantiles with straight lines between them (quantiles.hpp); its tails end where the mean
/// of the last 4096th is right: exponential at 10.3 times the mean, normal at 4 deviations. What is beyond is a fault,
/// and is written as one.
#pragma once

#include "protocol/units.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {

using protocol::TimeNs;

/// Longest duration that a Distribution or a text may name: 24 h.
inline constexpr TimeNs kLongestNs = 86'400 * protocol::kSecondNs;

/// A plain value; equal parameters, equal distributions. Reading it is thread-safe.
///
/// The makers take durations of 0 .. kLongestNs and check them; distribution_from answers with an error instead.
struct Distribution {
    enum class Shape : std::uint8_t { constant, uniform, exponential, normal, log_normal, bimodal, empirical };

    /// Always 0 ns.
    Distribution() = default;

    static Distribution constant(TimeNs ns);
    /// low <= high, both included.
    static Distribution uniform(TimeNs low_ns, TimeNs high_ns);
    static Distribution exponential(TimeNs mean_ns);
    /// What lies below 0 is 0.
    static Distribution normal(TimeNs mean_ns, TimeNs deviation_ns);
    /// median * e^(sigma * z), z normal, sigma = sigma_per_mille / 1000, at most 2000. Its results are at most
    /// kLongestNs.
    static Distribution log_normal(TimeNs median_ns, std::uint32_t sigma_per_mille);
    /// `rare_ns` in `rare_per_million` cases of a million, otherwise `common_ns`.
    static Distribution bimodal(TimeNs common_ns, TimeNs rare_ns, std::uint32_t rare_per_million);
    /// Evenly spaced quantiles, ascending, from the least (0 %) to the most (100 %), straight lines between them. One
    /// at least; sorted here.
    static Distribution empirical(std::vector<TimeNs> quantiles);

    /// The value of 64 uniform bits, monotone in them.
    [[nodiscard]] TimeNs draw(std::uint64_t bits) const {
        return shape_ == Shape::constant ? first_ns_ : draw_shaped(bits);
    }
    /// The value in the middle of the `index`-th of `n` equal slices (index < n): a delay as a choice among n.
    [[nodiscard]] TimeNs among(std::uint32_t index, std::uint32_t n) const;

    [[nodiscard]] TimeNs least_ns() const { return draw(0); }
    [[nodiscard]] TimeNs most_ns() const { return draw(~std::uint64_t{0}); }
    /// Every draw is equal, whatever the shape is called.
    [[nodiscard]] bool is_constant() const { return shape_ == Shape::constant || least_ns() == most_ns(); }
    [[nodiscard]] Shape shape() const noexcept { return shape_; }

    friend bool operator==(Distribution const& a, Distribution const& b);
    friend std::string to_text(Distribution const& distribution);

private:
    [[nodiscard]] TimeNs draw_shaped(std::uint64_t bits) const;

    Shape shape_ = Shape::constant;
    std::uint32_t parameter_ = 0;                           ///< sigma_per_mille, rare_per_million
    TimeNs first_ns_ = 0;                                   ///< the only one, low, mean, median, common
    TimeNs second_ns_ = 0;                                  ///< high, deviation, rare
    std::shared_ptr<std::vector<TimeNs> const> quantiles_;  ///< empirical
};

/// What distribution_from reads; the two are inverse to each other.
[[nodiscard]] std::string to_text(Distribution const& distribution);

/// "20us" | "constant 20us" | "uniform 10us..50us" | "exponential 1ms" | "normal 1.26s 70ms" | "lognormal 20us 300" |
/// "bimodal 20us 5s 2%" | "empirical 1us 2us 9us". Errors say what was given and what is expected.
[[nodiscard]] tl::expected<Distribution, std::string> distribution_from(std::string_view text);

/// "250ms", "1.5ms", also ns, us, s, m and h; "0" needs no unit. 0 .. kLongestNs; a fraction must come out in whole
/// nanoseconds.
[[nodiscard]] tl::expected<TimeNs, std::string> duration_from(std::string_view text);
/// "1.5ms": exact, what duration_from reads. Of 0 .. kNever.
[[nodiscard]] std::string duration_text(TimeNs ns);

}  // namespace ronde::sim
