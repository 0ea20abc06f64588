/// What one process is at a moment: its machine, and what a driver keeps for it. Plain bytes, all times relative to
/// now.
#pragma once

#include "explore/job.hpp"
#include "explore/mail.hpp"

namespace ronde::explore {

enum class Life : std::uint8_t {
    unborn,
    running,
    ended,  ///< its machine has finished; nothing is fed to it any more
    dead,   ///< crashed
};

/// A process of a rank.
struct ProcessState {
    enum History : std::uint8_t {
        kWasReady = 1,
        kHeldAll = 2,     ///< at some time it held the whole table and both hands
        kIntroduced = 4,  ///< it has sent a check-in, so somebody may learn its address
    };
    protocol::RankState machine;
    std::uint32_t verdict = 0;  ///< message number + 1 of the verdict frame that ended it
    Node process = 0;
    Life life = Life::unborn;
    std::uint8_t history = 0;
    std::uint8_t bound = 0;                 ///< bit per Listener
    std::array<std::uint8_t, 2> credits{};  ///< ring, callback
    std::uint8_t told_queued = 0;           ///< bit per Listener
    std::uint8_t reserved = 0;
    std::array<Whose, 12> table{};  ///< by rank: whose entry was learned
};

inline constexpr std::uint32_t kRootDoors = 16;
inline constexpr std::uint32_t kRootRecords = 12;
inline constexpr std::uint32_t kRootIndex = 32;
/// Bytes of a Root before its doors, less the pointers to config and records that it begins with.
inline constexpr std::size_t kRootPointerBytes = 40;
inline constexpr std::size_t kRootCoreBytes =
    sizeof(protocol::Root) - protocol::kMaxRootDoors * sizeof(protocol::RootDoor) - kRootPointerBytes;

/// A process of a root, cut down to the doors and records that so small a job can use.
struct RootState {
    std::array<std::byte, kRootCoreBytes> core;
    std::array<protocol::RootDoor, kRootDoors> doors;
    std::array<protocol::RootRecord, kRootRecords> records;
    std::array<std::uint32_t, kRootIndex> device_index;
    std::array<Whose, 12> table{};
    Node root = 0;
    Life life = Life::unborn;
    std::uint8_t bound = 0;
    std::uint8_t told_queued = 0;
    std::uint8_t credits = 0;
    std::uint8_t reserved[3] = {};
    std::uint16_t heard_check_in = 0;  ///< bit per local id: such a frame of a proven rank came
    std::uint16_t heard_done = 0;
};

/// What the search asks of a state again and again, read once.
struct NodeFacts {
    TimeNs deadline_ns = protocol::kNever;
    Life life = Life::unborn;
    std::uint8_t bound = 0;
    std::array<std::uint8_t, 3> credits{};  ///< by Listener
    std::uint8_t phase = 0;                 ///< Phase or RootPhase
    bool finished = false;
    bool anonymous = false;        ///< a process whose check-in is not on its way: nobody can know its address
    bool checked_in = false;       ///< a process that has sent its check-in to its own root
    bool knows_successor = false;  ///< ... and was answered
    friend bool operator==(NodeFacts const&, NodeFacts const&) = default;
};

/// A machine made from its state, to be stepped or asked. A root's records and index live in the state it came from.
[[nodiscard]] protocol::Rank machine_of(Job const& job, ProcessState const& state);
[[nodiscard]] protocol::Root machine_of(Job const& job, RootState& state);
void keep(ProcessState& state, protocol::Rank const& machine);
void keep(RootState& state, protocol::Root const& machine);

[[nodiscard]] ProcessState unborn_process(Job const& job, Node process);
[[nodiscard]] RootState unborn_root(Job const& job, Node root);
/// As it looks when only what it was can still matter.
[[nodiscard]] ProcessState buried(ProcessState const& state, Life life);
[[nodiscard]] RootState buried(RootState const& state, Life life);
/// `elapsed_ns` later.
[[nodiscard]] ProcessState aged(Job const& job, ProcessState const& state, TimeNs elapsed_ns);
[[nodiscard]] RootState aged(Job const& job, RootState const& state, TimeNs elapsed_ns);

[[nodiscard]] NodeFacts facts_of(Job const& job, ProcessState const& state);
[[nodiscard]] NodeFacts facts_of(Job const& job, RootState const& state);

/// Stops the process unless a Root begins with its pointers and ends with its doors, as the constants above say.
void check_root_layout();

}  // namespace ronde::explore
