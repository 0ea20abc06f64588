#include "pretended_stories.hpp"

#include "world/world.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace ronde::conformance::pretended {
namespace {

using namespace sim;
using protocol::Event;
using protocol::EventKind;
using protocol::Failure;

constexpr TimeNs kLatencyNs = 20 * kMicrosecondNs;
constexpr TimeNs kApartNs = kMicrosecondNs / 2;
/// When the second crowd comes, where there are two.
constexpr TimeNs kLaterNs = kMillisecondNs;
constexpr TimeNs kWordStepNs = 200 * kMillisecondNs;
constexpr std::uint32_t kBacklog = 8;

/// `count` callers, each on a host of its own, and a root with a small queue. Callers say their first word (a frame of
/// 64 bytes: a hello) as soon as they believe to be connected, and are patient.
WorldPlan plan_of(std::uint32_t count) {
    WorldPlan plan;
    plan.nranks = count;
    plan.policies = protocol::policies_of(protocol::Profile::ronde);
    plan.policies.answer_patience_ms = 600'000;
    plan.policies.stagger = protocol::Stagger::none;
    plan.budget_ns = 600 * kSecondNs;
    plan.ranks_per_host = {1};
    // Not quite at once, so that an owner who is back can look after each; but all SYNs arrive before the first ACK
    // does.
    plan.arrival.wave_hosts = 1;
    plan.arrival.wave_every_ns = kApartNs;
    plan.network.same_rack = plan.network.cross_rack = Distribution::constant(kLatencyNs);
    plan.root_host.somaxconn = kBacklog;
    return plan;
}

Fault on_root(FaultKind kind, TimeNs at_ns, TimeNs duration_ns) {
    Fault fault;
    fault.kind = kind;
    fault.target = Target::root;
    fault.when.at_ns = at_ns;
    fault.duration_ns = duration_ns;
    return fault;
}

Fault on_ranks(FaultKind kind, std::uint32_t first, std::uint32_t count, TimeNs at_ns, TimeNs duration_ns) {
    Fault fault;
    fault.kind = kind;
    fault.ranks = {{first, count}};
    fault.when.at_ns = at_ns;
    fault.duration_ns = duration_ns;
    return fault;
}

/// The owner does not look before `until_ns`. It has had time to bind its port.
void keep_busy(WorldPlan& plan, TimeNs until_ns) { plan.faults.push_back(on_root(FaultKind::pause, 1, until_ns - 1)); }

/// `early` callers, and `late` ones all at once when the early ones are in the queue.
WorldPlan crowd(std::uint32_t early, std::uint32_t late) {
    WorldPlan plan = plan_of(early + late);
    plan.faults.push_back(on_ranks(FaultKind::late, early, late, 0, kLaterNs));
    return plan;
}

/// What the root and the callers were told.
struct Heard final : Observer {
    std::uint32_t nranks = 0;
    std::map<ProcessId, TimeNs> first_word_ns;    ///< at the root, by who said it
    std::map<ProcessId, TimeNs> first_answer_ns;  ///< at a caller
    std::map<ProcessId, TimeNs> connected_ns;     ///< at a caller
    std::map<ProcessId, TimeNs> reset_ns;         ///< at a caller, the first time
    std::uint32_t timed_out = 0;                  ///< calls
    std::uint32_t accepted = 0;
    TimeNs last_accepted_ns = 0;
    std::vector<Failure> ends_at_root;

    void on_step(StepSeen const& seen) override {
        Event const& event = *seen.event;
        bool const caller = seen.process < nranks;
        switch (event.kind) {
        case EventKind::accepted:
            if (!caller) {
                ++accepted;
                last_accepted_ns = seen.now_ns;
            }
            break;
        case EventKind::frame:
            (caller ? first_answer_ns : first_word_ns).emplace(caller ? seen.process : seen.from, seen.now_ns);
            break;
        case EventKind::connected:
            if (caller)
                connected_ns.emplace(seen.process, seen.now_ns);
            break;
        case EventKind::connect_failed: timed_out += event.failure == Failure::timed_out ? 1U : 0U; break;
        case EventKind::closed:
            if (!caller)
                ends_at_root.push_back(event.failure);
            else if (event.failure == Failure::reset)
                reset_ns.emplace(seen.process, seen.now_ns);
            break;
        default: break;
        }
    }
};

struct Played {
    Heard heard;
    Storm storm;
};

/// Plays until `until_ns`.
Played play(WorldPlan plan, TimeNs until_ns) {
    plan.simulated_limit_ns = until_ns;
    if (std::string const why = contradiction_in(plan); !why.empty())
        throw std::runtime_error(why);
    Played played;
    played.heard.nranks = plan.nranks;
    World world(std::move(plan));
    world.watch(played.heard);
    played.storm = world.run().storm;
    return played;
}

std::uint64_t rounded(TimeNs time_ns, TimeNs unit_ns) {
    return static_cast<std::uint64_t>((time_ns + unit_ns / 2) / unit_ns);
}

TimeNs last_of(std::map<ProcessId, TimeNs> const& times) {
    TimeNs last_ns = 0;
    for (auto const& [process, at_ns] : times)
        last_ns = std::max(last_ns, at_ns);
    return last_ns;
}

char const* how(std::vector<Failure> const& ends) {
    if (ends.empty())
        return "connected";
    return ends.front() == Failure::reset           ? "reset"
           : ends.front() == Failure::end_of_stream ? "end of stream"
                                                    : "another error";
}

}  // namespace

Facts callers_one_after_another() {
    WorldPlan plan = plan_of(12);
    plan.arrival.wave_every_ns = kMillisecondNs;
    keep_busy(plan, kSecondNs);
    Storm const storm = play(plan, 100 * kMillisecondNs).storm;
    return Facts()
        .add("connected", storm.connects_after_retries[0])
        .add("in the queue", storm.queue_high_water)
        .add("SYNs dropped", storm.syn_drops);
}

Facts all_at_once() {
    WorldPlan plan = plan_of(64);
    keep_busy(plan, 1'200 * kMillisecondNs);
    Played const busy = play(plan, 100 * kMillisecondNs);
    // The last word comes with the fourth repetition; by then nobody has anything else to say that could be lost.
    Played const played = play(plan, 1'700 * kMillisecondNs);
    return Facts()
        .add("connected without a second SYN", busy.storm.connects_after_retries[0])
        .add("in the queue", busy.storm.queue_high_water)
        .add("ghosts", busy.storm.ghosts)
        .add("SYN-ACKs sent again", played.storm.synack_retransmits)
        .add("heard", played.heard.first_word_ns.size())
        .add("words sent again", played.storm.data_retransmits)
        .add("last word heard after, in 200 ms", rounded(last_of(played.heard.first_word_ns), kWordStepNs))
        .add("resets", played.storm.resets);
}

Facts last_ack_meets_a_full_queue() {
    WorldPlan plan = crowd(5, 8);
    keep_busy(plan, 1'100 * kMillisecondNs);
    Played const played = play(plan, 2 * kSecondNs);
    return Facts()
        .add("ghosts", played.storm.ghosts)
        .add("SYN-ACKs sent again", played.storm.synack_retransmits)
        .add("heard", played.heard.first_word_ns.size())
        .add("last word heard after, in 200 ms", rounded(last_of(played.heard.first_word_ns) - kLaterNs, kWordStepNs))
        .add("resets", played.storm.resets);
}

Facts abort_on_overflow() {
    WorldPlan plan = crowd(5, 8);
    plan.root_host.abort_on_overflow = true;
    keep_busy(plan, kSecondNs);
    Played const played = play(plan, kLaterNs + 4 * kLatencyNs);
    return Facts()
        .add("in the queue", played.storm.queue_high_water)
        .add("reset", played.storm.overflow_resets)
        .add("ghosts", played.storm.ghosts);
}

Facts abort_on_overflow_with_cookies() {
    WorldPlan plan = plan_of(64);
    plan.root_host.abort_on_overflow = true;
    keep_busy(plan, kSecondNs);
    Played const played = play(plan, plan.nranks * kApartNs + 4 * kLatencyNs);
    return Facts()
        .add("in the queue", played.storm.queue_high_water)
        .add("reset", played.storm.overflow_resets)
        .add("ghosts", played.storm.ghosts);
}

namespace {

Facts call_during(FaultKind kind, TimeNs duration_ns, TimeNs until_ns) {
    WorldPlan plan = plan_of(1);
    plan.policies = protocol::policies_of(protocol::Profile::article);  // a caller waits as long as its kernel does
    plan.faults.push_back(on_root(kind, 0, duration_ns));
    Played const played = play(plan, until_ns);
    return Facts()
        .add("SYNs sent again", played.storm.syn_retransmits)
        .add("after, in s", rounded(last_of(played.heard.connected_ns), kSecondNs));
}

}  // namespace

Facts call_is_lost() { return call_during(FaultKind::hang, 500 * kMillisecondNs, 1'500 * kMillisecondNs); }

Facts answer_is_lost() { return call_during(FaultKind::one_way, 500 * kMillisecondNs, 1'500 * kMillisecondNs); }

Facts word_is_lost() {
    // The root's first answer leaves when the connection stands: at three latencies.
    WorldPlan plan = plan_of(1);
    plan.faults.push_back(on_root(FaultKind::one_way, 2 * kLatencyNs + kLatencyNs / 2, 500 * kMillisecondNs));
    Played const played = play(plan, 900 * kMillisecondNs);
    return Facts()
        .add("words sent again", played.storm.data_retransmits)
        .add("heard after, in 200 ms", rounded(last_of(played.heard.first_answer_ns), kWordStepNs));
}

Facts nobody_listens() {
    WorldPlan plan = plan_of(4);
    plan.faults.push_back(on_root(FaultKind::never, 0, kNever));
    Storm const storm = play(plan, 3 * kLatencyNs).storm;
    return Facts().add("refused", storm.refused).add("SYNs sent again", storm.syn_retransmits);
}

Facts word_before_accept() {
    WorldPlan plan = plan_of(1);
    keep_busy(plan, 100 * kMillisecondNs);
    Heard const heard = play(plan, 150 * kMillisecondNs).heard;
    std::uint64_t at_once = 0;
    for (auto const& [process, at_ns] : heard.first_word_ns)
        at_once += at_ns == heard.last_accepted_ns ? 1U : 0U;
    return Facts().add("heard when accepted", at_once);
}

Facts listener_closes() {
    WorldPlan plan = crowd(5, 8);
    keep_busy(plan, kSecondNs);
    constexpr TimeNs closes_ns = 10 * kMillisecondNs;
    plan.faults.push_back(on_root(FaultKind::crash, closes_ns, kNever));
    Heard const heard = play(plan, kSecondNs).heard;
    std::uint64_t at_once = 0;
    for (auto const& [process, at_ns] : heard.reset_ns)
        at_once += at_ns < closes_ns + 2 * kLatencyNs ? 1U : 0U;
    return Facts().add("reset at once", at_once).add("reset when a word is repeated", heard.reset_ns.size() - at_once);
}

namespace {

Facts caller_dies_in_the_queue(Death death) {
    WorldPlan plan = plan_of(1);
    keep_busy(plan, 100 * kMillisecondNs);
    Fault crash = on_ranks(FaultKind::crash, 0, 1, 50 * kMillisecondNs, kNever);
    crash.death = death;
    plan.faults.push_back(crash);
    Heard const heard = play(plan, 150 * kMillisecondNs).heard;
    return Facts()
        .add("accepted", heard.accepted)
        .add("its word", heard.first_word_ns.empty() ? "lost" : "heard")
        .add("then", how(heard.ends_at_root));
}

}  // namespace

Facts caller_closes_in_the_queue() { return caller_dies_in_the_queue(Death::fin); }

Facts caller_resets_in_the_queue() { return caller_dies_in_the_queue(Death::reset); }

namespace {

/// No member at all: `early` strangers, and `late` more all at once when those are in the queue.
WorldPlan strangers(StrangerKind kind, std::uint32_t early, std::uint32_t late) {
    WorldPlan plan = plan_of(1);
    plan.faults.push_back(on_ranks(FaultKind::never, 0, 1, 0, kNever));
    Fault visit = on_root(FaultKind::stranger, 2, kNever);
    visit.stranger = kind;
    visit.every = Distribution::constant(kApartNs);
    visit.times = early;
    plan.faults.push_back(visit);
    visit.when.at_ns = kLaterNs;
    visit.times = late;
    plan.faults.push_back(visit);
    return plan;
}

}  // namespace

Facts ghosts_close() {
    WorldPlan plan = strangers(StrangerKind::closes, 5, 8);
    keep_busy(plan, 100 * kMillisecondNs);
    Heard const heard = play(plan, 5 * kSecondNs).heard;
    auto const ended = std::count(heard.ends_at_root.begin(), heard.ends_at_root.end(), Failure::end_of_stream);
    return Facts()
        .add("accepted", heard.accepted)
        .add("at the end of their stream", static_cast<std::uint64_t>(ended))
        .add("last one accepted after, in 200 ms", rounded(heard.last_accepted_ns - kLaterNs, kWordStepNs));
}

Facts half_close() {
    WorldPlan plan = strangers(StrangerKind::half_closes, 1, 0);
    plan.faults.pop_back();
    Played const played = play(plan, 100 * kMillisecondNs);
    return Facts()
        .add("its word", played.heard.first_word_ns.empty() ? "lost" : "heard")
        .add("the listener's side", how(played.heard.ends_at_root))
        .add("an answer still comes back", played.storm.answers_to_strangers == 1 ? "yes" : "no")
        .add("resets", played.storm.resets);
}

Facts request_is_forgotten() {
    WorldPlan plan = crowd(5, 5);
    plan.root_host.synack_retries = 0;
    keep_busy(plan, 10 * kSecondNs);
    Played const played = play(plan, 1'650 * kMillisecondNs);
    return Facts()
        .add("SYN-ACKs sent again", played.storm.synack_retransmits)
        .add("reset", played.heard.reset_ns.size())
        .add("words of the ghost", played.storm.data_retransmits + 1);
}

Facts calls_are_interrupted() {
    WorldPlan plan = plan_of(1);
    plan.faults = {on_root(FaultKind::interrupted, 0, kNever), on_ranks(FaultKind::interrupted, 0, 1, 0, kNever)};
    for (Fault& fault : plan.faults)
        fault.amount = 4;
    Played const played = play(plan, kSecondNs);
    return Facts()
        .add("calls were interrupted", played.storm.interrupted_calls > 0 ? "yes" : "no")
        .add("accepted", played.heard.accepted)
        .add("its word", played.heard.first_word_ns.empty() ? "lost" : "heard");
}

Facts word_in_pieces() {
    constexpr TimeNs kPieceNs = 10 * kMicrosecondNs;
    WorldPlan plan = plan_of(1);
    plan.faults = {on_ranks(FaultKind::trickle, 0, 1, 0, kPieceNs)};
    plan.faults.front().amount = 1;
    Heard const heard = play(plan, 100 * kMillisecondNs).heard;
    std::uint64_t early = 0;
    for (auto const& [process, at_ns] : heard.first_word_ns)
        early += at_ns < heard.connected_ns.at(process) + (protocol::kHelloBytes - 1) * kPieceNs ? 1U : 0U;
    return Facts().add("heard whole", heard.first_word_ns.size()).add("heard before the last piece", early);
}

// --- the long ones --------------------------------------------------------------------------------------------------

Facts three_calls_are_lost() {
    Facts const facts = call_during(FaultKind::hang, 5 * kSecondNs, 8 * kSecondNs);
    return Facts().add("connected after, in s", std::string(facts.value_of("after, in s")));
}

Facts calls_are_lost_for_a_while() {
    Facts const facts = call_during(FaultKind::hang, 10 * kSecondNs, 16 * kSecondNs);
    return Facts().add("connected after, in s", std::string(facts.value_of("after, in s")));
}

Facts nobody_answers() {
    WorldPlan plan = plan_of(4);
    plan.host.syn_retries = 1;
    plan.faults.push_back(on_root(FaultKind::hang, 0, 100 * kSecondNs));
    Played const played = play(plan, 3'010 * kMillisecondNs);
    return Facts().add("timed out", played.heard.timed_out).add("SYNs sent again", played.storm.syn_retransmits);
}

Facts old_requests_make_room() {
    // Members would lose their patience before; a stranger says something and waits.
    WorldPlan plan = strangers(StrangerKind::garbage, kBacklog, kBacklog + 1);
    keep_busy(plan, 100 * kSecondNs);
    Storm const storm = play(plan, 13 * kSecondNs).storm;
    return Facts()
        .add("ghosts", storm.ghosts)
        .add("SYN-ACKs sent again", storm.synack_retransmits)
        .add("reset with the seventh repetition of their word", storm.resets);
}

Facts busy_neighbour() {
    constexpr TimeNs latency_ns = 2 * kMicrosecondNs;
    WorldPlan plan = plan_of(256);
    plan.policies = protocol::policies_of(protocol::Profile::article);
    plan.network.same_rack = plan.network.cross_rack = Distribution::constant(latency_ns);
    plan.arrival.wave_every_ns = 4 * latency_ns;
    plan.root_host.accept_service_ns = 20 * kMicrosecondNs;
    keep_busy(plan, 2 * kSecondNs);
    Played const first = play(plan, 100 * kMillisecondNs);
    Played const played = play(plan, 10 * kSecondNs);
    std::vector<TimeNs> connected_ns;
    for (auto const& [process, at_ns] : played.heard.connected_ns)
        connected_ns.push_back(at_ns);
    std::sort(connected_ns.begin(), connected_ns.end());
    auto const seconds_until = [&](std::size_t per_mille) {
        return rounded(connected_ns.at((connected_ns.size() - 1) * per_mille / 1'000), kSecondNs);
    };
    return Facts()
        .add("connected at once", first.storm.connects_after_retries[0])
        .add("connected in the end", connected_ns.size())
        .add("half connected after, in s", seconds_until(500))
        .add("nine of ten connected after, in s", seconds_until(900))
        .add("all connected after, in s", seconds_until(1'000))
        .add("heard within 10 s", played.heard.first_word_ns.size())
        .add("resets", played.heard.reset_ns.size());
}

}  // namespace ronde::conformance::pretended
