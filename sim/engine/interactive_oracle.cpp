#include "engine/interactive_oracle.hpp"

#include "protocol/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <utility>

namespace ronde::sim {

namespace {

/// The number that a line says, with spaces around it at most; an empty line says 0.
std::optional<std::uint32_t> answer_in(std::string_view line, std::uint32_t n) {
    std::size_t const first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return 0;
    line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    std::uint32_t number = 0;
    auto const [end, fault] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (fault != std::errc{} || end != line.data() + line.size() || number >= n)
        return std::nullopt;
    return number;
}

}  // namespace

InteractiveOracle::InteractiveOracle(std::istream& input, std::ostream& output, Label label, std::uint32_t listed)
    : input_(&input), output_(&output), label_(std::move(label)), listed_(listed) {}

std::uint32_t InteractiveOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "InteractiveOracle::pick: expected n >= 1");
    if (n == 1 || ended_)
        return 0;
    *output_ << fmt::format("choose the {} (key {:#x}):\n", name_of(kind), key);
    std::uint32_t const listed = std::min(n, listed_);
    for (std::uint32_t i = 0; i < listed; ++i)
        *output_ << fmt::format("{:>4}  {}\n", i, label_ ? label_(kind, key, i) : std::string{});
    if (listed < n)
        *output_ << fmt::format("      ... up to {}\n", n - 1);

    std::string line;
    for (;;) {
        *output_ << fmt::format("0-{} [0]> ", n - 1) << std::flush;
        if (!std::getline(*input_, line)) {
            ended_ = true;
            *output_ << "\nno more input: 0 from here on\n";
            return 0;
        }
        if (auto const answer = answer_in(line, n))
            return *answer;
        *output_ << fmt::format("'{}' is none of them; expected a number of 0 to {}\n", line, n - 1);
    }
}

}  // namespace ronde::sim
