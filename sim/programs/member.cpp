#include "programs/member.hpp"

#include "programs/runner.hpp"

namespace ronde::sim {

SimPort::SimPort(ProgramRunner& runner, Member& member) noexcept : runner_(runner), member_(member) {
    member_.request = Request::start;
}

/// The kernel closes what a process leaves open; it does so when the fiber has parked or ended.
SimPort::~SimPort() { member_.left = true; }

// --- calls ----------------------------------------------------------------------------------------------------------

void SimPort::begin(protocol::Operation const& operation) {
    RONDE_CHECK(idle(), "one operation at a time");
    member_.operation = operation;
    member_.request = Request::operate;
}

void SimPort::operate(protocol::Operation const& operation, std::span<std::byte> buffer) {
    begin(operation);
    member_.buffer = buffer;
    member_.lent = buffer;
}

void SimPort::send(protocol::Operation const& operation, std::span<const std::byte> message) {
    begin(operation);
    member_.buffer = {};
    member_.lent = message;
}

void SimPort::abort() noexcept { runner_.abort_soon(member_.process); }

void SimPort::abandon() noexcept {
    abandoned_ = true;
    member_.request = Request::none;
    member_.buffer = {};
    member_.lent = {};
    member_.left = true;
}

// --- state ----------------------------------------------------------------------------------------------------------

bool SimPort::was_ready() const noexcept { return runner_.world().was_ready(member_.process); }

bool SimPort::idle() const noexcept {
    return member_.request != Request::operate && machine().state().doing == protocol::OperationKind::none;
}

bool SimPort::finished() const noexcept { return abandoned_ || runner_.world().is_over(member_.process); }

protocol::Rank const& SimPort::machine() const noexcept { return runner_.world().machine(member_.process); }

std::span<const Entry> SimPort::table() const {
    if (table_.empty())
        table_ = runner_.table_of(member_.process);
    return table_;
}

protocol::Verdict SimPort::verdict() const { return runner_.world().verdict_of(member_.process); }

CommunicatorStatistics SimPort::statistics() const {
    CommunicatorStatistics result = member_.statistics;
    result.strangers = machine().state().strangers;
    return result;
}

// --- waiting --------------------------------------------------------------------------------------------------------

/// Another rank's program, or nobody's, cannot wait here: it is not the one that the world would wake.
bool SimWaiting::enter() noexcept {
    return member_.lives() && fiber::Fiber::current() == &*member_.fiber && member_.waits_at == nullptr;
}

void SimWaiting::until(RankPort& port, Milestone milestone) {
    struct Here {
        Here(Member& whose, RankPort const& port_of_it) : member(whose) { member.waits_at = &port_of_it; }
        Here(Here const&) = delete;
        Here& operator=(Here const&) = delete;
        Here(Here&&) = delete;
        Here& operator=(Here&&) = delete;
        ~Here() { member.waits_at = nullptr; }
        Member& member;
    } const here(member_, port);
    while (member_.request != Request::none || !port.reached(milestone))
        fiber::Fiber::park();
}

}  // namespace ronde::sim
