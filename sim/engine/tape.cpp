#include "engine/tape.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

namespace ronde::sim {

namespace {

template <class T>
using Parsed = tl::expected<T, std::string>;

constexpr std::string_view kHeader = "ronde-tape 1";

/// All of `word` as a number: decimal, or hexadecimal behind 0x.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
    int const base = word.starts_with("0x") ? 16 : 10;
    if (base == 16)
        word.remove_prefix(2);
    Number number = 0;
    auto const [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number, base);
    if (fault != std::errc{} || end != word.data() + word.size() || word.empty())
        return std::nullopt;
    return number;
}

/// Takes the first word off `line`.
std::string_view next_word(std::string_view& line) {
    std::size_t const end = std::min(line.find(' '), line.size());
    std::string_view const word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

std::string at_line(std::size_t number, std::string_view text) { return fmt::format("line {}: {}", number, text); }

/// "55e1... of a0b3..."
std::optional<TapeOutcome> outcome_in(std::string_view words) {
    auto const run = digest_from(next_word(words));
    bool const of = next_word(words) == "of";
    auto const choices = digest_from(words);
    if (!run || !of || !choices)
        return std::nullopt;
    return TapeOutcome{*run, *choices};
}

/// Adds what one line says. True: it was the last one. The error is about the line alone.
Parsed<bool> take_line(Tape& tape, std::string_view const whole) {
    std::string_view rest = whole;
    std::string_view const word = next_word(rest);
    if (word == "plan-seed") {
        auto const seed = number_in<std::uint64_t>(rest);
        if (!seed)
            return tl::unexpected(fmt::format("'{}' is no seed; expected a number", rest));
        tape.seed = *seed;
    } else if (word == "note") {
        tape.note = rest;
    } else if (word == "plan") {
        tape.plan += fmt::format("{}\n", rest);
    } else if (word == "outcome") {
        tape.outcome = outcome_in(rest);
        if (!tape.outcome)
            return tl::unexpected(std::string("expected 'outcome DIGEST of DIGEST', each of 32 hexadecimal digits"));
    } else if (word == "end") {
        if (number_in<std::size_t>(rest) != tape.entries.size())
            return tl::unexpected(fmt::format("'{}', but {} choices stand above; the file has lost lines or was edited "
                                              "without its end",
                                              whole, tape.entries.size()));
        return true;
    } else {
        auto const entry = tape_entry_from(whole);
        if (!entry)
            return tl::unexpected(entry.error());
        tape.entries.push_back(*entry);
    }
    return false;
}

std::string last_error() { return std::error_code{errno, std::generic_category()}.message(); }

}  // namespace

Digest128 choices_digest(Tape const& tape) {
    RunningDigest digest;
    digest.absorb(tape.seed);
    digest.absorb(std::as_bytes(std::span(tape.plan)));
    for (TapeEntry const& entry : tape.entries) {
        digest.absorb(std::uint64_t{entry.n} << 32U | entry.picked);
        digest.absorb(static_cast<std::uint64_t>(entry.kind));
        digest.absorb(entry.key);
    }
    return digest.value();
}

std::string to_text(TapeEntry const& entry) {
    return fmt::format("{} {} {} {:#x}", name_of(entry.kind), entry.n, entry.picked, entry.key);
}

Parsed<TapeEntry> tape_entry_from(std::string_view line) {
    std::string_view const kind = next_word(line);
    auto const choice = choice_named(kind);
    if (!choice)
        return tl::unexpected(fmt::format("'{}' is no kind of choice", kind));
    auto const n = number_in<std::uint32_t>(next_word(line));
    auto const picked = number_in<std::uint32_t>(next_word(line));
    auto const key = number_in<std::uint64_t>(next_word(line));
    if (!n || !picked || !key || !line.empty())
        return tl::unexpected(fmt::format("expected '{} N PICKED KEY', three numbers", kind));
    if (*n < 2)
        return tl::unexpected(fmt::format("a choice among {} is none; expected n of at least 2", *n));
    if (*picked >= *n)
        return tl::unexpected(fmt::format("picked {} is not below n = {}", *picked, *n));
    return TapeEntry{*choice, *n, *picked, *key};
}

std::string plan_lines(std::string_view plan) {
    std::string text;
    while (!plan.empty()) {
        std::size_t const length = std::min(plan.find('\n'), plan.size());
        text += fmt::format("plan {}\n", plan.substr(0, length));
        plan.remove_prefix(std::min(length + 1, plan.size()));
    }
    return text;
}

std::string to_text(Tape const& tape) {
    fmt::memory_buffer text;
    auto const out = std::back_inserter(text);
    fmt::format_to(out, "{}\nplan-seed {}\n", kHeader, tape.seed);
    if (!tape.note.empty()) {
        std::string line = tape.note;
        for (char& letter : line)
            letter = letter == '\n' || letter == '\r' ? ' ' : letter;
        fmt::format_to(out, "note {}\n", line);
    }
    fmt::format_to(out, "{}", plan_lines(tape.plan));
    for (TapeEntry const& entry : tape.entries)
        fmt::format_to(out, "{}\n", to_text(entry));
    if (tape.outcome)
        fmt::format_to(out, "outcome {} of {}\n", to_text(tape.outcome->run), to_text(tape.outcome->choices));
    fmt::format_to(out, "end {}\n", tape.entries.size());
    return fmt::to_string(text);
}

Parsed<Tape> tape_from(std::string_view text) {
    Tape tape;
    bool ended = false;
    std::size_t number = 0;
    while (!text.empty()) {
        std::size_t const length = text.find('\n');
        ++number;
        if (length == std::string_view::npos)
            return tl::unexpected(at_line(number, "the file is cut off: expected an end of line"));
        std::string_view const line = text.substr(0, length);
        text.remove_prefix(length + 1);

        if (number == 1) {
            if (line != kHeader)
                return tl::unexpected(at_line(1, fmt::format("expected '{}'", kHeader)));
            continue;
        }
        if (line.empty() || line.front() == '#')
            continue;
        if (ended)
            return tl::unexpected(at_line(number, "expected nothing behind 'end'"));
        auto const end = take_line(tape, line);
        if (!end)
            return tl::unexpected(at_line(number, end.error()));
        ended = *end;
    }
    if (!ended)
        return tl::unexpected(at_line(number + 1, "the file is cut off: expected 'end' and the number of choices"));
    return tape;
}

tl::expected<void, std::string> save_tape(Tape const& tape, std::string const& path) {
    std::string const beside = fmt::format("{}.{}.part", path, ::getpid());
    std::string const text = to_text(tape);
    std::FILE* const file = std::fopen(beside.c_str(), "wb");
    if (file == nullptr)
        return tl::unexpected(fmt::format("{}: cannot write the tape: {}", beside, last_error()));
    bool const written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (bool const closed = std::fclose(file) == 0; !written || !closed) {
        std::string const error = last_error();
        std::remove(beside.c_str());
        return tl::unexpected(fmt::format("{}: cannot write the tape: {}", beside, error));
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) {
        std::string const error = last_error();
        std::remove(beside.c_str());
        return tl::unexpected(fmt::format("{}: cannot put the tape there: {}", path, error));
    }
    return {};
}

Parsed<Tape> load_tape(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file)
        return tl::unexpected(fmt::format("{}: cannot read the tape: {}", path, last_error()));
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    if (file.bad())
        return tl::unexpected(fmt::format("{}: cannot read the tape: {}", path, last_error()));
    auto tape = tape_from(text);
    if (!tape)
        return tl::unexpected(fmt::format("{}: {}", path, tape.error()));
    return tape;
}

}  // namespace ronde::sim
