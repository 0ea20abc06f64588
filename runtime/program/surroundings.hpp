/// The time that the program on this thread lives in. Private to those that run programs.
#pragma once

#include "protocol/units.hpp"

namespace ronde {

class Surroundings {
public:
    Surroundings() = default;
    Surroundings(Surroundings const&) = delete;
    Surroundings& operator=(Surroundings const&) = delete;
    Surroundings(Surroundings&&) = delete;
    Surroundings& operator=(Surroundings&&) = delete;
    virtual ~Surroundings() = default;

    [[nodiscard]] virtual protocol::TimeNs now_ns() const noexcept = 0;
    /// In a fiber that these surroundings run.
    virtual void sleep_until(protocol::TimeNs wake_ns) = 0;

    /// Of this thread, or null: those of the system.
    [[nodiscard]] static Surroundings* current() noexcept { return of_thread; }

    /// From here to the end of the scope `here` is what programs on this thread live in.
    class Scope {
    public:
        explicit Scope(Surroundings& here) noexcept : before_(of_thread) { of_thread = &here; }
        Scope(Scope const&) = delete;
        Scope& operator=(Scope const&) = delete;
        Scope(Scope&&) = delete;
        Scope& operator=(Scope&&) = delete;
        ~Scope() { of_thread = before_; }

    private:
        Surroundings* before_;
    };

private:
    inline static constinit thread_local Surroundings* of_thread = nullptr;
};

}  // namespace ronde
