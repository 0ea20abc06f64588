/// Sixteen ranks at a time. This file alone is compiled with -mavx512f.
#include "forward/kernel.hpp"

#include <immintrin.h>

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
        Vec four = _mm512_castsi128_si512(look_up_four(table, at));
        four = _mm512_inserti32x4(four, look_up_four(table, at + 4), 1);
        four = _mm512_inserti32x4(four, look_up_four(table, at + 8), 2);
        return _mm512_inserti32x4(four, look_up_four(table, at + 12), 3);
    }
    static __m128i look_up_four(Word const* table, std::uint32_t const* at) {
        return _mm_setr_epi32(static_cast<int>(table[at[0]]), static_cast<int>(table[at[1]]),
                              static_cast<int>(table[at[2]]), static_cast<int>(table[at[3]]));
    }
};

}  // namespace

void run_turns_avx512(Tile<std::uint32_t>& tile) { kernel::run_turns<SixteenLanes>(tile); }

}  // namespace ronde::sim
