/// Uses stack on purpose, by bytes and not by calls: frames differ between compilers and sanitizers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ronde::fiber {

/// Calls itself until `bytes` lie between `start` and the deepest frame, and calls `at_the_bottom` there. Returns the
/// number of calls; each of them checks on its way back that its frame is as it was left.
template <class F>
[[gnu::noinline]] std::size_t descend(std::uintptr_t start, std::size_t bytes, F const& at_the_bottom) {
    std::size_t volatile frame[64] = {};
    auto const here = reinterpret_cast<std::uintptr_t>(&frame[0]);
    for (std::size_t volatile& word : frame)
        word = here;
    std::size_t calls = 1;
    if (start - here < bytes)
        calls += descend(start, bytes, at_the_bottom);
    else
        at_the_bottom();
    for (std::size_t volatile& word : frame) {
        if (word != here)
            return 0;
    }
    return calls;
}

[[gnu::noinline]] inline std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

}  // namespace ronde::fiber
