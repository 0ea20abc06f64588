/// What the drivers of ranks and of roots have in common: they turn readiness into events and actions into system
/// calls, for one machine (see protocol/seam.hpp for the contract).
///
/// Everything runs on the loop's thread, except `abort`. Frames are handled in the order in which they arrive on a
/// connection; what an action leads to is queued and fed after the step that asked for it.
#pragma once

#include "net/acceptor.hpp"
#include "net/connection.hpp"
#include "net/os_failure.hpp"
#include "net/recorder.hpp"
#include "net/statistics.hpp"
#include "protocol/auth.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ronde::net {

/// What any driver may be told besides its machine's configuration.
struct DriverOptions {
    std::size_t max_io_bytes = 0;        ///< > 0: at most so many bytes per read and write (a mode for tests)
    std::unique_ptr<Recorder> recorder;  ///< empty: nothing is recorded
};

/// Longest that a connection stays open after its end for bytes that the peer does not take.
inline constexpr TimeNs kLingerNs = protocol::kSecondNs;
/// The same after `abort`, which promises to be back within 100 ms.
inline constexpr TimeNs kAbortLingerNs = 50 * protocol::kMillisecondNs;

class Driver : public Node {
public:
    Driver(Driver const&) = delete;
    Driver& operator=(Driver const&) = delete;
    Driver(Driver&&) = delete;
    Driver& operator=(Driver&&) = delete;
    ~Driver() override;

    /// Gives up: the machine tells whom it can reach and ends. From any thread, at any time after `start`; returns at
    /// once, the loop does the rest.
    void abort() noexcept;

    /// What was counted so far; strangers as the machine counts them.
    [[nodiscard]] virtual Statistics statistics() const = 0;
    /// Connections and listeners that are open now, those still leaving included.
    [[nodiscard]] std::size_t open_descriptors() const noexcept;
    /// Why recording stopped, if it did; empty otherwise.
    [[nodiscard]] std::string recording_trouble() const;

protected:
    using Action = protocol::Action;
    using Actions = protocol::Actions;
    using Event = protocol::Event;
    using Failure = protocol::Failure;
    using Frame = protocol::Frame;
    using Link = protocol::Link;
    using Listener = protocol::Listener;
    using RankId = protocol::RankId;
    using Reception = protocol::Reception;
    using Source = protocol::Source;

    Driver(Loop& loop, protocol::Auth auth, protocol::Secret const& secret, std::size_t max_io_bytes,
           std::unique_ptr<Recorder> recorder);

    // --- what the machine's own driver adds ----------------------------------------------------------------------
    virtual void step(Event const& event, Actions& actions) = 0;
    [[nodiscard]] virtual TimeNs machine_deadline() const = 0;
    [[nodiscard]] virtual Reception reception(Link link, Frame const& frame) const = 0;
    /// Actions that are not the same for everybody: listen, learn, inspect, collect, park, reserve, complete, ready,
    /// finish.
    virtual void perform_own(Action const& action) = 0;
    /// Where `link` to `rank` leads; Family::none when that is not known.
    [[nodiscard]] virtual Endpoint target_of(Link link, RankId rank) const = 0;
    /// The payload of an outgoing frame (never Source::handshake).
    [[nodiscard]] virtual Runs<const std::byte> payload_of(Action const& action) = 0;
    /// Where slices of an incoming frame belong. Sizes that do not add up to the payload refuse the frame.
    [[nodiscard]] virtual Runs<std::byte> place_of(Reception const& reception) = 0;
    /// Whether a message of `bytes` may be kept now.
    [[nodiscard]] virtual bool mailbox_has_room(std::uint64_t bytes) const = 0;
    /// Its header is here; and it will never be parked after all.
    virtual void mailbox_reserve(std::uint64_t bytes) = 0;
    virtual void mailbox_release(std::uint64_t bytes) = 0;
    /// After each step and its actions: phases, progress, verdicts.
    virtual void after_step(Event const& event) = 0;
    [[nodiscard]] virtual StateDigest state_digest() const = 0;
    /// Everything that was to be flushed is flushed or given up, after `leave_all`.
    virtual void on_all_left() = 0;
    virtual void on_program_items_left(std::uint32_t items) = 0;

    // --- for it ---------------------------------------------------------------------------------------------------
    /// Feeds one event from outside (start, operate, close ...) and all that follows from it.
    void enter(Event event);
    /// Feeds `event` after those that wait already.
    void later(Event const& event) { later_.push_back(event); }
    /// Feeds `event` before all others.
    void next(Event const& event) { later_.push_front(event); }
    /// The frame being fed, inside perform_own; and the message whose arrival it is, if one.
    [[nodiscard]] Event const& current() const noexcept { return *current_; }
    [[nodiscard]] std::unique_ptr<Mail>* current_mail() noexcept { return current_mail_; }
    /// The current step reported a lack of room that was filled: step the same event again.
    void step_again() noexcept { step_again_ = true; }
    void hold_listener(Listener name, Fd fd, Endpoint const& endpoint);
    [[nodiscard]] Acceptor* acceptor(Listener name) noexcept {
        return acceptors_[static_cast<std::size_t>(name)].get();
    }
    /// Ends all connections and listeners; on_all_left follows, at once or after `linger_ns` at the latest.
    void leave_all(TimeNs linger_ns);
    /// Ends them without a word and without waiting, as the death of the process would; on_all_left follows inside of
    /// the call. Outside of the loop's run.
    void cut_all();
    /// Ends one link for the machine's own driver, with what is queued on it still going out.
    void leave_link(Link link) { do_close(link); }
    [[nodiscard]] std::vector<Link> links() const;
    [[nodiscard]] bool nobody_leaves() const noexcept { return leaving_.empty(); }
    [[nodiscard]] TimeNs now() const noexcept { return now_; }
    /// Recording: what was written so far outlives the process; and the last word.
    void flush_recording();
    void end_recording();

    Statistics statistics_;

private:
    friend class Connection;
    friend class Acceptor;

    // driver.cpp: events and actions
    void on_deadline(TimeNs now) final;
    void on_signal(TimeNs now) final;
    void feed(Event const& event);
    void perform(Action const& action);
    void do_connect(Action const& action);
    void do_admit(Action const& action);
    void do_send(Action const& action);
    void do_close(Link link);
    void do_pause(Link link, bool pause);
    void do_deafen(Listener name);
    void settle();
    bool settle_once();
    void update_deadline();
    [[nodiscard]] Connection* find(Link link) const noexcept;
    void forget_events_of(Link link);

    // driver_receive.cpp: bytes in
    void on_connection(Connection& connection, std::uint32_t ready);
    void on_connect_result(Connection& connection);
    void receive(Connection& connection);
    [[nodiscard]] bool read_and_digest(Connection& connection, std::size_t& budget_bytes);
    [[nodiscard]] bool digest(Connection& connection, std::span<const std::byte> bytes);
    [[nodiscard]] bool receive_header(Connection& connection);
    void hold(Connection& connection);
    void deliver(Connection& connection);

    // driver_links.cpp: bytes out, and the ends of connections
    Connection* stand(std::unique_ptr<Connection> connection, std::uint32_t interest);
    void flush(Connection& connection);
    void flush_all();
    void flush_soon(Connection& connection);
    /// The world ended it: the machine is told.
    void lose(Connection& connection, Failure failure, std::int32_t os_error);
    /// The machine ended it: what is queued still goes out.
    void leave(Connection& connection, TimeNs linger_ns);
    void go_on_leaving(Connection& connection);
    void check_leaving();
    void bury(Connection& connection);

    // acceptor.cpp
    static constexpr std::uint32_t kNoSlot = 0xffff'ffffU;
    void on_acceptor(Acceptor& acceptor, std::uint32_t ready);
    [[nodiscard]] bool may_accept(Acceptor const& acceptor) const noexcept;
    void yield(Acceptor& acceptor);
    void accept_some(Acceptor& acceptor);
    bool accept_next(Acceptor& acceptor);
    void tell_queue(Acceptor& acceptor);
    [[nodiscard]] std::uint32_t free_slot() const noexcept;
    void free_door(Connection const& connection) noexcept;

    protocol::Auth const auth_;
    protocol::Secret const secret_;
    protocol::Secret nonce_seed_;
    std::uint64_t nonce_serial_ = 0;
    std::size_t const max_io_bytes_;
    std::unique_ptr<Recorder> recorder_;
    TimeNs now_ = 0;
    TimeNs leaving_check_ns_ = kNever;  ///< when to look after connections that are leaving
    bool stepped_ = false;              ///< since held frames were asked about last
    bool step_again_ = false;
    bool leaving_all_ = false;
    bool all_left_ = false;
    std::uint64_t pending_slots_[4] = {};  ///< bit per slot in use; 256 slots are the most that any machine grants
    Event const* current_ = nullptr;
    std::unique_ptr<Mail>* current_mail_ = nullptr;
    std::deque<Event> later_;
    std::unordered_map<std::uint32_t, std::unique_ptr<Connection>> links_;
    std::vector<std::unique_ptr<Connection>> leaving_;
    std::vector<std::unique_ptr<Connection>> dead_;
    std::vector<Connection*> to_flush_;
    std::vector<Connection*> to_receive_;  ///< unpaused, or broken for writing with bytes left to read
    std::vector<Connection*> held_;        ///< to be asked about again after a step
    std::array<std::unique_ptr<Acceptor>, 3> acceptors_;
};

}  // namespace ronde::net
