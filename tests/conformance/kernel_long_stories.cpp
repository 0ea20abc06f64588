#include "kernel_stories.hpp"
#include "scene.hpp"

#include <poll.h>

#include <algorithm>

namespace ronde::conformance::kernel {
namespace {

using std::chrono::seconds;

std::string text_of(std::vector<std::uint32_t> const& steps) {
    std::string text;
    for (std::uint32_t const step : steps)
        text += (text.empty() ? "" : " ") + std::to_string(step);
    return text;
}

/// As kernels before 6.5 do: every step is twice the one before.
void double_from_the_first_step(Wire const& wire, Host host = Host::caller) {
    constexpr char const* linear = "net/ipv4/tcp_syn_linear_timeouts";
    if (wire.has(host, linear))
        wire.set(host, linear, 0);
}

Facts call_through_a_wall(std::size_t lost, bool doubles) {
    Scene scene;
    if (doubles)
        double_from_the_first_step(scene.wire);
    scene.wire.passes = [&](Segment const& segment) { return !segment.is_call() || scene.calls() > lost; };
    scene.call(1);
    scene.carry_until(
        "the caller was connected", [&] { return scene.count(Standing::connected) == 1; }, seconds(20));
    return Facts()
        .add("steps, in s", text_of(scene.call_steps_s(scene.callers[0])))
        .add("connected after, in s", sum(scene.call_steps_s(scene.callers[0])));
}

using Clock = std::chrono::steady_clock;

/// 256 callers and an owner on one host, where a handshake is over before connect returns.
struct Neighbours {
    static constexpr std::size_t kCount = 256;
    Wire wire;
    Owner owner{wire, kBacklog};
    std::deque<Caller> callers;
    std::vector<Clock::duration> connected_after;
    Clock::time_point const begin = Clock::now();

    Neighbours() {
        double_from_the_first_step(wire, Host::listener);
        for (std::size_t i = 0; i < kCount; ++i)
            callers.emplace_back(wire, owner.port(), Host::listener);
        listen_to_callers();
    }
    void listen_to_callers() {
        for (Caller& caller : callers) {
            if (caller.speak_if_connected())
                connected_after.push_back(Clock::now() - begin);
        }
    }
    /// Until something happens that anybody waits for, or `until`.
    void wait(bool owner_looks, Clock::time_point until) {
        std::vector<pollfd> all;
        for (Caller const& caller : callers) {
            if (!caller.has_spoken())
                all.push_back({caller.descriptor(), POLLOUT, 0});
        }
        if (owner_looks)
            all.push_back({owner.descriptor(), POLLIN, 0});
        for (auto const& [port, guest] : owner.guests()) {
            if (guest.heard_bytes == 0 && !guest.ended)
                all.push_back({guest.socket.get(), POLLIN, 0});
        }
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        (void)::poll(all.data(), all.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    }
    void go_on(bool owner_looks, Clock::duration how_long) {
        Clock::time_point const until = begin + how_long;
        while (Clock::now() < until && owner.heard_from() + reset() < kCount) {
            wait(owner_looks, until);
            listen_to_callers();
            if (owner_looks)
                owner.accept_all();
        }
    }
    [[nodiscard]] std::size_t reset() {
        std::size_t number = 0;
        for (Caller& caller : callers)
            number += caller.look() == Standing::reset ? 1U : 0U;
        return number;
    }
    /// When so many of 1000 callers were connected, in whole seconds.
    [[nodiscard]] std::uint64_t seconds_until(std::size_t per_mille) const {
        std::size_t const which = (connected_after.size() - 1) * per_mille / 1'000;
        return static_cast<std::uint64_t>(std::chrono::round<std::chrono::seconds>(connected_after.at(which)).count());
    }
};

}  // namespace

Facts three_calls_are_lost() { return call_through_a_wall(3, true); }

Facts calls_are_lost_for_a_while() { return call_through_a_wall(6, false); }

Facts nobody_answers() {
    Scene scene;
    double_from_the_first_step(scene.wire);
    scene.wire.set(Host::caller, "net/ipv4/tcp_syn_retries", 1);
    scene.wire.passes = [](Segment const&) { return false; };
    scene.call(4);
    scene.carry_until("the callers gave up", [&] { return scene.count(Standing::calling) == 0; });
    return Facts().add("timed out", scene.count(Standing::timed_out)).add("SYNs sent again", scene.calls() - 4);
}

Facts old_requests_make_room() {
    Scene scene;
    scene.crowd(kBacklog, kRoom);
    // Word by word: 0.2, 0.4, 0.8, 1.6, 3.2, 6.4 and 12.8 s. The requests are looked at after 1, 3 and 7 s.
    scene.carry_until(
        "somebody was reset", [&] { return scene.count(Standing::reset) > 0; }, seconds(20));
    scene.settle();
    scene.carry_until("no word was on its way", [&] {
        return std::all_of(scene.callers.begin() + kRoom, scene.callers.end(),
                           [&](Caller const& ghost) { return scene.word_steps(ghost).size() == 7; });
    });
    scene.wire.carry();
    return Facts()
        .add("ghosts", kBacklog)
        .add("SYN-ACKs sent again", scene.answers() - kBacklog - kRoom)
        .add("reset with the seventh repetition of their word", scene.count(Standing::reset));
}

Facts busy_neighbour() {
    Neighbours all;
    Facts facts;
    facts.add("connected at once", all.connected_after.size());
    all.go_on(false, seconds(2));
    all.go_on(true, seconds(10));
    return facts.add("connected in the end", all.connected_after.size())
        .add("half connected after, in s", all.seconds_until(500))
        .add("nine of ten connected after, in s", all.seconds_until(900))
        .add("all connected after, in s", all.seconds_until(1'000))
        .add("heard within 10 s", all.owner.heard_from())
        .add("resets", all.reset());
}

}  // namespace ronde::conformance::kernel
