#include "programs/runner.hpp"

#include "program/ending.hpp"
#include "protocol/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

fiber::StackOptions stack_options(ProgramOptions const& options) {
    fiber::StackOptions stacks;
    stacks.stack_bytes = options.stack_bytes;
    return stacks;
}

}  // namespace

ProgramRunner::ProgramRunner(WorldPlan const& plan, Program const& program, ProgramOptions const& options)
    : program_(program), options_(options), world_(plan), stacks_(stack_options(options)), members_(plan.nranks) {
    world_.host(*this);
    if (options.observer != nullptr)
        world_.watch(*options.observer);
}

ProgramRunner::~ProgramRunner() {
    for (auto const& member : members_) {
        if (member)
            unwind(*member);
    }
}

tl::expected<ProgramsOutcome, std::string> ProgramRunner::run() {
    Scope const scope(*this);
    for (bool more = true; more && trouble_.empty();) {
        more = world_.advance();
        if (aborts_wait_.load(std::memory_order_relaxed)) {
            tell_aborts();
            more = true;
        }
    }
    if (!trouble_.empty())
        return tl::unexpected(trouble_);
    ProgramsOutcome outcome;
    outcome.world = world_.outcome();
    outcome.programs = ends();
    fiber::StackMemory const memory = stacks_.measure();
    outcome.deepest_stack_bytes = memory.deepest_bytes;
    outcome.stacks_bytes = memory.resident_bytes;
    for (auto const& member : members_) {
        if (member)
            unwind(*member);
    }
    return outcome;
}

// --- fibers ---------------------------------------------------------------------------------------------------------

void ProgramRunner::begin(ProcessId process, RankId rank) {
    auto stack = stacks_.take();
    if (!stack) {
        if (trouble_.empty())
            trouble_ = stack.error().message();
        return;
    }
    if (process >= members_.size())
        members_.resize(process + std::size_t{1});
    members_[process] = std::make_unique<Member>(process, rank);
    Member& member = *members_[process];
    member.end.ending = Ending::hanging;
    member.fiber.emplace(std::move(*stack), fmt::format("rank {}", rank), [this, &member] { run_member(member); });
    resume(member);
}

void ProgramRunner::run_member(Member& member) {
    member.end = run_program(
        member.rank, options_.before_connect, [this, &member] { return connect(member); }, program_);
}

tl::expected<Communicator, Failed> ProgramRunner::connect(Member& member) {
    member.statistics.started_ns = now_ns();
    Joining joining;
    joining.rank = member.rank;
    joining.nranks = world_.plan().nranks;
    joining.operation_budget_ns = budget_ns(options_.operation_deadline);
    joining.abort_switch = options_.abort_switch;
    joining.waiting = std::make_unique<SimWaiting>(member);
    joining.port = std::make_unique<SimPort>(*this, member);
    return join(std::move(joining));
}

void ProgramRunner::go_on(ProcessId process) {
    if (Member* const member = member_of(process); member != nullptr && member->lives())
        resume(*member);
}

void ProgramRunner::resume(Member& member) {
    Member* const before = std::exchange(running_, &member);
    RONDE_CHECK(before == nullptr, "a program goes on from outside of all programs");
    member.fiber->resume();
    running_ = nullptr;
    if (member.fiber->ended())
        member.fiber.reset();  // its stack serves the next one
    perform_request(member);
}

/// What the program called last, now that it waits.
void ProgramRunner::perform_request(Member& member) {
    if (std::exchange(member.left, false))
        world_.leave(member.process);
    switch (std::exchange(member.request, Request::none)) {
    case Request::none: return;
    case Request::start: return world_.start(member.process);
    case Request::operate: return world_.operate(member.process, member.operation);
    case Request::close: return world_.close(member.process);
    case Request::sleep: return world_.sleep(member.process, member.wake_ns);
    }
}

void ProgramRunner::end(ProcessId process) {
    Member* const member = member_of(process);
    if (member == nullptr || !member->lives())
        return;
    std::string const where = where_it_stands(*member);
    unwind(*member);
    member->end.ending = Ending::killed;
    member->end.text = where;
}

void ProgramRunner::unwind(Member& member) noexcept {
    if (!member.lives())
        return;
    Scope const scope(*this);
    try {
        member.fiber->cancel();
    } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left who could be told
    }
    member.fiber.reset();
    member.request = Request::none;
}

void ProgramRunner::sleep_until(protocol::TimeNs wake_ns) {
    Member& member = *running_;
    member.request = Request::sleep;
    member.wake_ns = wake_ns;
    while (now_ns() < wake_ns)
        fiber::Fiber::park();
}

// --- aborts ---------------------------------------------------------------------------------------------------------

void ProgramRunner::abort_soon(ProcessId process) noexcept {
    std::lock_guard const lock(mutex_);
    aborts_.push_back(process);
    aborts_wait_ = true;
}

void ProgramRunner::tell_aborts() {
    std::vector<ProcessId> told;
    {
        std::lock_guard const lock(mutex_);
        told.swap(aborts_);
        aborts_wait_ = false;
    }
    for (ProcessId const process : told)
        world_.abort(process);
}

// --- bytes ----------------------------------------------------------------------------------------------------------

namespace {

/// Calls `each` for the one or two runs that `count` slices from `first` are: a gather's go around the end.
template <class Byte, class Each>
void for_runs(protocol::Operation const& operation, std::span<Byte> buffer, std::uint32_t first, std::uint32_t count,
              Each each) {
    if (operation.kind != protocol::OperationKind::all_gather)
        return each(buffer);
    auto const slice_bytes = static_cast<std::size_t>(operation.slice_bytes);
    std::size_t const slices = buffer.size() / slice_bytes;
    std::size_t const before_end = std::min<std::size_t>(count, slices - first);
    each(buffer.subspan(first * slice_bytes, before_end * slice_bytes));
    if (count > before_end)
        each(buffer.first((count - before_end) * slice_bytes));
}

}  // namespace

void ProgramRunner::read(ProcessId process, std::uint32_t first, std::uint32_t count, std::vector<std::byte>& bytes) {
    Member const* const member = member_of(process);
    RONDE_CHECK(member != nullptr, "bytes are sent by those who have called a verb");
    for_runs(member->operation, member->lent, first, count,
             [&](std::span<const std::byte> run) { bytes.insert(bytes.end(), run.begin(), run.end()); });
}

void ProgramRunner::write(ProcessId process, std::uint32_t first, std::uint32_t count,
                          std::span<const std::byte> bytes) {
    Member const* const member = member_of(process);
    RONDE_CHECK(member != nullptr, "bytes are received by those who have called a verb");
    for_runs(member->operation, member->buffer, first, count, [&](std::span<std::byte> run) {
        RONDE_CHECK(run.size() <= bytes.size(), "a frame brings what its header says");
        std::copy_n(bytes.begin(), run.size(), run.begin());
        bytes = bytes.subspan(run.size());
    });
}

std::span<const Entry> ProgramRunner::table_of(ProcessId process) {
    if (!world_.tables_are_exact() && !tables_.empty())
        return tables_.begin()->second;
    auto const [place, fresh] = tables_.try_emplace(world_.table_of(process));
    if (fresh) {
        place->second.reserve(place->first.size());
        for (ProcessId const holder : place->first)
            place->second.push_back(holder == kNoProcess ? Entry{} : world_.entry_of(holder));
    }
    return place->second;
}

// --- statistics -----------------------------------------------------------------------------------------------------

void ProgramRunner::on_event(ProcessId process, protocol::Event const& event) {
    Member* const member = member_of(process);
    if (member == nullptr)
        return;
    switch (event.kind) {
    case protocol::EventKind::frame:
        ++member->statistics.frames_received;
        member->statistics.bytes_received += protocol::kHeaderBytes + event.frame.payload_bytes;
        return;
    case protocol::EventKind::connect_failed: ++member->statistics.retries; return;
    case protocol::EventKind::accepted: ++member->statistics.accepts; return;
    default: return;
    }
}

void ProgramRunner::on_action(ProcessId process, protocol::Action const& action) {
    Member* const member = member_of(process);
    if (member == nullptr)
        return;
    if (action.kind == protocol::ActionKind::connect)
        ++member->statistics.connects;
    if (action.kind != protocol::ActionKind::send)
        return;
    ++member->statistics.frames_sent;
    member->statistics.bytes_sent += protocol::kHeaderBytes + action.frame.payload_bytes;
}

void ProgramRunner::on_phase(ProcessId process, protocol::Phase phase) {
    Member* const member = member_of(process);
    if (member == nullptr)
        return;
    CommunicatorStatistics& statistics = member->statistics;
    statistics.phase_entered_ns[static_cast<std::size_t>(phase)] = now_ns();
    bool const table = phase == Phase::committing || phase == Phase::ready;
    if (table && statistics.table_ns == 0)
        statistics.table_ns = now_ns();
}

// --- what came of it ------------------------------------------------------------------------------------------------

std::string ProgramRunner::where_it_stands(Member const& member) const {
    return member.waits_at == nullptr ? "sleep_for" : verb_under_way(member.waits_at->machine());
}

ProgramEnds ProgramRunner::ends() {
    ProgramEnds result;
    auto const add = [&](Member const& member) {
        ProgramEnd end = member.end;
        if (member.lives())
            end.text = where_it_stands(member);
        if (end.ending == Ending::returned)
            ++result.returned;
        else
            result.others.push_back(std::move(end));
    };
    for (ProcessId process = 0; process < members_.size(); ++process) {
        if (members_[process]) {
            add(*members_[process]);
        } else if (process < world_.plan().nranks) {
            ProgramEnd end;
            end.rank = process;
            end.ending = Ending::not_started;
            result.others.push_back(std::move(end));
        }
    }
    // Processes that faults have added come last, and stand beside the first ones of their ranks.
    std::stable_sort(result.others.begin(), result.others.end(),
                     [](ProgramEnd const& a, ProgramEnd const& b) { return a.rank < b.rank; });
    return result;
}

std::string ProgramsOutcome::text() const {
    return fmt::format("{}simulated {} us in {} events, digest {}\n", programs.text(), world.simulated_ns / 1000,
                       world.events, to_text(world.digest));
}

tl::expected<ProgramsOutcome, std::string> run_programs(WorldPlan const& plan, Program const& program,
                                                        ProgramOptions const& options) {
    if (std::string const why = contradiction_in(plan); !why.empty())
        return tl::unexpected(why);
    return ProgramRunner(plan, program, options).run();
}

}  // namespace ronde::sim
