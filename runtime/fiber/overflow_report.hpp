/// Says which fiber has hit its guard page, before the process dies of it as it would have anyway.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): more than C has

#include <cstddef>
#include <memory>

namespace ronde::fiber {

/// While it lives, a SIGSEGV or SIGBUS in the guard page of the current fiber prints one line to standard error:
///     ronde: fiber 'rank 3': stack overflow at its guard page; make StackOptions::stack_bytes larger (...)
/// The handlers that were there before run next, for this and for every other fault, so core files and the reports of
/// sanitizers stay what they were.
///
/// Signal handlers belong to the process, so this is never done behind a program's back: a main() asks for it. One at a
/// time in a process; it covers the thread that made it, whose alternate signal stack it sets, and is destroyed there.
class OverflowReport {
public:
    OverflowReport();
    OverflowReport(OverflowReport const&) = delete;
    OverflowReport& operator=(OverflowReport const&) = delete;
    OverflowReport(OverflowReport&&) = delete;
    OverflowReport& operator=(OverflowReport&&) = delete;
    ~OverflowReport();

private:
    static constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10U;

    std::unique_ptr<std::byte[]> signal_stack_;
    stack_t stack_before_ = {};
};

}  // namespace ronde::fiber
