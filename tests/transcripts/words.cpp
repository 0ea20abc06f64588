#include "transcripts/words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kLinkClasses = 9;
constexpr std::uint32_t kFailures = 14;

/// Reads digits from the front of `text` and shortens it; false when there are none.
bool read_digits(std::string_view& text, std::uint64_t& value) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{})
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

}  // namespace

Words::Words(std::string_view line) : line_(line) {
    std::istringstream stream(line_);
    for (std::string word; stream >> word;)
        words_.push_back(word);
}

void Words::refuse(std::string const& word) const {
    throw std::runtime_error(fmt::format("\"{}\": \"{}\" does not fit here", line_, word));
}

std::string Words::next() {
    if (done())
        throw std::runtime_error(fmt::format("\"{}\": something is missing at the end", line_));
    return words_[at_++];
}

bool Words::take(std::string_view word) {
    if (done() || words_[at_] != word)
        return false;
    ++at_;
    return true;
}

void Words::expect(std::string_view word) {
    std::string const got = next();
    if (got != word)
        refuse(got);
}

std::uint32_t Words::number() {
    std::string const word = next();
    std::string_view rest = word;
    std::uint64_t value = 0;
    if (!read_digits(rest, value) || !rest.empty() || value > 0xffff'ffffU)
        refuse(word);
    return static_cast<std::uint32_t>(value);
}

TimeNs Words::time_ns() {
    std::string const word = next();
    std::string_view rest = word;
    if (rest.front() == '+')
        rest.remove_prefix(1);
    std::uint64_t value = 0;
    if (!read_digits(rest, value))
        refuse(word);
    TimeNs const unit = rest == "s" ? kSecondNs : rest == "ms" ? kMillisecondNs : rest == "us" ? kMicrosecondNs : 0;
    if (unit == 0)
        refuse(word);
    return static_cast<TimeNs>(value) * unit;
}

void Words::run(std::uint32_t& first, std::uint32_t& count) {
    std::string const word = next();
    std::string_view rest = word;
    std::uint64_t values[2] = {};
    bool const fits = read_digits(rest, values[0]) && !rest.empty() && rest.front() == '+';
    if (fits)
        rest.remove_prefix(1);
    if (!fits || !read_digits(rest, values[1]) || !rest.empty())
        refuse(word);
    first = static_cast<std::uint32_t>(values[0]);
    count = static_cast<std::uint32_t>(values[1]);
}

Link Words::link() {
    LinkClass const link_class = among<LinkClass>(kLinkClasses, [](LinkClass c) { return name_of(c); });
    bool const single =
        link_class == LinkClass::root || link_class == LinkClass::previous_root || link_class == LinkClass::callback;
    bool const numbered = !done() && words_[at_].find_first_not_of("0123456789") == std::string::npos;
    return {link_class, single || !numbered ? 0 : number()};
}

Failure Words::failure() {
    return among<Failure>(kFailures, [](Failure f) { return name_of(f); });
}

}  // namespace ronde::protocol::tiny
