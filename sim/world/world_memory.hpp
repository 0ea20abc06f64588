/// What a pretend world holds, in two parts: containers, which keep their memory when another plan begins in the same
/// world, and everything else, which begins anew. Private to sim/world.
#pragma once

#include "engine/digest.hpp"
#include "engine/oracle.hpp"
#include "engine/seeded_oracle.hpp"
#include "world/contents.hpp"
#include "world/dependencies.hpp"
#include "world/fifo.hpp"
#include "world/hosts.hpp"
#include "world/link_index.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"
#include "world/process.hpp"
#include "world/programs.hpp"
#include "world/queue.hpp"
#include "world/slab.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ronde::sim {

/// Small worlds are over in microseconds: they would spend most of their time on memory if each of them brought its
/// own.
struct WorldMemory {
    WorldMemory() = default;
    WorldMemory(WorldMemory const&) = delete;
    WorldMemory& operator=(WorldMemory const&) = delete;

    /// As if new, with another plan: all that is below, without exception.
    void clear_for(WorldPlan const& plan);

    WorldPlan plan_;
    Hosts hosts_{plan_};
    WorldQueue queue_;
    std::vector<WorldQueue::Popped> tied_;  ///< any_order: taken from the queue, all of one time
    std::vector<std::uint64_t> channels_;   ///< ... and those that may come first: by what they must not overtake
    std::vector<std::uint32_t> firsts_;
    Slab<Occurrence> occurrences_;
    Slab<Connection> connections_;
    LinkIndex index_{connections_};
    Slab<AcceptQueue> accept_queues_;
    Contents contents_;

    std::vector<Process> processes_;
    std::vector<ListenerState> callback_listeners_;  ///< by process, empty with profiles that need none
    std::vector<Machine> ranks_;                     ///< by process number; healthy ones share one configuration
    std::map<ProcessId, std::unique_ptr<protocol::RankConfig>> own_configs_;
    std::vector<std::unique_ptr<RootProcess>> roots_;
    std::vector<std::unique_ptr<RootProcess>> spare_roots_;  ///< of earlier worlds
    std::map<ProcessId, ExtraProcess> extras_;
    std::map<ProcessId, Hardship> hardships_;
    std::multimap<RankId, std::uint32_t> triggers_;  ///< rank -> fault that its phases set off
    std::map<MailKey, std::deque<ParkedMessage>> parked_;
    std::map<ProcessId, std::vector<protocol::Link>> mail_links_;
    std::map<ProcessId, std::vector<EndOf>> held_;
    std::map<ProcessId, std::uint32_t> operations_left_;  ///< to begin; gone when the last one is complete
    std::map<ProcessId, protocol::Verdict> heard_;        ///< by a rank: the last verdict

    std::vector<Dependencies::Node> causes_;  ///< by slot: the step that set it in motion
    std::vector<TimeNs> there_ns_;            ///< by slot: when it was there for its process to notice
    std::vector<Observer*> observers_;
    Fifo<protocol::Event> later_;  ///< of the step under way: what the driver itself will answer
    protocol::Actions actions_;    ///< of the step under way
    std::vector<std::byte> payload_;
    Outcome out_;
    DepthRecord queue_depth_;            ///< of root 0
    std::vector<TimeNs> ring_start_ns_;  ///< by rank; kNever: not yet
};

/// Plain values, and what is too rare to be kept.
struct WorldMoment {
    Policies policies_;  ///< resolved
    SeededOracle own_oracle_{0};
    Oracle* oracle_ = nullptr;
    std::uint64_t orders_ = 0;
    std::size_t forgotten_ = 0;  ///< timers in the queue that are not planned any more, at most
    protocol::RankConfig worn_;  ///< whose number is set before each use
    std::optional<protocol::DevicePair> duplicate_devices_;  ///< answer to `inspect`: all tables are the same

    // --- who waits for whom, if that is kept ---
    std::unique_ptr<Dependencies> dependencies_;
    Dependencies::Node cause_ = Dependencies::kNoNode;
    Slot noticed_ = kNoSlot;
    ProcessId dependency_of_ = kNoProcess;
    Slot dependency_slot_ = kNoSlot;

    Programs* programs_ = nullptr;

    // --- the step under way -----------------------------------------------------------------------------------------
    TimeNs now_ns_ = 0;    ///< of the occurrence under way
    TimeNs stamp_ns_ = 0;  ///< when the process under way is done with it: `now` of its events
    /// What the oracle is being asked about.
    struct {
        Connection const* connection = nullptr;
        std::uint32_t from_host = 0;
        std::uint32_t to_host = 0;
    } on_trip_;
    Slot arriving_ = kNoSlot;
    protocol::Reception arriving_as_;
    bool step_again_ = false;

    std::uint64_t events_ = 0;
    std::uint64_t steps_ = 0;
    RunningDigest digest_;
    std::uint32_t tables_ = 0;  ///< ranks that have the full table
    std::uint32_t settled_ = 0;
    TimeNs last_step_ns_ = 0;
    bool skips_ring_ = false;    ///< frames of the table's ring are withheld until all ranks have begun
    bool ring_spoiled_ = false;  ///< something happened that the computed ring does not know of
    std::uint32_t ring_begun_ = 0;
    bool steady_ = true;  ///< trips between any two hosts always take the same time
};

}  // namespace ronde::sim
