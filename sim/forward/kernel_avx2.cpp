/// Eight ranks at a time. This file alone is compiled with -mavx2.
#include "forward/kernel.hpp"

#include <immintrin.h>

#include <cstring>

namespace ronde::sim {
namespace {

struct EightLanes {
    using Word = std::uint32_t;
    using Vec = __m256i;
    using Key = __m256i;
    static constexpr std::uint32_t width = 8;

    static Vec load(Word const* from) { return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from)); }
    static void store(Word* to, Vec x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
    static Vec all(Word x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    static Vec add(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
    static Vec larger(Vec a, Vec b) { return _mm256_max_epu32(a, b); }
    static Vec after(Vec left, Vec x) { return _mm256_alignr_epi8(x, _mm256_permute2x128_si256(left, x, 0x21), 12); }
    static Vec before(Vec x, Vec right) { return _mm256_alignr_epi8(_mm256_permute2x128_si256(x, right, 0x21), x, 4); }

    static Key load_key(std::uint32_t const* from) { return load(from); }
    static void store_key(std::uint32_t* to, Key x) { store(to, x); }
    static Key all_keys(std::uint32_t x) { return all(x); }
    static Key plus(Key a, Key b) { return add(a, b); }
    static Key times(Key a, Key b) { return _mm256_mullo_epi32(a, b); }
    static Key exclusive_or(Key a, Key b) { return _mm256_xor_si256(a, b); }
    template <int kBits>
    static Key right(Key a) {
        return _mm256_srli_epi32(a, kBits);
    }
    static Vec look_up(Word const* table, std::uint32_t const* at) {
        return _mm256_setr_m128i(look_up_four(table, at), look_up_four(table, at + 4));
    }
    /// Indices are read two at a time: the number of loads is what limits all this.
    static std::uint64_t two(std::uint32_t const* at) {
        std::uint64_t pair = 0;
        std::memcpy(&pair, at, sizeof pair);
        return pair;
    }
    static __m128i look_up_four(Word const* table, std::uint32_t const* at) {
        std::uint64_t const low = two(at);
        std::uint64_t const high = two(at + 2);
        return _mm_setr_epi32(static_cast<int>(table[low & 0xffff'ffffU]), static_cast<int>(table[low >> 32]),
                              static_cast<int>(table[high & 0xffff'ffffU]), static_cast<int>(table[high >> 32]));
    }
};

}  // namespace

void run_turns_avx2(Tile<std::uint32_t>& tile) { kernel::run_turns<EightLanes>(tile); }

}  // namespace ronde::sim
