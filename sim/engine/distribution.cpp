#include "engine/distribution.hpp"

#include "engine/draw.hpp"
#include "engine/quantiles.hpp"
#include "protocol/check.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ronde::sim {

namespace {

__extension__ using SignedWide = __int128;

constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::uint32_t kMostSigmaPerMille = 2'000;

bool is_duration(TimeNs ns) { return ns >= 0 && ns <= kLongestNs; }

/// `scale` * `value`, `value` with `fraction` bits behind the point, rounded down.
std::uint64_t scaled(TimeNs scale, std::uint64_t value, unsigned fraction) {
    return static_cast<std::uint64_t>((static_cast<detail::Wide>(scale) * value) >> fraction);
}

/// median * 2^exponent, exponent = sigma * z * log2(e).
TimeNs log_normal_at(TimeNs median_ns, std::uint32_t sigma_per_mille, std::uint64_t bits) {
    constexpr unsigned kFactorFraction = 31;
    constexpr std::int64_t kFactor = 3'098'164;  // log2(e) / 1000 * 2^31, right to one part in 10^8
    constexpr unsigned kDrop = detail::kNormalFraction + kFactorFraction - detail::kExponentFraction;
    constexpr int kMostOctaves = 12;  // 2 * 3.99 * log2(e) is below it
    std::int64_t const exponent = detail::normal_at(bits) * (sigma_per_mille * kFactor) >> kDrop;
    auto const whole = static_cast<int>(exponent >> detail::kExponentFraction);
    std::uint64_t const power = detail::power_of_two(static_cast<std::uint32_t>(exponent & 0xffff'ffff))
                                << (whole + kMostOctaves);
    return std::min(static_cast<TimeNs>(scaled(median_ns, power, detail::kPowerFraction + kMostOctaves)), kLongestNs);
}

TimeNs empirical_at(std::vector<TimeNs> const& quantiles, std::uint64_t bits) {
    auto const position = static_cast<detail::Wide>(bits) * (quantiles.size() - 1);
    auto const i = static_cast<std::size_t>(position >> 64U);
    if (i + 1 >= quantiles.size())
        return quantiles.back();
    auto const between = static_cast<std::uint64_t>(position);
    auto const step = static_cast<detail::Wide>(quantiles[i + 1] - quantiles[i]);
    // To the nearest, so that the last quantile can be reached.
    auto const part = (step * between + (static_cast<detail::Wide>(1) << 63U)) >> 64U;
    return quantiles[i] + static_cast<TimeNs>(part);
}

}  // namespace

Distribution Distribution::constant(TimeNs ns) {
    RONDE_CHECK(is_duration(ns), "Distribution::constant: expected 0 ns to 24 h");
    Distribution made;
    made.first_ns_ = ns;
    return made;
}

Distribution Distribution::uniform(TimeNs low_ns, TimeNs high_ns) {
    RONDE_CHECK(is_duration(low_ns) && is_duration(high_ns) && low_ns <= high_ns,
                "Distribution::uniform: expected 0 ns <= low <= high <= 24 h");
    Distribution made;
    made.shape_ = Shape::uniform;
    made.first_ns_ = low_ns;
    made.second_ns_ = high_ns;
    return made;
}

Distribution Distribution::exponential(TimeNs mean_ns) {
    RONDE_CHECK(is_duration(mean_ns), "Distribution::exponential: expected a mean of 0 ns to 24 h");
    Distribution made;
    made.shape_ = Shape::exponential;
    made.first_ns_ = mean_ns;
    return made;
}

Distribution Distribution::normal(TimeNs mean_ns, TimeNs deviation_ns) {
    RONDE_CHECK(is_duration(mean_ns) && is_duration(deviation_ns),
                "Distribution::normal: expected a mean and a deviation of 0 ns to 24 h");
    Distribution made;
    made.shape_ = Shape::normal;
    made.first_ns_ = mean_ns;
    made.second_ns_ = deviation_ns;
    return made;
}

Distribution Distribution::log_normal(TimeNs median_ns, std::uint32_t sigma_per_mille) {
    RONDE_CHECK(is_duration(median_ns) && sigma_per_mille <= kMostSigmaPerMille,
                "Distribution::log_normal: expected a median of 0 ns to 24 h and a sigma of 0 to 2000 per mille");
    Distribution made;
    made.shape_ = Shape::log_normal;
    made.first_ns_ = median_ns;
    made.parameter_ = sigma_per_mille;
    return made;
}

Distribution Distribution::bimodal(TimeNs common_ns, TimeNs rare_ns, std::uint32_t rare_per_million) {
    RONDE_CHECK(is_duration(common_ns) && is_duration(rare_ns) && rare_per_million <= kMillion,
                "Distribution::bimodal: expected durations of 0 ns to 24 h and at most 1000000 per million");
    Distribution made;
    made.shape_ = Shape::bimodal;
    made.first_ns_ = common_ns;
    made.second_ns_ = rare_ns;
    made.parameter_ = rare_per_million;
    return made;
}

Distribution Distribution::empirical(std::vector<TimeNs> quantiles) {
    RONDE_CHECK(!quantiles.empty() && std::all_of(quantiles.begin(), quantiles.end(), is_duration),
                "Distribution::empirical: expected one quantile at least, each of 0 ns to 24 h");
    std::sort(quantiles.begin(), quantiles.end());
    Distribution made;
    made.shape_ = Shape::empirical;
    made.quantiles_ = std::make_shared<std::vector<TimeNs> const>(std::move(quantiles));
    return made;
}

TimeNs Distribution::draw_shaped(std::uint64_t bits) const {
    switch (shape_) {
    case Shape::constant: return first_ns_;
    case Shape::uniform:
        return first_ns_ + static_cast<TimeNs>(below(bits, static_cast<std::uint64_t>(second_ns_ - first_ns_) + 1));
    case Shape::exponential:
        return static_cast<TimeNs>(scaled(first_ns_, detail::exponential_at(bits), detail::kExponentialFraction));
    case Shape::normal: {
        SignedWide const product = static_cast<SignedWide>(second_ns_) * detail::normal_at(bits);
        return std::max(TimeNs{0}, first_ns_ + static_cast<TimeNs>(product >> detail::kNormalFraction));
    }
    case Shape::log_normal: return log_normal_at(first_ns_, parameter_, bits);
    case Shape::bimodal: {
        // The longer one of the two gets the upper bits.
        std::uint64_t const case_of_million = below(bits, kMillion);
        bool const is_rare =
            second_ns_ < first_ns_ ? case_of_million < parameter_ : case_of_million >= kMillion - parameter_;
        return is_rare ? second_ns_ : first_ns_;
    }
    case Shape::empirical: return empirical_at(*quantiles_, bits);
    }
    return first_ns_;
}

TimeNs Distribution::among(std::uint32_t index, std::uint32_t n) const {
    RONDE_CHECK(index < n, "Distribution::among: expected an index below n");
    std::uint64_t const middle = 2 * std::uint64_t{index} + 1;  // in halves of a slice
    if (std::has_single_bit(n))                                 // without a division of 128 bits
        return draw(middle << (63U - static_cast<unsigned>(std::countr_zero(n))));
    return draw(static_cast<std::uint64_t>((static_cast<detail::Wide>(middle) << 63U) / n));
}

bool operator==(Distribution const& a, Distribution const& b) {
    auto const quantiles_equal = [&] {
        return a.quantiles_ == b.quantiles_ ||
               (a.quantiles_ != nullptr && b.quantiles_ != nullptr && *a.quantiles_ == *b.quantiles_);
    };
    return a.shape_ == b.shape_ && a.parameter_ == b.parameter_ && a.first_ns_ == b.first_ns_ &&
           a.second_ns_ == b.second_ns_ && quantiles_equal();
}

}  // namespace ronde::sim
