#include "prove/actor.hpp"

#include "protocol/check.hpp"
#include "protocol/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::prove {
namespace {

using namespace protocol;

constexpr std::uint32_t kNoPart = 0xffff'ffffU;
constexpr std::uint32_t kNoSlot = 0xffff'ffffU;
constexpr std::uint32_t kMostPieces = 64;  ///< of one answer; a machine that always has more to say is stopped

/// The entry that a rank registers. It claims no device: duplicates are another story.
void write_entry(RankId rank, std::span<std::byte> bytes) {
    Entry entry;
    entry.endpoint.family = Family::ipv4;
    entry.endpoint.address = {127, 0, 0, 1};
    entry.endpoint.port = 1;
    entry.host_id = 1;
    entry.incarnation = 100U + rank;
    entry.process_id = 5000U + rank;
    entry.rank = rank;
    encode_entry(entry, bytes);
}

bool is_same(Frame const& said, Frame const& promised) {
    bool const timed = promised.kind == FrameKind::check_in;  // tells how much time is left
    return said.kind == promised.kind && said.aux == promised.aux && said.a == promised.a && said.b == promised.b &&
           said.c == promised.c && (timed || said.d == promised.d) && said.payload_bytes == promised.payload_bytes;
}

}  // namespace

Actor::Actor(Shape const& shape, std::vector<Part> const& parts, Node node)
    : shape_(shape), parts_(parts), node_(node), body_(Body::of(shape, node)) {}

Moment Actor::first() {
    Moment moment;
    moment.said.assign(parts_.size(), 0);
    moment.heard.assign(parts_.size(), 0);
    moment.stands.assign(parts_.size(), 0);
    moment.known.assign((shape_.nranks + 63U) / 64U, 0);
    moment.doors.fill(kNobody);
    if (!shape_.is_root(node_))
        moment.learn(node_);
    moment_ = &moment;
    body_->load(moment);
    feed(Event::start(moment.now_ns));
    body_->store(moment);
    return moment;
}

// --- what can happen ----------------------------------------------------------------------------------------------

bool Actor::has_ended(Moment const& moment, std::uint32_t number) const {
    Part const& part = parts_[number];
    std::uint16_t const said = moment.said[number];
    return said == part.mine.size() && said > 0 && part.mine.back().kind == Line::Kind::end;
}

/// What must come before this line of its own on the same connection has come.
bool Actor::was_promised(std::uint32_t number, Line const& line) const {
    Part const& part = parts_[number];
    return moment_->heard[number] >= line.after &&
           (!part.calls || line.kind == Line::Kind::call || moment_->stands[number] != 0);
}

std::vector<bool> Actor::takes(Moment const& moment) {
    body_->load(moment);
    std::vector<bool> all(parts_.size());
    for (std::uint32_t number = 0; number < parts_.size(); ++number)
        all[number] = can_take(moment, number);
    return all;
}

/// The body is that of `moment`.
bool Actor::can_take(Moment const& moment, std::uint32_t number) const {
    Part const& part = parts_[number];
    std::uint16_t const heard = moment.heard[number];
    if (heard == part.theirs.size() || has_ended(moment, number))
        return false;
    Line const& line = part.theirs[heard];
    if (line.kind == Line::Kind::call)
        return moment.credits[static_cast<std::size_t>(part.listener)] > 0;
    if (line.kind == Line::Kind::end)
        return true;
    return body_->reception(link_at(moment, number), line.frame).kind != Reception::Kind::hold;
}

std::vector<Move> Actor::moves(Moment const& moment) {
    std::vector<Move> all;
    if (moment.finished != 0)
        return all;
    body_->load(moment);
    if (body_->is_delayed())
        all.push_back({Move::Kind::begin, 0});
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
        Part const& part = parts_[number];
        if (part.calls && moment.said[number] > 0 && moment.stands[number] == 0) {
            all.push_back({Move::Kind::stands, number});
            continue;
        }
        if (!can_take(moment, number))
            continue;
        Line const& line = part.theirs[moment.heard[number]];
        if (moment.said[number] < line.after || (part.calls && moment.stands[number] == 0))
            continue;
        bool const called = line.kind == Line::Kind::call;
        if (called && part.opens_after && moment.said[part.opens_after->part] < part.opens_after->lines)
            continue;
        if (called && free_slot(moment, part.listener) == kNoSlot)
            continue;
        all.push_back({Move::Kind::hear, number});
    }
    return all;
}

void Actor::make(Moment& moment, Move move) {
    moment_ = &moment;
    body_->load(moment);
    switch (move.kind) {
    case Move::Kind::begin:
        moment.now_ns = body_->deadline_ns();
        feed(Event::timer(moment.now_ns));
        break;
    case Move::Kind::stands:
        moment.stands[move.part] = 1;
        feed(Event::connected(moment.now_ns, parts_[move.part].link));
        break;
    case Move::Kind::hear: hear(move.part); break;
    }
    body_->store(moment);
    if (broken_.empty() && !body_->is_bounded())
        break_promise("waits without a deadline [L2]");
}

void Actor::hear(std::uint32_t number) {
    Part const& part = parts_[number];
    Line const& line = part.theirs[moment_->heard[number]++];
    switch (line.kind) {
    case Line::Kind::call: {
        std::uint32_t const slot = free_slot(*moment_, part.listener);
        moment_->doors[slot] = static_cast<std::uint16_t>(number);
        return feed(Event::accepted(moment_->now_ns, part.listener, pending(slot)));
    }
    case Line::Kind::end:
        return feed(Event::closed(moment_->now_ns, link_at(*moment_, number), Failure::end_of_stream));
    case Line::Kind::frame: break;
    }
    Link const link = link_at(*moment_, number);
    if (body_->reception(link, line.frame).kind == Reception::Kind::refuse)
        return break_promise(fmt::format("refuses {} of {}", prove::words_for(line), whom(number)));
    std::array<std::byte, kEntryBytes> entry{};
    std::span<std::byte const> payload;
    if (line.frame.kind == FrameKind::check_in || line.frame.kind == FrameKind::successor) {
        write_entry(line.frame.a, entry);
        payload = entry;
    }
    arriving_ = &line.frame;
    feed(Event::arrived(moment_->now_ns, link, line.frame, payload));
}

bool Actor::is_greeting(Moment const& moment, std::uint32_t number) const {
    std::span<Line const> const theirs = parts_[number].theirs;
    return slot_of(moment, number) != kNoSlot && moment.heard[number] < theirs.size() &&
           moment.said[number] >= theirs[moment.heard[number]].after;
}

void Actor::judge_rest(Moment const& moment) {
    if (!shape_.is_root(node_) && moment.ready == 0)
        return break_promise("has heard everything and is not ready [L1]");
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
        Part const& part = parts_[number];
        if (moment.said[number] < part.mine.size())
            return break_promise(
                fmt::format("never says {} to {}", prove::words_for(part.mine[moment.said[number]]), whom(number)));
        bool const unheard =
            moment.finished == 0 && moment.heard[number] < part.theirs.size() && !has_ended(moment, number);
        if (unheard)
            return break_promise(
                fmt::format("never takes {} of {}", prove::words_for(part.theirs[moment.heard[number]]), whom(number)));
    }
}

// --- the seam -----------------------------------------------------------------------------------------------------

void Actor::feed(Event event) {
    answers_.push_back(event);
    while (!answers_.empty() && broken_.empty()) {
        Event next = answers_.front();
        answers_.pop_front();
        for (std::uint32_t piece = 0;; ++piece) {
            Actions actions;
            body_->step(next, actions);
            for (Action const& action : actions) {
                if (broken_.empty())
                    act(action);
            }
            if (!actions.more() || !broken_.empty())
                break;
            if (piece == kMostPieces)
                return break_promise("always has more to say");
            next = Event::resume(next.now);
        }
        arriving_ = nullptr;  // what follows are the driver's own answers
    }
    answers_.clear();
}

void Actor::act(Action const& action) {
    switch (action.kind) {
    case ActionKind::listen: answers_.push_back(Event::listening(moment_->now_ns, action.listener)); return;
    case ActionKind::accept:
        moment_->credits[static_cast<std::size_t>(action.listener)] =
            static_cast<std::uint8_t>(std::min(action.count, kDoors));
        return;
    case ActionKind::connect: return on_connect(action);
    case ActionKind::send: return on_send(action);
    case ActionKind::admit: return on_admit(action);
    case ActionKind::close: return on_close(action.link);
    case ActionKind::learn: return on_learn(action);
    case ActionKind::inspect:
        if (!knows_all())
            return break_promise("searches a table with holes [S1]");
        answers_.push_back(Event::inspected(moment_->now_ns, {}));
        return;
    case ActionKind::ready: return on_ready();
    case ActionKind::finish:
        moment_->finished = 1;
        if (!shape_.is_root(node_))
            break_promise("ends although nothing is wrong [L1]");
        return;
    case ActionKind::pause:  // whoever asks to be told of `sent` is told at once: no queue has a bound here
    case ActionKind::unpause:
    case ActionKind::deafen: return;
    default: return break_promise(fmt::format("asks for {}", name_of(action.kind)));
    }
}

void Actor::on_connect(Action const& action) {
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
        Part const& part = parts_[number];
        Node const other =
            action.link == kRootLink || action.link == kPreviousRootLink ? shape_.root_node(action.rank) : action.rank;
        if (!part.calls || part.link != action.link || part.other != other)
            continue;
        if (shape_.is_root(node_))
            moment_->calling = static_cast<std::uint16_t>(number);
        if (!shape_.is_root(part.other) && !moment_->knows(part.other))
            return break_promise(fmt::format("calls {} without its address [S9]", whom(number)));
        return say(number, Line::Kind::call, nullptr);
    }
    break_promise("calls somebody whom it has no business with");
}

void Actor::on_send(Action const& action) {
    std::uint32_t const number = part_of(action.link);
    if (number == kNoPart)
        return break_promise(fmt::format("sends {} on a connection that it does not have", name_of(action.frame.kind)));
    if (action.notify)
        answers_.push_back(Event::sent(moment_->now_ns, action.link));
    if (action.source == Source::table || (action.source == Source::entry && shape_.is_root(node_)))
        check_entries(action);
    say(number, Line::Kind::frame, &action.frame);
}

/// What goes out is what the frame says it is, and was heard before.
void Actor::check_entries(Action const& action) {
    bool const one = action.frame.kind == FrameKind::successor;
    if (action.first != action.frame.a || action.count != (one ? 1U : action.frame.b))
        return break_promise(fmt::format("sends {} entries from {} as {}", action.count, action.first,
                                         prove::words_for({.frame = action.frame})));
    for (std::uint32_t i = 0; i < action.count; ++i) {
        RankId const rank = (action.first + i) % shape_.nranks;
        if (!moment_->knows(rank))
            return break_promise(fmt::format("sends entry {}, which it does not have [S1]", rank));
    }
}

void Actor::on_admit(Action const& action) {
    std::uint32_t const number = part_of(action.link);
    if (number == kNoPart || parts_[number].link != action.to)
        return break_promise("admits somebody as whom it is not [S9]");
    moment_->doors[action.link.index()] = kNobody;
}

void Actor::on_close(Link link) {
    std::uint32_t const number = part_of(link);
    if (number == kNoPart)
        return break_promise("closes a connection that it does not have");
    if (std::uint32_t const slot = slot_of(*moment_, number); slot != kNoSlot)
        moment_->doors[slot] = kNobody;
    say(number, Line::Kind::end, nullptr);
}

/// What it takes for true is what arrived, at its place.
void Actor::on_learn(Action const& action) {
    if (arriving_ == nullptr)
        return break_promise("learns without a frame [S1]");
    std::uint32_t const count = arriving_->kind == FrameKind::slices ? arriving_->b : 1U;
    for (std::uint32_t i = 0; i < action.count; ++i) {
        RankId const rank = (action.first + i) % shape_.nranks;
        if ((rank + shape_.nranks - arriving_->a % shape_.nranks) % shape_.nranks >= count)
            return break_promise(fmt::format("learns entry {}, which did not arrive [S1]", rank));
        moment_->learn(rank);
    }
}

void Actor::on_ready() {
    if (!knows_all())
        return break_promise("is ready without the whole table [S1]");
    if (!body_->holds_hands())
        return break_promise("is ready without both hands [S3]");
    moment_->ready = 1;
}

void Actor::say(std::uint32_t number, Line::Kind kind, Frame const* frame) {
    Part const& part = parts_[number];
    std::uint16_t const said = moment_->said[number];
    Line spoken;
    spoken.kind = kind;
    if (frame != nullptr)
        spoken.frame = *frame;
    if (said == part.mine.size())
        return break_promise(fmt::format("says {} to {}, when all is said", prove::words_for(spoken), whom(number)));
    Line const& line = part.mine[said];
    if (line.kind != kind || (frame != nullptr && !is_same(*frame, line.frame)))
        return break_promise(
            fmt::format("says {} to {} instead of {}", prove::words_for(spoken), whom(number), prove::words_for(line)));
    bool const opened = kind != Line::Kind::call || !part.opens_after ||
                        moment_->heard[part.opens_after->part] >= part.opens_after->lines;
    if (!was_promised(number, line) || !opened)
        return break_promise(fmt::format("says {} to {} before its time", prove::words_for(line), whom(number)));
    if (line.vouches && !shape_.is_root(node_) && (!knows_all() || !body_->holds_hands()))
        return break_promise(
            fmt::format("says {} without the whole table and both hands [S3]", prove::words_for(line)));
    moment_->said[number] = static_cast<std::uint16_t>(said + 1U);
}

// --- small ones -----------------------------------------------------------------------------------------------------

void Actor::break_promise(std::string what) {
    if (broken_.empty())
        broken_ = shape_.name_of(node_) + " " + std::move(what);
}

std::string Actor::whom(std::uint32_t number) const { return shape_.name_of(parts_[number].other); }

std::uint32_t Actor::part_of(Link link) const {
    if (link.link_class() == LinkClass::pending) {
        std::uint16_t const at_door = link.index() < kDoors ? moment_->doors[link.index()] : kNobody;
        return at_door == kNobody ? kNoPart : at_door;
    }
    if (shape_.is_root(node_) && link == kCallbackLink)
        return moment_->calling == kNobody ? kNoPart : moment_->calling;
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
        if (parts_[number].link == link)
            return number;
    }
    return kNoPart;
}

std::uint32_t Actor::slot_of(Moment const& moment, std::uint32_t number) const {
    auto const at = std::find(moment.doors.begin(), moment.doors.end(), static_cast<std::uint16_t>(number));
    return at == moment.doors.end() ? kNoSlot : static_cast<std::uint32_t>(at - moment.doors.begin());
}

/// Credits are for those at the doors, whoever was admitted does not count.
std::uint32_t Actor::free_slot(Moment const& moment, Listener listener) const {
    std::uint32_t const credits = moment.credits[static_cast<std::size_t>(listener)];
    std::uint32_t waiting = 0;
    for (std::uint16_t const part : moment.doors)
        waiting += part != kNobody && parts_[part].listener == listener ? 1U : 0U;
    if (waiting >= credits)
        return kNoSlot;
    return slot_of(moment, kNobody);
}

Link Actor::link_at(Moment const& moment, std::uint32_t number) const {
    std::uint32_t const slot = slot_of(moment, number);
    return slot == kNoSlot ? parts_[number].link : pending(slot);
}

bool Actor::knows_all() const {
    for (RankId rank = 0; rank < shape_.nranks; ++rank) {
        if (!moment_->knows(rank))
            return false;
    }
    return true;
}

std::string Actor::words_for(Moment const& moment, Move move) const {
    switch (move.kind) {
    case Move::Kind::begin: return "its time to check in has come";
    case Move::Kind::stands: return fmt::format("its connection to {} stands", whom(move.part));
    case Move::Kind::hear: break;
    }
    return fmt::format("{} of {}", prove::words_for(parts_[move.part].theirs[moment.heard[move.part]]),
                       whom(move.part));
}

}  // namespace ronde::prove
