/// One step of a rank, while it runs: the state, the event, and the answer that is being written.
///
/// Private to the machine. The members are grouped as the files are: doors (who knocks), dials (whom we call),
/// bootstrap, gather, operations, ending.
#pragma once

#include "protocol/rank.hpp"

namespace ronde::protocol {

class RankStep {
public:
    RankStep(Rank& rank, Event const& event, Actions& actions) noexcept
        : config_(*rank.config_), policies_(rank.config_->policies), state_(rank.state_), event_(event),
          actions_(actions) {}

    void run() noexcept;

private:
    // --- rank.cpp: dispatch and small vocabulary ------------------------------------------------------------
    void on_listening() noexcept;
    void on_frame() noexcept;
    void on_closed() noexcept;
    void on_timer() noexcept;

    [[nodiscard]] bool has(RankState::Flag flag) const noexcept { return (state_.flags & flag) != 0; }
    void set(RankState::Flag flag) noexcept { state_.flags = static_cast<std::uint16_t>(state_.flags | flag); }
    void reset(RankState::Flag flag) noexcept { state_.flags = static_cast<std::uint16_t>(state_.flags & ~flag); }
    [[nodiscard]] bool over() const noexcept { return state_.phase == Phase::failed || state_.phase == Phase::closed; }
    [[nodiscard]] Partition partition() const noexcept { return {config_.nranks, config_.nroots}; }
    [[nodiscard]] std::uint32_t my_root() const noexcept { return partition().root_of(config_.rank); }
    [[nodiscard]] RankId rank_behind(Link link) const noexcept;
    [[nodiscard]] bool calls_back() const noexcept { return policies_.reply == Reply::callback; }
    [[nodiscard]] TimeNs after_ms(std::uint64_t ms) const noexcept {
        return event_.now + static_cast<TimeNs>(ms) * kMillisecondNs;
    }
    void send(Link link, Frame const& frame, Source source = Source::none, std::uint32_t first = 0,
              std::uint32_t count = 0, bool notify = false) noexcept;
    void close_link(Link link) noexcept;
    void grant(Listener listener, std::uint32_t credits) noexcept;

    // --- rank_doors.cpp: accepted connections until they are admitted ---------------------------------------
    void on_accepted() noexcept;
    void on_queued() noexcept;
    void on_accept_failed() noexcept;
    [[nodiscard]] bool needs_a_caller() const noexcept;
    void on_door_frame() noexcept;
    void on_door_closed() noexcept;
    void on_door_timer() noexcept;
    [[nodiscard]] Link admission() const noexcept;
    [[nodiscard]] Link link_asked_for() const noexcept;
    void admit(std::uint32_t slot, Link link) noexcept;
    void turn_away(std::uint32_t slot) noexcept;
    void free_door(std::uint32_t slot) noexcept;

    // --- rank_dials.cpp: connections that this rank makes ---------------------------------------------------
    void dial(std::uint32_t index, Link link) noexcept;
    void try_dial(Dial& dial) noexcept;
    [[nodiscard]] Dial* dial_of(Link link) noexcept;
    void on_connected() noexcept;
    void on_connect_failed() noexcept;
    void on_challenge(Dial& dial) noexcept;
    void on_dial_timer() noexcept;
    void dial_failed(Dial& dial, Failure failure, std::int32_t os_error) noexcept;
    void dial_opened(Dial& dial) noexcept;
    void give_up(Dial& dial) noexcept;
    [[nodiscard]] bool exhausted(Dial const& dial) const noexcept;
    [[nodiscard]] TimeNs pause_ns(Dial const& dial) const noexcept;
    [[nodiscard]] TimeNs answer_due(Dial const& dial) const noexcept;
    [[nodiscard]] std::uint64_t draw(Link link, std::uint64_t attempt) const noexcept;

    // --- rank_bootstrap.cpp: from the first listener to ready -----------------------------------------------
    void begin() noexcept;
    void begin_check_in() noexcept;
    void send_check_in(Link link) noexcept;
    void on_successor() noexcept;
    void on_table() noexcept;
    void connect_ring() noexcept;
    void on_hand() noexcept;
    void table_done() noexcept;
    void on_inspected() noexcept;
    void commit() noexcept;
    void answer_roll_call() noexcept;
    void on_commit() noexcept;
    void all_are_done() noexcept;
    [[nodiscard]] bool hands_held() const noexcept;
    void become_ready() noexcept;
    void send_done(Link link) noexcept;
    void say_done_again(Link link) noexcept;
    void leave_root(Link link) noexcept;
    void root_link_closed() noexcept;
    [[nodiscard]] bool answered() const noexcept;
    [[nodiscard]] bool needs_root() const noexcept;

    // --- rank_gather.cpp: table, all_gather and barrier -----------------------------------------------------
    void start_gather(std::uint32_t operation, Gather algorithm, std::uint64_t slice_bytes) noexcept;
    void pump_gather() noexcept;
    void gather_done() noexcept;
    bool adopt_early_tokens(bool barrier) noexcept;
    void on_slices() noexcept;
    void pump_doubling() noexcept;
    void serve_windows() noexcept;
    void on_window() noexcept;
    void start_ring() noexcept;
    void pump_ring_turns() noexcept;
    void on_ring_frame() noexcept;
    void send_slice(Link link, std::uint32_t hops_back, bool notify = false) noexcept;
    void send_length(Link link, std::uint32_t round) noexcept;
    [[nodiscard]] Frame slices_frame(std::uint16_t chord, RankId first, std::uint32_t count) const noexcept;

    // --- rank_operations.cpp: the verbs ----------------------------------------------------------------------
    void on_operate() noexcept;
    void start_broadcast() noexcept;
    void forward_broadcast() noexcept;
    void on_broadcast() noexcept;
    void post_message() noexcept;
    void on_message() noexcept;
    void on_sent() noexcept;
    void complete() noexcept;

    // --- rank_ending.cpp: verdicts, abort, close -------------------------------------------------------------
    void fail(Error error) noexcept;
    void fail(Code code, RankId about = kNoRank, Failure failure = Failure::none) noexcept;
    void fail_by_itself() noexcept;
    void fail_at_deadline() noexcept;
    [[nodiscard]] bool last_call() const noexcept;
    void on_verdict() noexcept;
    [[nodiscard]] bool had_been_counted() noexcept;
    void on_bye() noexcept;
    void on_close() noexcept;
    void say_farewell() noexcept;
    void peer_link_closed() noexcept;
    [[nodiscard]] bool goes_around() const noexcept {
        return state_.algorithm == Gather::ring || state_.algorithm == Gather::ring2;
    }
    [[nodiscard]] bool may_dial_again(Link link) const noexcept;
    [[nodiscard]] bool still_needed(Link link) const noexcept;
    [[nodiscard]] RankId waited_for() const noexcept;

    RankConfig const& config_;
    Policies const& policies_;
    RankState& state_;
    Event const& event_;
    Actions& actions_;
};

/// When a rank of the bootstrap that cannot reach a neighbour says so: before the root's deadline, which leaves less
/// [6.2] and can only say who is not done, while this rank knows who does not answer. kNever when it misses nobody.
[[nodiscard]] TimeNs last_call_ns(RankConfig const& config, RankState const& state) noexcept;

/// When the door `slot` is due: at the end of its patience, or sooner while it is silent and others wait [3.4].
[[nodiscard]] TimeNs door_due_ns(RankConfig const& config, RankState const& state, std::uint32_t slot) noexcept;

/// Rounds of a doubling gather: chords 0 .. rounds-1 are used. The table starts with two entries (clause 5.7),
/// every other gather with one.
[[nodiscard]] constexpr std::uint32_t doubling_rounds(std::uint32_t nranks, std::uint32_t operation) noexcept {
    std::uint32_t const head_start = operation == 0 ? 1U : 0U;
    return nranks <= 1U + head_start ? 0U : log2_ceil(nranks - head_start);
}
/// Slices known before round k, my own included.
[[nodiscard]] constexpr std::uint32_t window_before(std::uint32_t nranks, std::uint32_t operation,
                                                    std::uint32_t k) noexcept {
    std::uint64_t const window = (std::uint64_t{1} << k) + (operation == 0 ? 1U : 0U);
    return window < nranks ? static_cast<std::uint32_t>(window) : nranks;
}
/// Slices that round k carries: all that the sender knows and the receiver can use.
[[nodiscard]] constexpr std::uint32_t window_sent(std::uint32_t nranks, std::uint32_t operation,
                                                  std::uint32_t k) noexcept {
    std::uint32_t const known = window_before(nranks, operation, k);
    std::uint32_t const wanted = nranks - (1U << k);
    return known < wanted ? known : wanted;
}
/// Ring gathers: slices that arrive from the predecessor and, both ways around, from the successor.
struct RingShares {
    std::uint32_t from_prev = 0;
    std::uint32_t from_next = 0;
};
[[nodiscard]] constexpr RingShares ring_shares(std::uint32_t nranks, Gather algorithm) noexcept {
    if (algorithm == Gather::ring2)
        return {nranks / 2U, nranks - 1U - nranks / 2U};
    return {nranks - 1U, 0U};
}

}  // namespace ronde::protocol
