/// A rank over real sockets: one protocol::Rank, its table, its listeners and connections, in somebody's loop.
#pragma once

#include "net/driver.hpp"
#include "net/mailbox.hpp"
#include "net/socket.hpp"
#include "protocol/entry.hpp"
#include "protocol/rank.hpp"

#include <functional>

namespace ronde::net {

struct RankOptions : DriverOptions {
    /// Where this rank listens; its address is what the others are told.
    ListenRequest listen;
    /// The roots, in the order of the id.
    std::vector<Endpoint> roots;
    /// Bound on messages kept for receives that have not been asked for yet.
    std::uint64_t mailbox_bytes = std::uint64_t{64} << 20;
    /// Called on the loop's thread after the step that entered the phase, when all actions of that step are done.
    /// May call abort(); must not destroy the driver.
    std::function<void(protocol::Phase)> on_phase;
    /// Called on the loop's thread whenever was_ready(), idle() or finished() has become true, in the middle of a step:
    /// for noting that somebody's wait is over, not for calling the driver.
    std::function<void()> on_settled;
};

/// Life: construct, start(), run the loop until ready() or finished(); then operate() and run until idle() or
/// finished(), any number of times; close() or abort() and run until finished(). A driver may be destroyed at any time
/// outside of the loop's run: connections are then cut without a word, as if the process had died.
class RankDriver final : public Driver {
public:
    /// `mine`: what this rank registers; endpoint, callback_port and rank are filled in here.
    RankDriver(Loop& loop, protocol::RankConfig const& config, protocol::Secret const& secret,
               protocol::Entry const& mine, RankOptions options);
    RankDriver(RankDriver const&) = delete;
    RankDriver& operator=(RankDriver const&) = delete;
    RankDriver(RankDriver&&) = delete;
    RankDriver& operator=(RankDriver&&) = delete;
    ~RankDriver() override;

    void start();

    /// Begins a verb. Only when idle() after ready. `buffer` is the all_gather's whole buffer (nranks slices), or the
    /// message; it must stay valid and untouched until idle() or finished().
    void operate(protocol::Operation const& operation, std::span<std::byte> buffer);
    /// The same for a send, whose buffer is only read.
    void operate(protocol::Operation const& operation, std::span<const std::byte> buffer);

    /// Leaves in order; finished() follows.
    void close();

    /// Ends at once and without a word, as the death of the process would: finished() when it returns, and the
    /// program's buffer is no longer referred to. For a program that is unwound in the middle of a verb. Outside of the
    /// loop's run.
    void abandon();

    /// The ring stands. Stays true when the rank fails or closes later.
    [[nodiscard]] bool was_ready() const noexcept { return ready_; }
    /// No operation is under way, and none of its buffer is referred to any more.
    [[nodiscard]] bool idle() const noexcept { return !operating_; }
    /// The machine has ended and everything is released: no descriptor, no reference to any buffer is left.
    [[nodiscard]] bool finished() const noexcept { return finished_; }

    [[nodiscard]] protocol::Rank const& machine() const noexcept { return machine_; }
    /// N entries; complete from ready() on. Entries that are not known yet are default ones.
    [[nodiscard]] std::span<const protocol::Entry> table() const noexcept { return table_; }
    /// How it ended, with the ranks that a verdict listed; ok while it lives and after an orderly close.
    [[nodiscard]] protocol::Verdict verdict() const noexcept;
    [[nodiscard]] Statistics statistics() const override;

private:
    void step(Event const& event, Actions& actions) override;
    TimeNs machine_deadline() const override { return machine_.deadline(); }
    Reception reception(Link link, Frame const& frame) const override { return machine_.reception(link, frame); }
    void perform_own(Action const& action) override;
    Endpoint target_of(Link link, RankId rank) const override;
    Runs<const std::byte> payload_of(Action const& action) override;
    Runs<std::byte> place_of(Reception const& reception) override;
    bool mailbox_has_room(std::uint64_t bytes) const override { return mailbox_.has_room(bytes); }
    void mailbox_reserve(std::uint64_t bytes) override { mailbox_.reserve(bytes); }
    void mailbox_release(std::uint64_t bytes) override { mailbox_.release(bytes); }
    void after_step(Event const& event) override;
    StateDigest state_digest() const override { return state_digest_of(machine_); }
    void on_all_left() override;
    void on_program_items_left(std::uint32_t items) override;

    void do_listen(Listener name);
    void do_learn(Action const& action);
    void do_collect(Action const& action);
    void do_complete();
    void settle_operation();
    void tell_settled() const;
    void begin_operation(protocol::Operation const& operation, std::span<std::byte> buffer);
    [[nodiscard]] Runs<std::byte> table_runs(std::uint32_t first, std::uint32_t count) noexcept;
    [[nodiscard]] Runs<std::byte> operation_runs(std::uint32_t first, std::uint32_t count) noexcept;

    protocol::RankConfig const config_;
    RankOptions options_;
    protocol::Rank machine_;
    std::vector<protocol::Entry> table_;
    Mailbox mailbox_;
    protocol::Operation operation_;
    std::span<std::byte> buffer_;
    std::uint32_t program_items_ = 0;  ///< queued frames that refer to buffer_
    bool complete_ = true;             ///< the machine says so; idle() waits for program_items_ as well
    bool operating_ = false;
    bool ready_ = false;
    bool finished_ = false;
    bool table_known_ = false;
    bool aborted_here_ = false;
    protocol::Phase phase_ = protocol::Phase::created;
    protocol::Verdict heard_;  ///< of the verdict frame that ended it
    std::array<std::byte, protocol::kVerdictBytes> verdict_bytes_{};
};

}  // namespace ronde::net
