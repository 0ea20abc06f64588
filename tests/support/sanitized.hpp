/// How much of its work a test does in a build under a sanitizer.
///
/// A sanitizer looks at each access to memory, so a test takes ten times as long under it; and it asks whether the code
/// that runs is sound, not whether the thousandth world comes out as it should. That is asked where all worlds are
/// played: without a sanitizer, by the same test.
#pragma once

#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RONDE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RONDE_SANITIZED 1
#endif

namespace ronde::tests {

#ifdef RONDE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Under a sanitizer, one world of so many is played.
inline constexpr std::uint64_t kWorldsForOneSanitized = 10;

/// How many of `all` worlds are to be played, the first ones: all of them, or under a sanitizer a tenth.
[[nodiscard]] constexpr std::uint64_t worlds_to_play(std::uint64_t all) noexcept {
    return kSanitized ? (all + kWorldsForOneSanitized - 1) / kWorldsForOneSanitized : all;
}

}  // namespace ronde::tests
