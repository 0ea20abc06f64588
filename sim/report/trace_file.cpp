#include "report/trace_file.hpp"

#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace ronde::sim {
namespace {

constexpr std::string_view kHead = "ronde-trace 1 ";
constexpr std::string_view kPlan = "plan ";
constexpr std::string_view kTextDigest = " text ";

std::optional<std::uint64_t> number_in_front(std::string_view line) {
    std::uint64_t number = 0;
    auto const [end, fault] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (fault != std::errc{} || end == line.data() + line.size() || *end != ' ')
        return std::nullopt;
    return number;
}

bool ends_with_digest(std::string_view line) {
    constexpr std::size_t kDigits = 8;
    if (line.size() <= kDigits || line[line.size() - kDigits - 1] != ' ')
        return false;
    return line.substr(line.size() - kDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

TraceFile::TraceFile(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {}

tl::expected<TraceFile, std::string> TraceFile::open(std::string const& path) {
    TraceFile trace(path);
    if (!trace.file_)
        return tl::unexpected(
            fmt::format("{}: cannot read: {}", path, std::error_code(errno, std::generic_category()).message()));
    if (auto const why = trace.check(); !why.empty())
        return tl::unexpected(fmt::format("{}: line {}: {}", path, trace.line_number_, why));
    trace.file_.clear();
    trace.file_.seekg(0);
    trace.line_number_ = 0;
    return trace;
}

/// False at the end of the file, and when its last line has no end.
bool TraceFile::read_line(std::string& line) {
    ++line_number_;
    return static_cast<bool>(std::getline(file_, line)) && !file_.eof();
}

std::string TraceFile::check() {
    std::string line;
    if (!read_line(line) || !line.starts_with(kHead))
        return fmt::format("expected '{}'", kHead.substr(0, kHead.size() - 1));
    absorb_line(lines_, line);
    while (!ended_) {
        if (!read_line(line))
            return "the trace is cut off: expected 'end' and the number of steps";
        if (auto why = check_line(line); !why.empty())
            return why;
    }
    if (read_line(line) || !line.empty())
        return "expected nothing behind 'end'";
    if (plan_.empty())
        return "the trace holds no plan, from which its world could be made again";
    return {};
}

std::string TraceFile::check_line(std::string const& line) {
    if (line.starts_with("end "))
        return check_end(line);
    absorb_line(lines_, line);
    if (steps_ == 0 && line.starts_with(kPlan)) {
        plan_ += line.substr(kPlan.size()) + "\n";
        return {};
    }
    if (line.starts_with("fault "))
        return {};
    if (constexpr std::string_view kChoice = "choice "; line.starts_with(kChoice)) {
        auto const entry = tape_entry_from(std::string_view(line).substr(kChoice.size()));
        if (!entry)
            return entry.error();
        choices_.push_back(*entry);
        return {};
    }
    if (number_in_front(line) != steps_ + 1 || !ends_with_digest(line))
        return fmt::format("the trace is damaged: expected step {}, from its number to its digest", steps_ + 1);
    ++steps_;
    return {};
}

std::string TraceFile::check_end(std::string const& line) {
    ended_ = true;
    std::string_view const rest = std::string_view(line).substr(4);
    std::size_t const mark = line.rfind(kTextDigest);
    if (mark == std::string::npos || number_in_front(rest) != steps_)
        return fmt::format("the trace is damaged: expected 'end {} steps' and two digests", steps_);
    absorb_line(lines_, std::string_view(line).substr(0, mark));
    if (line.substr(mark + kTextDigest.size()) != trace_text_digest(lines_))
        return "the trace is damaged: the digest of its text is not that of the lines above";
    return {};
}

std::optional<std::string> TraceFile::next() {
    std::string line;
    if (!read_line(line))
        return std::nullopt;
    if (line_number_ == 1) {
        auto const plan_lines = std::count(plan_.begin(), plan_.end(), '\n');
        for (std::ptrdiff_t skipped = 0; skipped <= plan_lines; ++skipped) {
            if (!read_line(line))
                return std::nullopt;
        }
    }
    if (line.starts_with("end "))
        line.resize(std::min(line.rfind(kTextDigest), line.size()));
    return line;
}

}  // namespace ronde::sim
