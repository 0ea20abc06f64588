#include "fiber/overflow_report.hpp"

#include "fiber/fiber.hpp"
#include "protocol/check.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

namespace ronde::fiber {

namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS};

/// Read by the handler, so it is plain data that lives for ever.
std::array<struct sigaction, kSignals.size()> actions_before;
std::atomic<bool> installed{false};

/// One line in one write(2): a handler may neither allocate nor use stdio.
class Line {
public:
    void add(std::string_view text) noexcept {
        std::size_t const bytes = std::min(text.size(), bytes_.size() - used_);
        std::memcpy(bytes_.data() + used_, text.data(), bytes);
        used_ += bytes;
    }
    void add(std::size_t number) noexcept {
        std::array<char, 20> digits{};
        std::size_t at = digits.size();
        do {
            digits[--at] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        add(std::string_view(digits.data() + at, digits.size() - at));
    }
    void print() const noexcept {
        // Nothing can be done about a standard error that is closed.
        [[maybe_unused]] ssize_t const written = ::write(STDERR_FILENO, bytes_.data(), used_);
    }

private:
    std::array<char, 400> bytes_{};
    std::size_t used_ = 0;
};

void on_fault(int signal_number, siginfo_t* info, void* /*context*/) {
    Fiber const* const fiber = Fiber::current();
    if (fiber != nullptr && fiber->stack().in_guard(info->si_addr)) {
        Line line;
        line.add("ronde: fiber '");
        line.add(fiber->name());
        line.add("': stack overflow at its guard page; make StackOptions::stack_bytes larger (its stack has ");
        line.add(fiber->stack().usable_bytes());
        line.add(" bytes)\n");
        line.print();
    }
    // The instruction faults again when the handler returns, and whoever was here before deals with it.
    for (std::size_t index = 0; index < kSignals.size(); ++index) {
        if (kSignals[index] == signal_number)
            ::sigaction(signal_number, &actions_before[index], nullptr);
    }
}

}  // namespace

OverflowReport::OverflowReport() : signal_stack_(std::make_unique<std::byte[]>(kSignalStackBytes)) {
    RONDE_CHECK(!installed.exchange(true), "there is one OverflowReport at a time");
    stack_t alternate = {};
    alternate.ss_sp = signal_stack_.get();
    alternate.ss_size = kSignalStackBytes;
    ::sigaltstack(&alternate, &stack_before_);

    struct sigaction action = {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t index = 0; index < kSignals.size(); ++index)
        ::sigaction(kSignals[index], &action, &actions_before[index]);
}

OverflowReport::~OverflowReport() {
    for (std::size_t index = 0; index < kSignals.size(); ++index)
        ::sigaction(kSignals[index], &actions_before[index], nullptr);
    ::sigaltstack(&stack_before_, nullptr);
    installed = false;
}

}  // namespace ronde::fiber
