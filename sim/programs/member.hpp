/// One process of a pretended world that runs a program: its fiber, and what it has asked of the world.
#pragma once

#include "fiber/fiber.hpp"
#include "program/place.hpp"
#include "world/world.hpp"

#include <ronde/program.hpp>

#include <optional>

namespace ronde::sim {

class ProgramRunner;

/// What a program has called. It is fed to the machine when the fiber has parked, from outside of its stack: so stacks
/// stay shallow, however deep the world goes.
enum class Request : std::uint8_t { none, start, operate, close, sleep };

struct Member {
    Member(ProcessId named, RankId its_rank) : process(named), rank(its_rank) { end.rank = its_rank; }

    ProcessId const process;
    RankId const rank;
    std::optional<fiber::Fiber> fiber;
    Request request = Request::none;
    protocol::Operation operation;
    TimeNs wake_ns = 0;
    bool left = false;                   ///< its communicator is gone without close()
    RankPort const* waits_at = nullptr;  ///< while it is in a verb
    std::span<std::byte> buffer;         ///< of the operation under way
    std::span<const std::byte> lent;     ///< the same, of a send: only to be read
    CommunicatorStatistics statistics;
    ProgramEnd end;

    [[nodiscard]] bool lives() const noexcept { return fiber.has_value() && !fiber->ended(); }
};

/// A rank of the world, as its program sees it.
class SimPort final : public RankPort {
public:
    SimPort(ProgramRunner& runner, Member& member) noexcept;
    ~SimPort() override;
    SimPort(SimPort const&) = delete;
    SimPort& operator=(SimPort const&) = delete;

    void operate(protocol::Operation const& operation, std::span<std::byte> buffer) override;
    void send(protocol::Operation const& operation, std::span<const std::byte> message) override;
    void close() override { member_.request = Request::close; }
    void abort() noexcept override;
    void abandon() noexcept override;

    [[nodiscard]] bool was_ready() const noexcept override;
    [[nodiscard]] bool idle() const noexcept override;
    [[nodiscard]] bool finished() const noexcept override;
    [[nodiscard]] protocol::Rank const& machine() const noexcept override;
    [[nodiscard]] std::span<const Entry> table() const override;
    [[nodiscard]] protocol::Verdict verdict() const override;
    [[nodiscard]] CommunicatorStatistics statistics() const override;

private:
    void begin(protocol::Operation const& operation);

    ProgramRunner& runner_;
    Member& member_;
    bool abandoned_ = false;
    mutable std::span<const Entry> table_;  ///< once it was asked for
};

/// Parks until the world says that the process may look again.
class SimWaiting final : public Waiting {
public:
    explicit SimWaiting(Member& member) noexcept : member_(member) {}
    [[nodiscard]] bool enter() noexcept override;
    void until(RankPort& port, Milestone milestone) override;
    [[nodiscard]] bool being_cancelled() const noexcept override { return fiber::Fiber::being_cancelled(); }

private:
    Member& member_;
};

}  // namespace ronde::sim
