/// An in-memory world without sockets: it drives ranks and roots through the seam exactly as protocol/seam.hpp says,
/// in any order of events that a network could produce, and holds machines to the seam's rules while it does.
///
///     WorldPlan plan;
///     plan.nranks = 8;
///     plan.policies = policies_of(Profile::ronde);
///     TinyWorld world(plan);
///     world.run();
///     ASSERT_EQ(world.broken_rule(), "");
///     EXPECT_TRUE(world.all_ready_with_equal_tables());
///
/// Order between connections is arbitrary (drawn from the seed), order inside one is kept. Frames take no time; time
/// runs on to the next timer when nothing else can happen, or at random (WorldPlan::hurry_per_mille).
#pragma once

#include "support/tiny_plan.hpp"
#include "support/tiny_random.hpp"
#include "support/tiny_wire.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ronde::protocol::tiny {

/// A message that came before anybody asked for it.
struct ParkedMail {
    RankId from = kNoRank;
    std::uint64_t tag = 0;
    std::vector<std::byte> payload;
};

/// One process: a rank's or a root's machine, and what its driver keeps for it.
struct Node {
    bool is_root = false;
    std::uint32_t number = 0;  ///< rank or root index
    RankPlan plan;
    RootPlan root_plan;
    RankConfig rank_config;
    RootConfig root_config;
    Rank rank;
    Root root;
    std::vector<RootRecord> records;
    std::vector<std::uint32_t> device_index;

    Entry entry;
    std::vector<Entry> table;
    std::vector<bool> known;               ///< entries that the machine has learned
    std::map<std::uint32_t, EndId> links;  ///< Link::value -> end
    std::array<ListenerState, 3> listeners;
    std::vector<EndId> slots;    ///< pending connections by slot
    std::vector<Event> mailbox;  ///< answers of the driver, in no particular order
    std::vector<ParkedMail> parked;
    std::map<std::uint32_t, std::uint32_t> calls;  ///< Link::value -> attempts so far

    bool alive = true;  ///< the process exists
    bool started = false;
    bool ended = false;      ///< `finish` was asked for, and nothing more is fed
    bool finishing = false;  ///< `finish` was asked for in the step under way
    bool was_ready = false;
    TimeNs started_ns = 0;
    TimeNs settled_ns = kNever;   ///< when it was ready or failed first
    TimeNs deadline_ns = kNever;  ///< the machine's deadline() after its last step
    std::uint32_t restless = 0;   ///< timers in a row while nothing else happened and no time passed
    Verdict verdict;              ///< of a rank: the last that arrived

    std::size_t next_operation = 0;
    Operation operation;
    bool operating = false;
    bool collected = false;  ///< `collected` is due before any other event
    std::vector<std::byte> buffer;
    std::vector<bool> filled;  ///< slices of the buffer that hold their bytes
    std::uint32_t operations_done = 0;
    std::uint64_t collectives = 0;
    std::map<std::uint32_t, std::uint32_t> frames_in;  ///< FrameKind -> count, admitted links only
    std::map<std::uint32_t, std::uint32_t> frames_out;
};

class TinyWorld {
public:
    explicit TinyWorld(WorldPlan plan);
    TinyWorld(TinyWorld const&) = delete;
    TinyWorld& operator=(TinyWorld const&) = delete;

    /// Runs until nothing more can happen, or a rule of the seam is broken.
    void run();
    /// One event, or one move of time. False when nothing more can happen.
    bool advance();

    /// The world that took the last step, for whoever has to explain a broken invariant; null when it is gone.
    [[nodiscard]] static TinyWorld const* last() noexcept;
    ~TinyWorld();

    // --- what came of it ------------------------------------------------------------------------------------
    /// Empty, or the first broken rule with the seed and the last events.
    [[nodiscard]] std::string const& broken_rule() const { return broken_; }
    /// The last events as text, for a test that fails for another reason.
    [[nodiscard]] std::string tail() const;
    [[nodiscard]] Node const& rank(RankId rank) const { return *nodes_[rank]; }
    [[nodiscard]] Node const& extra(std::uint32_t index) const { return *nodes_[plan_.nranks + plan_.nroots + index]; }
    [[nodiscard]] Node const& root(std::uint32_t index) const { return *nodes_[plan_.nranks + index]; }
    [[nodiscard]] bool is_ready(RankId rank) const { return this->rank(rank).was_ready; }
    [[nodiscard]] bool all_ready_with_equal_tables() const;
    /// Entry i is what the process of rank i registered, for all i.
    [[nodiscard]] bool table_is_exact(RankId rank) const;
    /// Ranks whose process lives, has started, and is neither ready nor ended.
    [[nodiscard]] std::vector<RankId> waiting() const;
    /// Live ranks that did not finish the program they were given.
    [[nodiscard]] std::vector<RankId> with_work_left() const;
    /// "0 ready | 1 failed: rank_lost in gathering, about 3 | ...", one line per rank.
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] TimeNs now() const { return now_; }
    [[nodiscard]] std::uint64_t events() const { return events_; }
    [[nodiscard]] std::uint64_t frames_sent() const { return frames_sent_; }
    [[nodiscard]] WorldPlan const& plan() const { return plan_; }

    // --- what a test may do while it runs ----------------------------------------------------------------------
    void kill(NodeId id, Death death);
    [[nodiscard]] NodeId node_of_rank(RankId rank) const { return rank; }
    [[nodiscard]] NodeId node_of_root(std::uint32_t index) const { return plan_.nranks + index; }
    [[nodiscard]] Node& node(NodeId id) { return *nodes_[id]; }
    /// Resets the connection that `node` knows as `link`, as a box in between would; false when there is none.
    bool cut(NodeId node, Link link);
    /// Adds to what the program of `rank` does next.
    void operate(RankId rank, Operation const& operation);

private:
    struct Trace {
        TimeNs now = 0;
        NodeId node = kNobody;
        Event event;
        std::uint8_t phase_before = 0;
        std::uint8_t phase_after = 0;
        std::uint32_t actions = 0;
    };
    static constexpr std::size_t kTail = 50;

    // tiny_world.cpp: processes, time, choice
    NodeId add_rank(RankPlan const& plan);
    void add_root(std::uint32_t index);
    void start(Node& node);
    void choose();
    bool run_clock();
    void act(NodeId id);
    void feed(NodeId id, Event event);
    void step_once(NodeId id, Event const& event, std::uint32_t& actions_seen);
    void step_machine(NodeId id, Event const& event, Actions& actions);
    void note(Node const& node, EventKind kind, std::uint8_t before, std::uint32_t actions) const;
    void after_step(NodeId id, std::uint8_t before);
    void refresh_node(NodeId id);
    void break_rule(std::string const& rule);
    [[nodiscard]] std::string name_of_node(NodeId id) const;
    [[nodiscard]] TimeNs next_time() const;

    // tiny_perform.cpp: actions and payloads
    void perform(NodeId id, Action const& action, Event const& event);
    void perform_send(NodeId id, Action const& action);
    void perform_connect(NodeId id, Action const& action);
    void perform_admit(NodeId id, Action const& action);
    void perform_learn(Node& node, Action const& action, Event const& event);
    void perform_collect(NodeId id, Action const& action);
    void perform_ready(NodeId id);
    void perform_finish(NodeId id);
    [[nodiscard]] std::vector<std::byte> payload_of(Node& node, Action const& action);
    void place_payload(Node& node, Reception const& reception, Message const& message);
    void begin_operation(NodeId id);
    void check_operation(NodeId id);
    [[nodiscard]] EndId end_of(Node const& node, Link link) const;

    // tiny_net.cpp: ends and listeners
    EndId open_connection();
    void act_on_end(EndId id);
    void act_on_syn(EndId id);
    void deliver(EndId id);
    void deliver_end(EndId id);
    void act_on_listener(NodeId id, Listener which);
    void enter_backlog(EndId caller);
    void close_end(EndId id, Failure told);
    void drop_listener(NodeId id, Listener which, bool answer);
    void refresh_end(EndId id);
    void refresh_listener(NodeId id, Listener which);
    void detach(EndId id);
    void free_slot(Node& node, EndId id);
    [[nodiscard]] bool drained(EndId id) const;
    [[nodiscard]] bool readable(End const& end) const;
    void call_in(StrangerPlan const& stranger);
    void strangers_due();

    [[nodiscard]] std::uint32_t source_of_node(NodeId id) const { return id * 4U; }
    [[nodiscard]] std::uint32_t source_of_listener(NodeId id, Listener listener) const {
        return id * 4U + 1U + static_cast<std::uint32_t>(listener);
    }
    [[nodiscard]] std::uint32_t source_of_end(EndId id) const {
        return static_cast<std::uint32_t>(nodes_.size()) * 4U + id;
    }

    WorldPlan plan_;
    std::vector<std::unique_ptr<Node>> nodes_;  ///< ranks, then roots, then extra processes
    std::vector<End> ends_;
    HotSet hot_;
    TinyRandom random_;
    std::vector<bool> stranger_came_;
    TimeNs now_ = 0;
    std::uint64_t events_ = 0;
    std::uint64_t event_limit_ = 0;
    std::uint64_t frames_sent_ = 0;
    std::string broken_;
    std::vector<Trace> trace_;
    std::multimap<TimeNs, EndId> travelling_;  ///< frames that take time, and where they will arrive
    Message const* arriving_ = nullptr;        ///< the message of the step under way
    Reception arriving_as_;
    bool parked_ = false;
};

/// Bytes that rank `rank` contributes to its operation number `number`, at offset `at` of its slice.
[[nodiscard]] constexpr std::byte pattern(RankId rank, std::uint64_t number, std::uint64_t at) {
    return static_cast<std::byte>((rank * 31U + number * 17U + at * 7U + 1U) & 0xffU);
}

}  // namespace ronde::protocol::tiny
