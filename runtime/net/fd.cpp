#include "net/fd.hpp"

#include <unistd.h>

#include <cerrno>

namespace ronde::net {

void Fd::reset(int descriptor) noexcept {
    int const old = std::exchange(descriptor_, descriptor);
    if (old < 0)
        return;
    int const saved_errno = errno;
    ::close(old);
    errno = saved_errno;
}

}  // namespace ronde::net
