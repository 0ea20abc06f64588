#include "net/rank_driver.hpp"

#include "protocol/check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ronde::net {

using protocol::ActionKind;
using protocol::Entry;
using protocol::EventKind;
using protocol::FrameKind;
using protocol::LinkClass;
using protocol::OperationKind;
using protocol::Phase;

// Entries are sent from and read into the table as they are.
static_assert(std::endian::native == std::endian::little, "a table in memory is a table on the wire");

RankDriver::RankDriver(Loop& loop, protocol::RankConfig const& config, protocol::Secret const& secret,
                       Entry const& mine, RankOptions options)
    : Driver(loop, config.policies.auth, secret, options.max_io_bytes, std::move(options.recorder)), config_(config),
      options_(std::move(options)), machine_(config_), table_(config.nranks), mailbox_(options_.mailbox_bytes) {
    RONDE_CHECK(config.rank < config.nranks, "a rank is one of nranks");
    RONDE_CHECK(options_.roots.size() == config.nroots, "there is an endpoint for each root");
    table_[config.rank] = mine;
    table_[config.rank].rank = config.rank;
    table_[config.rank].endpoint = options_.listen.at;
}

RankDriver::~RankDriver() { end_recording(); }

void RankDriver::start() { enter(Event::start(0)); }

void RankDriver::close() {
    if (!machine_.finished())
        enter(Event::close(0));
}

void RankDriver::abandon() {
    if (!finished_)
        cut_all();
}

void RankDriver::tell_settled() const {
    if (options_.on_settled)
        options_.on_settled();
}

void RankDriver::operate(protocol::Operation const& operation, std::span<std::byte> buffer) {
    begin_operation(operation, buffer);
}

void RankDriver::operate(protocol::Operation const& operation, std::span<const std::byte> buffer) {
    RONDE_CHECK(operation.kind == OperationKind::send, "only a send leaves its buffer as it is");
    // The buffer of a send is only ever handed to the kernel for reading; see payload_of.
    begin_operation(operation, {const_cast<std::byte*>(buffer.data()), buffer.size()});
}

void RankDriver::begin_operation(protocol::Operation const& operation, std::span<std::byte> buffer) {
    RONDE_CHECK(idle(), "one operation at a time");
    if (machine_.finished())
        return;
    bool const whole = operation.kind == OperationKind::all_gather;
    std::uint64_t const slices = whole ? config_.nranks : operation.kind == OperationKind::barrier ? 0U : 1U;
    RONDE_CHECK(buffer.size() == slices * operation.slice_bytes, "the buffer holds what the operation says");
    operation_ = operation;
    buffer_ = buffer;
    complete_ = false;
    operating_ = true;
    enter(Event::operate(0, operation));
}

void RankDriver::step(Event const& event, Actions& actions) {
    bool const verdict = event.kind == EventKind::frame && event.frame.kind == FrameKind::verdict;
    if (verdict && !machine_.finished() && event.payload.size() == protocol::kVerdictBytes) {
        heard_ = protocol::decode_verdict(event.payload);  // with the ranges that do not fit into the machine
    }
    machine_.step(event, actions);
}

// --- actions ------------------------------------------------------------------------------------------------------

void RankDriver::perform_own(Action const& action) {
    switch (action.kind) {
    case ActionKind::listen: return do_listen(action.listener);
    case ActionKind::learn: return do_learn(action);
    case ActionKind::inspect: return later(Event::inspected(now(), protocol::find_duplicate_device(table_)));
    case ActionKind::collect: return do_collect(action);
    case ActionKind::park:
        RONDE_CHECK(current_mail() != nullptr, "what is parked has just arrived");
        return mailbox_.put(action.rank, action.tag, std::move(*current_mail()));
    case ActionKind::complete: return do_complete();
    case ActionKind::ready: ready_ = true; return tell_settled();
    case ActionKind::finish: return leave_all(aborted_here_ ? kAbortLingerNs : kLingerNs);
    default: RONDE_CHECK(false, "a rank asks for nothing else");
    }
}

void RankDriver::do_listen(Listener name) {
    ListenRequest request = options_.listen;
    if (name == Listener::callback)
        request.seed += 0x9e37'79b9'7f4a'7c15ULL;  // of a port range: another one
    if (name == Listener::callback && request.ports.any())
        request.at.port = 0;
    auto listening = listen_on(request);
    if (!listening) {
        return later(Event::listen_failed(now(), name, listening.error().failure, listening.error().os_error));
    }
    Entry& mine = table_[config_.rank];
    if (name == Listener::ring)
        mine.endpoint = listening->endpoint;
    else
        mine.callback_port = listening->endpoint.port;
    hold_listener(name, std::move(listening->fd), listening->endpoint);
}

void RankDriver::do_learn(Action const& action) {
    if (current().frame.kind == FrameKind::successor) {
        table_[action.first] = protocol::decode_entry(current().payload);
    }
    if (action.count == config_.nranks && config_.nranks > 1)
        table_known_ = true;
}

void RankDriver::do_collect(Action const& action) {
    std::unique_ptr<Mail> const mail = mailbox_.take(action.rank, action.tag);
    if (!mail)
        return;
    std::uint32_t const bytes = mail->frame.payload_bytes;
    mailbox_.release(bytes);
    if (bytes != buffer_.size()) {
        // The machine says what does not fit when it hears of the message again, as if it came only now.
        return next(Event::arrived(now(), protocol::mail_in(action.rank), mail->frame, {}));
    }
    if (bytes > 0)
        std::memcpy(buffer_.data(), mail->bytes.get(), bytes);
    next(Event::collected(now()));  // before the sender's end, say: the message is here
}

void RankDriver::do_complete() {
    // A message that was on its way into our own memory when the program asked for it.
    bool const in_memory = operation_.kind == OperationKind::receive && current_mail() != nullptr && *current_mail();
    if (in_memory && !buffer_.empty()) {
        RONDE_CHECK((*current_mail())->frame.payload_bytes == buffer_.size(), "a receive completes with its size");
        std::memcpy(buffer_.data(), (*current_mail())->bytes.get(), buffer_.size());
    }
    complete_ = true;
    settle_operation();
}

/// The program gets its buffer back when the machine is done with it and no queued frame refers to it.
void RankDriver::settle_operation() {
    if (!complete_ || program_items_ > 0)
        return;
    operating_ = false;
    buffer_ = {};
    tell_settled();
}

void RankDriver::on_program_items_left(std::uint32_t items) {
    RONDE_CHECK(items <= program_items_, "frames leave once");
    program_items_ -= items;
    settle_operation();
}

void RankDriver::on_all_left() {
    RONDE_CHECK(program_items_ == 0, "nothing refers to a buffer when all connections are gone");
    complete_ = true;
    settle_operation();
    finished_ = true;
    tell_settled();
}

// --- memory -------------------------------------------------------------------------------------------------------

namespace {

/// `count` slices of `slice_bytes` from `first`, as one run or, around the end, two. Empty when that cannot be.
template <class Byte>
Runs<Byte> runs_in(std::span<Byte> whole, std::uint64_t slice_bytes, std::uint64_t first, std::uint64_t count) {
    std::uint64_t const slices = slice_bytes == 0 ? 0 : whole.size() / slice_bytes;
    if (first >= slices || count > slices)
        return {};
    std::uint64_t const before_end = std::min(count, slices - first);
    return {whole.subspan(first * slice_bytes, before_end * slice_bytes),
            whole.first((count - before_end) * slice_bytes)};
}

}  // namespace

Runs<std::byte> RankDriver::table_runs(std::uint32_t first, std::uint32_t count) noexcept {
    return runs_in(std::as_writable_bytes(std::span(table_)), protocol::kEntryBytes, first, count);
}

Runs<std::byte> RankDriver::operation_runs(std::uint32_t first, std::uint32_t count) noexcept {
    if (operation_.kind != OperationKind::all_gather)
        return {buffer_, {}};
    return runs_in(buffer_, operation_.slice_bytes, first, count);
}

Runs<const std::byte> RankDriver::payload_of(Action const& action) {
    Runs<std::byte> runs;
    switch (action.source) {
    case Source::entry: runs = table_runs(config_.rank, 1); break;
    case Source::table: runs = table_runs(action.first, action.count); break;
    case Source::operation:
        runs = operation_runs(action.first, action.count);
        ++program_items_;
        break;
    case Source::verdict: protocol::encode_verdict(verdict(), verdict_bytes_); return {verdict_bytes_, {}};
    case Source::none:
    case Source::handshake: break;
    }
    return {runs.first, runs.second};
}

Runs<std::byte> RankDriver::place_of(Reception const& reception) {
    if (reception.source == Source::table)
        return table_runs(reception.first, reception.count);
    if (reception.source == Source::operation)
        return operation_runs(reception.first, reception.count);
    return {};
}

Endpoint RankDriver::target_of(Link link, RankId rank) const {
    bool const root = link.link_class() == LinkClass::root || link.link_class() == LinkClass::previous_root;
    if (root)
        return rank < options_.roots.size() ? options_.roots[rank] : Endpoint{};
    return rank < table_.size() ? table_[rank].endpoint : Endpoint{};
}

// --- after a step -------------------------------------------------------------------------------------------------

void RankDriver::after_step(Event const& event) {
    if (event.kind == EventKind::abort && machine_.finished())
        aborted_here_ = true;
    if (table_known_ && statistics_.table_ns == 0)
        statistics_.table_ns = now();
    if (machine_.phase() == phase_)
        return;

    phase_ = machine_.phase();
    if (phase_ == Phase::committing || phase_ == Phase::ready)
        table_known_ = true;
    if (table_known_ && statistics_.table_ns == 0)
        statistics_.table_ns = now();
    TimeNs& entered_ns = statistics_.phase_entered_ns[static_cast<std::size_t>(phase_)];
    if (entered_ns == 0)
        entered_ns = now();
    flush_recording();
    if (options_.on_phase)
        options_.on_phase(phase_);
}

protocol::Verdict RankDriver::verdict() const noexcept {
    if (heard_.error == machine_.error())
        return heard_;
    protocol::Verdict verdict;
    verdict.error = machine_.error();
    return verdict;
}

Statistics RankDriver::statistics() const {
    Statistics result = statistics_;
    result.strangers = machine_.state().strangers;
    return result;
}

}  // namespace ronde::net
