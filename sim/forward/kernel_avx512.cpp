/// Sixteen ranks at a time. This file alone is compiled with -mavx512f.
#include "forward/kernel.hpp"

#include <immintrin.h>

#include <cstring>

namespace ronde::sim {
namespace {

struct SixteenLanes {
    using Word = std::uint32_t;
    using Vec = __m512i;
    using Key = __m512i;
    static constexpr std::uint32_t width = 16;

    static Vec load(Word const* from) { return _mm512_loadu_si512(from); }
    static void store(Word* to, Vec x) { _mm512_storeu_si512(to, x); }
    static Vec all(Word x) { return _mm512_set1_epi32(static_cast<int>(x)); }
    static Vec add(Vec a, Vec b) { return _mm512_add_epi32(a, b); }
    static Vec larger(Vec a, Vec b) { return _mm512_max_epu32(a, b); }
    static Vec after(Vec left, Vec x) { return _mm512_alignr_epi32(x, left, 15); }
    static Vec before(Vec x, Vec right) { return _mm512_alignr_epi32(right, x, 1); }

    static Key load_key(std::uint32_t const* from) { return load(from); }
    static void store_key(std::uint32_t* to, Key x) { store(to, x); }
    static Key all_keys(std::uint32_t x) { return all(x); }
    static Key plus(Key a, Key b) { return add(a, b); }
    static Key times(Key a, Key b) { return _mm512_mullo_epi32(a, b); }
    static Key exclusive_or(Key a, Key b) { return _mm512_xor_si512(a, b); }
    template <int kBits>
    static Key right(Key a) {
        return _mm512_srli_epi32(a, kBits);
    }
    static Vec look_up(Word const* table, std::uint32_t const* at) {
        // One of four goes through the other registers: each kind can do only so many of them at a time.
        __m256i const low =
            _mm256_inserti128_si256(_mm256_castsi128_si256(look_up_four(table, at)), look_up_four(table, at + 4), 1);
        __m256i const high = _mm256_inserti128_si256(_mm256_castsi128_si256(look_up_four(table, at + 8)),
                                                     look_up_two_pairs(table, at + 12), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
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
    static __m128i look_up_two_pairs(Word const* table, std::uint32_t const* at) {
        return _mm_set_epi64x(look_up_pair(table, at + 2), look_up_pair(table, at));
    }
    static long long look_up_pair(Word const* table, std::uint32_t const* at) {
        std::uint64_t const pair = two(at);
        return static_cast<long long>(table[pair & 0xffff'ffffU] | std::uint64_t{table[pair >> 32]} << 32);
    }
};

}  // namespace

void run_turns_avx512(Tile<std::uint32_t>& tile) { kernel::run_turns<SixteenLanes>(tile); }

}  // namespace ronde::sim
