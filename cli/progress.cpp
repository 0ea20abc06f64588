#include "cli/progress.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace ronde::cli {
namespace {

/// Runs that are quicker than this show nothing.
constexpr protocol::TimeNs kFirstNs = 500 * protocol::kMillisecondNs;
constexpr protocol::TimeNs kEveryNs = 250 * protocol::kMillisecondNs;
/// A terminal line is often 80 wide; a list of ranks is cut to leave room for the rest.
constexpr std::size_t kLongestList = 36;

std::string some_of(protocol::Verdict const& missing) {
    std::string text = describe_ranges(missing);
    if (text.size() <= kLongestList)
        return text;
    auto const cut = text.rfind(", ", kLongestList);
    return text.substr(0, cut == std::string::npos ? kLongestList : cut) + ", ...";
}

}  // namespace

ProgressLine::ProgressLine(net::Loop& loop, RootSet const& roots)
    : Node(loop), roots_(roots), start_ns_(net::monotonic_ns()), active_(::isatty(STDERR_FILENO) == 1) {
    if (active_)
        set_deadline(start_ns_ + kFirstNs);
}

ProgressLine::~ProgressLine() { end(); }

void ProgressLine::end() {
    if (shown_)
        std::fputs("\r\033[K", stderr);
    active_ = shown_ = false;
    set_deadline(protocol::kNever);
}

void ProgressLine::on_deadline(protocol::TimeNs now) {
    if (!active_ || roots_.vanished())
        return;
    std::uint32_t const here = roots_.checked_in();
    std::uint32_t const expected = roots_.expected();
    std::string line;
    if (here < expected)
        line = fmt::format("{}/{} checked in, waiting for {}", here, expected, some_of(roots_.missing()));
    else
        line = fmt::format("all {} checked in, waiting for the ring", expected);
    fmt::print(stderr, "\r{}, {} s\033[K", line, (now - start_ns_) / protocol::kSecondNs);
    std::fflush(stderr);
    shown_ = true;
    set_deadline(now + kEveryNs);
}

}  // namespace ronde::cli
