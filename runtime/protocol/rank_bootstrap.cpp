/// From the first listener to "ready": check in, learn the successor or the table, take both hands, gather, commit.
#include "protocol/rank_step.hpp"

namespace ronde::protocol {
namespace {

constexpr std::uint32_t kRankMsThreshold = 128;    ///< stagger of 2.4 - 2.22: above this many ranks ...
constexpr std::uint32_t kRootRateThreshold = 256;  ///< ... of 2.23 and later: above this many ranks at a root
constexpr std::uint32_t kCheckInsPerSecond = 7'000;
/// Whoever finds an accept queue full is sent away for 200 ms, 1 s, 3 s ... by its own kernel, which costs a storm more
/// than coming one after the other does.
constexpr TimeNs kPaceNs = 20 * kMicrosecondNs;

/// How long the number `local` of those who check in at a root waits when they are more than its accept queue holds.
/// Half a queue comes at once, so that the root has something to do from the start; the other half is for what it
/// falls behind when it takes longer than the pace for each.
[[nodiscard]] constexpr TimeNs pace_ns(std::uint32_t local, std::uint32_t backlog) {
    std::uint32_t const at_once = backlog / 2U;
    return local < at_once ? 0 : static_cast<TimeNs>(local - at_once) * kPaceNs;
}

}  // namespace

void RankStep::begin() noexcept {
    if (policies_.deadlines == Deadlines::everywhere && config_.budget_ns < kNever - event_.now)
        state_.deadline_ns = event_.now + config_.budget_ns;
    state_.phase = Phase::listening;
    state_.window = 1;
    actions_.push(ActionKind::listen).listener = Listener::ring;
    if (calls_back())
        actions_.push(ActionKind::listen).listener = Listener::callback;
    if (policies_.accepting == Accepting::concurrent)
        grant(Listener::ring, RankState::kDoors);
}

void RankStep::begin_check_in() noexcept {
    TimeNs delay_ns = 0;
    std::uint32_t const root = my_root();
    if (policies_.stagger == Stagger::rank_ms && config_.nranks > kRankMsThreshold)
        delay_ns = static_cast<TimeNs>(config_.rank) * kMillisecondNs;
    if (policies_.stagger == Stagger::rate_per_root && partition().size_of(root) > kRootRateThreshold)
        delay_ns = static_cast<TimeNs>(config_.rank - partition().first_of(root)) * kSecondNs / kCheckInsPerSecond;
    if (policies_.stagger == Stagger::paced && partition().size_of(root) > config_.root_backlog)
        delay_ns = pace_ns(config_.rank - partition().first_of(root), config_.root_backlog);
    if (delay_ns > 0) {
        state_.phase = Phase::delayed;
        state_.dials[0] = Dial{};
        state_.dials[0].link = kRootLink;
        state_.dials[0].state = Dial::State::pausing;
        state_.dials[0].due_ns = event_.now + delay_ns;
        return;
    }
    state_.phase = Phase::checking_in;
    dial(0, kRootLink);
    if (partition().is_boundary(config_.rank) && !calls_back())
        dial(1, kPreviousRootLink);
}

void RankStep::send_check_in(Link link) noexcept {
    Frame frame;
    frame.kind = FrameKind::check_in;
    frame.payload_bytes = kEntryBytes;
    frame.aux = static_cast<std::uint16_t>(link == kRootLink ? my_root() : partition().previous_root(my_root()));
    frame.a = config_.rank;
    frame.b = config_.nranks;
    frame.c = (std::uint64_t{digest_of(policies_)} << 32) | config_.roots_digest;
    frame.d = state_.deadline_ns == kNever ? static_cast<std::uint64_t>(kNever)
                                           : static_cast<std::uint64_t>(state_.deadline_ns - event_.now);
    send(link, frame, Source::entry);
    set(link == kRootLink ? RankState::kRootOpen : RankState::kPreviousRootOpen);
    bool const boundary = partition().is_boundary(config_.rank);
    if (calls_back())
        close_link(link);
    if (state_.phase != Phase::checking_in)
        return say_done_again(link);
    if (link == kRootLink && boundary && state_.dials[1].state == Dial::State::idle)
        return dial(1, kPreviousRootLink);
    // The root may have answered, and even ended, while the second check-in was still under way.
    bool const own_done = has(RankState::kRootOpen) || answered();
    if (!own_done || (boundary && !has(RankState::kPreviousRootOpen)))
        return;
    state_.phase = Phase::awaiting_successor;
    if (calls_back())
        grant(Listener::callback, 1);
    if (answered())
        connect_ring();
}

void RankStep::on_successor() noexcept {
    bool const expected_link = event_.link == (calls_back() ? kCallbackLink : kRootLink);
    RankId const successor = successor_of(config_.rank, config_.nranks);
    if (!expected_link || policies_.hand_out == HandOut::table || event_.frame.a != successor)
        return fail(Code::protocol_violation, kNoRank, Failure::malformed);
    if (has(RankState::kKnowsSuccessor))
        return;  // told twice after a second check-in
    Action& learn = actions_.push(ActionKind::learn);
    learn.first = successor;
    learn.count = 1;
    set(RankState::kKnowsSuccessor);
    state_.window = config_.nranks > 1 ? 2 : 1;
    if (calls_back()) {
        close_link(kCallbackLink);
        grant(Listener::callback, 0);
        actions_.push(ActionKind::deafen).listener = Listener::callback;
    }
    if (state_.phase == Phase::awaiting_successor)
        connect_ring();
}

void RankStep::on_table() noexcept {
    bool const whole =
        event_.frame.d == 0 && event_.frame.a == 0 && event_.frame.b == config_.nranks && event_.frame.c == kEntryBytes;
    if (policies_.gather != Gather::star || !whole)
        return fail(Code::protocol_violation, kNoRank, Failure::malformed);
    if (has(RankState::kTable))
        return;
    Action& learn = actions_.push(ActionKind::learn);
    learn.first = 0;
    learn.count = config_.nranks;
    set(RankState::kTable);
    state_.window = config_.nranks;
    if (state_.phase == Phase::awaiting_successor)
        connect_ring();
}

void RankStep::connect_ring() noexcept {
    state_.phase = Phase::connecting_ring;
    if (config_.nranks > 1) {
        // The successor may be ahead. Its window is taken before the other hand is held: a verdict may stand behind it.
        if (policies_.gather == Gather::doubling) {
            state_.algorithm = Gather::doubling;
            state_.slice_bytes = kEntryBytes;
        }
        dial(2, chord_out(0));
    }
    on_hand();
}

/// One of the two hands was taken (or there are none to take): go on when both are held.
void RankStep::on_hand() noexcept {
    if (state_.phase != Phase::connecting_ring)
        return;
    bool const both = (state_.out_open & 1U) != 0 && (state_.in_open & 1U) != 0;
    if (config_.nranks > 1 && !both)
        return;
    if (policies_.accepting == Accepting::serial && config_.nranks > 1)
        grant(Listener::ring, 1);
    state_.phase = Phase::gathering;
    if (has(RankState::kTable))
        return table_done();
    if (config_.nranks == 1) {
        set(RankState::kTable);
        return table_done();
    }
    start_gather(0, policies_.gather, kEntryBytes);
}

void RankStep::table_done() noexcept {
    set(RankState::kTable);
    if (policies_.device_check == DeviceCheck::in_table && !has(RankState::kInspected)) {
        actions_.push(ActionKind::inspect);
        return;  // go on in on_inspected
    }
    commit();
}

void RankStep::on_inspected() noexcept {
    if (has(RankState::kInspected) || !has(RankState::kTable))
        return;
    set(RankState::kInspected);
    if (event_.devices.first == kNoRank)
        return commit();
    Error error;
    error.code = Code::duplicate_device;
    error.about = event_.devices.second;
    error.other = event_.devices.first;
    fail(error);
}

void RankStep::commit() noexcept {
    if (has(RankState::kTorn))
        return;  // the end of the call that is under way decides [6.8]
    switch (policies_.commit) {
    case Commit::root:
        state_.phase = Phase::committing;
        set(RankState::kRootDone);
        if (has(RankState::kRootOpen))  // otherwise it is said when the connection stands again
            send_done(kRootLink);
        return;
    case Commit::chords:
        state_.phase = Phase::committing;
        if (config_.nranks == 1)
            return become_ready();
        return start_gather(1, Gather::doubling, 0);
    case Commit::none:
    case Commit::automatic: return become_ready();
    }
}

void RankStep::send_done(Link link) noexcept {
    Frame done;
    done.kind = FrameKind::done;
    done.a = config_.rank;
    send(link, done);
}

/// Back at a root [6.7]: what was said on the connection that was reset may never have arrived.
void RankStep::say_done_again(Link link) noexcept {
    if (state_.phase == Phase::ready)
        return leave_root(link);
    if (link == kRootLink && has(RankState::kRootDone))
        send_done(link);
}

/// Whoever can hear the root can say so, whatever else it waits for [6.6].
void RankStep::answer_roll_call() noexcept {
    Frame frame;
    frame.kind = FrameKind::roll_call;
    frame.a = config_.rank;
    send(event_.link, frame);
}

void RankStep::on_commit() noexcept {
    if (event_.link != kRootLink || policies_.commit != Commit::root || !has(RankState::kRootDone))
        return fail(Code::protocol_violation, kNoRank, Failure::malformed);
    all_are_done();
}

void RankStep::all_are_done() noexcept {
    set(RankState::kCommitted);
    if (state_.phase == Phase::committing && hands_held())
        become_ready();
}

/// Both hands are held, or were until their owner left in order. False while one is being taken again (may_dial_again).
bool RankStep::hands_held() const noexcept {
    return config_.nranks == 1 || ((state_.out_open | state_.gone_out) & (state_.in_open | state_.gone_in) & 1U) != 0;
}

void RankStep::become_ready() noexcept {
    state_.phase = Phase::ready;
    state_.deadline_ns = kNever;
    if (state_.operation == 0)
        state_.operation = 1;  // operations of the program count on from 2 everywhere [7.1]
    state_.doing = OperationKind::none;
    for (Link const link : {kRootLink, kPreviousRootLink}) {
        if (has(link == kRootLink ? RankState::kRootOpen : RankState::kPreviousRootOpen))
            leave_root(link);
    }
    if (state_.dials[1].state == Dial::State::connecting || state_.dials[1].state == Dial::State::greeting)
        close_link(kPreviousRootLink);
    state_.dials[1] = Dial{};
    if (state_.dials[0].state == Dial::State::idle)
        state_.dials[0] = Dial{};
    actions_.push(ActionKind::ready);
}

/// Ready: whoever waits for all to be done is told, and nothing more is expected from there.
void RankStep::leave_root(Link link) noexcept {
    bool const own = link == kRootLink;
    if (!calls_back()) {
        if (policies_.commit != Commit::root)
            send_done(link);
        close_link(link);
    }
    reset(own ? RankState::kRootOpen : RankState::kPreviousRootOpen);
    state_.dials[own ? 0 : 1] = Dial{};
}

bool RankStep::answered() const noexcept { return has(RankState::kKnowsSuccessor) || has(RankState::kTable); }

/// Whether this rank cannot become ready without another word from its own root.
bool RankStep::needs_root() const noexcept {
    return !answered() || (policies_.commit == Commit::root && !has(RankState::kCommitted));
}

/// The connection to a root that has (or not yet) answered ended [6.3].
void RankStep::root_link_closed() noexcept {
    bool const own = event_.link == kRootLink;
    reset(own ? RankState::kRootOpen : RankState::kPreviousRootOpen);
    state_.dials[own ? 0 : 1] = Dial{};
    if (calls_back() || state_.phase == Phase::ready)
        return;
    // A full queue, a box in between, or a door that closed on a slow proof: the same incarnation may check in again.
    // If the root is gone, the fresh socket will be refused.
    bool const may_return =
        event_.failure == Failure::reset || (event_.failure == Failure::end_of_stream && policies_.auth == Auth::keyed);
    if (may_return && !answered()) {
        state_.phase = Phase::checking_in;
        return dial(own ? 0 : 1, event_.link);
    }
    // The root waits for its return, and would have everybody told that this rank is lost [6.7].
    if (own && event_.failure == Failure::reset)
        return dial(0, kRootLink);
    // The extra check-in is never answered. Until my predecessor comes, whom it was for, it may not have been counted.
    if (may_return && !own && state_.phase == Phase::connecting_ring && (state_.in_open & 1U) == 0)
        return dial(1, kPreviousRootLink);
    if (own)
        state_.dials[0].last_failure = event_.failure;  // told at the deadline, if this is why nobody comes
    if (!own || !needs_root())
        return;
    Error error;
    error.code = Code::root_lost;
    error.failure = event_.failure;
    error.os_error = event_.os_error;
    fail(error);
}

}  // namespace ronde::protocol
