#include "forward/isa.hpp"

#include "protocol/check.hpp"

namespace ronde::sim {

bool has_isa(Isa isa) noexcept {
    switch (isa) {
    case Isa::automatic:
    case Isa::portable: return true;
#ifdef RONDE_FORWARD_X86
    case Isa::avx2: return __builtin_cpu_supports("avx2") != 0;
    case Isa::avx512: return __builtin_cpu_supports("avx512f") != 0;
#else
    case Isa::avx2:
    case Isa::avx512: return false;
#endif
    }
    return false;
}

std::string_view name_of(Isa isa) noexcept {
    switch (isa) {
    case Isa::automatic: return "automatic";
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    }
    return "?";
}

Kernel<std::uint32_t> kernel_of(Isa isa) {
    RONDE_CHECK(has_isa(isa), "an instruction set that this machine has");
    if (isa == Isa::automatic)
        isa = has_isa(Isa::avx512) ? Isa::avx512 : has_isa(Isa::avx2) ? Isa::avx2 : Isa::portable;
#ifdef RONDE_FORWARD_X86
    if (isa == Isa::avx512)
        return run_turns_avx512;
    if (isa == Isa::avx2)
        return run_turns_avx2;
#endif
    return run_turns_portable;
}

}  // namespace ronde::sim
