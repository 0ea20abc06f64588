#include "fiber/fiber.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>

namespace ronde::fiber {

namespace {

/// What park() throws to unwind a stack. Known here only, so nobody else can throw or catch it by its type.
struct Cancelled {};

/// A program that goes on after so many parks that threw does not mean to end.
constexpr std::uint16_t kMaxRefusals = 100;

}  // namespace

void Fiber::prepare(std::byte* highest) noexcept {
    RONDE_CHECK(stack_.valid(), "a fiber is given a stack");
    notes_.create();
    context_ = boost::context::detail::make_fcontext(highest, static_cast<std::size_t>(highest - stack_.limit()),
                                                     &Fiber::enter_first);
}

Fiber::~Fiber() {
    try {
        cancel();
    } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left who could be told
    }
    notes_.destroy();
}

void Fiber::learn_thread() noexcept { thread.exceptions = abi::__cxa_get_globals(); }

/// Lies on a new stack under `body_` and never returns: the last jump away is its end.
void Fiber::enter_first(boost::context::detail::transfer_t from) noexcept {
    Fiber& self = *static_cast<Fiber*>(from.data);
    self.notes_.after_arrival();
    self.resumer_ = from.fctx;
    self.run_body();
    if (!self.stack_.wholly_intact())
        self.overflowed();
    self.state_ = State::ended;
    self.notes_.before_leaving(true);
    boost::context::detail::jump_fcontext(self.resumer_, nullptr);
    self.stop_process("was resumed after its end");
}

void Fiber::run_body() noexcept {
    try {
        body_->run();
    } catch (Cancelled const&) {  // NOLINT(bugprone-empty-catch): the stack is unwound, which was all it was for
    } catch (...) {
        error_ = std::current_exception();
    }
    std::exchange(body_, nullptr)->~Body();
}

void Fiber::rethrow() { std::rethrow_exception(std::exchange(error_, nullptr)); }

void Fiber::cancel() {
    RONDE_CHECK(state_ != State::running, "a fiber is cancelled or destroyed from outside, while it does not run");
    if (state_ == State::created) {
        state_ = State::ended;
        std::exchange(body_, nullptr)->~Body();
    }
    if (state_ == State::ended)
        return;
    cancelled_ = true;
    resume();
}

void Fiber::refuse_to_park() {
    if (std::uncaught_exceptions() > 0)
        stop_process("parks in a destructor while its stack is unwound; expected: ask Fiber::being_cancelled() before");
    if (++refusals_ > kMaxRefusals)
        stop_process("swallows its cancellation; expected: `catch (...)` passes on what park() throws");
    throw Cancelled();
}

void Fiber::overflowed() const noexcept {
    stop_process("stack overflow, its canary is overwritten; make StackOptions::stack_bytes larger");
}

void Fiber::stop_process(char const* what) const noexcept {
    std::fprintf(stderr, "ronde: fiber '%s': %s (its stack has %zu bytes)\n", name_.c_str(), what,
                 stack_.usable_bytes());
    std::abort();
}

}  // namespace ronde::fiber
