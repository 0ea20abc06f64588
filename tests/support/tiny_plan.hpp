/// What shall happen in a tiny world: who takes part, what they want, and what goes wrong.
#pragma once

#include "protocol/policy.hpp"
#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ronde::protocol::tiny {

/// How a process leaves the world without a word.
enum class Death : std::uint8_t {
    fin,     ///< the kernel closes its connections; what was sent before arrives
    reset,   ///< as fin, but what was not yet read by the peers is lost
    silent,  ///< the host vanishes: nothing arrives, nothing is answered
};

/// What becomes of one attempt to connect.
enum class Fate : std::uint8_t {
    connect,
    refuse,       ///< connect_failed(refused)
    unreachable,  ///< connect_failed(unreachable)
    forbid,       ///< connect_failed(not_permitted)
    drop,         ///< no answer at all
    reset,        ///< stands, and is reset before anybody reads from it
    ghost,        ///< stands for the caller, but nobody will ever accept it
};

/// One attempt to connect, as the network sees it.
struct Call {
    bool from_root = false;
    std::uint32_t from = 0;    ///< rank, or root index
    Link link;                 ///< the caller's name for it
    RankId to = kNoRank;       ///< rank (chord, mail, callback) or root index
    std::uint32_t number = 0;  ///< 0 for the caller's first attempt at this link
    TimeNs now = 0;
};

/// One process of a rank.
struct RankPlan {
    RankId rank = 0;
    bool starts = true;
    TimeNs start_ns = 0;
    std::optional<Phase> dies_in;     ///< upon entering this phase
    bool dies_before_acting = false;  ///< ... and none of the actions of that step happen
    Death death = Death::fin;
    std::optional<Phase> aborts_in;  ///< the program calls abort upon entering this phase; created: before the start
    std::optional<Phase> closes_in;  ///< the program calls close upon entering this phase
    std::optional<std::uint32_t> nranks_told;
    std::optional<std::uint32_t> roots_digest;
    std::optional<Policies> policies;
    std::uint8_t version = kWireVersion;
    std::uint64_t host_id = 1;
    std::optional<std::uint64_t> device_id;  ///< otherwise a device of its own
    std::uint64_t incarnation = 0;           ///< 0: drawn
    Failure listen_failure = Failure::none;
    std::vector<Operation> program;  ///< run one after the other as soon as the rank is ready
    bool closes = false;             ///< after the program
};

struct RootPlan {
    bool starts = true;
    TimeNs start_ns = 0;
    std::uint32_t dies_after_check_ins = 0xffff'ffffU;
    std::optional<RootPhase> dies_in;
    std::optional<RootPhase> aborts_in;
    Failure listen_failure = Failure::none;
    Death death = Death::fin;
    std::uint32_t expected_nranks = 0;
    std::uint32_t pending_limit = 64;
    TimeNs budget_ns = kNever;
};

/// Somebody who has no business here, at a listener of a rank or a root.
enum class StrangerKind : std::uint8_t {
    silent,         ///< connects and says nothing
    closes,         ///< connects and leaves
    resets,         ///< connects and resets
    garbage,        ///< bytes that are no frame
    other_session,  ///< a hello of another job
    no_proof,       ///< a fitting hello, and then nothing
    bad_proof,      ///< a fitting hello, and a proof made without the secret
    no_hello,       ///< a frame that only members may send, as the first word
};
inline constexpr std::uint32_t kStrangerKinds = 8;
struct StrangerPlan {
    bool at_root = false;
    std::uint32_t at = 0;  ///< rank or root index
    Listener listener = Listener::ring;
    StrangerKind kind = StrangerKind::silent;
    std::uint64_t at_event = 0;  ///< comes when the world has seen so many events (and the listener is bound)
};

/// Which phases followed which event in which phase, over any number of worlds.
struct Coverage {
    std::uint32_t rank[kPhaseCount][kEventKindCount] = {};
    std::uint32_t root[kRootPhaseCount][kEventKindCount] = {};
    std::uint32_t most_actions = 0;
    std::uint32_t codes = 0;  ///< bit per Code that ended a rank
};

struct WorldPlan {
    std::uint32_t nranks = 1;
    std::uint32_t nroots = 1;
    Policies policies;  ///< not resolved: the world resolves them
    std::uint64_t seed = 1;
    TimeNs budget_ns = 30 * kSecondNs;
    std::vector<RankPlan> ranks;   ///< only those with a plan of their own; the others are healthy
    std::vector<RankPlan> extras;  ///< further processes that claim a rank
    std::vector<RootPlan> roots;   ///< missing ones are healthy
    std::vector<StrangerPlan> strangers;
    std::vector<Operation> program;                  ///< of every rank that has no plan
    bool closes = false;                             ///< every rank that has no plan closes after its program
    std::uint64_t window_bytes = ~std::uint64_t{0};  ///< what one direction of a connection holds unread
    std::uint32_t backlog = ~0U;                     ///< connections that a listener's queue holds
    std::uint32_t hurry_per_mille = 0;   ///< chance per event that time runs to the next timer although work waits
    std::uint32_t scarce_per_mille = 0;  ///< chance per accept that it has failed for long, and fails once more
    std::uint64_t event_limit = 0;       ///< watchdog; 0: a bound computed from the size
    bool root_promised = true;
    bool twins = false;            ///< each step is also taken by a copy of the machine, and must come out the same
    Coverage* coverage = nullptr;  ///< where to note which transitions happened
    bool echo = false;             ///< prints every event and action to standard error
    std::function<TimeNs(Frame const&)> latency_ns;  ///< how long a frame travels; empty: no time at all
    std::function<Fate(Call const&)> fate;           ///< empty: every call is connected

    RankPlan& rank(RankId r) {
        for (RankPlan& plan : ranks) {
            if (plan.rank == r)
                return plan;
        }
        RankPlan plan;
        plan.rank = r;
        plan.program = program;
        plan.closes = closes;
        ranks.push_back(plan);
        return ranks.back();
    }
    RootPlan& root(std::uint32_t index) {
        if (roots.size() <= index)
            roots.resize(index + 1U);
        return roots[index];
    }
};

}  // namespace ronde::protocol::tiny
