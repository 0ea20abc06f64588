#include "explore/story.hpp"

#include "protocol/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

using namespace protocol;

/// Who is at the other end of `link` of `node`, in the world before or after its step.
std::string peer_of(Job const& job, World const& before, World const& after, Node node, Link link) {
    for (World const* world : {&before, &after}) {
        for (Connection const& connection : world->all()) {
            for (unsigned const end : {0U, 1U}) {
                if (connection.owner(end) == node && connection.ends[end].link() == link &&
                    !connection.ends[end].over())
                    return job.name_of(connection.owner(end ^ 1U));
            }
        }
    }
    return fmt::format("{} {}", name_of(link.link_class()), link.index());
}

std::string phase_text(MachineRoom const& room, Node node, StateNumber state) {
    NodeFacts const& facts = room.facts(node, state);
    switch (facts.life) {
    case Life::unborn: return "not begun";
    case Life::dead: return "dead";
    case Life::running:
    case Life::ended: break;
    }
    return std::string(room.job().is_root(node) ? name_of(static_cast<RootPhase>(facts.phase))
                                                : name_of(static_cast<Phase>(facts.phase)));
}

class Storyteller {
public:
    Storyteller(MachineRoom& room, FaultPlan const& plan)
        : room_(room), job_(room.job()), plan_(plan), before_(first_world(room)), after_(before_) {}

    /// What comes of a move from where the story has got to, and how it is told.
    struct Told {
        World after;
        Broken broken;
        std::string line;
    };
    Told tell(Move move);
    /// The story goes on behind it.
    void go_on(Told const& told) {
        before_ = told.after;
        ++lines_;
    }
    [[nodiscard]] World const& here() const { return before_; }

private:
    std::string line(Move move, Fed const& fed, std::string const& actions) const;
    std::string event_text(Move move, Fed const& fed) const;
    std::string action_text(Node node, Action const& action) const;
    std::string fault_text(Move move) const;
    [[nodiscard]] bool waits_in_the_queue(Connection const& call) const;

    MachineRoom& room_;
    Job const& job_;
    FaultPlan const& plan_;
    World before_;
    World after_;
    std::size_t lines_ = 0;
};

Storyteller::Told Storyteller::tell(Move move) {
    after_ = before_;
    Fed fed;
    Broken broken = make_move(room_, plan_.list, after_, move, &fed);
    std::string actions;
    if (fed.any) {
        room_.retell(fed.node, fed.before, fed.input, [&](Event const&, Actions const& asked) {
            for (Action const& action : asked) {
                std::string const text = action_text(fed.node, action);
                if (!text.empty())
                    actions += (actions.empty() ? "" : "; ") + text;
            }
        });
    }
    return {after_, std::move(broken), fmt::format("{:>3}. {}", lines_ + 1U, line(move, fed, actions))};
}

std::string Storyteller::line(Move move, Fed const& fed, std::string const& actions) const {
    Node const node = fed.any ? fed.node : move.node;
    std::string const was = phase_text(room_, node, before_.states[node]);
    std::string const is = phase_text(room_, node, after_.states[node]);
    std::string text =
        fmt::format("{} [{}{}]: {}", job_.name_of(node), was, was == is ? "" : " -> " + is, event_text(move, fed));
    if (!actions.empty())
        text += " | " + actions;
    return text;
}

std::string Storyteller::event_text(Move move, Fed const& fed) const {
    Connection const& connection = before_.connections[move.connection];
    std::string const other = job_.name_of(connection.owner(move.detail ^ 1U));
    switch (move.kind) {
    case Move::Kind::start: return "begins";
    case Move::Kind::arrive: {
        std::string const who = job_.name_of(connection.caller);
        if (!fed.any && waits_in_the_queue(connection))
            return fmt::format("a call of {} waits in the queue", who);
        if (!fed.any)
            return fmt::format("nobody listens to the call of {}", who);
        return fmt::format("a call of {} is {}", who,
                           fed.input.kind == EventKind::accepted ? "accepted" : "queued behind others");
    }
    case Move::Kind::accept: return fmt::format("the queued call of {} is accepted", job_.name_of(connection.caller));
    case Move::Kind::connected: return fmt::format("connected to {}", job_.name_of(connection.callee));
    case Move::Kind::refused: return fmt::format("refused by {}", job_.name_of(connection.callee));
    case Move::Kind::deliver: {
        Message const& message = room_.mail()[room_.mail().front(connection.inbox[move.detail])];
        if (message.garbage != 0)
            return "garbage from " + other;
        std::string text = fmt::format("{} from {}", name_of(message.frame.kind), other);
        if (message.frame.kind == FrameKind::verdict)
            text += fmt::format(" ({})", describe(message.verdict));
        if (!fed.input.authentic)
            text += ", whose tag does not fit";
        return text;
    }
    case Move::Kind::ending:
        return fmt::format("the connection with {} ends ({})", other, name_of(connection.ends[move.detail].ending));
    case Move::Kind::timer: return "its timer is due, as nothing else happens";
    case Move::Kind::sent: return fmt::format("{} has read all that it sent", other);
    case Move::Kind::fault: return fault_text(move);
    }
    return {};
}

/// Whether a call that arrived stands now, and nobody looks at its listener yet.
bool Storyteller::waits_in_the_queue(Connection const& call) const {
    std::span<Connection const> const all = after_.all();
    return std::any_of(all.begin(), all.end(), [&](Connection const& connection) {
        return connection.stage == Connection::Stage::queued && connection.caller == call.caller &&
               connection.callee == call.callee && connection.ends[0].link() == call.ends[0].link();
    });
}

std::string Storyteller::fault_text(Move move) const {
    Fault const& fault = plan_.list[move.detail];
    Connection const& connection = before_.connections[move.connection];
    switch (fault.kind) {
    case FaultKind::crash: return "FAULT it dies; what it sent still arrives";
    case FaultKind::crash_reset: return "FAULT it dies; its connections are reset";
    case FaultKind::drop: return fmt::format("FAULT its call to {} is never answered", job_.name_of(connection.callee));
    case FaultKind::reset: return fmt::format("FAULT its connection to {} is reset", job_.name_of(connection.callee));
    case FaultKind::stranger: return fmt::format("FAULT a stranger calls and says {}", name_of(fault.says));
    case FaultKind::timeout: return "FAULT its timer is due early";
    case FaultKind::haste: return "FAULT its clock runs ahead to its timer";
    }
    return {};
}

std::string Storyteller::action_text(Node node, Action const& action) const {
    auto const peer = [&] { return peer_of(job_, before_, after_, node, action.link); };
    switch (action.kind) {
    case ActionKind::listen: return fmt::format("listen ({})", name_of(action.listener));
    case ActionKind::accept: return fmt::format("let {} in ({})", action.count, name_of(action.listener));
    case ActionKind::admit: return fmt::format("admit {} as {}", peer(), name_of(action.to.link_class()));
    case ActionKind::connect: {
        bool const root = action.link == kRootLink || action.link == kPreviousRootLink;
        return fmt::format("call {}",
                           root ? job_.name_of(job_.root_node(action.rank)) : fmt::format("rank {}", action.rank));
    }
    case ActionKind::send: return fmt::format("{} to {}", name_of(action.frame.kind), peer());
    case ActionKind::learn:
        return action.count == 1 ? fmt::format("learn entry {}", action.first)
                                 : fmt::format("learn {} entries from {}", action.count, action.first);
    case ActionKind::close: return fmt::format("close {}", peer());
    case ActionKind::deafen: return fmt::format("close the listener ({})", name_of(action.listener));
    case ActionKind::ready: return "READY";
    default: return std::string(name_of(action.kind));
    }
}

}  // namespace

std::vector<std::string> story_of(MachineRoom& room, Counterexample const& found) {
    Storyteller teller(room, found.plan);
    std::vector<std::string> lines;
    for (Move const move : found.path) {
        Storyteller::Told const told = teller.tell(move);
        lines.push_back(told.line);
        teller.go_on(told);
    }
    return lines;
}

tl::expected<Broken, std::string> retrace(ExploreSettings const& settings, std::vector<std::string> const& story) {
    Job const job(settings);
    MachineRoom room(job);
    FaultPlan plan{settings.given, static_cast<std::uint32_t>(settings.given.size()), true};
    std::sort(plan.list.begin(), plan.list.end());
    MoveFinder finder(room, plan, Reduction::none);
    Storyteller teller(room, plan);
    Moves moves;
    Broken broken;
    for (std::string const& line : story) {
        if (broken)
            return tl::unexpected(
                fmt::format("{} is broken before this line is told: {}", name_of(broken.property), line));
        finder.find(teller.here(), moves);
        moves.steps.insert(moves.steps.end(), moves.faults.begin(), moves.faults.end());
        bool found = false;
        for (std::size_t i = 0; i < moves.steps.size() && !found; ++i) {
            Storyteller::Told told = teller.tell(moves.steps[i]);
            found = told.line == line;
            if (!found)
                continue;
            broken = std::move(told.broken);
            teller.go_on(told);
        }
        if (!found)
            return tl::unexpected(fmt::format("none of {} possible moves is told so: {}", moves.steps.size(), line));
    }
    finder.find(teller.here(), moves);
    if (!broken && moves.at_rest)
        broken = judge_at_rest(room, plan, teller.here());
    return broken;
}

}  // namespace ronde::explore
