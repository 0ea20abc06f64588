/// What happened, in the shape that all pictures are drawn from.
///
/// A pretended world, a trace, the flight recordings of a real run and a counterexample all become a chronicle
/// (chronicle/sources.hpp); every picture reads one and nothing else. So one picture is drawn from any of them, and a
/// new picture need not know where its numbers come from.
///
/// Values only. Times are ns from the first step. Equal chronicles give equal bytes in every picture.
#pragma once

#include "protocol/error.hpp"
#include "protocol/frame.hpp"
#include "protocol/units.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

using protocol::kNever;
using protocol::kNoRank;
using protocol::RankId;
using protocol::TimeNs;

/// Ranks first, then roots, then those that faults have added: an index of Chronicle::processes.
using ProcessIndex = std::uint32_t;
inline constexpr ProcessIndex kNobody = 0xffff'ffffU;
inline constexpr std::uint32_t kNoCall = 0xffff'ffffU;

struct Process {
    enum class Kind : std::uint8_t { rank, root, extra };
    Kind kind = Kind::rank;
    RankId rank = kNoRank;   ///< whom it claims to be; roots and strangers: kNoRank
    std::uint32_t host = 0;  ///< numbers from 0, without gaps
    std::string name;        ///< "rank 3", "root 0", "extra 5"; empty where the picture would have no room (kMostNamed)
};

/// How a rank ended.
enum class RankEnd : std::uint8_t {
    ready,
    failed,
    hanging,
    dead,       ///< its process was ended
    not_there,  ///< never started
};

struct RankStory {
    /// When it entered a phase for the first time; kNever: it did not. By protocol::Phase.
    std::array<TimeNs, protocol::kPhaseCount> entered_ns{};
    TimeNs table_ns = kNever;  ///< when it had the full table
    RankEnd end = RankEnd::hanging;
    protocol::Phase last_phase = protocol::Phase::created;  ///< of a healthy life: where it stood when it failed
    TimeNs ended_ns = kNever;                               ///< failed or dead
    protocol::Error error;                                  ///< failed: why
    std::string message;                                    ///< failed: the same in words
    bool culprit = false;                                   ///< others blame it
    /// How much later each of its steps could have been without delaying the last table; 0: on the critical path.
    /// kNever: not known. Pretended worlds that end well and whose steps are kept know it, recordings do not.
    TimeNs slack_ns = kNever;
};

/// One step of a machine.
struct StepStory {
    TimeNs at_ns = 0;
    ProcessIndex process = 0;
    ProcessIndex from = kNobody;    ///< frame: who sent it
    std::uint8_t phase_before = 0;  ///< protocol::Phase, or RootPhase of a root
    std::uint8_t phase_after = 0;
    bool timer = false;     ///< a deadline was due
    bool critical = false;  ///< on the chain of steps that made the last table as late as it was
    std::string text;       ///< as in a trace: event, phases where they change, actions
};

/// One frame on its way. Those that never arrived end where they were last heard of.
struct MessageStory {
    ProcessIndex from = kNobody;
    ProcessIndex to = kNobody;  ///< kNobody: nobody was at the other end any more
    TimeNs sent_ns = 0;
    TimeNs received_ns = kNever;  ///< kNever: it did not arrive, or nobody looked
    protocol::FrameKind kind = protocol::FrameKind::hello;
    protocol::Link link;      ///< as the sender calls it
    std::uint64_t bytes = 0;  ///< frame header and payload
    std::uint32_t first = 0;  ///< slices: which entries
    std::uint32_t count = 0;
    std::uint32_t send_step = 0;     ///< index of Chronicle::steps
    std::uint32_t receive_step = 0;  ///< of the same; meaningless unless it arrived
    std::uint32_t call = kNoCall;    ///< index of Chronicle::calls: whose connection it travels on; kNoCall: not known
    bool critical = false;
    /// As it was sent. Where only kind, length and entries are known (header.payload_bytes + 32 is not `bytes`),
    /// pictures make one from these.
    protocol::Frame header;
};

/// One call of connect, from the call to the connection or its failure.
struct CallStory {
    ProcessIndex from = kNobody;
    ProcessIndex to = kNobody;
    TimeNs called_ns = 0;
    TimeNs stood_ns = kNever;  ///< for the caller; kNever: it never did
    TimeNs failed_ns = kNever;
    TimeNs accepted_ns = kNever;  ///< taken by the listener's process
    protocol::Link link;          ///< as the caller calls it
    protocol::Failure failure = protocol::Failure::none;
    std::uint32_t retransmissions = 0;  ///< of its SYN; 0 where nobody counted them
    /// Either end was closed, by its machine or because its process ended. kNever: open to the last step, or not known.
    TimeNs caller_closed_ns = kNever;
    TimeNs listener_closed_ns = kNever;
    bool reset = false;  ///< what ended it was an RST and not two FINs
};

struct FaultStory {
    TimeNs at_ns = 0;
    ProcessIndex process = kNobody;
    std::string text;  ///< "crash", "reset chord_out:0"
};

/// Something of a root's listener, at a time.
struct ListenerSample {
    TimeNs at_ns = 0;
    std::uint32_t queue_depth = 0;  ///< connections that wait to be accepted
    std::uint64_t accepts = 0;      ///< all below: counts from the beginning; this one of root 0
    std::uint64_t syn_drops = 0;    ///< this and the next three: at all listeners
    std::uint64_t ghosts = 0;
    std::uint64_t syn_retransmits = 0;
    std::uint64_t data_retransmits = 0;
    std::uint64_t checked_in = 0;  ///< at root 0
};

struct Chronicle {
    std::string title;     ///< "storm-98k, 98 304 ranks, ready"
    std::string subtitle;  ///< one line: profile, gather, what the verdict says
    std::string source;    ///< what it was made from, for the caption: "scenario storm-98k, seed 1"
    std::string rerun;     ///< the command that makes it again; empty: there is none
    std::string plan;      ///< the scenario as TOML; empty for real runs
    std::string profile;
    std::uint64_t seed = 0;
    std::uint32_t nranks = 0;
    std::uint32_t nroots = 0;
    std::uint32_t nhosts = 0;
    std::uint32_t hosts_per_rack = 0;  ///< 0: racks are not known
    bool ready = false;                ///< every rank is
    std::string verdict;               ///< one line: "ready", or what went wrong with whom
    TimeNs end_ns = 0;                 ///< the last step
    bool has_steps = false;            ///< steps, messages and calls were kept: see kMostDetailedRanks

    std::vector<Process> processes;      ///< at least nranks + nroots
    std::vector<RankStory> ranks;        ///< by rank
    std::vector<StepStory> steps;        ///< by time
    std::vector<MessageStory> messages;  ///< by sent_ns, then in the order of the steps
    std::vector<CallStory> calls;        ///< by called_ns
    std::vector<FaultStory> faults;
    std::vector<ListenerSample>
        listener;               ///< of root 0, by time: whenever counts (kMostSamples at most) or the depth change
    std::uint32_t backlog = 0;  ///< of root 0's listener; 0: not known
    /// A caller without an answer sends its SYN again after so long; then after twice as long, and so on.
    TimeNs first_retransmit_ns = protocol::kSecondNs;
    std::vector<std::uint64_t> calls_after_retries;  ///< connections that stood after 0, 1, 2 ... retransmitted SYNs
};

/// Steps, messages and calls are kept for up to so many ranks, and so many steps; phases and verdicts for any number.
inline constexpr std::uint32_t kMostDetailedRanks = 4096;
inline constexpr std::size_t kMostDetailedSteps = 1'000'000;
inline constexpr std::uint32_t kMostNamed = 4096;
inline constexpr std::size_t kMostSamples = 4096;

}  // namespace ronde::viz
