/// What stands behind a Communicator. Private to runtime/program.
#pragma once

#include "program/place.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace ronde {

/// Everything that one switch can end.
struct AbortSwitch::State {
    std::mutex mutex;  ///< guards `attached`, and keeps what is attached alive during a press
    std::atomic<bool> pressed{false};
    std::vector<Communicator::State*> attached;
};

/// The verbs: the same wherever the rank is driven.
struct Communicator::State {
    explicit State(Joining&& joining) noexcept;
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State();

    [[nodiscard]] Outcome wait_until_ready();
    [[nodiscard]] Outcome operate(protocol::Operation operation, std::span<std::byte> buffer);
    [[nodiscard]] Outcome send(protocol::Operation operation, std::span<const std::byte> message);
    [[nodiscard]] Outcome close();
    void abort() noexcept { waiting->abort(*port); }
    void attach(AbortSwitch const& abort_switch);

    RankId const rank;
    std::uint32_t const nranks;
    protocol::TimeNs const operation_budget_ns;
    std::unique_ptr<Waiting> const waiting;
    std::unique_ptr<RankPort> const port;

private:
    void wait(Milestone milestone);
    template <class Begin>
    [[nodiscard]] Outcome run_operation(Begin&& begin);
    [[nodiscard]] Failed failure() const;
    [[nodiscard]] Outcome refused(protocol::Code code, std::string text) const;
    [[nodiscard]] Outcome two_threads() const;
    [[nodiscard]] Outcome cancelled() const;

    std::vector<std::shared_ptr<AbortSwitch::State>> switches_;
};

}  // namespace ronde
