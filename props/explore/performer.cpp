#include "explore/performer.hpp"

#include "protocol/check.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <deque>

namespace ronde::explore {
namespace {

using namespace protocol;

constexpr std::uint32_t kMostPieces = 64;  ///< of one answer; a machine that always has more to say is stopped

Event event_of(Input const& input) {
    Event event;
    event.kind = input.kind;
    event.link = input.link;
    event.listener = input.listener;
    event.failure = input.failure;
    event.authentic = input.authentic;
    return event;
}

/// The payload of a small frame as bytes, as a driver would show it.
std::span<std::byte const> show_payload(Job const& job, Message const& message, std::span<std::byte> room) {
    switch (message.frame.kind) {
    case FrameKind::check_in:
    case FrameKind::successor:
        if (message.entries[0] == 0)
            return {};
        encode_entry(job.entries[message.entries[0] - 1U], room);
        return room.first(kEntryBytes);
    case FrameKind::verdict: encode_verdict(message.verdict, room); return room.first(kVerdictBytes);
    default: return {};
    }
}

/// What rank and root processes have in common: the loop of protocol/seam.hpp.
template <class State, class Machine>
class Performance {
public:
    Performance(Job const& job, Mail& mail, State const& before, Listening const& listening)
        : job_(job), mail_(mail), listening_(listening), result_{before, {}, false, false, {}},
          machine_(machine_of(job, result_.after)) {}

    Performed<State> run(Input const& input);

protected:
    State& state() { return result_.after; }
    void break_rule(Property property, std::string why) {
        if (!result_.broken)
            result_.broken = {property, std::move(why)};
    }
    void feed(Event const& event);
    void act(Action const& action, Event const& event);
    void own_action(Action const& action, Event const& event);  // per kind of process
    void check_after();                                         // per kind of process
    void learn(Action const& action);
    void send(Action const& action);
    Message message_of(Action const& action);  // per kind of process
    Effect& effect(Effect::Kind kind, Action const& action) {
        Effect& effect = result_.effects.emplace_back();
        effect.kind = kind;
        effect.link = action.link;
        effect.listener = action.listener;
        return effect;
    }
    Whose entry(RankId rank) {
        Whose const whose = rank < job_.nranks ? state().table[rank] : Whose{0};
        if (whose == 0)
            break_rule(Property::s1, fmt::format("sends entry {}, which it does not have", rank));
        return whose;
    }
    void put_entries(Message& message, std::uint32_t first, std::uint32_t count) {
        if (count > job_.nranks)
            return break_rule(Property::s1, fmt::format("sends {} entries of {}", count, job_.nranks));
        for (std::uint32_t i = 0; i < count; ++i)
            message.entries[i] = entry((first + i) % job_.nranks);
        message.entry_count = static_cast<std::uint8_t>(count);
    }

    Job const& job_;
    Mail& mail_;
    Listening const& listening_;
    Performed<State> result_;
    Machine machine_;
    Message const* arriving_ = nullptr;
    std::deque<Event> answers_;
    bool finished_ = false;
};

using ProcessPerformance = Performance<ProcessState, Rank>;
using RootPerformance = Performance<RootState, Root>;

template <class State, class Machine>
Performed<State> Performance<State, Machine>::run(Input const& input) {
    Event event = event_of(input);
    std::array<std::byte, kVerdictBytes> room;
    if (input.kind == EventKind::frame) {
        Message const& message = mail_[input.message];
        Reception const reception = machine_.reception(input.link, message.frame);
        if (reception.kind == Reception::Kind::hold) {
            result_.held = true;
            return std::move(result_);
        }
        arriving_ = &message;
        event.frame = message.frame;
        if (reception.kind == Reception::Kind::take)
            event.payload = show_payload(job_, message, room);
    }
    feed(event);
    arriving_ = nullptr;
    while (!answers_.empty() && !finished_ && !result_.broken) {
        Event const answer = answers_.front();
        answers_.pop_front();
        feed(answer);
    }
    keep(state(), machine_);
    if (!result_.broken)
        check_after();
    return std::move(result_);
}

template <class State, class Machine>
void Performance<State, Machine>::feed(Event const& event) {
    Event next = event;
    for (std::uint32_t piece = 0; piece < kMostPieces; ++piece) {
        Actions actions;
        machine_.step(next, actions);
        if (listening_)
            listening_(next, actions);
        for (Action const& action : actions) {
            act(action, next);
            if (result_.broken)
                return;
        }
        if (!actions.more())
            return;
        next = Event::resume(event.now);
    }
    break_rule(Property::seam, "always has more to say");
}

template <class State, class Machine>
void Performance<State, Machine>::act(Action const& action, Event const& event) {
    std::uint8_t const bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(action.listener));
    if (finished_)
        return break_rule(Property::seam, "asks for something after it has finished");
    switch (action.kind) {
    case ActionKind::listen: {
        state().bound = static_cast<std::uint8_t>(state().bound | bit);
        answers_.push_back(Event::listening(event.now, action.listener));
        return;
    }
    case ActionKind::deafen:
        if ((state().bound & bit) == 0)
            return break_rule(Property::seam, "closes a listener that it does not have");
        state().bound = static_cast<std::uint8_t>(state().bound & ~bit);
        effect(Effect::Kind::deafen, action);
        return;
    case ActionKind::admit: effect(Effect::Kind::admit, action).to = action.to; return;
    case ActionKind::close: effect(Effect::Kind::close, action); return;
    case ActionKind::send: return send(action);
    case ActionKind::learn: return learn(action);
    case ActionKind::pause: effect(Effect::Kind::pause, action); return;
    case ActionKind::unpause: effect(Effect::Kind::unpause, action); return;
    case ActionKind::finish: finished_ = true; break;
    default: break;
    }
    own_action(action, event);
}

template <class State, class Machine>
void Performance<State, Machine>::learn(Action const& action) {
    if (arriving_ == nullptr)
        return break_rule(Property::seam, "learns without a frame");
    bool const one = arriving_->frame.kind != FrameKind::slices;
    std::uint32_t const first = one ? action.first : arriving_->frame.a;
    std::uint32_t const count = one ? 1U : arriving_->entry_count;
    for (std::uint32_t i = 0; i < action.count; ++i) {
        std::uint32_t const rank = (action.first + i) % job_.nranks;
        std::uint32_t const place = (rank + job_.nranks - first % job_.nranks) % job_.nranks;
        if (place >= count || arriving_->entries[place] == 0)
            return break_rule(Property::s1, fmt::format("learns entry {}, which did not arrive", rank));
        Whose const whose = arriving_->entries[place];
        if (whose > job_.processes)
            return break_rule(Property::s9, fmt::format("takes a stranger's word for entry {}", rank));
        if (job_.rank_of(static_cast<Node>(whose - 1U)) != rank) {
            return break_rule(Property::s1, fmt::format("takes {}'s entry for that of rank {}",
                                                        job_.name_of(static_cast<Node>(whose - 1U)), rank));
        }
        Whose& known = state().table[rank];
        if (known != 0 && known != whose)
            return break_rule(Property::s4, fmt::format("a second process displaces the entry of rank {}", rank));
        known = whose;
    }
}

template <class State, class Machine>
void Performance<State, Machine>::send(Action const& action) {
    Message message = message_of(action);
    message.frame = action.frame;
    Effect& out = effect(Effect::Kind::send, action);
    out.message = mail_.number_of(message);
    out.notify = action.notify && job_.settings.narrow;
    if (action.notify && !job_.settings.narrow)  // queues have no bounds, so it is out at once
        answers_.push_back(Event::sent(0, action.link));
}

// --- a process of a rank ----------------------------------------------------------------------------------------

template <>
Message ProcessPerformance::message_of(Action const& action) {
    Message message;
    if (action.frame.kind == FrameKind::check_in)
        state().history |= ProcessState::kIntroduced;
    switch (action.source) {
    case Source::none:
    case Source::handshake: break;
    case Source::entry:
        message.entries[0] = static_cast<Whose>(state().process + 1U);
        message.entry_count = 1;
        break;
    case Source::table: put_entries(message, action.first, action.count); break;
    case Source::operation: break_rule(Property::seam, "sends from an operation that there is not"); break;
    case Source::verdict: {
        // A verdict is passed on with its ranges, in the very step that brought it.
        message.verdict.error = machine_.error();
        bool const passed_on = arriving_ != nullptr && arriving_->frame.kind == FrameKind::verdict &&
                               arriving_->verdict.error == machine_.error();
        if (passed_on)
            message.verdict = arriving_->verdict;
        break;
    }
    }
    return message;
}

template <>
void ProcessPerformance::own_action(Action const& action, Event const& event) {
    switch (action.kind) {
    case ActionKind::accept:
        if (action.listener == Listener::root || action.count > RankState::kDoors)
            return break_rule(Property::s6, fmt::format("lets {} strangers in at once", action.count));
        state().credits[static_cast<std::size_t>(action.listener)] = static_cast<std::uint8_t>(action.count);
        return;
    case ActionKind::connect: {
        Effect& call = effect(Effect::Kind::connect, action);
        bool const to_root =
            action.link.link_class() == LinkClass::root || action.link.link_class() == LinkClass::previous_root;
        if (to_root) {
            call.listener = Listener::root;
            call.target = job_.root_node(action.rank);
            if (action.rank >= job_.nroots)
                break_rule(Property::seam, "calls a root that there is not");
            return;
        }
        Whose const whose = action.rank < job_.nranks ? state().table[action.rank] : Whose{0};
        if (whose == 0)
            return break_rule(Property::s9, fmt::format("calls rank {} without its address", action.rank));
        call.listener = Listener::ring;
        call.target = static_cast<Node>(whose - 1U);
        return;
    }
    case ActionKind::inspect: {
        std::vector<Entry> table;
        for (std::uint32_t rank = 0; rank < job_.nranks; ++rank) {
            if (state().table[rank] == 0)
                return break_rule(Property::s1, "searches a table with holes");
            table.push_back(job_.entries[state().table[rank] - 1U]);
        }
        answers_.push_back(Event::inspected(event.now, find_duplicate_device(table)));
        return;
    }
    case ActionKind::ready: result_.ready = true; return;
    case ActionKind::finish: effect(Effect::Kind::finish, action); return;
    default: return break_rule(Property::seam, fmt::format("asks for {}", name_of(action.kind)));
    }
}

template <>
void ProcessPerformance::check_after() {
    RankState const& machine = state().machine;
    std::uint32_t known = 0;
    for (std::uint32_t rank = 0; rank < job_.nranks; ++rank)
        known += state().table[rank] != 0 ? 1U : 0U;
    bool const hands =
        job_.nranks == 1 || ((machine.out_open | machine.gone_out) & 1U & (machine.in_open | machine.gone_in)) != 0;
    if (result_.ready) {
        if (machine_.phase() != Phase::ready)
            return break_rule(Property::seam, "says ready in another phase");
        if (known != job_.nranks)
            return break_rule(Property::s1, fmt::format("is ready with {} of {} entries", known, job_.nranks));
        if (!hands)
            return break_rule(Property::s3, "is ready without both hands");
        state().history |= ProcessState::kWasReady;
    }
    if (machine_.phase() == Phase::ready && (state().history & ProcessState::kWasReady) == 0)
        return break_rule(Property::seam, "is ready and does not say so");
    if (known == job_.nranks && hands)
        state().history |= ProcessState::kHeldAll;
    if (machine_.finished() != finished_)
        return break_rule(Property::seam, finished_ ? "finishes in the middle" : "has finished and does not say so");
    if (machine_.phase() == Phase::failed && machine_.error().is_ok())
        return break_rule(Property::l3, "fails without an error");
    if (!finished_)
        return;
    // What it ended with has a list of ranks only if it was told one.
    state() = buried(state(), Life::ended);
}

// --- a process of a root ----------------------------------------------------------------------------------------

template <>
Message RootPerformance::message_of(Action const& action) {
    Message message;
    switch (action.source) {
    case Source::none:
    case Source::handshake: break;
    case Source::entry: put_entries(message, action.first, 1); break;
    case Source::table: put_entries(message, action.first, action.count); break;
    case Source::operation: break_rule(Property::seam, "sends from an operation that there is not"); break;
    case Source::verdict: message.verdict = machine_.notice(); break;
    }
    if (action.frame.kind != FrameKind::commit)
        return message;
    std::uint32_t const all = (1U << machine_.expected()) - 1U;
    if ((state().heard_done & all) != all)
        break_rule(Property::s3, fmt::format("says commit with {} of {} done", std::popcount(state().heard_done),
                                             machine_.expected()));
    return message;
}

template <>
void RootPerformance::own_action(Action const& action, Event const&) {
    switch (action.kind) {
    case ActionKind::accept:
        if (action.listener != Listener::root || action.count > kRootDoors)
            return break_rule(Property::s6, fmt::format("lets {} strangers in at once", action.count));
        state().credits = static_cast<std::uint8_t>(action.count);
        return;
    case ActionKind::connect: {
        Whose const whose = action.rank < job_.nranks ? state().table[action.rank] : Whose{0};
        if (action.link != kCallbackLink || whose == 0)
            return break_rule(Property::s9, fmt::format("calls rank {} without its address", action.rank));
        Effect& call = effect(Effect::Kind::connect, action);
        call.listener = Listener::callback;
        call.target = static_cast<Node>(whose - 1U);
        return;
    }
    case ActionKind::finish: {
        Effect& end = effect(Effect::Kind::finish, action);
        end.lingers = (state().bound & 1U << static_cast<unsigned>(Listener::root)) != 0;
        finished_ = !end.lingers;
        return;
    }
    case ActionKind::reserve: return break_rule(Property::seam, "asks for memory that it has");
    default: return break_rule(Property::seam, fmt::format("asks for {}", name_of(action.kind)));
    }
}

template <>
void RootPerformance::check_after() {
    std::uint32_t counted = 0;
    std::uint32_t done = 0;
    for (RootRecord const& record : state().records) {
        counted += (record.flags & RootRecord::kCheckedIn) != 0 ? 1U : 0U;
        done += (record.flags & RootRecord::kDone) != 0 ? 1U : 0U;
    }
    if (machine_.checked_in() != counted ||
        machine_.checked_in() > static_cast<std::uint32_t>(std::popcount(state().heard_check_in)))
        return break_rule(Property::s4, fmt::format("counts {} check-ins of {} ranks", machine_.checked_in(),
                                                    std::popcount(state().heard_check_in)));
    if (machine_.done() != done)
        return break_rule(Property::s4, fmt::format("counts {} done of {}", machine_.done(), done));
    if (finished_)
        state() = buried(state(), Life::ended);
}

}  // namespace

Performed<ProcessState> perform(Job const& job, Mail& mail, ProcessState const& before, Input const& input,
                                Listening const& listening) {
    ProcessState state = before;
    if (input.kind == EventKind::start)
        state.life = Life::running;
    std::uint8_t const bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(input.listener));
    if (input.kind == EventKind::queued)
        state.told_queued = static_cast<std::uint8_t>(state.told_queued | bit);
    if (input.kind == EventKind::accepted)
        state.told_queued = static_cast<std::uint8_t>(state.told_queued & ~bit);
    ProcessPerformance performance(job, mail, state, listening);
    auto performed = performance.run(input);
    bool const told = input.kind == EventKind::frame && mail[input.message].frame.kind == FrameKind::verdict &&
                      performed.after.machine.error == mail[input.message].verdict.error;
    if (told && performed.after.life == Life::ended)
        performed.after.verdict = input.message + 1U;
    return performed;
}

Performed<RootState> perform(Job const& job, Mail& mail, RootState const& before, Input const& input,
                             Listening const& listening) {
    RootState state = before;
    if (input.kind == EventKind::start)
        state.life = Life::running;
    if (input.kind == EventKind::queued)
        state.told_queued = 1;
    if (input.kind == EventKind::accepted)
        state.told_queued = 0;
    // What was heard is noted by the frames themselves, so that the machine's own counts can be held against it.
    if (input.kind == EventKind::frame && !mail[input.message].forged) {
        Frame const& frame = mail[input.message].frame;
        std::uint32_t const root = before.root - job.processes;
        std::uint32_t const local_id = job.partition.local_id(root, frame.a % job.nranks);
        if (frame.kind == FrameKind::check_in && input.link.link_class() == LinkClass::pending)
            state.heard_check_in = static_cast<std::uint16_t>(state.heard_check_in | 1U << local_id);
        if (frame.kind == FrameKind::done && input.link.link_class() == LinkClass::member)
            state.heard_done = static_cast<std::uint16_t>(state.heard_done | 1U << input.link.index());
    }
    RootPerformance performance(job, mail, state, listening);
    return performance.run(input);
}

}  // namespace ronde::explore
