/// A function on a stack of its own, which can stop in the middle and go on later.
///
///     Fiber fiber(*pool.take(), "rank 3", [] { first(); Fiber::park(); second(); });
///     fiber.resume();  // first()
///     fiber.resume();  // second(); fiber.ended() now
///
/// How the switch is made. The two assembly functions of Boost.Context, make_fcontext and jump_fcontext, are called
/// directly, and the sanitizers are told of each jump by sanitizer.hpp. The class boost::context::fiber would be the
/// front door, but its sanitizer support is a property of the Boost build: it exists for the ucontext implementation
/// only, in a library compiled with BOOST_USE_UCONTEXT and BOOST_USE_ASAN or BOOST_USE_TSAN, which distributions do not
/// ship (the link fails), and whose every switch is a system call. Here a build with a sanitizer runs the same switch
/// as one without. The two functions are what all of Boost's own layers stand on, and have not changed since 1.61.
///
/// A switch carries the state of exceptions with it: a fiber may park in a catch block or in a destructor that runs
/// because of a throw, and `throw;` and std::uncaught_exceptions() keep their meaning on both sides.
#pragma once

#include "fiber/sanitizer.hpp"
#include "fiber/stack_pool.hpp"
#include "protocol/check.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ronde::fiber {

/// Neither copyable nor movable: its address is its identity. Not thread-safe; all resumes of one fiber come from one
/// thread, since what it has on its stack may refer to variables of that thread. Fibers may resume fibers.
class Fiber {
public:
    /// Does not run yet. `body` is kept on the stack, and destroyed there when it has ended.
    /// `name` says in messages who it is ("rank 3").
    template <std::invocable F>
    Fiber(Stack stack, std::string_view name, F&& body) : stack_(std::move(stack)), name_(name) {
        using Kept = BodyOf<std::decay_t<F>>;
        // NOLINTNEXTLINE(misc-redundant-expression): one side depends on the body
        static_assert(sizeof(Kept) <= kMaxBodyBytes && alignof(Kept) <= kStackAlignment,
                      "a body that large would leave little of the stack: let it refer to its data");
        std::byte* const place = stack_.top() - rounded(sizeof(Kept));
        body_ = ::new (static_cast<void*>(place)) Kept(std::forward<F>(body));
        prepare(place);
    }
    Fiber(Fiber const&) = delete;
    Fiber& operator=(Fiber const&) = delete;
    Fiber(Fiber&&) = delete;
    Fiber& operator=(Fiber&&) = delete;
    /// Cancels, and drops what cancel() would throw.
    ~Fiber();

    /// Runs it until it parks or ends. What it throws, and does not catch, is thrown here; it has ended then.
    /// Only when resumable().
    void resume();

    /// Unwinds the stack of a fiber that is parked: its park() throws, everything on the stack is destroyed. One that
    /// never ran loses its body only. What is thrown is no std::exception, and `catch (...)` must pass it on: each
    /// later park() throws again, and a fiber that swallows too many is stopped with its name, as is one whose
    /// destructors park while the stack unwinds; they ask being_cancelled() before. Throws what the fiber throws
    /// instead. Nothing happens when it has ended. Not from inside.
    void cancel();

    /// Back to whoever has resumed the current fiber, until the next resume(). Only inside of a fiber.
    static void park();
    /// The fiber whose stack this is, or null outside of all.
    [[nodiscard]] static Fiber* current() noexcept { return thread.current; }
    /// Whether there is a current fiber, and it is to end: waiting is of no use any more.
    [[nodiscard]] static bool being_cancelled() noexcept {
        return thread.current != nullptr && thread.current->cancelled_;
    }

    [[nodiscard]] bool resumable() const noexcept { return state_ == State::created || state_ == State::parked; }
    [[nodiscard]] bool ended() const noexcept { return state_ == State::ended; }
    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    [[nodiscard]] Stack const& stack() const noexcept { return stack_; }

    /// Asks for the memory that the next resume() needs first. For a loop that knows who comes after the current one.
    void prefetch() const noexcept { __builtin_prefetch(context_); }

    static constexpr std::size_t kMaxBodyBytes = 1024;

private:
    enum class State : std::uint8_t { created, running, parked, ended };

    struct Body {
        Body() = default;
        Body(Body const&) = delete;
        Body& operator=(Body const&) = delete;
        Body(Body&&) = delete;
        Body& operator=(Body&&) = delete;
        virtual ~Body() = default;
        virtual void run() = 0;
    };
    template <class F>
    struct BodyOf final : Body {
        template <class Given>
        // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it hides nothing, for what it requires
        requires(!std::is_same_v<std::decay_t<Given>, BodyOf>) explicit BodyOf(Given&& given)
            : function(std::forward<Given>(given)) {}
        void run() override { function(); }
        F function;
    };

    /// A thread's __cxa_eh_globals of the Itanium C++ ABI (2.2.2): exceptions being handled, count of those in flight.
    /// The ABI keeps the type opaque, but not its contents.
    struct ExceptionState {
        void* caught = nullptr;
        unsigned int uncaught = 0;
    };
    static_assert(sizeof(ExceptionState) == 2 * sizeof(void*));

    struct ThreadState {
        Fiber* current;
        void* exceptions;  ///< its ExceptionState, once it has resumed a fiber
    };
    inline static constinit thread_local ThreadState thread{nullptr, nullptr};

    static constexpr std::size_t kStackAlignment = 64;
    static constexpr std::size_t rounded(std::size_t bytes) noexcept {
        return (bytes + kStackAlignment - 1) / kStackAlignment * kStackAlignment;
    }

    static void enter_first(boost::context::detail::transfer_t from) noexcept;
    static void learn_thread() noexcept;
    void prepare(std::byte* highest) noexcept;
    void enter() noexcept;
    void leave() noexcept;
    void run_body() noexcept;
    void check_stack() const noexcept;
    [[noreturn]] void rethrow();
    [[noreturn]] void refuse_to_park();
    [[noreturn]] void overflowed() const noexcept;
    [[noreturn]] void stop_process(char const* what) const noexcept;

    void* context_ = nullptr;  ///< where the fiber goes on: its registers, on its stack
    Fiber* resumer_fiber_ = nullptr;
    void* resumer_ = nullptr;  ///< where whoever resumed it goes on
    Body* body_ = nullptr;     ///< until it has ended
    Stack stack_;
    State state_ = State::created;
    bool cancelled_ = false;
    std::uint16_t refusals_ = 0;  ///< parks since it was cancelled
    ExceptionState exceptions_;   ///< of the side that is not running
    std::exception_ptr error_;
    std::string name_;
    [[no_unique_address]] SwitchNotes notes_;
};

// --- the switch -----------------------------------------------------------------------------------------------------
//
// All of it is inlined into the loop that resumes and into the verb that parks. A processor predicts a return by the
// last call, and a jump between stacks breaks the pairs: each function that is called before a jump and returns after
// it would be mispredicted, which costs as much as the whole switch.

/// From the resumer to the fiber, and back when it parks or ends. The bookkeeping of both directions is done on this
/// side, once.
[[gnu::always_inline]] inline void Fiber::enter() noexcept {
    state_ = State::running;
    if (thread.exceptions == nullptr) [[unlikely]]
        learn_thread();
    resumer_fiber_ = std::exchange(thread.current, this);
    void* const exceptions_of_thread = thread.exceptions;
    ExceptionState of_resumer;
    std::memcpy(&of_resumer, exceptions_of_thread, sizeof of_resumer);
    std::memcpy(exceptions_of_thread, &exceptions_, sizeof exceptions_);

    notes_.before_entering(stack_.limit(), stack_.usable_bytes());
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
    notes_.after_return();

    std::memcpy(&exceptions_, exceptions_of_thread, sizeof exceptions_);
    std::memcpy(exceptions_of_thread, &of_resumer, sizeof of_resumer);
    thread.current = resumer_fiber_;
    check_stack();
}

[[gnu::always_inline]] inline void Fiber::leave() noexcept {
    state_ = State::parked;
    notes_.before_leaving(false);
    resumer_ = boost::context::detail::jump_fcontext(resumer_, nullptr).fctx;
    notes_.after_arrival();
}

/// An overflow that no guard has stopped is found here, before anybody else runs on what it may have damaged.
[[gnu::always_inline]] inline void Fiber::check_stack() const noexcept {
    if (static_cast<std::byte*>(context_) < stack_.limit() || !stack_.intact()) [[unlikely]]
        overflowed();
}

[[gnu::always_inline]] inline void Fiber::resume() {
    RONDE_CHECK(resumable(), "a fiber is resumed while it neither runs nor has ended");
    enter();
    if (error_) [[unlikely]]
        rethrow();
}

[[gnu::always_inline]] inline void Fiber::park() {
    Fiber* const self = thread.current;
    RONDE_CHECK(self != nullptr, "park() is called inside of a fiber");
    if (self->cancelled_) [[unlikely]]
        self->refuse_to_park();
    self->leave();
    if (self->cancelled_) [[unlikely]]
        self->refuse_to_park();
}

}  // namespace ronde::fiber
