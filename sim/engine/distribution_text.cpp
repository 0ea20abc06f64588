// Distributions and durations as text, exactly.
#include "engine/distribution.hpp"
#include "engine/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace ronde::sim {

namespace {

template <class T>
using Parsed = tl::expected<T, std::string>;

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array<Unit, 6> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"ms", 1'000'000},
                                      {"s", 1'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"h", 3'600'000'000'000}}};

constexpr std::string_view kForms =
    "20us, uniform 10us..50us, exponential 1ms, normal 1.26s 70ms, lognormal 20us 300 (sigma per mille), "
    "bimodal 20us 5s 2%, empirical 1us 2us 9us";

/// Digits, perhaps with a point among them, and what follows them: digits * 10^-decimals.
struct Decimal {
    std::uint64_t digits = 0;
    std::uint64_t power = 1;  ///< 10^decimals
    std::string_view rest;

    /// Times `factor` if that is a whole number of at most `most`.
    [[nodiscard]] std::optional<std::uint64_t> times(std::uint64_t factor, std::uint64_t most) const {
        auto const product = static_cast<detail::Wide>(digits) * factor;
        if (product % power != 0 || product / power > most)
            return std::nullopt;
        return static_cast<std::uint64_t>(product / power);
    }
};

std::optional<Decimal> decimal_from(std::string_view text) {
    constexpr std::size_t kMostDigits = 18;  // what fits
    Decimal decimal;
    std::size_t digits = 0;
    bool point = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !point && digits > 0) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9')
            break;
        if (++digits > kMostDigits)
            return std::nullopt;
        decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
        decimal.power *= point ? 10 : 1;
    }
    if (digits == 0 || text[i - 1] == '.')
        return std::nullopt;
    decimal.rest = text.substr(i);
    return decimal;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find(' '), text.size());
        if (end > 0)
            words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

Parsed<std::uint32_t> per_million_from(std::string_view text) {
    auto const decimal = decimal_from(text);
    if (decimal && decimal->rest == "%") {
        if (auto const share = decimal->times(10'000, 1'000'000))
            return static_cast<std::uint32_t>(*share);
    }
    return tl::unexpected(fmt::format("'{}' is no share; expected 0% to 100% with four decimals at most", text));
}

Parsed<std::uint32_t> sigma_from(std::string_view text) {
    auto const decimal = decimal_from(text);
    if (decimal && decimal->rest.empty()) {
        if (auto const sigma = decimal->times(1, 2'000))
            return static_cast<std::uint32_t>(*sigma);
    }
    return tl::unexpected(fmt::format("'{}' is no sigma per mille; expected 0 to 2000", text));
}

/// The durations among the words; the first bad one is the error.
Parsed<std::vector<TimeNs>> durations_from(std::span<const std::string_view> words) {
    std::vector<TimeNs> durations;
    for (std::string_view const word : words) {
        auto const duration = duration_from(word);
        if (!duration)
            return tl::unexpected(duration.error());
        durations.push_back(*duration);
    }
    return durations;
}

Parsed<Distribution> uniform_from(std::string_view range) {
    std::size_t const dots = range.find("..");
    if (dots == std::string_view::npos)
        return tl::unexpected(fmt::format("'{}' is no range; expected two durations such as 10us..50us", range));
    std::array<std::string_view, 2> const ends{range.substr(0, dots), range.substr(dots + 2)};
    auto const durations = durations_from(ends);
    if (!durations)
        return tl::unexpected(durations.error());
    if ((*durations)[0] > (*durations)[1])
        return tl::unexpected(fmt::format("'{}' is no range; expected the shorter duration first", range));
    return Distribution::uniform((*durations)[0], (*durations)[1]);
}

/// value / factor as a decimal; factor is a power of ten, so that it ends.
std::string decimal_text(std::uint64_t value, std::uint64_t factor) {
    std::string text = fmt::format("{}", value / factor);
    if (std::uint64_t rest = value % factor; rest != 0) {
        text += '.';
        for (; rest != 0; rest %= factor) {
            rest *= 10;
            text += static_cast<char>('0' + rest / factor);
        }
    }
    return text;
}

}  // namespace

Parsed<TimeNs> duration_from(std::string_view text) {
    auto const decimal = decimal_from(text);
    if (text == "0")
        return 0;
    if (!decimal)
        return tl::unexpected(fmt::format(
            "'{}' is no duration; expected a number and its unit, such as 250ms, 1.5us or 2s, at most 24h", text));
    for (Unit const& unit : kUnits) {
        if (decimal->rest != unit.name)
            continue;
        if (auto const ns = decimal->times(unit.factor, static_cast<std::uint64_t>(kLongestNs)))
            return static_cast<TimeNs>(*ns);
        return tl::unexpected(fmt::format("'{}' is no duration; expected whole nanoseconds, at most 24h", text));
    }
    return tl::unexpected(
        fmt::format("'{}' is no duration; expected the unit ns, us, ms, s, m or h, such as 250ms", text));
}

std::string duration_text(TimeNs ns) {
    auto const value = static_cast<std::uint64_t>(ns);
    if (value == 0)
        return "0ns";
    std::size_t unit = 3;  // seconds; then the largest one that is not larger than the whole
    while (value < kUnits[unit].factor)
        --unit;
    return decimal_text(value, kUnits[unit].factor) + std::string{kUnits[unit].name};
}

Parsed<Distribution> distribution_from(std::string_view text) {
    using Shape = Distribution::Shape;
    struct Form {
        std::string_view name;
        Shape shape;
        std::size_t words;  ///< behind the name
    };
    static constexpr std::array<Form, 7> kShapes{{{"constant", Shape::constant, 1},
                                                  {"uniform", Shape::uniform, 1},
                                                  {"exponential", Shape::exponential, 1},
                                                  {"normal", Shape::normal, 2},
                                                  {"lognormal", Shape::log_normal, 2},
                                                  {"bimodal", Shape::bimodal, 3},
                                                  {"empirical", Shape::empirical, 0}}};

    auto const words = words_of(text);
    if (words.size() == 1 && words[0][0] >= '0' && words[0][0] <= '9')
        return duration_from(words[0]).map(Distribution::constant);
    for (Form const& form : kShapes) {
        if (words.empty() || words[0] != form.name)
            continue;
        auto const parameters = std::span{words}.subspan(1);
        if (form.shape == Shape::empirical ? parameters.empty() : parameters.size() != form.words)
            break;
        switch (form.shape) {
        case Shape::constant: return duration_from(parameters[0]).map(Distribution::constant);
        case Shape::uniform: return uniform_from(parameters[0]);
        case Shape::exponential: return duration_from(parameters[0]).map(Distribution::exponential);
        case Shape::normal:
            return durations_from(parameters).map([](auto const& d) { return Distribution::normal(d[0], d[1]); });
        case Shape::log_normal:
            return duration_from(parameters[0]).and_then([&](TimeNs median_ns) {
                return sigma_from(parameters[1]).map([&](std::uint32_t sigma) {
                    return Distribution::log_normal(median_ns, sigma);
                });
            });
        case Shape::bimodal:
            return durations_from(parameters.first(2)).and_then([&](auto const& d) {
                return per_million_from(parameters[2]).map([&](std::uint32_t share) {
                    return Distribution::bimodal(d[0], d[1], share);
                });
            });
        case Shape::empirical: return durations_from(parameters).map(Distribution::empirical);
        }
    }
    return tl::unexpected(fmt::format("'{}' is no distribution; expected one of {}", text, kForms));
}

std::string to_text(Distribution const& distribution) {
    using Shape = Distribution::Shape;
    std::string first = duration_text(distribution.first_ns_);
    std::string const second = duration_text(distribution.second_ns_);
    switch (distribution.shape_) {
    case Shape::constant: return first;
    case Shape::uniform: return fmt::format("uniform {}..{}", first, second);
    case Shape::exponential: return fmt::format("exponential {}", first);
    case Shape::normal: return fmt::format("normal {} {}", first, second);
    case Shape::log_normal: return fmt::format("lognormal {} {}", first, distribution.parameter_);
    case Shape::bimodal:
        return fmt::format("bimodal {} {} {}%", first, second, decimal_text(distribution.parameter_, 10'000));
    case Shape::empirical: break;
    }
    std::string text = "empirical";
    for (TimeNs const quantile_ns : *distribution.quantiles_)
        text += ' ' + duration_text(quantile_ns);
    return text;
}

}  // namespace ronde::sim
