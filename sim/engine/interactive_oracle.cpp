#include "engine/interactive_oracle.hpp"

#include "protocol/check.hpp"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>

namespace ronde::sim {

namespace {

std::string_view trimmed(std::string_view line) {
    std::size_t const first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// All of `word` as a number below `n`.
std::optional<std::uint32_t> number_below(std::string_view word, std::size_t n) {
    std::uint32_t number = 0;
    auto const [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault != std::errc{} || end != word.data() + word.size() || number >= n)
        return std::nullopt;
    return number;
}

/// The choice that a line names, by its place in the list or exactly.
std::optional<std::uint32_t> choice_in(std::string_view word, std::vector<std::uint32_t> const& options,
                                       std::uint32_t n) {
    if (word.starts_with('='))
        return number_below(word.substr(1), n);
    auto const place = number_below(word, options.size());
    return place ? std::optional(options[*place]) : std::nullopt;
}

}  // namespace

InteractiveOracle::InteractiveOracle(std::istream& input, std::ostream& output, Oracle& rest, Phrasebook& words)
    : input_(input), output_(output), rest_(rest), words_(words) {}

std::uint32_t InteractiveOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "InteractiveOracle::pick: expected n >= 1");
    if (n == 1)
        return 0;
    std::uint32_t const others = rest_.pick(kind, key, n);
    if (ended_ || (skipped_ >> static_cast<std::uint32_t>(kind) & 1U) != 0)
        return others;
    auto const options = words_.options(kind, key, n);
    return options.empty() ? others : ask(kind, key, n, options, others);
}

std::uint32_t InteractiveOracle::ask(Choice kind, std::uint64_t key, std::uint32_t n,
                                     std::vector<std::uint32_t> const& options, std::uint32_t others) {
    output_ << words_.question(kind, key, n) << '\n';
    for (std::size_t i = 0; i < options.size(); ++i)
        output_ << fmt::format("{:>4}  {}\n", i, words_.meaning(kind, key, n, options[i]));

    std::string line;
    for (;;) {
        output_ << fmt::format("0-{} [{}]> ", options.size() - 1, words_.meaning(kind, key, n, others)) << std::flush;
        if (!std::getline(input_, line)) {
            ended_ = true;
            output_ << "\nno more answers: the seed chooses from here on\n";
            return others;
        }
        std::string_view const word = trimmed(line);
        if (word == "end" || word == "skip") {
            ended_ = word == "end";
            skipped_ |= 1U << static_cast<std::uint32_t>(kind);
            output_ << fmt::format("the seed chooses {} from here on\n",
                                   ended_ ? std::string("everything") : fmt::format("every {}", name_of(kind)));
            return others;
        }
        auto const choice = word.empty() ? std::optional(others) : choice_in(word, options, n);
        if (choice) {
            ++answered_;
            output_ << fmt::format("  {}\n", words_.meaning(kind, key, n, *choice));
            return *choice;
        }
        output_ << fmt::format("'{}' is none of them; expected a number of 0 to {}, =0 to ={}, nothing (as in "
                               "brackets), skip (this kind of choice) or end\n",
                               word, options.size() - 1, n - 1);
    }
}

}  // namespace ronde::sim
