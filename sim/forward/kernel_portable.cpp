/// One rank at a time, in plain C++: what every machine can do, and what the others must equal.
#include "forward/kernel.hpp"

namespace ronde::sim {
namespace {

template <class AnyWord>
struct OneLane {
    using Word = AnyWord;
    using Vec = Word;
    using Key = std::uint32_t;
    static constexpr std::uint32_t width = 1;

    static Vec load(Word const* from) { return *from; }
    static void store(Word* to, Vec x) { *to = x; }
    static Vec all(Word x) { return x; }
    static Vec add(Vec a, Vec b) { return a + b; }
    static Vec larger(Vec a, Vec b) { return a > b ? a : b; }
    static Vec after(Vec left, Vec) { return left; }
    static Vec before(Vec, Vec right) { return right; }

    static Key load_key(std::uint32_t const* from) { return *from; }
    static void store_key(std::uint32_t* to, Key x) { *to = x; }
    static Key all_keys(std::uint32_t x) { return x; }
    static Key plus(Key a, Key b) { return a + b; }
    static Key times(Key a, Key b) { return a * b; }
    static Key exclusive_or(Key a, Key b) { return a ^ b; }
    template <int kBits>
    static Key right(Key a) {
        return a >> kBits;
    }
    static Vec look_up(Word const* table, std::uint32_t const* at) { return table[*at]; }
};

}  // namespace

void run_turns_portable(Tile<std::uint32_t>& tile) { kernel::run_turns<OneLane<std::uint32_t>>(tile); }

void run_turns_wide(Tile<std::uint64_t>& tile) { kernel::run_turns<OneLane<std::uint64_t>>(tile); }

}  // namespace ronde::sim
