#include "program/communicator_state.hpp"

#include <algorithm>
#include <utility>

namespace ronde {

using protocol::Code;
using protocol::OperationKind;

namespace {

/// The message that is under way belongs to the stack that is being unwound.
class AbandonUnlessDone {
public:
    explicit AbandonUnlessDone(RankPort& port) noexcept : port_(port) {}
    AbandonUnlessDone(AbandonUnlessDone const&) = delete;
    AbandonUnlessDone& operator=(AbandonUnlessDone const&) = delete;
    AbandonUnlessDone(AbandonUnlessDone&&) = delete;
    AbandonUnlessDone& operator=(AbandonUnlessDone&&) = delete;
    ~AbandonUnlessDone() {
        if (!done_)
            port_.abandon();
    }
    void done() noexcept { done_ = true; }

private:
    RankPort& port_;
    bool done_ = false;
};

}  // namespace

Communicator::State::State(Joining&& joining) noexcept
    : rank(joining.rank), nranks(joining.nranks), operation_budget_ns(joining.operation_budget_ns),
      waiting(std::move(joining.waiting)), port(std::move(joining.port)) {}

Communicator::State::~State() {
    for (auto const& abort_switch : switches_) {
        std::lock_guard const lock(abort_switch->mutex);  // waits for a press that is under way
        std::erase(abort_switch->attached, this);
    }
}

/// The buffers of a verb are the caller's: when the wait is left by an exception, nobody may refer to them any more.
void Communicator::State::wait(Milestone milestone) {
    AbandonUnlessDone guard(*port);
    waiting->until(*port, milestone);
    guard.done();
}

Outcome Communicator::State::wait_until_ready() {
    wait(Milestone::ready);
    waiting->leave(*port);
    if (port->finished())
        return tl::unexpected(failure());
    return {};
}

// --- verbs ----------------------------------------------------------------------------------------------------------

template <class Begin>
Outcome Communicator::State::run_operation(Begin&& begin) {
    if (waiting->being_cancelled())
        return cancelled();
    if (!waiting->enter())
        return two_threads();
    if (!port->finished()) {
        begin();
        wait(Milestone::idle);
    }
    // The end may have come in the same batch as the completion.
    bool const ended = port->machine().finished();
    if (ended)
        wait(Milestone::finished);
    waiting->leave(*port);
    if (ended)
        return tl::unexpected(failure());
    return {};
}

Outcome Communicator::State::operate(protocol::Operation operation, std::span<std::byte> buffer) {
    operation.budget_ns = operation_budget_ns;
    return run_operation([&] { port->operate(operation, buffer); });
}

Outcome Communicator::State::send(protocol::Operation operation, std::span<const std::byte> message) {
    operation.budget_ns = operation_budget_ns;
    return run_operation([&] { port->send(operation, message); });
}

Outcome Communicator::State::close() {
    if (waiting->being_cancelled())
        return cancelled();
    if (!waiting->enter())
        return two_threads();
    if (!port->finished()) {
        port->close();
        wait(Milestone::finished);
    }
    waiting->leave(*port);
    if (port->machine().error().is_ok())
        return {};
    return tl::unexpected(failure());
}

// --- how it ended ---------------------------------------------------------------------------------------------------

Failed Communicator::State::failure() const {
    Failed result;
    result.verdict = port->verdict();
    if (result.verdict.error.is_ok()) {  // a verb after close()
        result.verdict.error.code = Code::bad_argument;
        result.verdict.error.about = rank;
        result.verdict.error.reporter = rank;
        result.verdict.error.phase = Phase::closed;
        result.text = "the communicator was closed";
    }
    return result;
}

Outcome Communicator::State::refused(Code code, std::string text) const {
    Failed result;
    result.verdict.error.code = code;
    result.verdict.error.about = rank;
    result.verdict.error.reporter = rank;
    result.text = std::move(text);
    return tl::unexpected(std::move(result));
}

Outcome Communicator::State::two_threads() const {
    return refused(Code::bad_argument, "two threads are in one communicator: one verb at a time");
}

Outcome Communicator::State::cancelled() const {
    return refused(Code::aborted, "the program is being ended: no verb waits any more");
}

// --- abort ----------------------------------------------------------------------------------------------------------

void Communicator::State::attach(AbortSwitch const& abort_switch) {
    AbortSwitch::State& state = *abort_switch.state_;
    std::lock_guard const lock(state.mutex);
    state.attached.push_back(this);
    switches_.push_back(abort_switch.state_);
    if (state.pressed)
        abort();
}

// --- the start ------------------------------------------------------------------------------------------------------

tl::expected<Communicator, Failed> join(Joining&& joining) {
    AbortSwitch const* const abort_switch = joining.abort_switch;
    auto state = std::make_unique<Communicator::State>(std::move(joining));
    if (abort_switch != nullptr)
        state->attach(*abort_switch);
    if (auto ready = state->wait_until_ready(); !ready)
        return tl::unexpected(ready.error());
    return Communicator(std::move(state));
}

std::string verb_under_way(protocol::Rank const& machine) {
    protocol::RankState const& state = machine.state();
    if (machine.phase() < Phase::ready)
        return "connect (" + std::string(protocol::name_of(machine.phase())) + ")";
    std::string const peer = "rank " + std::to_string(state.peer);
    std::string const tag = ", tag " + std::to_string(state.tag);
    switch (state.doing) {
    case OperationKind::none: return "close";
    case OperationKind::all_gather: return "all_gather";
    case OperationKind::barrier: return "barrier";
    case OperationKind::broadcast: return "broadcast from " + peer;
    case OperationKind::send: return "send to " + peer + tag;
    case OperationKind::receive: return "recv from " + peer + tag;
    }
    return "?";
}

}  // namespace ronde
