/// A communicator on its program's own thread: a loop that turns while a verb is under way.
#pragma once

#include "net/loop.hpp"
#include "program/net_port.hpp"
#include "program/net_start.hpp"
#include "program/place.hpp"

#include <atomic>

namespace ronde {

/// Starts rank and roots. The error is local: nothing was started.
[[nodiscard]] tl::expected<Joining, Failed> start_on_own_thread(UniqueId const& id, RankId rank, std::uint32_t nranks,
                                                                CommunicatorOptions const& options);

/// The loop runs in whoever holds `driving_`: the thread inside of a verb, or the one that presses abort while no verb
/// runs.
class OwnLoop final : public Waiting {
public:
    explicit OwnLoop(std::function<void(Progress const&)> on_progress) : on_progress_(std::move(on_progress)) {}

    [[nodiscard]] net::Loop& loop() noexcept { return loop_; }
    [[nodiscard]] Outcome start_roots(UniqueId const& id, protocol::RankConfig const& config,
                                      CommunicatorOptions const& options);
    /// Tells how the start goes from now on, if somebody wants to know.
    void watch(net::RankOptions& options);
    void watch(RankPort const& port) noexcept { watched_ = &port; }

    [[nodiscard]] bool enter() noexcept override;
    void until(RankPort& port, Milestone milestone) override;
    void leave(RankPort& port) override;
    void abort(RankPort& port) noexcept override;

private:
    void until_ready(RankPort const& port);
    void let_roots_finish();
    void tell_progress() const;
    [[nodiscard]] bool take_loop() noexcept { return !driving_.exchange(true); }
    void release_loop() noexcept;

    net::Loop loop_;
    Roots roots_;
    RankPort const* watched_ = nullptr;
    std::function<void(Progress const&)> on_progress_;
    std::atomic<bool> driving_{true};  ///< until the ring stands it is the thread in connect()
    std::atomic<bool> abort_pressed_{false};
};

}  // namespace ronde
