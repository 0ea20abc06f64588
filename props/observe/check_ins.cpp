#include "observe/check_ins.hpp"

#include "observe/welcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace ronde::props {
namespace {

using protocol::ActionKind;
using protocol::EventKind;
using protocol::LinkClass;
using protocol::Phase;
using Kind = sim::ProcessFacts::Kind;

bool at_a_door(protocol::Event const& event) { return event.link.link_class() == LinkClass::pending; }

}  // namespace

// --- S3 -------------------------------------------------------------------------------------------------------------

bool OneRing::begin(Scene const& scene, Premise const&) {
    ready_.assign(scene.plan().nranks, kNoProcess);
    return scene.plan().nranks > 1;
}

void OneRing::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (!step.enters(Phase::ready))
        return;
    ready_[scene.rank_of(step.process())] = step.process();
    look_at_hands(step.process(), false, scene, findings);
}

/// `settled`: both ends have had the time to name the connection.
void OneRing::look_at_hands(ProcessId process, bool settled, Scene const& scene, Findings& findings) const {
    std::uint32_t const nranks = scene.plan().nranks;
    RankId const rank = scene.rank_of(process);
    struct Hand {
        protocol::Link mine;
        protocol::Link theirs;
        RankId neighbour;
    };
    Hand const hands[] = {{protocol::chord_out(0), protocol::chord_in(0), protocol::successor_of(rank, nranks)},
                          {protocol::chord_in(0), protocol::chord_out(0), protocol::predecessor_of(rank, nranks)}};
    for (Hand const& hand : hands) {
        sim::OtherEnd const other = scene.other_end(process, hand.mine);
        if (other.process == kNoProcess)
            continue;  // let go meanwhile: somebody else's end, not a knot
        sim::ProcessFacts const facts = scene.facts(other.process);
        bool const neighbour = facts.kind == Kind::rank && facts.rank == hand.neighbour && !facts.outsider;
        bool const named = other.link == hand.theirs || !settled;
        if (neighbour && named)
            continue;
        std::string const found = facts.kind != Kind::rank ? "a stranger"
                                  : facts.outsider         ? fmt::format("rank {} of another job", facts.rank)
                                  : !neighbour             ? fmt::format("rank {}", facts.rank)
                                                           : "a connection that its neighbour knows by another name";
        findings.add(id(), {rank, hand.neighbour},
                     fmt::format("rank {} is ready and holds {} where rank {} should be", rank, found, hand.neighbour));
    }
}

void OneRing::at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) {
    if (!outcome.all_ready())
        return;
    for (RankId rank = 0; rank < outcome.nranks; ++rank) {
        ProcessId const process = ready_[rank];
        ProcessId const successor = ready_[protocol::successor_of(rank, outcome.nranks)];
        if (scene.facts(process).over || scene.facts(successor).over)
            continue;
        look_at_hands(process, true, scene, findings);
        if (scene.other_end(process, protocol::chord_out(0)).process == kNoProcess)
            findings.add(id(), {rank}, fmt::format("everyone is ready, and rank {} does not hold its successor", rank));
    }
}

// --- S4 -------------------------------------------------------------------------------------------------------------

bool CountedOnce::begin(Scene const& scene, Premise const&) {
    protocol::Partition const partition{scene.plan().nranks, scene.plan().nroots};
    if (books_.size() < scene.plan().nroots)
        books_.resize(scene.plan().nroots);
    for (std::uint32_t index = 0; index < scene.plan().nroots; ++index) {
        Book& book = books_[index];
        book.present.assign(partition.expected_check_ins(index), kNoProcess);
        book.count = book.done = 0;
    }
    return true;
}

void CountedOnce::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (step.is_rank())
        return;
    std::uint32_t const index = step.process() - scene.plan().nranks;
    Book& book = books_[index];
    protocol::Root const& root = *step.seen->root;
    if (Welcome const welcome = welcome_in(step, scene); welcome.process != kNoProcess) {
        RankId const claimed = scene.rank_of(welcome.process);
        if (claimed != welcome.rank || welcome.local_id >= root.expected())
            findings.add(id(), {welcome.rank},
                         fmt::format("root {} has entered rank {} as rank {}, number {} of {}", index, claimed,
                                     welcome.rank, welcome.local_id, root.expected()));
        if (welcome.local_id >= book.present.size())
            book.present.resize(welcome.local_id + std::size_t{1}, kNoProcess);
        ProcessId& known = book.present[welcome.local_id];
        if (known == kNoProcess) {
            known = welcome.process;
            ++book.count;
        } else if (known != welcome.process) {
            findings.add(
                id(), {welcome.rank},
                fmt::format("a second process has taken the place of rank {} at root {}", welcome.rank, index));
        }
    }
    if (root.checked_in() != book.count) {
        findings.add(id(), {},
                     fmt::format("root {} counts {} check-ins, and {} ranks have checked in", index, root.checked_in(),
                                 book.count));
    }
    if (root.done() < book.done || root.done() > root.expected())
        findings.add(id(), {},
                     fmt::format("root {} counts {} of {} ranks as done, and {} before", index, root.done(),
                                 root.expected(), book.done));
    book.done = root.done();
}

// --- S5 -------------------------------------------------------------------------------------------------------------

bool StrangersChangeNothing::begin(Scene const& scene, Premise const&) {
    doors_.clear();
    ranks_.clear();
    roots_.assign(scene.plan().nroots, RootBefore{});
    auto const& faults = scene.plan().faults;
    return std::any_of(faults.begin(), faults.end(), [](sim::Fault const& fault) {
        return fault.kind == sim::FaultKind::stranger || fault.kind == sim::FaultKind::stale_id;
    });
}

/// Who stands at the door that this event is about.
ProcessId StrangersChangeNothing::behind(Step const& step, Scene const& scene) {
    protocol::Event const& event = step.event();
    if (!at_a_door(event))
        return kNoProcess;
    std::uint64_t const key = std::uint64_t{step.process()} << 32U | event.link.index();
    if (event.kind == EventKind::accepted) {
        doors_[key] = scene.other_end(step.process(), event.link).process;
        return doors_[key];
    }
    auto const found = doors_.find(key);
    return found == doors_.end() ? kNoProcess : found->second;
}

bool StrangersChangeNothing::has_changed(Step const& step) const {
    if (!step.is_rank()) {
        protocol::Root const& root = *step.seen->root;
        RootBefore const now{root.nranks(), root.expected(),        root.checked_in(),
                             root.done(),   step.seen->phase_after, root.verdict().error.code};
        return now != roots_[step.process() - static_cast<std::uint32_t>(ranks_.size())];
    }
    protocol::RankState before = ranks_[step.process()];
    protocol::RankState const& now = step.seen->rank->state();
    before.doors = now.doors;
    before.door_due_ns = now.door_due_ns;
    before.callback_doors = now.callback_doors;
    before.strangers = now.strangers;
    before.accepted = now.accepted;
    constexpr auto contested = static_cast<std::uint16_t>(protocol::RankState::kContested);
    before.flags = static_cast<std::uint16_t>((before.flags & ~contested) | (now.flags & contested));
    return std::memcmp(&before, &now, sizeof now) != 0;
}

void StrangersChangeNothing::remember(Step const& step) {
    if (step.is_rank()) {
        ranks_[step.process()] = step.seen->rank->state();
        return;
    }
    protocol::Root const& root = *step.seen->root;
    roots_[step.process() - static_cast<std::uint32_t>(ranks_.size())] = {
        root.nranks(), root.expected(),        root.checked_in(),
        root.done(),   step.seen->phase_after, root.verdict().error.code};
}

void StrangersChangeNothing::on_step(Step const& step, Scene const& scene, Findings& findings) {
    std::uint32_t const members = scene.plan().nranks + scene.plan().nroots;
    if (ranks_.empty())
        ranks_.resize(scene.plan().nranks);
    if (step.process() >= members)
        return;  // a second process of some rank has no doors that anybody needs
    ProcessId const outsider = behind(step, scene);
    if (outsider != kNoProcess && scene.facts(outsider).outsider) {
        RankId const rank = step.is_rank() ? step.process() : kNoRank;
        auto const whose = [&] { return step.is_rank() ? fmt::format("rank {}", rank) : std::string("a root"); };
        if (has_changed(step))
            findings.add(id(), step.is_rank() ? std::vector<RankId>{rank} : std::vector<RankId>{},
                         fmt::format("{} is not the same after {} of an outsider", whose(),
                                     step.event().kind == EventKind::frame ? protocol::name_of(step.event().frame.kind)
                                                                           : protocol::name_of(step.event().kind)));
        for (protocol::Action const& action : step.actions) {
            bool const word = (action.kind == ActionKind::send || action.kind == ActionKind::close) &&
                              action.link == step.event().link;
            if (!word && action.kind != ActionKind::accept)
                findings.add(id(), step.is_rank() ? std::vector<RankId>{rank} : std::vector<RankId>{},
                             fmt::format("an outsider has made {} {}", whose(), protocol::name_of(action.kind)));
        }
    }
    remember(step);
}

// --- S6 -------------------------------------------------------------------------------------------------------------

bool BoundsHold::begin(Scene const& scene, Premise const&) {
    nranks_ = scene.plan().nranks;
    nroots_ = scene.plan().nroots;
    root_doors_ = scene.plan().root_pending_limit;
    words_.assign(first_door(nranks_ + nroots_), kShut);
    open_.assign(nranks_ + nroots_, 0);
    return true;
}

std::size_t BoundsHold::first_door(ProcessId process) const {
    std::size_t const ranks = std::min(process, nranks_);
    return ranks * protocol::RankState::kDoors +
           std::size_t{process - std::min(process, nranks_)} * protocol::kMaxRootDoors;
}

std::vector<RankId> BoundsHold::whose(Step const& step) const {
    return step.is_rank() ? std::vector<RankId>{step.process()} : std::vector<RankId>{};
}

void BoundsHold::on_step(Step const& step, Scene const&, Findings& findings) {
    // A root tells each of its ranks something and closes: two actions, and room for a third. A rank has two roots and
    // two ends of each chord to say farewell to.
    if (step.pieces > 1 || step.most_actions > protocol::kMaxActions) {
        std::uint32_t const told = step.is_rank() ? 2U + 2U * protocol::kMaxChords : 2U * step.seen->root->expected();
        std::uint32_t const most_pieces = 3U + told / (protocol::kMaxActions - 3U);
        if (step.most_actions > protocol::kMaxActions || step.pieces > most_pieces)
            findings.add(id(), whose(step),
                         fmt::format("a step has answered with {} pieces, and {} actions in one of them; at most {} "
                                     "and {} may be",
                                     step.pieces, step.most_actions, most_pieces, protocol::kMaxActions));
    }
    if (step.process() >= nranks_ + nroots_)
        return;  // a second process of some rank
    if (at_a_door(step.event()))
        look_at_door(step, findings);
    for (protocol::Action const& action : step.actions) {
        bool const shuts = (action.kind == ActionKind::admit || action.kind == ActionKind::close) &&
                           action.link.link_class() == LinkClass::pending;
        if (!shuts)
            continue;
        std::size_t const door = first_door(step.process()) + action.link.index();
        if (words_[door] == kShut)
            continue;
        words_[door] = kShut;
        --open_[step.process()];
    }
}

void BoundsHold::look_at_door(Step const& step, Findings& findings) {
    std::uint8_t& words = words_[first_door(step.process()) + step.event().link.index()];
    std::uint16_t& open = open_[step.process()];
    switch (step.event().kind) {
    case EventKind::accepted:
        open = static_cast<std::uint16_t>(open + (words == kShut ? 1U : 0U));
        words = 0;
        break;
    case EventKind::frame: words = static_cast<std::uint8_t>(std::min<std::uint32_t>(words + 1U, kShut - 1U)); break;
    case EventKind::closed:
        open = static_cast<std::uint16_t>(open - (words == kShut ? 0U : 1U));
        words = kShut;
        return;
    default: return;
    }
    std::uint32_t const most_open = step.is_rank() ? protocol::RankState::kDoors : root_doors_;
    if (open > most_open)
        findings.add(id(), whose(step),
                     fmt::format("{} connections stand at the doors, at most {} may", open, most_open));
    std::uint32_t const most_words = step.is_rank() ? 2 : 3;  // hello, proof, and at a root check_in
    if (words > most_words)
        findings.add(id(), whose(step),
                     fmt::format("{} frames were read from one who has proven nothing, at most {} "
                                 "may be",
                                 words, most_words));
}

void BoundsHold::at_end(sim::Outcome const&, Scene const& scene, Findings& findings) {
    protocol::Partition const partition{scene.plan().nranks, scene.plan().nroots};
    for (std::uint32_t index = 0; index < scene.plan().nroots; ++index) {
        std::uint32_t const records = scene.holdings(scene.plan().nranks + index).records;
        if (records > partition.expected_check_ins(index))
            findings.add(id(), {},
                         fmt::format("root {} has taken memory for {} check-ins, {} were to come", index, records,
                                     partition.expected_check_ins(index)));
    }
}

// --- S7 -------------------------------------------------------------------------------------------------------------

bool EverythingReleased::begin(Scene const&, Premise const&) { return true; }

void EverythingReleased::at_end(sim::Outcome const&, Scene const& scene, Findings& findings) {
    if (!scene.at_rest())
        return;
    ports_.assign(scene.hosts(), 0);
    for (ProcessId process = 0; process < scene.processes(); ++process) {
        sim::ProcessFacts const facts = scene.facts(process);
        sim::Holdings const holds = scene.holdings(process);
        ports_[facts.host] += holds.calls;
        if (facts.kind != Kind::stranger && (facts.started || facts.dead))
            look_at(process, facts, holds, scene, findings);
    }
    for (std::uint32_t host = 0; host < scene.hosts(); ++host) {
        if (scene.ports_in_use(host) != ports_[host])
            findings.add(id(), {},
                         fmt::format("host {} has {} ports in use for {} connections", host, scene.ports_in_use(host),
                                     ports_[host]));
    }
}

void EverythingReleased::look_at(ProcessId process, sim::ProcessFacts const& facts, sim::Holdings const& holds,
                                 Scene const& scene, Findings& findings) const {
    auto const whose = [&] {
        return facts.kind == Kind::root
                   ? fmt::format("root {}", process - scene.plan().nranks)
                   : fmt::format("rank {}{}", facts.rank, process < scene.plan().nranks ? "" : " (again)");
    };
    auto const ranks = [&] { return facts.kind == Kind::root ? std::vector<RankId>{} : std::vector{facts.rank}; };
    if (holds.descriptors != holds.connections + holds.listeners)
        findings.add(id(), ranks(),
                     fmt::format("{} holds {} descriptors for {} connections and {} listeners", whose(),
                                 holds.descriptors, holds.connections, holds.listeners));
    bool const ended = facts.dead || facts.over;
    std::uint32_t listeners = 0;
    std::uint32_t connections = 0;
    if (!facts.dead && facts.kind == Kind::root)
        listeners = 1;  // late comers are told how the round ended
    if (!ended && facts.kind == Kind::rank) {
        protocol::RankState const& state = scene.state(process);
        if (state.phase != Phase::ready || facts.busy)
            return;  // not over: L2 has a word on that
        listeners = 1;
        connections = static_cast<std::uint32_t>(std::popcount(state.out_open) + std::popcount(state.in_open));
    }
    if (!ended && facts.kind == Kind::root)
        return;
    bool const late = holds.deadline_ns != kNever && !facts.dead;
    if (holds.connections != connections || holds.listeners > listeners || holds.at_the_doors > 0 || late)
        findings.add(id(), ranks(),
                     fmt::format("{} is {} and holds {} connections instead of {}, {} listeners{}{}", whose(),
                                 facts.dead   ? "dead"
                                 : facts.over ? "over"
                                              : "ready",
                                 holds.connections, connections, holds.listeners,
                                 holds.at_the_doors > 0 ? ", somebody at the doors" : "", late ? ", and a timer" : ""));
}

}  // namespace ronde::props
