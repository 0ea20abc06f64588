/// A root over real sockets: one protocol::Root, the table of its block, its listener and connections.
#pragma once

#include "net/driver.hpp"
#include "protocol/root.hpp"

#include <functional>

namespace ronde::net {

struct RootOptions : DriverOptions {
    /// Called on the loop's thread after each step that changed the number of check-ins or of ranks done.
    std::function<void(protocol::Root const&)> on_progress;
};

/// Life: construct with the listener that is open since the id was made, start(), run the loop until settled().
/// A root goes on telling late comers why they come in vain until it is destroyed.
class RootDriver final : public Driver {
public:
    RootDriver(Loop& loop, protocol::RootConfig const& config, protocol::Secret const& secret, Fd listener,
               RootOptions options);
    RootDriver(RootDriver const&) = delete;
    RootDriver& operator=(RootDriver const&) = delete;
    RootDriver(RootDriver&&) = delete;
    RootDriver& operator=(RootDriver&&) = delete;
    ~RootDriver() override;

    void start();
    /// The round is over, and everyone who was connected has been told as far as the kernel takes it.
    [[nodiscard]] bool settled() const noexcept;

    [[nodiscard]] Statistics statistics() const override;
    [[nodiscard]] protocol::Root const& machine() const noexcept { return machine_; }
    /// The entries of its block in rank order, and then that of the next block's first rank if there is another root.
    [[nodiscard]] std::span<const protocol::Entry> table() const noexcept { return table_; }
    [[nodiscard]] Endpoint const& endpoint() const noexcept { return endpoint_; }

private:
    void step(Event const& event, Actions& actions) override { machine_.step(event, actions); }
    TimeNs machine_deadline() const override { return machine_.deadline(); }
    Reception reception(Link link, Frame const& frame) const override { return machine_.reception(link, frame); }
    void perform_own(Action const& action) override;
    Endpoint target_of(Link link, RankId rank) const override;
    Runs<const std::byte> payload_of(Action const& action) override;
    Runs<std::byte> place_of(Reception const& reception) override;
    bool mailbox_has_room(std::uint64_t) const override { return false; }
    void mailbox_reserve(std::uint64_t) override {}
    void mailbox_release(std::uint64_t) override {}
    void after_step(Event const& event) override;
    StateDigest state_digest() const override { return state_digest_of(machine_, records_); }
    void on_all_left() override {}
    void on_program_items_left(std::uint32_t) override {}

    void do_reserve(std::uint32_t count);
    [[nodiscard]] std::uint32_t place_in_table(RankId rank) const noexcept;
    void do_learn(Action const& action);

    protocol::RootConfig const config_;
    RootOptions options_;
    Endpoint endpoint_;
    Fd listener_;
    protocol::Root machine_;
    std::vector<protocol::RootRecord> records_;
    std::vector<std::uint32_t> device_index_;
    std::span<protocol::Entry> table_;
    std::vector<std::unique_ptr<protocol::Entry[]>> tables_;  ///< the one in use last; frames may refer to older ones
    bool round_over_ = false;
    std::uint32_t told_checked_in_ = 0;
    std::uint32_t told_done_ = 0;
    std::deque<std::array<std::byte, protocol::kVerdictBytes>> verdicts_;
};

}  // namespace ronde::net
