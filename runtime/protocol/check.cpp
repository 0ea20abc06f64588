#include "protocol/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace ronde::protocol {

void check_failed(char const* file, int line, char const* text) noexcept {
    std::fprintf(stderr, "ronde: broken invariant at %s:%d: %s\n", file, line, text);
    std::abort();
}

}  // namespace ronde::protocol
