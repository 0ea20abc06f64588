#include "support/tiny_world.hpp"

#include "protocol/transitions.hpp"
#include "support/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kRestlessLimit = 64;

/// Generous: no healthy run of the tests needs a tenth of it.
std::uint64_t event_bound(WorldPlan const& plan) {
    std::uint64_t const n = plan.nranks + plan.extras.size();
    std::uint64_t operations = plan.program.size();
    for (RankPlan const& rank : plan.ranks)
        operations = std::max<std::uint64_t>(operations, rank.program.size());
    std::uint64_t const retries = plan.policies.retry == Retry::article ? 45'000 * n : 0;  // 20 000 of a connection
    return 20'000 + 400 * n + 24 * n * n * (1 + operations) + retries;
}

Event ask(EventKind kind) {
    Event event;
    event.kind = kind;
    return event;
}

TinyWorld const* last_world = nullptr;

}  // namespace

TinyWorld const* TinyWorld::last() noexcept { return last_world; }

TinyWorld::~TinyWorld() {
    if (last_world == this)
        last_world = nullptr;
}

TinyWorld::TinyWorld(WorldPlan plan) : plan_(std::move(plan)), random_(plan_.seed) {
    plan_.policies = resolve(plan_.policies, plan_.nranks, plan_.nroots);
    plan_.roots.resize(plan_.nroots);
    stranger_came_.resize(plan_.strangers.size());
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): the bound is that of the resolved policies
    event_limit_ = plan_.event_limit != 0 ? plan_.event_limit : event_bound(plan_);
    trace_.resize(kTail);

    for (RankId r = 0; r < plan_.nranks; ++r) {
        RankPlan healthy;
        healthy.rank = r;
        healthy.program = plan_.program;
        healthy.closes = plan_.closes;
        auto const own = std::find_if(plan_.ranks.begin(), plan_.ranks.end(),
                                      [r](RankPlan const& given) { return given.rank == r; });
        add_rank(own == plan_.ranks.end() ? healthy : *own);
    }
    for (std::uint32_t i = 0; i < plan_.nroots; ++i)
        add_root(i);
    for (RankPlan const& extra : plan_.extras)
        add_rank(extra);
    for (NodeId id = 0; id < nodes_.size(); ++id)
        refresh_node(id);
}

NodeId TinyWorld::add_rank(RankPlan const& plan) {
    NodeId const id = static_cast<NodeId>(nodes_.size());
    auto node = std::make_unique<Node>();
    node->number = plan.rank;
    node->plan = plan;

    RankConfig& config = node->rank_config;
    config.policies = plan.policies ? resolve(*plan.policies, plan_.nranks, plan_.nroots) : plan_.policies;
    config.nranks = plan.nranks_told.value_or(plan_.nranks);
    config.nroots = plan_.nroots;
    config.rank = plan.rank;
    config.roots_digest = plan.roots_digest.value_or(77);
    config.session = 0xabc;
    config.seed = random_.next();
    config.budget_ns = plan_.budget_ns;
    config.root_promised = plan_.root_promised;
    config.version = plan.version;
    node->rank = Rank(config);

    Entry& entry = node->entry;
    entry.endpoint.family = Family::ipv4;
    entry.endpoint.port = static_cast<std::uint16_t>(1 + 2 * id);
    entry.endpoint.address = {127, 0, 0, 1};
    entry.callback_port = static_cast<std::uint16_t>(2 + 2 * id);
    entry.host_id = plan.host_id;
    entry.device_id = plan.device_id.value_or(1000 + id);
    entry.incarnation = plan.incarnation != 0 ? plan.incarnation : random_.next() | 1U;
    entry.process_id = 5000 + id;
    entry.rank = plan.rank;

    node->table.resize(config.nranks);
    node->known.resize(config.nranks);
    if (plan.rank < config.nranks) {
        node->table[plan.rank] = entry;
        node->known[plan.rank] = true;
    }
    node->alive = plan.starts;
    nodes_.push_back(std::move(node));
    return id;
}

void TinyWorld::add_root(std::uint32_t index) {
    auto node = std::make_unique<Node>();
    node->is_root = true;
    node->number = index;
    node->root_plan = plan_.roots[index];
    node->table.resize(plan_.nranks);
    node->known.resize(plan_.nranks);

    RootConfig& config = node->root_config;
    config.policies = plan_.policies;
    config.expected_nranks = node->root_plan.expected_nranks;
    config.nroots = plan_.nroots;
    config.root_index = index;
    config.roots_digest = 77;
    config.session = 0xabc;
    config.pending_limit = node->root_plan.pending_limit;
    config.budget_ns = node->root_plan.budget_ns;
    node->root = Root(config);
    node->alive = node->root_plan.starts;
    // A promised root's socket listens since before the id was known.
    bool const there = node->alive && node->root_plan.start_ns == 0;
    node->listeners[static_cast<std::size_t>(Listener::root)].bound = there && plan_.root_promised;
    nodes_.push_back(std::move(node));
}

// --- time and choice ----------------------------------------------------------------------------------------------

void TinyWorld::run() {
    while (advance()) {
    }
}

bool TinyWorld::advance() {
    if (!broken_.empty())
        return false;
    strangers_due();
    bool const hurry = random_.per_mille(plan_.hurry_per_mille);
    if (hot_.empty() || hurry) {
        if (!run_clock() && hot_.empty())
            return false;
        return broken_.empty();
    }
    choose();
    if (events_ > event_limit_)
        break_rule(fmt::format("more than {} events: nothing comes to rest", event_limit_));
    return broken_.empty();
}

void TinyWorld::choose() {
    std::uint32_t const source = hot_.at(random_.below(hot_.size()));
    std::uint32_t const first_end = static_cast<std::uint32_t>(nodes_.size()) * 4U;
    if (source >= first_end)
        return act_on_end(source - first_end);
    NodeId const id = source / 4U;
    if (source % 4U == 0)
        return act(id);
    act_on_listener(id, static_cast<Listener>(source % 4U - 1U));
}

TimeNs TinyWorld::next_time() const {
    TimeNs next = travelling_.empty() ? kNever : travelling_.begin()->first;
    for (auto const& node : nodes_) {
        if (!node->alive || node->ended)
            continue;
        if (node->started) {
            next = std::min(next, node->deadline_ns);
        } else {
            next = std::min(next, node->is_root ? node->root_plan.start_ns : node->plan.start_ns);
        }
    }
    return next;
}

/// Moves time to the next timer. False when there is none.
bool TinyWorld::run_clock() {
    TimeNs const next = next_time();
    if (next == kNever)
        return false;
    if (next > now_) {
        for (auto const& node : nodes_)
            node->restless = 0;
    }
    now_ = std::max(now_, next);
    while (!travelling_.empty() && travelling_.begin()->first <= now_) {
        refresh_end(travelling_.begin()->second);
        travelling_.erase(travelling_.begin());
    }
    for (NodeId id = 0; id < nodes_.size(); ++id)
        refresh_node(id);
    return true;
}

/// Whether the node itself (not its connections) has something to do now.
void TinyWorld::refresh_node(NodeId id) {
    Node const& node = *nodes_[id];
    bool hot = false;
    if (node.alive && !node.ended) {
        TimeNs const start_ns = node.is_root ? node.root_plan.start_ns : node.plan.start_ns;
        bool const due = node.deadline_ns != kNever && node.deadline_ns <= now_;
        hot = node.started ? due || !node.mailbox.empty() : start_ns <= now_;
    }
    hot_.set(source_of_node(id), hot);
}

void TinyWorld::act(NodeId id) {
    Node& node = *nodes_[id];
    if (!node.started) {
        node.started = true;
        node.started_ns = now_;
        bool const never_mind = !node.is_root && node.plan.aborts_in == Phase::created;
        return feed(id, ask(never_mind ? EventKind::abort : EventKind::start));
    }
    bool const due = node.deadline_ns <= now_;
    std::uint32_t const choices = static_cast<std::uint32_t>(node.mailbox.size()) + (due ? 1U : 0U);
    std::uint32_t const choice = random_.below(choices);
    if (choice == node.mailbox.size()) {
        if (++node.restless > kRestlessLimit) {
            return break_rule(fmt::format("{} asks for timer after timer and time stands still at {}", name_of_node(id),
                                          words_of_time(now_)));
        }
        return feed(id, ask(EventKind::timer));
    }
    Event const event = node.mailbox[choice];
    node.mailbox.erase(node.mailbox.begin() + static_cast<std::ptrdiff_t>(choice));
    if (event.kind == EventKind::operate)
        return begin_operation(id);
    feed(id, event);
}

// --- one step -------------------------------------------------------------------------------------------------------

void TinyWorld::feed(NodeId id, Event event) {
    Node& node = *nodes_[id];
    if (node.ended)
        return break_rule(fmt::format("{} is fed after it finished", name_of_node(id)));
    event.now = now_;
    last_world = this;
    ++events_;
    if (event.kind != EventKind::timer)
        node.restless = 0;
    std::uint8_t const before =
        node.is_root ? static_cast<std::uint8_t>(node.root.phase()) : static_cast<std::uint8_t>(node.rank.phase());
    Trace& trace = trace_[events_ % kTail];
    trace = {now_, id, event, before, before, 0};
    trace.event.payload = {};

    parked_ = false;
    node.finishing = false;
    step_once(id, event, trace.actions);
    trace.phase_after =
        node.is_root ? static_cast<std::uint8_t>(node.root.phase()) : static_cast<std::uint8_t>(node.rank.phase());
    if (!broken_.empty())
        return;
    after_step(id, before);
    // A message that was moved to the program's buffer is told of before anything else can happen to its sender.
    if (!std::exchange(node.collected, false) || node.ended || !node.alive)
        return;
    feed(id, ask(EventKind::collected));
}

/// Steps the machine, and its twin where the plan asks for twins: a copy has the same future, byte by byte.
void TinyWorld::step_machine(NodeId id, Event const& event, Actions& actions) {
    Node& node = *nodes_[id];
    std::uint8_t const before =
        node.is_root ? static_cast<std::uint8_t>(node.root.phase()) : static_cast<std::uint8_t>(node.rank.phase());
    Actions twins;
    if (node.is_root) {
        // A root writes into the records it was lent, so its twin would have to be lent others.
        node.root.step(event, actions);
    } else if (!plan_.twins) {
        node.rank.step(event, actions);
    } else {
        Rank twin = node.rank;
        twin.step(event, twins);
        node.rank.step(event, actions);
        bool same = std::memcmp(&twin.state(), &node.rank.state(), sizeof(RankState)) == 0 &&
                    actions.size() == twins.size() && actions.more() == twins.more();
        for (std::uint32_t i = 0; same && i < actions.size(); ++i)
            same = words(actions[i]) == words(twins[i]);
        if (!same)
            break_rule(fmt::format("a copy of {} went another way", name_of_node(id)));
    }
    if (plan_.coverage != nullptr)
        note(node, event.kind, before, actions.size());
}

void TinyWorld::note(Node const& node, EventKind kind, std::uint8_t before, std::uint32_t actions) const {
    Coverage& coverage = *plan_.coverage;
    std::size_t const event = static_cast<std::size_t>(kind);
    coverage.most_actions = std::max(coverage.most_actions, actions);
    if (node.is_root) {
        coverage.root[before][event] |= phase_bit(node.root.phase());
        return;
    }
    coverage.rank[before][event] |= phase_bit(node.rank.phase());
    if (node.rank.phase() == Phase::failed)
        coverage.codes |= 1U << static_cast<std::uint32_t>(node.rank.error().code);
}

/// The loop of protocol/seam.hpp: perform, go on while there is more, feed again what asked for memory.
void TinyWorld::step_once(NodeId id, Event const& event, std::uint32_t& actions_seen) {
    Node& node = *nodes_[id];
    Event current = event;
    for (std::uint32_t pieces = 0;; ++pieces) {
        PhaseSet const targets =
            node.is_root ? targets_of(node.root.phase(), current.kind) : targets_of(node.rank.phase(), current.kind);
        Actions actions;
        step_machine(id, current, actions);
        actions_seen += actions.size();
        if (plan_.echo) {
            std::string text = fmt::format("{} {}: {}\n", words_of_time(now_), name_of_node(id), words(current));
            for (Action const& action : actions)
                text += "    " + words(action) + "\n";
            std::fputs(text.c_str(), stderr);
        }
        if (targets == 0 && (actions.size() > 0 || actions.more())) {
            return break_rule(fmt::format("{} acts on an illegal event", name_of_node(id)));
        }
        bool const dies = !node.is_root && node.plan.dies_before_acting && node.plan.dies_in == node.rank.phase() &&
                          node.rank.phase() != Phase::created;
        if (dies)
            return;  // after_step buries it
        bool again = false;
        for (Action const& action : actions) {
            if (action.kind == ActionKind::reserve) {
                if (!node.is_root)
                    return break_rule("a rank reserves records");
                node.records.resize(std::max<std::size_t>(node.records.size(), action.count));
                node.device_index.assign(RootRoom::index_size(static_cast<std::uint32_t>(node.records.size())), 0);
                node.root.provide({node.records, node.device_index});
                again = true;
                continue;
            }
            perform(id, action, current);
            if (!broken_.empty())
                return;
        }
        if (again) {
            current = event;
        } else if (actions.more()) {
            current = Event::resume(now_);
        } else {
            return;
        }
        if (pieces > 100'000)
            return break_rule(fmt::format("{} always has more to say", name_of_node(id)));
    }
}

void TinyWorld::after_step(NodeId id, std::uint8_t before) {
    Node& node = *nodes_[id];
    node.deadline_ns = node.ended ? kNever : node.is_root ? node.root.deadline() : node.rank.deadline();
    if (node.is_root) {
        RootPhase const phase = node.root.phase();
        bool const dies = (node.root_plan.dies_in == phase && static_cast<std::uint8_t>(phase) != before) ||
                          node.root.checked_in() >= node.root_plan.dies_after_check_ins;
        bool const entered = static_cast<std::uint8_t>(phase) != before;
        if (dies) {
            kill(id, node.root_plan.death);
        } else if (entered && node.root_plan.aborts_in == phase) {
            node.mailbox.push_back(ask(EventKind::abort));
        }
    } else {
        Phase const phase = node.rank.phase();
        bool const entered = static_cast<std::uint8_t>(phase) != before;
        if (phase == Phase::ready && !node.was_ready && !(node.plan.dies_in == phase && node.plan.dies_before_acting)) {
            break_rule(fmt::format("{} is ready but did not say so", name_of_node(id)));
        }
        if (node.rank.finished() && !node.ended && node.alive && !(node.plan.dies_in == phase)) {
            break_rule(fmt::format("{} has finished but did not say so", name_of_node(id)));
        }
        if (node.settled_ns == kNever && (node.was_ready || node.rank.finished()))
            node.settled_ns = now_;
        // A phase may be passed within one step; then this process is caught at the first phase behind it.
        auto const reached = [&](std::optional<Phase> const& wanted) {
            return entered && wanted && before < static_cast<std::uint8_t>(*wanted) && phase >= *wanted &&
                   phase <= Phase::ready;
        };
        if (reached(node.plan.dies_in)) {
            kill(id, node.plan.death);
        } else if (reached(node.plan.aborts_in)) {
            node.mailbox.push_back(ask(EventKind::abort));
        } else if (reached(node.plan.closes_in)) {
            node.mailbox.push_back(ask(EventKind::close));
        } else if (phase == Phase::ready && !node.operating) {
            bool const queued = std::any_of(node.mailbox.begin(), node.mailbox.end(), [](Event const& event) {
                return event.kind == EventKind::operate || event.kind == EventKind::close;
            });
            if (!queued && node.next_operation < node.plan.program.size()) {
                node.mailbox.push_back(ask(EventKind::operate));
            } else if (!queued && node.plan.closes) {
                node.mailbox.push_back(ask(EventKind::close));
            }
        }
    }
    for (auto const& [link, end] : node.links) {
        if (!ends_[end].held)
            continue;
        ends_[end].held = false;
        refresh_end(end);
    }
    refresh_node(id);
}

void TinyWorld::operate(RankId rank, Operation const& operation) {
    Node& node = *nodes_[rank];
    node.plan.program.push_back(operation);
    if (node.rank.phase() == Phase::ready && !node.operating)
        node.mailbox.push_back(ask(EventKind::operate));
    refresh_node(rank);
}

void TinyWorld::kill(NodeId id, Death death) {
    Node& node = *nodes_[id];
    if (!node.alive)
        return;
    node.alive = false;
    node.mailbox.clear();
    if (death != Death::silent) {
        std::vector<EndId> mine;
        for (auto const& [link, end] : node.links)
            mine.push_back(end);
        for (EndId const end : mine) {
            Failure const told = death == Death::fin ? Failure::end_of_stream : Failure::reset;
            if (death == Death::reset)
                ends_[other_end(end)].inbox.clear();
            close_end(end, told);
        }
        for (Listener const listener : {Listener::ring, Listener::callback, Listener::root}) {
            drop_listener(id, listener, true);
        }
    } else {
        for (auto const& [link, end] : node.links)
            hot_.remove(source_of_end(end));
        for (Listener const listener : {Listener::ring, Listener::callback, Listener::root}) {
            hot_.remove(source_of_listener(id, listener));
        }
    }
    refresh_node(id);
}

}  // namespace ronde::protocol::tiny
