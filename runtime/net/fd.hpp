/// An owned file descriptor.
#pragma once

#include <utility>

namespace ronde::net {

/// Closes its descriptor when it goes. Movable, not copyable; empty is -1.
/// Not thread-safe: one owner at a time, as with any unique handle.
class Fd {
public:
    Fd() noexcept = default;
    explicit Fd(int descriptor) noexcept : descriptor_(descriptor) {}
    Fd(Fd&& other) noexcept : descriptor_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    Fd(Fd const&) = delete;
    Fd& operator=(Fd const&) = delete;
    ~Fd() { reset(); }

    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] explicit operator bool() const noexcept { return descriptor_ >= 0; }
    /// Gives the descriptor away; the caller closes it.
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }
    /// Closes what is held (never retried after EINTR: on Linux the number is free again even then) and holds
    /// `descriptor` from now on. Keeps errno, so that it can be used on error paths.
    void reset(int descriptor = -1) noexcept;

private:
    int descriptor_ = -1;
};

}  // namespace ronde::net
