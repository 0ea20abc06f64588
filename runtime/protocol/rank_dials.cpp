/// Connections that a rank makes: to its root, to its peers. Try, be answered, or try again with a fresh socket
/// [clauses 3.5 and 5.6].
#include "protocol/rank_step.hpp"

#include <algorithm>

namespace ronde::protocol {
namespace {

constexpr std::uint32_t kArticleRefusals = 20'000;  ///< 1 ms apart
constexpr std::uint32_t kArticleTimeouts = 3;
constexpr std::uint32_t kNcclRetries = 34;          ///< the k-th pause is k * 100 ms
constexpr std::uint32_t kLongestPauseExponent = 9;  ///< 512 ms
constexpr std::uint32_t kLongestAnswerPatienceMs = 8'000;
constexpr std::uint32_t kCrowd = 64;          ///< a root whose block has more ranks ...
constexpr std::uint32_t kCrowdMsPerRank = 4;  ///< ... is given so much longer for each of them

/// splitmix64's finaliser: spreads (seed, rank, attempt) over 64 bits.
constexpr std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e37'79b9'7f4a'7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
    return x ^ (x >> 31);
}

bool is_root(Link link) {
    return link.link_class() == LinkClass::root || link.link_class() == LinkClass::previous_root;
}

}  // namespace

void RankStep::dial(std::uint32_t index, Link link) noexcept {
    Dial& dial = state_.dials[index];
    dial = Dial{};
    dial.link = link;
    try_dial(dial);
}

void RankStep::try_dial(Dial& dial) noexcept {
    dial.state = Dial::State::connecting;
    ++dial.attempt;
    dial.due_ns = answer_due(dial);
    Action& action = actions_.push(ActionKind::connect);
    action.link = dial.link;
    switch (dial.link.link_class()) {
    case LinkClass::root: action.rank = my_root(); break;
    case LinkClass::previous_root: action.rank = partition().previous_root(my_root()); break;
    default: action.rank = rank_behind(dial.link); break;
    }
}

Dial* RankStep::dial_of(Link link) noexcept {
    for (Dial& dial : state_.dials) {
        if (dial.state != Dial::State::idle && dial.link == link)
            return &dial;
    }
    return nullptr;
}

void RankStep::on_connected() noexcept {
    Dial* const dial = dial_of(event_.link);
    if (dial == nullptr || dial->state != Dial::State::connecting)
        return;
    if (event_.authentic)
        return dial_opened(*dial);  // a mail link that was admitted before
    Frame hello;
    hello.kind = FrameKind::hello;
    hello.payload_bytes = kNonceBytes;
    hello.aux =
        purpose_of(dial->link.link_class(), dial->link.link_class() == LinkClass::chord_out ? dial->link.index() : 0);
    hello.a = config_.rank;
    hello.b = is_root(dial->link) ? (dial->link == kRootLink ? my_root() : partition().previous_root(my_root()))
                                  : rank_behind(dial->link);
    hello.c = config_.session;
    send(dial->link, hello, Source::handshake);
    if (policies_.auth != Auth::keyed)
        return dial_opened(*dial);
    dial->state = Dial::State::greeting;
    dial->due_ns = answer_due(*dial);
}

void RankStep::on_challenge(Dial& dial) noexcept {
    if (!event_.authentic) {  // somebody else's service, or another job's: not whom we look for
        close_link(dial.link);
        return dial_failed(dial, Failure::malformed, 0);
    }
    Frame proof;
    proof.kind = FrameKind::proof;
    proof.payload_bytes = kTagBytes;
    proof.aux = event_.frame.aux;
    proof.a = event_.frame.a;
    proof.b = event_.frame.b;
    proof.c = event_.frame.c;
    send(dial.link, proof, Source::handshake);
    dial_opened(dial);
}

void RankStep::on_connect_failed() noexcept {
    Dial* const dial = dial_of(event_.link);
    if (dial == nullptr || dial->state != Dial::State::connecting)
        return;
    dial_failed(*dial, event_.failure, event_.os_error);
}

void RankStep::on_dial_timer() noexcept {
    for (Dial& dial : state_.dials) {
        if (over())
            return;
        if (dial.state == Dial::State::idle || event_.now < dial.due_ns)
            continue;
        switch (dial.state) {
        case Dial::State::pausing:
            if (state_.phase == Phase::delayed)
                state_.phase = Phase::checking_in;
            try_dial(dial);
            break;
        case Dial::State::connecting:
            close_link(dial.link);
            dial_failed(dial, Failure::timed_out, 0);
            break;
        case Dial::State::greeting:  // connected, but nobody answers: perhaps a ghost in a full queue
            ++dial.unanswered;
            close_link(dial.link);
            dial_failed(dial, Failure::timed_out, 0);
            break;
        case Dial::State::idle:
        case Dial::State::open: break;
        }
    }
}

void RankStep::dial_failed(Dial& dial, Failure failure, std::int32_t os_error) noexcept {
    dial.refusals = failure == Failure::refused ? static_cast<std::uint16_t>(dial.refusals + 1U) : std::uint16_t{0};
    dial.last_failure = failure;
    dial.last_os_error = static_cast<std::int16_t>(os_error);
    bool const hopeless = failure == Failure::not_permitted || failure == Failure::bad_address;
    bool const last_word = is_root(dial.link) && state_.phase == Phase::ready;  // who came back only to say done
    if (hopeless || last_word || exhausted(dial))
        return give_up(dial);
    dial.state = Dial::State::pausing;
    dial.due_ns = event_.now + pause_ns(dial);
}

bool RankStep::exhausted(Dial const& dial) const noexcept {
    switch (policies_.retry) {
    case Retry::article:
        return dial.last_failure == Failure::refused     ? dial.refusals > kArticleRefusals
               : dial.last_failure == Failure::timed_out ? dial.attempt > kArticleTimeouts
                                                         : dial.last_failure != Failure::self_connection;
    case Retry::nccl: {
        bool const retried = dial.last_failure == Failure::refused || dial.last_failure == Failure::timed_out ||
                             dial.last_failure == Failure::unreachable || dial.last_failure == Failure::self_connection;
        return !retried || dial.attempt > kNcclRetries;
    }
    case Retry::backoff: {
        // Nobody listens where a listener was promised: after the patience it will not come back [5.6]. The pauses
        // double from 1 ms, so the patience in ms is used up after about log2(patience) refusals in a row.
        bool const promised = !is_root(dial.link) || config_.root_promised;
        return promised && dial.refusals > log2_ceil(policies_.refused_patience_ms);
    }
    }
    return true;
}

TimeNs RankStep::pause_ns(Dial const& dial) const noexcept {
    switch (policies_.retry) {
    case Retry::article: return kMillisecondNs;
    case Retry::nccl: return TimeNs{100} * dial.attempt * kMillisecondNs;
    case Retry::backoff: {
        std::uint32_t const exponent = std::min<std::uint32_t>(dial.attempt - 1U, kLongestPauseExponent);
        std::uint64_t const longest_ns = static_cast<std::uint64_t>(kMillisecondNs) << exponent;
        return static_cast<TimeNs>(longest_ns / 2 + draw(dial.link, dial.attempt) % (longest_ns / 2));
    }
    }
    return kMillisecondNs;
}

/// When to give a connection up that is not (yet) answered. Doubles per try, jittered by an eighth, so that the ranks
/// of a storm do not come back together. Whoever gives up loses its place in the queue and makes it longer, so a root
/// with many ranks is given the time to serve them.
TimeNs RankStep::answer_due(Dial const& dial) const noexcept {
    if (policies_.deadlines == Deadlines::none)
        return kNever;
    std::uint64_t patience_ms = policies_.answer_patience_ms;
    if (is_root(dial.link)) {
        std::uint32_t const callers = partition().size_of(my_root());
        patience_ms += std::uint64_t{callers - std::min(callers, kCrowd)} * kCrowdMsPerRank;
    }
    for (std::uint32_t i = 1; i < dial.attempt && patience_ms < kLongestAnswerPatienceMs; ++i)
        patience_ms *= 2;
    std::uint64_t const patience_ns =
        std::min<std::uint64_t>(patience_ms, kLongestAnswerPatienceMs) * static_cast<std::uint64_t>(kMillisecondNs);
    std::uint64_t const jitter_ns = draw(dial.link, dial.attempt + 0x10000U) % (patience_ns / 8 + 1);
    return event_.now + static_cast<TimeNs>(patience_ns + jitter_ns);
}

std::uint64_t RankStep::draw(Link link, std::uint64_t attempt) const noexcept {
    return scramble(config_.seed ^ scramble((std::uint64_t{config_.rank} << 32) | link.value) ^ attempt);
}

void RankStep::dial_opened(Dial& dial) noexcept {
    Link const link = dial.link;
    dial.state = Dial::State::open;
    dial.due_ns = kNever;
    dial.refusals = 0;
    switch (link.link_class()) {
    case LinkClass::root:
    case LinkClass::previous_root: return send_check_in(link);
    case LinkClass::chord_out:
        state_.out_open |= 1U << link.index();
        state_.spoken &= ~(1U << link.index());
        if (link == chord_out(0) && has(RankState::kTorn))
            return fail(Code::rank_lost, rank_behind(link), Failure::end_of_stream);
        if (link == chord_out(0)) {
            // The order of old: connect to the successor, only then accept the predecessor [5.5].
            if (policies_.accepting == Accepting::serial)
                grant(Listener::ring, 1);
            on_hand();
            if (state_.phase == Phase::committing && has(RankState::kCommitted))
                return become_ready();
        }
        if (!over())
            pump_gather();
        return;
    case LinkClass::mail_out: return post_message();
    default: return;
    }
}

void RankStep::give_up(Dial& dial) noexcept {
    // My predecessor is here, so that root had counted me; it has ended since, and is not needed any more.
    if (dial.link == kPreviousRootLink && state_.phase >= Phase::connecting_ring && (state_.in_open & 1U) != 0) {
        dial = Dial{};
        return;
    }
    if (dial.link == kRootLink && !needs_root()) {  // it had its answer before the connection was reset [6.7]
        Failure const failure = dial.last_failure;
        dial = Dial{};
        dial.last_failure = failure;
        return;
    }
    Error error;
    error.failure = dial.last_failure;
    error.os_error = dial.last_os_error;
    if (is_root(dial.link)) {
        error.code = Code::root_lost;
        if (dial.last_failure == Failure::not_permitted || dial.last_failure == Failure::bad_address) {
            error.code = Code::local_failure;
            error.about = config_.rank;
        }
        return fail(error);
    }
    if (state_.dials[0].refusals > 0 && needs_root()) {  // that peer needed it too [6.7]
        error.code = Code::root_lost;
        error.failure = Failure::refused;
        error.os_error = state_.dials[0].last_os_error;
        return fail(error);
    }
    error.code = dial.last_failure == Failure::refused ? Code::rank_lost : Code::peer_unreachable;
    error.about = rank_behind(dial.link);
    fail(error);
}

}  // namespace ronde::protocol
