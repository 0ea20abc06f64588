/// What the sanitizers must be told when a thread changes its stack. Without it AddressSanitizer takes a throw in a
/// fiber for a wild stack pointer, and ThreadSanitizer mixes the call stacks of all fibers into one.
///
/// Everything is empty, and costs nothing, in a build without them. Private to runtime/fiber.
#pragma once

#if defined(__has_feature)
#define RONDE_FIBER_CLANG_HAS(feature) __has_feature(feature)
#else
#define RONDE_FIBER_CLANG_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || RONDE_FIBER_CLANG_HAS(address_sanitizer)
#define RONDE_FIBER_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define RONDE_FIBER_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || RONDE_FIBER_CLANG_HAS(thread_sanitizer)
#define RONDE_FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#else
#define RONDE_FIBER_TSAN 0
#endif

#include <cstddef>

/// For code that looks at memory as memory, whatever a sanitizer thinks of it.
#define RONDE_FIBER_RAW_MEMORY __attribute__((no_sanitize("address", "thread"), noinline))

namespace ronde::fiber {

inline constexpr bool kAddressSanitizer = RONDE_FIBER_ASAN != 0;
/// Its runtime keeps a few hundred kilobytes for each fiber, and has room for some thousands.
inline constexpr bool kThreadSanitizer = RONDE_FIBER_TSAN != 0;

/// Makes any access to a free stack a finding.
inline void forbid_access([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if RONDE_FIBER_ASAN
    __asan_poison_memory_region(begin, bytes);
#endif
}

/// Also wipes what frames have left behind that were never returned from.
inline void allow_access([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if RONDE_FIBER_ASAN
    __asan_unpoison_memory_region(begin, bytes);
#endif
}

/// One per fiber: its side, and that of whoever has resumed it. The functions are inlined always: ThreadSanitizer
/// counts entries and exits of functions, and these stand between two call stacks.
class SwitchNotes {
public:
    void create() noexcept {
#if RONDE_FIBER_TSAN
        fiber_ = __tsan_create_fiber(0);
#endif
    }
    void destroy() noexcept {
#if RONDE_FIBER_TSAN
        __tsan_destroy_fiber(fiber_);
#endif
    }

    // --- on the stack of the resumer ---------------------------------------------------------------------------

    [[gnu::always_inline]] inline void before_entering([[maybe_unused]] void const* limit,
                                                       [[maybe_unused]] std::size_t usable_bytes) noexcept {
#if RONDE_FIBER_ASAN
        __sanitizer_start_switch_fiber(&resumer_frames_, limit, usable_bytes);
#endif
#if RONDE_FIBER_TSAN
        resumer_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(fiber_, 0);
#endif
    }
    [[gnu::always_inline]] inline void after_return() noexcept {
#if RONDE_FIBER_ASAN
        __sanitizer_finish_switch_fiber(resumer_frames_, nullptr, nullptr);
#endif
    }

    // --- on the stack of the fiber -----------------------------------------------------------------------------

    /// The first time there is no state of the fiber to go back to: `fiber_frames_` is null then.
    [[gnu::always_inline]] inline void after_arrival() noexcept {
#if RONDE_FIBER_ASAN
        __sanitizer_finish_switch_fiber(fiber_frames_, &resumer_limit_, &resumer_bytes_);
#endif
    }
    [[gnu::always_inline]] inline void before_leaving([[maybe_unused]] bool for_ever) noexcept {
#if RONDE_FIBER_ASAN
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &fiber_frames_, resumer_limit_, resumer_bytes_);
#endif
#if RONDE_FIBER_TSAN
        __tsan_switch_to_fiber(resumer_, 0);
#endif
    }

private:
#if RONDE_FIBER_ASAN
    void* resumer_frames_ = nullptr;
    void* fiber_frames_ = nullptr;
    void const* resumer_limit_ = nullptr;
    std::size_t resumer_bytes_ = 0;
#endif
#if RONDE_FIBER_TSAN
    void* fiber_ = nullptr;
    void* resumer_ = nullptr;
#endif
};

}  // namespace ronde::fiber
