/// Runs one program in every rank's process of a pretended world.
#pragma once

#include "fiber/stack_pool.hpp"
#include "program/surroundings.hpp"
#include "programs/member.hpp"
#include "world/programs.hpp"

#include <ronde/sim.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ronde::sim {

class ProgramRunner final : public Programs, public Surroundings {
public:
    ProgramRunner(WorldPlan const& plan, Program const& program, ProgramOptions const& options);
    ~ProgramRunner() override;
    ProgramRunner(ProgramRunner const&) = delete;
    ProgramRunner& operator=(ProgramRunner const&) = delete;

    [[nodiscard]] tl::expected<ProgramsOutcome, std::string> run();

    // --- for the members' ports --------------------------------------------------------------------------------------
    [[nodiscard]] World& world() noexcept { return world_; }
    [[nodiscard]] World const& world() const noexcept { return world_; }
    /// From any thread: between this event and the next one the process is told.
    void abort_soon(ProcessId process) noexcept;
    /// Processes that know the same entries share one table; it lives as long as this object.
    [[nodiscard]] std::span<const Entry> table_of(ProcessId process);

    // --- Programs ----------------------------------------------------------------------------------------------------
    void begin(ProcessId process, RankId rank) override;
    void go_on(ProcessId process) override;
    void end(ProcessId process) override;
    void read(ProcessId process, std::uint32_t first, std::uint32_t count, std::vector<std::byte>& bytes) override;
    void write(ProcessId process, std::uint32_t first, std::uint32_t count, std::span<const std::byte> bytes) override;
    void on_event(ProcessId process, protocol::Event const& event) override;
    void on_action(ProcessId process, protocol::Action const& action) override;
    void on_phase(ProcessId process, protocol::Phase phase) override;

    // --- Surroundings ------------------------------------------------------------------------------------------------
    [[nodiscard]] protocol::TimeNs now_ns() const noexcept override { return world_.program_now_ns(); }
    void sleep_until(protocol::TimeNs wake_ns) override;

private:
    [[nodiscard]] Member* member_of(ProcessId process) noexcept {
        return process < members_.size() ? members_[process].get() : nullptr;
    }
    void run_member(Member& member);
    [[nodiscard]] tl::expected<Communicator, Failed> connect(Member& member);
    void resume(Member& member);
    void perform_request(Member& member);
    void unwind(Member& member) noexcept;
    void tell_aborts();
    [[nodiscard]] std::string where_it_stands(Member const& member) const;
    [[nodiscard]] ProgramEnds ends();

    Program const& program_;
    ProgramOptions const& options_;
    World world_;
    fiber::StackPool stacks_;
    std::vector<std::unique_ptr<Member>> members_;  ///< by process; roots have none
    Member* running_ = nullptr;
    std::map<std::vector<ProcessId>, std::vector<Entry>> tables_;  ///< by whose entries they hold
    std::string trouble_;                                          ///< why the run cannot go on
    std::atomic<bool> aborts_wait_{false};
    std::mutex mutex_;  ///< guards aborts_
    std::vector<ProcessId> aborts_;
};

}  // namespace ronde::sim
