/// The inside of a World. Private to sim/world; world/world.hpp is for users.
///
/// Everything that happens is an Occurrence that a queue hands out in order of time. The files:
///
///   world_memory.hpp   what it holds, and what of it survives until the next world
///   begin.cpp     a plan becomes a world
///   run.cpp       time: the queue, CPU, which process notices what
///   ahead.cpp     what the next occurrences are about is fetched early
///   handshake.cpp connections until they stand, as Linux makes them: SYN, accept queue, ghosts, retransmission
///   stream.cpp    connections that stand: frames, ends, resets, and those without a record
///   drive.cpp     the seam: events into machines, actions out of them
///   ring_lane.cpp a gather around the ring as a whole, and delays that both lanes agree on
///   payload.cpp   what frames carry, and who knows which entries
///   programs.cpp  programs that run in the processes: their calls, and the bytes of these
///   faults.cpp    what goes wrong, and when
///   strangers.cpp people who have no business here
///   tally.cpp     what came of it
#pragma once

#include "engine/oracle.hpp"
#include "world/dependencies.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"
#include "world/process.hpp"
#include "world/programs.hpp"
#include "world/queue.hpp"
#include "world/world_memory.hpp"

#include <functional>
#include <span>
#include <vector>

namespace ronde::sim {

class WorldState : private WorldMemory, private WorldMoment {
public:
    WorldState() = default;
    WorldState(WorldState const&) = delete;
    WorldState& operator=(WorldState const&) = delete;

    /// Begins with `plan`, whatever there was before. Keeps the memory it has.
    void begin(WorldPlan const& plan, Oracle* oracle);
    void run();
    /// The table's ring was skipped although it was disturbed: the outcome is void, all has to be played.
    [[nodiscard]] bool must_be_played() const;
    bool advance();
    [[nodiscard]] bool skips_ring() const { return skips_ring_; }
    /// Nothing more can happen; false when the world was stopped, or has only begun.
    [[nodiscard]] bool at_rest() const { return queue_.empty() && tied_.empty(); }
    void outcome_into(Outcome& outcome);
    void keep_dependencies();
    [[nodiscard]] CriticalPath critical_path() const;

    [[nodiscard]] WorldPlan const& plan() const { return plan_; }
    [[nodiscard]] TimeNs now_ns() const { return now_ns_; }
    [[nodiscard]] Trip trip() const;
    [[nodiscard]] protocol::Rank const& rank(RankId rank);
    [[nodiscard]] protocol::Root const& root(std::uint32_t index) const { return roots_[index]->machine; }

    void watch(Observer& observer) {
        observers_.push_back(&observer);
        if (observer.wants_every_frame())
            skips_ring_ = false;
    }
    [[nodiscard]] std::vector<Observer*> const& observers() const { return observers_; }
    std::function<void(Progress const&)> report_progress;  ///< stays when another plan begins

    // --- for programs, see world.hpp ---
    void host(Programs& programs);
    void start_machine(ProcessId process) { feed(process, Event::start(stamp_ns_)); }
    void operate(ProcessId process, protocol::Operation const& operation) {
        feed(process, Event::operate(stamp_ns_, operation));
    }
    void close(ProcessId process) { feed(process, Event::close(stamp_ns_)); }
    void abort(ProcessId id);
    void sleep(ProcessId id, TimeNs wake_ns);
    void leave(ProcessId id);
    [[nodiscard]] TimeNs stamp_ns() const { return stamp_ns_; }
    [[nodiscard]] protocol::Rank const& machine(ProcessId process) { return wear(process); }
    [[nodiscard]] bool was_ready(ProcessId process) const { return processes_[process].has(Process::kReady); }
    [[nodiscard]] bool is_over(ProcessId process) const { return processes_[process].has(Process::kOver); }
    [[nodiscard]] protocol::Verdict verdict_of(ProcessId id) const;
    [[nodiscard]] std::vector<ProcessId> holders_known_to(ProcessId id) const;
    [[nodiscard]] bool tables_are_exact() const { return contents_.exact(); }
    [[nodiscard]] protocol::Entry entry_of(ProcessId process) const;

private:
    friend class Look;
    using Action = protocol::Action;
    using Actions = protocol::Actions;
    using Event = protocol::Event;
    using EventKind = protocol::EventKind;
    using Failure = protocol::Failure;
    using Frame = protocol::Frame;
    using FrameKind = protocol::FrameKind;
    using Link = protocol::Link;
    using LinkClass = protocol::LinkClass;
    using Listener = protocol::Listener;
    using Phase = protocol::Phase;
    using Reception = protocol::Reception;

    /// First starts and timers are so many that they have no Occurrence: the queue's slot is this bit and the process.
    static constexpr Slot kTimerSlot = 1U << 31;
    /// A queue is not swept for fewer.
    static constexpr std::size_t kFewForgotten = 4'096;

    // --- run.cpp ---------------------------------------------------------------------------------------------------
    [[nodiscard]] std::uint32_t backlog_in_the_id() const;
    void populate();
    RootProcess& add_root();
    [[nodiscard]] TimeNs start_ns_of(RankId rank);
    Slot plan_at(TimeNs at_ns, Happening kind, ProcessId process);
    Slot plan_for(TimeNs at_ns, Happening kind, ConnectionId connection, std::uint8_t side);
    /// Something for a process to notice, now.
    Slot tell(ProcessId process, Happening kind);
    void submit(Slot slot);
    void fetch_ahead();
    void fetch_process(ProcessId process) const;
    /// Of those that come next and are not forgotten, all of one time.
    bool choose_next(WorldQueue::Popped& popped);
    /// What a slot with kTimerSlot stands for.
    [[nodiscard]] Happening own_happening(Slot slot) const;
    [[nodiscard]] std::uint64_t channel_of(Slot slot) const;
    void dispatch(Slot slot);
    [[nodiscard]] bool can_work(ProcessId id) const;
    void wake(ProcessId id);
    void on_work(ProcessId id);
    void handle(Slot slot);
    [[nodiscard]] TimeNs service_ns(Occurrence const& occurrence);
    void forget(Slot slot);
    void append(SlotList& list, Slot slot);
    [[nodiscard]] Slot take_first(SlotList& list);
    [[nodiscard]] TimeNs delay_ns(Connection& connection, std::uint32_t from_host, std::uint32_t to_host);
    [[nodiscard]] bool is_lost(Connection& connection, std::uint32_t from_host, std::uint32_t to_host);
    [[nodiscard]] static std::uint64_t next_draw(Connection& connection) { return connection.key + connection.draws++; }

    // --- handshake.cpp ----------------------------------------------------------------------------------------------
    /// Makes a call. Failure::none, or why the kernel refuses at once.
    Failure call(ProcessId caller, Link link, ProcessId target, Listener listener);
    void send_syn(ConnectionId id);
    void syn_again_later(ConnectionId id);
    void send_synack(ConnectionId id);
    void synack_again_later(ConnectionId id);
    void send_rst(ConnectionId id, std::uint8_t to_side);
    void on_syn(ConnectionId id);
    void on_syn_again(ConnectionId id);
    void on_synack(ConnectionId id);
    void on_synack_again(ConnectionId id);
    void on_ack(ConnectionId id);
    bool enter_queue(ConnectionId id, bool by_data);
    void on_data_again(ConnectionId id);
    void knock(ProcessId process, Listener which);
    void accept_one(ProcessId id, Listener which);
    void drop_listener(ProcessId id, Listener which);
    [[nodiscard]] ListenerState& listener_of(ProcessId process, Listener listener);
    [[nodiscard]] std::uint32_t backlog_of(ProcessId process, Listener listener) const;
    [[nodiscard]] AcceptQueue who_waits(ListenerState const& listener) const;
    [[nodiscard]] AcceptQueue& queue_of(ListenerState& listener);
    void forget_queue_if_empty(ListenerState& listener);
    void count(ListenerState& listener, Connection& connection);
    void uncount(ListenerState& listener, Connection& connection);
    [[nodiscard]] std::uint32_t take_door(ProcessId id);
    void free_door(ProcessId id, std::uint32_t slot, Listener which);

    // --- stream.cpp -------------------------------------------------------------------------------------------------
    [[nodiscard]] EndOf find(ProcessId process, Link link);
    [[nodiscard]] bool exists(ProcessId process, Link link) const;
    struct Peer {
        ProcessId process = kNoProcess;
        Link link;
    };
    /// The other end of a connection without a record; kNoProcess when `link` is none.
    [[nodiscard]] Peer quiet_peer(ProcessId process, Link link) const;
    [[nodiscard]] Peer usual_peer(ProcessId process, Link link, ProcessId owner) const;
    [[nodiscard]] ProcessId sender_of(Occurrence const& occurrence) const;
    [[nodiscard]] ProcessId quiet_owner(ProcessId process, Link link, std::uint32_t& bit) const;
    EndOf wake_connection(ProcessId process, Link link);
    void rest_if_quiet(ConnectionId id);
    void release(ConnectionId id);
    /// Where a process's link leads: with a record, without one, or nowhere.
    struct Route {
        EndOf end;
        Peer quiet;
        [[nodiscard]] bool exists() const { return end.exists() || quiet.process != kNoProcess; }
    };
    [[nodiscard]] Route route_of(ProcessId process, Link link) const;
    void transmit(ProcessId from, Link link, Frame const& frame, std::uint32_t content, bool notify,
                  std::uint8_t marks = 0) {
        transmit_on(route_of(from, link), from, link, frame, content, notify, marks);
    }
    void transmit_on(Route route, ProcessId from, Link link, Frame const& frame, std::uint32_t content, bool notify,
                     std::uint8_t marks);
    [[nodiscard]] bool is_forgotten_on_the_way(Connection const& connection) const;
    [[nodiscard]] TimeNs arrival_ns(Connection& connection, std::uint8_t to_side, std::uint64_t bytes,
                                    Frame const* frame = nullptr);
    void on_frame(Slot slot);
    void on_quiet_frame(Slot slot);
    void on_fin(Slot slot);
    void on_rst(ConnectionId id, std::uint8_t side);
    void hand_over_unread(ConnectionId id, std::uint8_t side, bool first);
    [[nodiscard]] bool is_put_aside(Side const& side) const;
    void consumed(ConnectionId id, std::uint8_t side, Occurrence const& frame);
    /// This end is closed by its owner: FIN, or RST.
    void close_end(ConnectionId id, std::uint8_t side, bool reset);
    void shut_down_writing(ConnectionId id, std::uint8_t side);
    void send_fin(ConnectionId id, std::uint8_t to_side);
    /// This end is gone without a word.
    void vanish_end(ConnectionId id, std::uint8_t side);
    void detach(ConnectionId id, std::uint8_t side);

    // --- drive.cpp --------------------------------------------------------------------------------------------------
    void feed(ProcessId id, Event const& event);
    void step(ProcessId id, Event const& event);
    void step_machine(ProcessId id, Event const& event, Actions& actions);
    void perform_all(ProcessId id);
    void perform(ProcessId id, Action const& action);
    void perform_listen(ProcessId id, Listener which);
    void perform_connect(ProcessId id, Action const& action);
    void perform_admit(ProcessId id, Action const& action);
    void perform_send(ProcessId id, Action const& action);
    void perform_finish(ProcessId id);
    void perform_reserve(ProcessId id, std::uint32_t count);
    void after_step(ProcessId id, Event const& event, std::uint8_t phase_before);
    void plan_timer(ProcessId id);
    [[nodiscard]] bool is_forgotten(TimeNs at_ns, Slot slot) const;
    void sweep_forgotten();
    void take_frame(ProcessId id, Slot slot, EndOf end, Link link);
    void ask_held_again(ProcessId id);
    void next_operation(ProcessId id);
    void tell_later(ProcessId id, Happening kind);
    void program_looks_again(ProcessId id);
    [[nodiscard]] protocol::Rank& wear(ProcessId process);
    [[nodiscard]] Reception reception(ProcessId process, Link link, Frame const& frame);
    [[nodiscard]] TimeNs machine_deadline(ProcessId process);
    [[nodiscard]] RootProcess& root_of(ProcessId process) { return *roots_[process - plan_.nranks]; }

    // --- payload.cpp ------------------------------------------------------------------------------------------------
    [[nodiscard]] ProcessId holder_at_root(ProcessId id, RankId rank);
    [[nodiscard]] std::uint32_t content_of(ProcessId id, Action const& action);
    void forget_content(Occurrence const& occurrence);
    [[nodiscard]] std::uint32_t bytes_to_send(ProcessId id, Action const& action);
    void place_bytes(ProcessId id, Reception const& reception, std::uint32_t content);
    [[nodiscard]] bool carries_a_list(Occurrence const& frame) const;
    [[nodiscard]] std::span<const std::byte> payload_for(Occurrence const& occurrence);
    void perform_learn(ProcessId id, Action const& action);
    void learn_range(ProcessId id, RankId first, std::uint32_t count);
    void check_table(ProcessId id);
    void broken(std::string what);
    void perform_inspect();
    void perform_park(ProcessId id);
    void perform_collect(ProcessId id, Action const& action);
    [[nodiscard]] RankId rank_of(ProcessId process) const;

    // --- ring_lane.cpp -----------------------------------------------------------------------------------------------
    [[nodiscard]] bool ring_can_be_skipped() const;
    [[nodiscard]] static bool is_ring_frame(Link link, Frame const& frame);
    [[nodiscard]] TimeNs ring_delay_ns(Connection& connection, std::uint8_t to_side, Frame const& frame);
    void ring_begins(ProcessId process);
    void skip_ring();
    void end_ring(ProcessId id, Slot slot);

    // --- faults.cpp -------------------------------------------------------------------------------------------------
    void prepare_faults();
    void prepare(std::uint32_t number);
    void strike(std::uint32_t number);
    void strike_process(ProcessId id, Fault const& fault);
    void interrupt(ProcessId id);
    void phase_entered(ProcessId id);
    void kill(ProcessId id, Death death);
    [[nodiscard]] std::vector<EndOf> ends_of(ProcessId process);
    ProcessId add_process(RankId rank, std::uint32_t host);
    [[nodiscard]] std::vector<ProcessId> targets_of(Fault const& fault) const;
    [[nodiscard]] Hardship& hardship_of(ProcessId process) { return hardships_[process]; }
    [[nodiscard]] Hardship const* hardship(ProcessId process) const {
        return processes_[process].has(Process::kCareful) ? find_hardship(process) : nullptr;
    }
    [[nodiscard]] Hardship const* find_hardship(ProcessId process) const;
    /// When the next packet from one to the other would pass: now, when a partition ends, or never.
    [[nodiscard]] TimeNs way_open_ns(ProcessId from, ProcessId to) const;
    [[nodiscard]] bool passes(ProcessId from, ProcessId to) const { return way_open_ns(from, to) <= stamp_ns_; }

    // --- strangers.cpp ----------------------------------------------------------------------------------------------
    void stranger_comes(Fault const& fault, ProcessId target);
    void stranger_notices(ProcessId id, Slot slot);
    void stranger_speaks(ProcessId id);

    // --- tally.cpp --------------------------------------------------------------------------------------------------
    void note_step(ProcessId id, Event const& event, Actions const& actions, std::uint8_t before, std::uint8_t after);
    void note_phase(ProcessId id, std::uint8_t before, std::uint8_t after);
    void note_queue(ProcessId id);
    void note_failures(Outcome& outcome);
    [[nodiscard]] std::uint64_t bytes() const;

    void note_cause(Slot slot);
    void note_dependency(ProcessId id, Event const& event);
};

}  // namespace ronde::sim
