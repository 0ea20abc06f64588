/// What stands behind a Communicator. Private to runtime/program.
#pragma once

#include "net/loop.hpp"
#include "net/rank_driver.hpp"
#include "net/root_driver.hpp"

#include <ronde/communicator.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace ronde {

/// Everything that one switch can end.
struct AbortSwitch::State {
    std::mutex mutex;  ///< guards `attached`, and keeps what is attached alive during a press
    std::atomic<bool> pressed{false};
    std::vector<Communicator::State*> attached;
};

/// Loop, rank and roots of one communicator. The loop runs in whoever holds `driving_`: the thread inside of a verb, or
/// the one that presses abort while no verb runs.
struct Communicator::State {
    State() = default;
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State();

    /// Begins. The error is local: nothing was started.
    [[nodiscard]] Outcome start(UniqueId const& id, RankId rank, std::uint32_t nranks,
                                CommunicatorOptions const& options);
    /// Runs until the rank is ready and its roots are done, or everything has ended.
    [[nodiscard]] Outcome wait_until_ready();
    [[nodiscard]] Outcome operate(protocol::Operation operation, std::span<std::byte> buffer);
    [[nodiscard]] Outcome send(protocol::Operation operation, std::span<const std::byte> buffer);
    [[nodiscard]] Outcome close();
    void abort() noexcept;
    void attach(AbortSwitch const& abort_switch);

    [[nodiscard]] Failed failure() const;

    std::optional<net::Loop> loop;
    std::optional<net::RankDriver> rank;
    std::vector<std::unique_ptr<net::RootDriver>> roots;
    protocol::RankConfig config;
    std::int64_t started_ns = 0;
    protocol::TimeNs operation_budget_ns = protocol::kNever;

private:
    [[nodiscard]] tl::expected<net::ListenRequest, Failed> where_to_listen(UniqueId const& id,
                                                                           CommunicatorOptions const& options) const;
    [[nodiscard]] Outcome start_roots(UniqueId const& id, CommunicatorOptions const& options);
    void tell_progress() const;
    [[nodiscard]] bool roots_settled() const noexcept;
    void let_roots_finish();
    template <class Begin>
    [[nodiscard]] Outcome run_operation(Begin&& begin);
    /// Takes the loop for this thread; false when another thread (or this one, in a callback) has it.
    [[nodiscard]] bool take_loop() noexcept { return !driving_.exchange(true); }
    [[nodiscard]] bool take_loop_for_verb() noexcept;
    [[nodiscard]] Outcome two_threads() const;
    void give_loop();
    void release_loop() noexcept;
    void run_to_the_end();

    std::function<void(Progress const&)> on_progress_;
    std::atomic<bool> driving_{true};  ///< until wait_until_ready() is done it is the thread in connect()
    std::atomic<bool> abort_pressed_{false};
    std::vector<std::shared_ptr<AbortSwitch::State>> switches_;
};

}  // namespace ronde
