#include "explore/rotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

using namespace protocol;

/// What was known of so many things so far is kept when there are more.
template <class Value>
Value& place_in(std::vector<Value>& values, std::uint32_t at, Value const& unknown) {
    if (at >= values.size())
        values.resize(std::max<std::size_t>(at + 1U, values.size() * 2U), unknown);
    return values[at];
}

/// Whether nothing is said over a connection before it has the name under which it is said.
bool names_come_first(std::span<Effect const> effects) {
    for (std::size_t i = 0; i < effects.size(); ++i) {
        if (effects[i].kind != Effect::Kind::admit)
            continue;
        for (std::size_t k = 0; k < i; ++k) {
            if (effects[k].link == effects[i].to)
                return false;
        }
    }
    return true;
}

/// Of what another step did on its link: what as many others come before as here before something on this link.
Effect const* counterpart(std::span<Effect const> before, Link link, std::span<Effect const> others, Link other_link) {
    auto ahead = std::count_if(before.begin(), before.end(), [link](Effect const& one) { return one.link == link; });
    for (Effect const& other : others) {
        if (other.link == other_link && ahead-- == 0)
            return &other;
    }
    return nullptr;
}

}  // namespace

// --- what is turned ---------------------------------------------------------------------------------------------

StateNumber Rotation::turned(Node node, StateNumber state) {
    std::vector<StateNumber>& known = job_.is_root(node) ? roots_ : processes_;
    if (StateNumber const before = place_in(known, state, kUnknown); before != kUnknown)
        return before;
    Origin const origin = room_.origin_of(node, state);
    StateNumber other = state;
    switch (origin.how) {
    case Origin::How::unborn: other = room_.unborn(next(node)); break;
    case Origin::How::step: other = turned_step(node, origin.before, MachineRoom::unpacked(origin.what)).after; break;
    case Origin::How::aged:
        other = room_.aged(next(node), turned(node, origin.before), static_cast<TimeNs>(origin.what));
        break;
    case Origin::How::dead: other = room_.dead(next(node), turned(node, origin.before)); break;
    case Origin::How::unknown: refuse("a state that came from nowhere"); break;
    }
    if (std::string_view const what = is_possible() ? difference(node, state, other) : ""; !what.empty())
        refuse(fmt::format("{} is not what {} would be when all ranks are turned by one: {}", job_.name_of(next(node)),
                           job_.name_of(node), what));
    place_in(known, state, kUnknown) = other;
    return other;
}

Outcome Rotation::turned_step(Node node, StateNumber before, Input const& input) {
    StateNumber const other = turned(node, before);
    Input const other_input = turned(node, input);
    return is_possible() ? room_.step(next(node), other, other_input) : Outcome{};
}

Link Rotation::turned(Node node, Link link) {
    LinkClass const link_class = link.link_class();
    bool const by_rank = job_.is_root(node) && (link_class == LinkClass::member || link_class == LinkClass::pending);
    if (!by_rank)
        return link;
    if (link.index() >= job_.nranks)
        refuse("somebody waits at a root's door that is no rank's");
    return {link_class, (link.index() + 1U) % job_.nranks};
}

Input Rotation::turned(Node node, Input const& input) {
    Input other = input;
    if (input.link != Link{})
        other.link = turned(node, input.link);
    if (input.kind == EventKind::frame)
        other.message = turned_message(input.message);
    return other;
}

std::uint32_t Rotation::turned_message(std::uint32_t message) {
    if (std::uint32_t const known = place_in(messages_, message, kUnknown); known != kUnknown)
        return known;
    Origin const origin = room_.origin_of_message(message);
    std::uint32_t other = message;
    if (origin.how == Origin::How::step)
        other = said_instead(message, origin);
    else
        refuse("somebody who is no rank has said something");
    place_in(messages_, message, kUnknown) = other;
    return other;
}

std::uint32_t Rotation::said_instead(std::uint32_t message, Origin const& origin) {
    Input const input = MachineRoom::unpacked(origin.what);
    Outcome const theirs = turned_step(origin.node, origin.before, input);
    if (!is_possible())
        return message;
    Outcome const mine = room_.step(origin.node, origin.before, input);
    std::span<Effect const> const effects = room_.effects_of(mine);
    Link const link = effects[origin.effect].link;
    Effect const* const effect =
        counterpart(effects.first(origin.effect), link, room_.effects_of(theirs), turned(origin.node, link));
    if (effect != nullptr && effect->kind == Effect::Kind::send)
        return effect->message;
    refuse(fmt::format("{} says something that {} does not say", job_.name_of(origin.node),
                       job_.name_of(next(origin.node))));
    return message;
}

std::uint32_t Rotation::turned_queue(std::uint32_t queue) {
    if (queue == 0)
        return 0;
    if (std::uint32_t const known = place_in(queues_, queue, kUnknown); known != kUnknown)
        return known;
    std::uint32_t other = 0;
    for (std::uint32_t rest = queue; rest != 0; rest = room_.mail().rest(rest))
        other = room_.mail().push(other, turned_message(room_.mail().front(rest)));
    place_in(queues_, queue, kUnknown) = other;
    return other;
}

Connection Rotation::turned(Connection const& connection) {
    Connection other = connection;
    if (job_.is_stranger(connection.caller)) {
        refuse("a stranger is no rank");
        return other;
    }
    other.caller = next(connection.caller);
    other.callee = next(connection.callee);
    other.hello = connection.hello == 0 ? 0 : turned_message(connection.hello - 1U) + 1U;
    for (unsigned const end : {0U, 1U}) {
        Link const link = turned(connection.owner(end), connection.ends[end].link());
        other.ends[end].link_index = static_cast<std::uint8_t>(link.index());
        other.inbox[end] = turned_queue(connection.inbox[end]);
    }
    for (unsigned const end : {0U, 1U}) {
        Node const owner = connection.owner(end);
        if (!is_possible() || connection.ends[end].link_class == LinkClass::none)
            continue;
        Input const mine = turned(owner, next_input(room_, connection, end));
        Input const theirs = next_input(room_, other, end);
        if (room_.packed(next(owner), mine) != room_.packed(next(owner), theirs))
            refuse(fmt::format("what comes to {} is not what comes to {}", job_.name_of(owner),
                               job_.name_of(next(owner))));
    }
    return other;
}

// --- whether it may be turned -----------------------------------------------------------------------------------

/// All that a search asks of a state, or an end of it: what of it differs. When a rank's timer is due does not matter,
/// since no time passes while it waits for one (look_at_timers).
std::string_view Rotation::difference(Node node, StateNumber state, StateNumber other) {
    NodeFacts const& mine = room_.facts(node, state);
    NodeFacts const& theirs = room_.facts(next(node), other);
    bool const timer =
        job_.is_root(node) ? mine.deadline_ns == theirs.deadline_ns : mine.deadline_ns > 0 && theirs.deadline_ns > 0;
    if (!timer)
        return "its timer";
    if (mine.phase != theirs.phase || mine.life != theirs.life || mine.finished != theirs.finished)
        return "its phase";
    if (mine.bound != theirs.bound || mine.credits != theirs.credits)
        return "whom it lets in";
    if (mine.anonymous != theirs.anonymous || mine.checked_in != theirs.checked_in ||
        mine.knows_successor != theirs.knows_successor)
        return "who knows whom";
    if (job_.is_root(node)) {
        bool const well = room_.verdict_of_root(state).error.is_ok() && room_.verdict_of_root(other).error.is_ok();
        return well ? "" : "its verdict";
    }
    ProcessState const& my = room_.process(state);
    ProcessState const& their = room_.process(other);
    bool const well = my.verdict == 0 && their.verdict == 0 && my.machine.error.is_ok() && their.machine.error.is_ok();
    if (!well)
        return "its verdict";
    return my.history == their.history ? "" : "what it has been";
}

void Rotation::look_at_timers(World const& world) {
    for (Node node = 0; node < job_.processes; ++node) {
        if (room_.facts(node, world.states[node]).deadline_ns != kNever)
            refuse(fmt::format("time passes while {} waits for its timer, which is its own", job_.name_of(node)));
    }
}

bool Rotation::does_the_same(Node node, Outcome const& outcome, Outcome const& other) {
    std::vector<Effect> const mine(room_.effects_of(outcome).begin(), room_.effects_of(outcome).end());
    std::vector<Effect> theirs(room_.effects_of(other).begin(), room_.effects_of(other).end());
    bool const alike = outcome.held == other.held && outcome.ready == other.ready && outcome.broken == 0 &&
                       other.broken == 0 && mine.size() == theirs.size() && names_come_first(mine) &&
                       names_come_first(theirs);
    if (!alike)
        return false;
    for (Effect const& effect : mine) {
        Link const link = turned(node, effect.link);
        auto const at =
            std::find_if(theirs.begin(), theirs.end(), [link](Effect const& one) { return one.link == link; });
        if (at == theirs.end())
            return false;
        bool const same = at->kind == effect.kind && at->listener == effect.listener && at->lingers == effect.lingers &&
                          at->notify == effect.notify;
        bool const calls = effect.kind == Effect::Kind::connect;
        bool const admits = effect.kind == Effect::Kind::admit;
        bool const says = effect.kind == Effect::Kind::send;
        if (!same || (calls && at->target != next(effect.target)) || (admits && at->to != turned(node, effect.to)) ||
            (says && at->message != turned_message(effect.message)))
            return false;
        theirs.erase(at);
    }
    return true;
}

bool Rotation::holds() {
    for (std::uint64_t looked_at = 0; is_possible() && looked_at < room_.steps();) {
        std::vector<Step> const steps = room_.steps_from(looked_at);
        looked_at += steps.size();
        for (Step const& step : steps)
            look_at(step);
        if (looked_at == room_.steps())
            go_round();  // which may take more of them
    }
    return is_possible() && is_one_to_one();
}

void Rotation::look_at(Step const& step) {
    Node const node = room_.node_of(step);
    Input const input = MachineRoom::unpacked(step.input);
    Outcome const theirs = turned_step(node, step.before, input);
    if (!is_possible())
        return;
    Outcome const mine = room_.step(node, step.before, input);
    if (turned(node, mine.after) != theirs.after || !does_the_same(node, mine, theirs))
        refuse(fmt::format("{} does not do what {} does", job_.name_of(next(node)), job_.name_of(node)));
}

/// After a turn for each rank everything is what it was.
void Rotation::go_round() {
    auto const comes_back = [&](Node node, StateNumber state) {
        StateNumber at = state;
        Node whose = node;
        for (std::uint32_t turn = 0; turn < job_.nranks && is_possible(); ++turn) {
            at = turned(whose, at);
            whose = next(whose);
        }
        if (at != state)
            refuse(fmt::format("{} is not what it was after a whole turn", job_.name_of(node)));
    };
    for (Step const& step : room_.steps_from(0)) {
        Node const node = room_.node_of(step);
        comes_back(node, step.before);
        comes_back(node, room_.step(node, step.before, MachineRoom::unpacked(step.input)).after);
    }
}

/// No two states or messages become one.
bool Rotation::is_one_to_one() {
    for (std::vector<std::uint32_t> const* const table : {&processes_, &roots_, &messages_, &queues_}) {
        std::vector<std::uint32_t> images;
        std::copy_if(table->begin(), table->end(), std::back_inserter(images),
                     [](std::uint32_t image) { return image != kUnknown; });
        std::sort(images.begin(), images.end());
        if (std::adjacent_find(images.begin(), images.end()) != images.end())
            refuse("two that differ become one");
    }
    return is_possible();
}

}  // namespace ronde::explore
