#include "transcripts/transcript.hpp"

#include "protocol/transitions.hpp"
#include "support/wording.hpp"
#include "transcripts/words.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint64_t kSession = 0xabc;
constexpr std::uint32_t kRootsDigest = 77;

Entry entry_of(RankId rank) {
    Entry entry;
    entry.endpoint.family = Family::ipv4;
    entry.endpoint.port = static_cast<std::uint16_t>(1000 + rank);
    entry.endpoint.address = {127, 0, 0, 1};
    entry.host_id = 1;
    entry.device_id = rank;
    entry.incarnation = 1;
    entry.process_id = 5000 + rank;
    entry.rank = rank;
    return entry;
}

std::vector<std::byte> bytes_of(Entry const& entry) {
    std::vector<std::byte> bytes(kEntryBytes);
    encode_entry(entry, bytes);
    return bytes;
}

}  // namespace

std::vector<std::string> Transcript::play(std::string_view command) {
    said_.clear();
    Words words(command);
    std::string const verb = words.next();
    Event event;
    if (verb == "rank") {
        make_rank(words);
    } else if (verb == "root") {
        make_root(words);
    } else if (verb == "wait") {
        now_ += words.time_ns();
    } else if (verb == "state") {
        show_state();
    } else if (read_event(verb, words, event)) {
        feed(event);
    } else {
        throw std::runtime_error(fmt::format("\"{}\" is no command", command));
    }
    if (!words.done())
        throw std::runtime_error(fmt::format("\"{}\": what is \"{}\"?", command, words.next()));
    if (said_.empty())
        say("nothing");
    return said_;
}

// --- the machine ----------------------------------------------------------------------------------------------------

Policies Transcript::read_policies(Words& words, std::uint32_t& nroots, TimeNs& budget_ns) {
    Policies policies = policies_of(Profile::ronde);
    while (!words.done()) {
        std::string const word = words.next();
        if (word == "profile") {
            policies = policies_of(words.among<Profile>(4, [](Profile p) { return name_of(p); }));
        } else if (word == "gather") {
            policies.gather = words.among<Gather>(5, [](Gather g) { return name_of(g); });
        } else if (word == "turns") {
            policies.turns = words.among<Turns>(4, [](Turns t) { return name_of(t); });
        } else if (word == "auth") {
            policies.auth = words.among<Auth>(3, [](Auth a) { return name_of(a); });
        } else if (word == "roots") {
            nroots = words.number();
        } else if (word == "budget") {
            budget_ns = words.time_ns();
        } else if (word == "unpromised") {
            rank_config_.root_promised = false;
        } else if (word == "expects") {
            root_config_.expected_nranks = words.number();
        } else if (word == "doors") {
            root_config_.pending_limit = words.number();
        } else {
            throw std::runtime_error(fmt::format("no machine has a \"{}\"", word));
        }
    }
    return policies;
}

void Transcript::make_rank(Words& words) {
    is_root_ = false;
    rank_config_ = RankConfig{};
    rank_config_.rank = words.number();
    words.expect("of");
    rank_config_.nranks = words.number();
    Policies const policies = read_policies(words, rank_config_.nroots, rank_config_.budget_ns);
    rank_config_.policies = resolve(policies, rank_config_.nranks, rank_config_.nroots);
    rank_config_.session = kSession;
    rank_config_.roots_digest = kRootsDigest;
    rank_ = Rank(rank_config_);
    now_ = 0;
    say(fmt::format("gather {}, {} chords", name_of(rank_config_.policies.gather), log2_ceil(rank_config_.nranks)));
}

void Transcript::make_root(Words& words) {
    is_root_ = true;
    root_config_ = RootConfig{};
    root_config_.root_index = words.number();
    words.expect("of");
    root_config_.nroots = words.number();
    root_config_.policies = read_policies(words, root_config_.nroots, root_config_.budget_ns);
    root_config_.session = kSession;
    root_config_.roots_digest = kRootsDigest;
    root_ = std::make_unique<Root>(root_config_);
    records_.clear();
    device_index_.clear();
    now_ = 0;
    say(std::string(protocol::name_of(root_->phase())));
}

// --- events ---------------------------------------------------------------------------------------------------------

bool Transcript::read_event(std::string const& verb, Words& words, Event& event) {
    if (verb == "start") {
        event.kind = EventKind::start;
    } else if (verb == "abort") {
        event.kind = EventKind::abort;
    } else if (verb == "close") {
        event.kind = EventKind::close;
    } else if (verb == "collected") {
        event.kind = EventKind::collected;
    } else if (verb == "timer") {
        event.kind = EventKind::timer;
        TimeNs const deadline_ns = is_root_ ? root_->deadline() : rank_.deadline();
        if (words.done() && deadline_ns == kNever)
            throw std::runtime_error("there is no deadline to wait for");
        now_ = words.done() ? deadline_ns : now_ + words.time_ns();
    } else if (verb == "listening" || verb == "queued") {
        event.kind = verb == "queued" ? EventKind::queued : EventKind::listening;
        event.listener = words.among<Listener>(3, [](Listener l) { return protocol::name_of(l); });
    } else if (verb == "listen_failed" || verb == "accept_failed") {
        event.kind = verb == "listen_failed" ? EventKind::listen_failed : EventKind::accept_failed;
        event.listener = words.among<Listener>(3, [](Listener l) { return protocol::name_of(l); });
        event.failure = words.failure();
    } else if (verb == "accepted") {
        event.kind = EventKind::accepted;
        event.listener = words.among<Listener>(3, [](Listener l) { return protocol::name_of(l); });
        event.link = pending(words.number());
    } else if (verb == "connected") {
        event.kind = EventKind::connected;
        event.link = words.link();
        event.authentic = words.take("cached");
    } else if (verb == "connect_failed" || verb == "closed") {
        event.kind = verb == "closed" ? EventKind::closed : EventKind::connect_failed;
        event.link = words.link();
        event.failure = words.failure();
    } else if (verb == "sent") {
        event.kind = EventKind::sent;
        event.link = words.link();
    } else if (verb == "inspected") {
        event.kind = EventKind::inspected;
        if (!words.done()) {
            event.devices.first = words.number();
            event.devices.second = words.number();
        }
    } else if (verb == "operate") {
        event.kind = EventKind::operate;
        event.operation = read_operation(words);
    } else if (verb == "frame") {
        read_frame(words, event);
    } else {
        return false;
    }
    return true;
}

Operation Transcript::read_operation(Words& words) const {
    Operation operation;
    operation.kind = words.among<OperationKind>(6, [](OperationKind k) { return protocol::name_of(k); });
    bool const message = operation.kind == OperationKind::send || operation.kind == OperationKind::receive;
    if (message || operation.kind == OperationKind::broadcast)
        operation.peer = words.number();
    if (message)
        operation.tag = words.number();
    if (operation.kind != OperationKind::barrier)
        operation.slice_bytes = words.number();
    if (words.take("within"))
        operation.budget_ns = words.time_ns();
    return operation;
}

void Transcript::read_frame(Words& words, Event& event) {
    event.kind = EventKind::frame;
    event.link = words.link();
    event.authentic = true;
    payload_.clear();
    Frame& frame = event.frame;
    frame = read_content(words, words.next());
    Entry entry = entry_of(frame.a);
    read_details(words, event, entry);
    bool const carries_entry = frame.kind == FrameKind::check_in || frame.kind == FrameKind::successor;
    if (carries_entry)
        payload_ = bytes_of(entry);
    if (fixed_payload_bytes(frame.kind) != kVariable)
        frame.payload_bytes = fixed_payload_bytes(frame.kind);
    event.payload = payload_;
}

Frame Transcript::read_content(Words& words, std::string const& kind) {
    Frame frame;
    if (kind == "hello" || kind == "proof") {
        frame.kind = kind == "hello" ? FrameKind::hello : FrameKind::proof;
        words.take("for");
        Link const purpose = words.link();
        bool const chord = purpose.link_class() == LinkClass::chord_out;
        frame.aux = purpose_of(purpose.link_class(), chord ? purpose.index() : 0);
        words.expect("from");
        frame.a = words.number();
        words.expect("to");
        frame.b = words.number();
        frame.c = kSession;
    } else if (kind == "check_in") {
        frame.kind = FrameKind::check_in;
        frame.aux = static_cast<std::uint16_t>(root_config_.root_index);
        frame.a = words.number();
        words.expect("of");
        frame.b = words.number();
        Policies const policies = resolve(root_config_.policies, frame.b, root_config_.nroots);
        frame.c = (std::uint64_t{digest_of(policies)} << 32U) | kRootsDigest;
        frame.d = static_cast<std::uint64_t>(10 * kSecondNs);
    } else if (kind == "successor" || kind == "done" || kind == "roll_call" || kind == "bye") {
        frame.kind = kind == "successor"   ? FrameKind::successor
                     : kind == "done"      ? FrameKind::done
                     : kind == "roll_call" ? FrameKind::roll_call
                                           : FrameKind::bye;
        frame.a = words.number();
    } else if (kind == "challenge") {
        frame = hello_;  // it repeats the numbers of the hello that it answers
        frame.kind = FrameKind::challenge;
    } else if (kind == "commit") {
        frame.kind = FrameKind::commit;
    } else if (kind == "slices") {
        frame.kind = FrameKind::slices;
        if (words.take("chord"))
            frame.aux = static_cast<std::uint16_t>(words.number());
        words.run(frame.a, frame.b);
        words.expect("of");
        frame.c = words.number();
        frame.payload_bytes = static_cast<std::uint32_t>(frame.b * frame.c);
        if (words.take("operation"))
            frame.d = words.number();
    } else if (kind == "length") {
        frame.kind = FrameKind::length;
        if (words.take("turn"))
            frame.aux = static_cast<std::uint16_t>(words.number());
        frame.a = words.number();
        words.expect("of");
        frame.c = words.number();
        if (words.take("operation"))
            frame.d = words.number();
    } else if (kind == "message") {
        frame.kind = FrameKind::message;
        words.expect("from");
        frame.a = words.number();
        words.expect("to");
        frame.b = words.number();
        words.expect("tag");
        frame.c = words.number();
        words.expect("of");
        frame.payload_bytes = words.number();
    } else if (kind == "verdict") {
        frame.kind = FrameKind::verdict;
        Verdict verdict;
        verdict.error.code = words.among<Code>(kCodeCount, [](Code c) { return protocol::name_of(c); });
        verdict.error.phase = Phase::gathering;
        if (words.take("about"))
            verdict.error.about = words.number();
        payload_.resize(kVerdictBytes);
        encode_verdict(verdict, payload_);
    } else {
        throw std::runtime_error(fmt::format("no frame is called \"{}\"", kind));
    }
    return frame;
}

void Transcript::read_details(Words& words, Event& event, Entry& entry) {
    Frame& frame = event.frame;
    while (!words.done()) {
        std::string const word = words.next();
        if (word == "forged") {
            event.authentic = false;
        } else if (word == "session") {
            frame.c = words.number();
        } else if (word == "version") {
            frame.version = static_cast<std::uint8_t>(words.number());
        } else if (word == "incarnation") {
            entry.incarnation = words.number();
        } else if (word == "pid") {
            entry.process_id = words.number();
        } else if (word == "device") {
            entry.device_id = words.number();
        } else if (word == "budget") {
            frame.d = static_cast<std::uint64_t>(words.time_ns());
        } else {
            throw std::runtime_error(fmt::format("no frame has a \"{}\"", word));
        }
    }
}

// --- what the machine does ------------------------------------------------------------------------------------------

void Transcript::feed(Event event) {
    event.now = now_;
    auto const phase = [&] { return is_root_ ? protocol::name_of(root_->phase()) : protocol::name_of(rank_.phase()); };
    auto const deadline = [&] { return is_root_ ? root_->deadline() : rank_.deadline(); };
    std::string_view const before = phase();
    TimeNs const deadline_before_ns = deadline();
    if (event.kind == EventKind::frame) {
        Reception const reception =
            is_root_ ? root_->reception(event.link, event.frame) : rank_.reception(event.link, event.frame);
        if (reception.kind != Reception::Kind::take || reception.source != Source::none)
            say(words(reception));
        if (reception.kind == Reception::Kind::hold)
            return;
    }
    Actions actions;
    for (Event current = event;;) {
        is_root_ ? root_->step(current, actions.clear()) : rank_.step(current, actions.clear());
        show(actions);
        bool const asks_memory = actions.size() > 0 && actions[0].kind == ActionKind::reserve;
        if (!asks_memory && !actions.more())
            break;
        if (actions.more())
            say("and more:");
        current = asks_memory ? event : Event::resume(now_);
    }
    if (phase() != before)
        say(fmt::format("phase: {} -> {}", before, phase()));
    if (deadline() != deadline_before_ns)
        say(fmt::format("deadline: {}", words_of_time(deadline())));
    Verdict verdict;
    verdict.error = rank_.error();
    if (is_root_)
        verdict = root_->verdict();
    bool const over = is_root_ ? root_->finished() : rank_.finished();
    if (over && phase() != before && !verdict.error.is_ok()) {
        say(fmt::format("error: {}", describe(verdict)));
        say(fmt::format("remedy: {}", remedy_for(verdict.error)));
    }
}

void Transcript::show(Actions const& actions) {
    for (Action const& action : actions) {
        say(words(action));
        if (action.frame.kind == FrameKind::hello)
            hello_ = action.frame;
        if (action.kind != ActionKind::reserve)
            continue;
        records_.resize(std::max<std::size_t>(records_.size(), action.count));
        device_index_.assign(RootRoom::index_size(action.count), 0);
        root_->provide({records_, device_index_});
    }
}

void Transcript::show_state() {
    if (is_root_) {
        say(fmt::format("{} at {}, deadline {}", protocol::name_of(root_->phase()), words_of_time(now_),
                        words_of_time(root_->deadline())));
        say(fmt::format("checked in {} of {}, done {}, strangers {}", root_->checked_in(), root_->expected(),
                        root_->done(), root_->strangers()));
        return;
    }
    RankState const& state = rank_.state();
    say(fmt::format("{} at {}, deadline {}", protocol::name_of(state.phase), words_of_time(now_),
                    words_of_time(rank_.deadline())));
    say(fmt::format("chords out {:b}, in {:b}, operation {}, strangers {}, accepted {}", state.out_open, state.in_open,
                    state.operation, state.strangers, state.accepted));
    if (!state.error.is_ok())
        say(fmt::format("error {}", words(state.error)));
}

}  // namespace ronde::protocol::tiny
