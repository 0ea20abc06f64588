#include "kernel_stories.hpp"

#include "scene.hpp"

#include <sys/socket.h>

#include <algorithm>

namespace ronde::conformance::kernel {
namespace {

bool is_word(Segment const& segment) { return segment.payload_bytes > 0; }

/// Waits until every caller that found no room has repeated its word so often.
void await_words(Scene& scene, std::size_t repetitions) {
    scene.carry_until("words were repeated " + std::to_string(repetitions) + " times", [&] {
        return std::all_of(scene.callers.begin() + kRoom, scene.callers.end(),
                           [&](Caller const& ghost) { return scene.word_steps(ghost).size() >= repetitions; });
    });
}

void await_heard(Scene& scene) {
    scene.carry_until("everybody was heard", [&] { return scene.owner.heard_from() == scene.callers.size(); });
}

/// One caller, how often it had to call, and when it stood.
Facts one_call_stands(Scene& scene) {
    scene.call(1);
    scene.carry_until("the caller was connected", [&] { return scene.count(Standing::connected) == 1; });
    return Facts()
        .add("SYNs sent again", scene.calls() - 1)
        .add("after, in s", sum(scene.call_steps_s(scene.callers[0])));
}

Facts who_was_reset(Scene& scene) {
    return Facts()
        .add("in the queue", scene.owner.queue_length())
        .add("reset", scene.count(Standing::reset))
        .add("ghosts", scene.count(Standing::connected) - scene.owner.queue_length());
}

/// A caller says its word and is gone before it is accepted: what the owner of the listener then finds.
Facts caller_leaves_the_queue(void (Caller::*leave)()) {
    Scene scene;
    scene.call(1);
    scene.settle();
    std::uint16_t const port = scene.callers[0].port();
    (scene.callers[0].*leave)();
    scene.wire.carry();
    scene.owner.accept_all();
    Owner::Guest const& guest = scene.owner.guests()[port];
    return Facts()
        .add("accepted", scene.owner.guests().size())
        .add("its word", guest.heard_bytes == kWordBytes ? "heard" : "lost")
        .add("then", name_of(guest.ended.value_or(Standing::connected)));
}

}  // namespace

Facts callers_one_after_another() {
    Scene scene;
    for (int i = 0; i < 12; ++i) {
        scene.call(1);
        scene.settle();
    }
    return Facts()
        .add("connected", scene.count(Standing::connected))
        .add("in the queue", scene.owner.queue_length())
        .add("SYNs dropped", scene.wire.counter(Host::listener, "ListenDrops"));
}

Facts all_at_once() {
    Scene scene;
    scene.call(64);
    scene.settle();
    Facts facts;
    facts.add("connected without a second SYN", scene.calls() == 64 ? scene.count(Standing::connected) : 0)
        .add("in the queue", scene.owner.queue_length())
        .add("ghosts", scene.count(Standing::connected) - scene.owner.queue_length());
    // A SYN-ACK would be repeated after 1 s: between the third and the fourth repetition of the words.
    await_words(scene, 3);
    scene.owner_is_back();
    await_heard(scene);
    std::uint32_t const last = sum(scene.word_steps(scene.callers.back()));
    return facts.add("SYN-ACKs sent again", scene.answers() - 64)
        .add("heard", scene.owner.heard_from())
        .add("words sent again", scene.words() - 64)
        .add("last word heard after, in 200 ms", last)
        .add("resets", scene.resets());
}

Facts last_ack_meets_a_full_queue() {
    Scene scene;
    scene.crowd(5, 8);
    Facts facts;
    facts.add("ghosts", scene.count(Standing::connected) - scene.owner.queue_length());
    scene.carry_until("SYN-ACKs were repeated", [&] { return scene.answers() == 13 + 4; });
    auto const answered = [](Segment const& segment) { return segment.is_answer(); };
    facts.add("SYN-ACKs sent again", scene.answers() - 13)
        .add("after, in s", scene.steps(scene.callers.back(), 1'000, answered).at(0));
    scene.wire.carry();
    scene.owner_is_back();
    await_heard(scene);
    return facts.add("heard", scene.owner.heard_from())
        .add("last word heard after, in 200 ms", sum(scene.word_steps(scene.callers.back())))
        .add("resets", scene.resets());
}

Facts abort_on_overflow() {
    Scene scene;
    scene.wire.set(Host::listener, "net/ipv4/tcp_abort_on_overflow", 1);
    scene.crowd(5, 8);
    return who_was_reset(scene);
}

Facts abort_on_overflow_with_cookies() {
    Scene scene;
    scene.wire.set(Host::listener, "net/ipv4/tcp_abort_on_overflow", 1);
    scene.call(64);
    scene.settle();
    return who_was_reset(scene);
}

Facts call_is_lost() {
    Scene scene;
    scene.wire.passes = [&](Segment const& segment) { return !segment.is_call() || scene.calls() > 1; };
    return one_call_stands(scene);
}

Facts answer_is_lost() {
    Scene scene;
    scene.wire.passes = [&](Segment const& segment) { return !segment.is_answer() || scene.answers() > 1; };
    return one_call_stands(scene);
}

Facts word_is_lost() {
    Scene scene;
    scene.owner_is_back();
    scene.wire.passes = [&](Segment const& segment) { return !is_word(segment) || scene.words() > 3; };
    scene.call(1);
    await_heard(scene);
    return Facts()
        .add("words sent again", scene.words() - 1)
        .add("heard after, in 200 ms", sum(scene.word_steps(scene.callers[0])));
}

Facts nobody_listens() {
    Scene scene;
    scene.owner.close_listener();
    scene.call(4);
    scene.settle();
    return Facts().add("refused", scene.count(Standing::refused)).add("SYNs sent again", scene.calls() - 4);
}

Facts word_before_accept() {
    Scene scene;
    scene.call(1);
    scene.settle();
    scene.owner.accept_all();
    return Facts().add("heard when accepted", scene.owner.heard_from());
}

Facts listener_closes() {
    Scene scene;
    scene.crowd(5, 8);
    scene.owner.close_listener();
    scene.settle();
    Facts facts;
    facts.add("reset at once", scene.count(Standing::reset));
    scene.carry_until("the ghosts heard of it", [&] { return scene.count(Standing::reset) == 13; });
    return facts.add("reset when a word is repeated", scene.count(Standing::reset) - kRoom);
}

Facts caller_closes_in_the_queue() { return caller_leaves_the_queue(&Caller::close); }

Facts caller_resets_in_the_queue() { return caller_leaves_the_queue(&Caller::reset); }

Facts ghosts_close() {
    Scene scene;
    scene.call(5);
    scene.wire.carry();
    scene.call(8);
    scene.wire.carry();
    for (Caller& caller : scene.callers)
        caller.close();
    scene.wire.carry();
    scene.owner_is_back();
    bool const all = scene.wire.carry_until([&] { return scene.owner.guests().size() == 13; });
    if (!all)
        throw std::runtime_error("waited in vain for the ghosts' ends");
    auto const is_end = [](Segment const& segment) { return segment.fin && segment.from == Host::caller; };
    std::size_t ended = 0;
    for (auto const& [port, guest] : scene.owner.guests())
        ended += guest.ended == Standing::ended ? 1U : 0U;
    return Facts()
        .add("accepted", scene.owner.guests().size())
        .add("at the end of their stream", ended)
        .add("last one accepted after, in 200 ms", sum(scene.steps(scene.callers.back(), 200, is_end)));
}

Facts request_is_forgotten() {
    Scene scene;
    scene.wire.set(Host::listener, "net/ipv4/tcp_synack_retries", 0);
    scene.crowd(5, 5);
    scene.carry_until("the ghost was reset", [&] { return scene.count(Standing::reset) == 1; });
    return Facts()
        .add("SYN-ACKs sent again", scene.answers() - 10)
        .add("reset", scene.count(Standing::reset))
        .add("words of the ghost", scene.word_steps(scene.callers.back()).size() + 1);
}

Facts half_close() {
    Scene scene;
    scene.owner_is_back();
    scene.call(1);
    scene.settle();
    scene.callers[0].speak();
    scene.callers[0].shut_down_writing();
    scene.wire.carry();
    Owner::Guest& guest = scene.owner.guests()[scene.callers[0].port()];
    std::byte const word[kWordBytes]{};
    bool const sent = ::send(guest.socket.get(), word, sizeof word, MSG_NOSIGNAL) == kWordBytes;
    scene.wire.carry();
    return Facts()
        .add("its word", guest.heard_bytes > 0 ? "heard" : "lost")
        .add("the listener's side", name_of(guest.ended.value_or(Standing::connected)))
        .add("an answer still comes back", sent && scene.callers[0].read() == kWordBytes ? "yes" : "no")
        .add("resets", scene.resets());
}

Facts close_with_unread_bytes() {
    Scene scene;
    scene.call(1);
    scene.settle();
    scene.wire.on_arrival = nullptr;
    scene.owner.accept_all();
    scene.callers[0].speak();
    scene.wire.carry();
    scene.owner.guests().clear();
    scene.wire.carry();
    return Facts()
        .add("the caller", name_of(scene.callers[0].look()))
        .add("counted as TCPAbortOnClose", scene.wire.counter(Host::listener, "TCPAbortOnClose"));
}

Facts word_to_a_closed_end() {
    Scene scene;
    scene.owner_is_back();
    scene.call(1);
    scene.settle();
    scene.wire.on_arrival = nullptr;
    scene.owner.guests().clear();
    scene.wire.carry();
    Facts facts;
    (void)scene.callers[0].read();
    facts.add("after the close", name_of(scene.callers[0].look()));
    std::size_t const before = scene.resets();
    scene.callers[0].speak();
    scene.wire.carry();
    return facts.add("resets after the next word", scene.resets() - before);
}

Facts self_connection() {
    Scene scene;
    bool const connected = connects_to_itself(scene.wire);
    return Facts().add("a socket bound to a port calls that port", connected ? "is connected to itself" : "is not");
}

}  // namespace ronde::conformance::kernel
