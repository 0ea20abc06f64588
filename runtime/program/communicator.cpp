#include "program/communicator_state.hpp"
#include "program/own_loop.hpp"

#include <algorithm>

namespace ronde {

using protocol::Code;
using protocol::Operation;
using protocol::OperationKind;

std::string Failed::message() const { return text.empty() ? protocol::describe(verdict) : text; }

std::string Failed::remedy() const { return std::string(protocol::remedy_for(verdict.error)); }

// --- the switch ---------------------------------------------------------------------------------------------------

AbortSwitch::AbortSwitch() : state_(std::make_shared<State>()) {}

void AbortSwitch::press() noexcept {
    std::lock_guard const lock(state_->mutex);
    state_->pressed = true;
    for (Communicator::State* const communicator : state_->attached)
        communicator->abort();
}

bool AbortSwitch::pressed() const noexcept { return state_->pressed; }

// --- the communicator ---------------------------------------------------------------------------------------------

namespace {

/// The caller's own mistake: said at once, and nothing else is harmed by it.
tl::unexpected<Failed> bad_argument(RankId rank, std::string text) {
    Failed failed;
    failed.verdict.error.code = Code::bad_argument;
    failed.verdict.error.about = rank;
    failed.verdict.error.reporter = rank;
    failed.text = std::move(text);
    return tl::unexpected(std::move(failed));
}

}  // namespace

Communicator::Communicator(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

tl::expected<Communicator, Failed> Communicator::connect(UniqueId const& id, RankId rank, std::uint32_t nranks,
                                                         CommunicatorOptions const& options) {
    auto joining = start_on_own_thread(id, rank, nranks, options);
    if (!joining)
        return tl::unexpected(joining.error());
    return join(std::move(*joining));
}

RankId Communicator::rank() const noexcept { return state_->rank; }
std::uint32_t Communicator::nranks() const noexcept { return state_->nranks; }
std::span<const Entry> Communicator::table() const noexcept { return state_->port->table(); }

Outcome Communicator::all_gather(std::span<std::byte> whole, std::size_t slice_bytes) {
    if (whole.size() / nranks() != slice_bytes || whole.size() % nranks() != 0) {
        return bad_argument(rank(), "all_gather: the buffer has " + std::to_string(whole.size()) + " bytes, expected " +
                                        std::to_string(nranks()) + " slices of " + std::to_string(slice_bytes));
    }
    if (slice_bytes > 0xffff'ffffU)
        return bad_argument(rank(), "all_gather: a slice is 4 GiB - 1 at most");
    Operation operation;
    operation.kind = OperationKind::all_gather;
    operation.slice_bytes = slice_bytes;
    return state_->operate(operation, whole);
}

Outcome Communicator::barrier() {
    Operation operation;
    operation.kind = OperationKind::barrier;
    return state_->operate(operation, {});
}

Outcome Communicator::broadcast(std::span<std::byte> buffer, RankId source) {
    if (source >= nranks()) {
        return bad_argument(rank(), "broadcast: the source is rank " + std::to_string(source) + " of " +
                                        std::to_string(nranks()));
    }
    if (buffer.size() > 0xffff'ffffU)
        return bad_argument(rank(), "broadcast: a buffer is 4 GiB - 1 at most");
    Operation operation;
    operation.kind = OperationKind::broadcast;
    operation.peer = source;
    operation.slice_bytes = buffer.size();
    return state_->operate(operation, buffer);
}

namespace {

/// A message of `bytes` to or from `peer`; or why there can be none, in one line.
tl::expected<Operation, std::string> message_with(RankId peer, OperationKind kind, std::uint64_t tag, std::size_t bytes,
                                                  Communicator const& communicator) {
    std::string const verb = kind == OperationKind::send ? "send" : "recv";
    if (peer >= communicator.nranks()) {
        return tl::unexpected(verb + ": the peer is rank " + std::to_string(peer) + " of " +
                              std::to_string(communicator.nranks()));
    }
    if (peer == communicator.rank())
        return tl::unexpected(verb + ": the peer is this rank itself");
    if (bytes > 0xffff'ffffU)
        return tl::unexpected(verb + ": a message is 4 GiB - 1 at most");
    Operation operation;
    operation.kind = kind;
    operation.peer = peer;
    operation.tag = tag;
    operation.slice_bytes = bytes;
    return operation;
}

}  // namespace

Outcome Communicator::send(RankId peer, std::uint64_t tag, std::span<const std::byte> message) {
    auto const operation = message_with(peer, OperationKind::send, tag, message.size(), *this);
    return operation ? state_->send(*operation, message) : bad_argument(rank(), operation.error());
}

Outcome Communicator::recv(RankId peer, std::uint64_t tag, std::span<std::byte> buffer) {
    auto const operation = message_with(peer, OperationKind::receive, tag, buffer.size(), *this);
    return operation ? state_->operate(*operation, buffer) : bad_argument(rank(), operation.error());
}

void Communicator::abort() noexcept { state_->abort(); }
Outcome Communicator::close() { return state_->close(); }

CommunicatorStatistics Communicator::statistics() const { return state_->port->statistics(); }

}  // namespace ronde
