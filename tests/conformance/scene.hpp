/// What most stories on the kernel begin with: an owner who does not look, and callers in front of the door.
#pragma once

#include "people.hpp"
#include "story.hpp"

#include <deque>
#include <numeric>

namespace ronde::conformance {

inline constexpr int kBacklog = 8;
inline constexpr std::size_t kRoom = kBacklog + 1;

/// A wire, an owner, and callers who say their word as soon as they believe to be connected.
struct Scene {
    Wire wire;
    Owner owner;
    std::deque<Caller> callers;

    explicit Scene(int backlog = kBacklog) : owner(wire, backlog) {}

    /// So many call at the same time; nothing of it is carried yet.
    void call(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            callers.emplace_back(wire, owner.port());
    }
    void speak() {
        for (Caller& caller : callers)
            caller.speak_if_connected();
    }
    /// The usual way to a few ghosts without cookies: `early` wait in the queue when `late` call all at once.
    void crowd(std::size_t early, std::size_t late) {
        call(early);
        settle();
        call(late);
        settle();
    }
    /// Carries until nothing moves, words included.
    void settle() {
        wire.carry();
        speak();
        wire.carry();
    }
    void carry_until(std::string const& what, std::function<bool()> const& done,
                     std::chrono::milliseconds patience = std::chrono::seconds(5)) {
        auto const spoken_and_done = [&] {
            speak();
            return done();
        };
        if (!wire.carry_until(spoken_and_done, patience))
            throw std::runtime_error("waited in vain until " + what);
    }
    /// From now on the owner takes whoever is in the queue, at once.
    void owner_is_back() {
        wire.on_arrival = [this] { owner.accept_all(); };
        owner.accept_all();
    }

    [[nodiscard]] std::size_t count(Standing standing) {
        std::size_t number = 0;
        for (Caller& caller : callers)
            number += caller.look() == standing ? 1U : 0U;
        return number;
    }
    /// How many segments were sent that `which` is true for.
    template <class Predicate>
    [[nodiscard]] std::size_t sent(Predicate which) const {
        std::size_t number = 0;
        for (Segment const& segment : wire.sent())
            number += which(segment) ? 1U : 0U;
        return number;
    }
    [[nodiscard]] std::size_t calls() const {
        return sent([](Segment const& segment) { return segment.is_call(); });
    }
    [[nodiscard]] std::size_t answers() const {
        return sent([](Segment const& segment) { return segment.is_answer(); });
    }
    [[nodiscard]] std::size_t words() const {
        return sent([](Segment const& segment) { return segment.payload_bytes > 0; });
    }
    [[nodiscard]] std::size_t resets() const {
        return sent([](Segment const& segment) { return segment.rst; });
    }

    /// The pauses between the segments of one caller's connection that `which` is true for, in whole units: the steps
    /// of a repetition. The kernel's clock is used, and a pause is rounded, so neither a late look nor a coarse tick
    /// changes a step.
    template <class Predicate>
    [[nodiscard]] std::vector<std::uint32_t> steps(Caller const& caller, std::uint32_t unit_ms, Predicate which) const {
        std::vector<std::uint32_t> pauses;
        std::optional<std::uint32_t> before_ms;
        for (Segment const& segment : wire.sent()) {
            if (segment.caller_port != caller.port() || !which(segment))
                continue;
            if (before_ms)
                pauses.push_back((segment.sent_ms - *before_ms + unit_ms / 2) / unit_ms);
            before_ms = segment.sent_ms;
        }
        return pauses;
    }
    [[nodiscard]] std::vector<std::uint32_t> call_steps_s(Caller const& caller) const {
        return steps(caller, 1'000, [](Segment const& segment) { return segment.is_call(); });
    }
    /// In units of 200 ms, the least pause before data are repeated.
    [[nodiscard]] std::vector<std::uint32_t> word_steps(Caller const& caller) const {
        return steps(caller, 200, [](Segment const& segment) { return segment.payload_bytes > 0; });
    }
};

[[nodiscard]] inline std::uint32_t sum(std::vector<std::uint32_t> const& steps) {
    return std::accumulate(steps.begin(), steps.end(), 0U);
}

}  // namespace ronde::conformance
