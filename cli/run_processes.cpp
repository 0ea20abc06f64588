/// `ronde run -n 64`: a process for each rank, the roots in the launcher.
#include "cli/job.hpp"
#include "cli/phase_board.hpp"
#include "cli/progress.hpp"
#include "cli/rank_session.hpp"
#include "cli/run_modes.hpp"
#include "launch/local.hpp"
#include "net/limits.hpp"

#include <fmt/format.h>

#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>

namespace ronde::cli {

using launch::LocalEvent;
using protocol::Phase;
using protocol::RankId;
using protocol::TimeNs;

namespace {

/// How often the launcher looks after ranks that it has killed until they are gone.
constexpr TimeNs kLookAgainNs = protocol::kSecondNs;

void sleep_for(TimeNs time_ns) {
    timespec left{time_ns / protocol::kSecondNs, time_ns % protocol::kSecondNs};
    while (::nanosleep(&left, &left) != 0) {
    }
}

/// What a forked rank does with its life.
int live(Job const& job, PhaseBoard& board, launch::Child const& child) {
    forget_peak_rss();
    RankId const rank = child.rank();
    RunOptions const& options = job.options;
    if (options.fault_of(rank, Fault::Kind::never) != nullptr)
        return 0;
    if (Fault const* late = options.fault_of(rank, Fault::Kind::late))
        sleep_for(late->delay_ns);
    Fault const* const kill = options.fault_of(rank, Fault::Kind::kill);
    Fault const* const stop = options.fault_of(rank, Fault::Kind::stop);

    net::Loop loop;
    RankSession session(loop, job, rank, [&](Phase phase) {
        board.enter(rank, phase);
        if (kill != nullptr && kill->phase == phase)
            ::kill(::getpid(), SIGKILL);
        if (stop != nullptr && stop->phase == phase)
            ::kill(::getpid(), SIGSTOP);
    });
    session.run(protocol::kNever);
    RankRecord const record = session.record();
    bool const told = child.send(bytes_of(record));
    session.leave();
    return told && record.ok() ? 0 : 1;
}

/// The launcher's side: roots and children in one loop, until the last child is gone.
class ProcessRun final : public net::Pollable, public net::Node {
public:
    ProcessRun(net::Loop& loop, Job const& job, RootSet& roots, PhaseBoard const& board, RunFacts& facts)
        : Node(loop), job_(job), roots_(roots), board_(board), facts_(facts) {}

    void run(launch::LocalJob& children) {
        children_ = &children;
        net::Loop::Watch watch;
        if (int const error = loop().watch_level(children.poll_fd(), EPOLLIN, *this, watch); error != 0)
            throw LauncherError(fmt::format("cannot watch the ranks: {}", net::describe_errno(error)));
        set_deadline(children.gate_opened_ns() + job_.options.deadline_ns + kHangGraceNs);
        take(children.handle_ready());
        Fault const* const root_fault = job_.options.root_fault();
        while (children.running() > 0) {
            if (root_fault != nullptr && !roots_.vanished() && roots_.checked_in() >= root_fault->check_ins) {
                roots_.vanish();
                facts_.root_killed = true;
            }
            loop().run_once();
        }
        take(children.handle_ready());
        loop().unwatch(watch);
        set_deadline(protocol::kNever);
    }

private:
    void on_ready(std::uint32_t) override { take(children_->handle_ready()); }
    void on_signal(TimeNs) override {}

    /// Ranks that are not ready now never will be. Ranks that are have operations with deadlines of their own.
    void on_deadline(TimeNs now) override {
        // Who has ended is not hung, whether or not its end was told: a look that finds nothing costs nothing.
        take(children_->handle_ready());
        bool left = false;
        for (RankId rank = 0; rank < facts_.nranks; ++rank) {
            if (children_->process_id(rank) == 0)
                continue;
            if (board_.of(rank) == Phase::ready && !last_call_) {
                left = true;
                continue;
            }
            facts_.ranks[rank].absence = {Absence::Kind::hung, 0};
            children_->kill(rank, SIGKILL);
        }
        if (left) {
            last_call_ = true;
            TimeNs const operations = 1 + 2 * static_cast<TimeNs>(job_.options.repeat) + job_.options.barriers;
            set_deadline(now + operations * job_.options.deadline_ns + kHangGraceNs);
        } else if (children_->running() > 0) {
            set_deadline(now + kLookAgainNs);
        }
    }

    void take(std::vector<LocalEvent> const& events) {
        for (LocalEvent const& event : events) {
            if (event.kind == LocalEvent::Kind::record)
                note_record(event.rank, record_from(event.record));
            else if (event.kind == LocalEvent::Kind::ended)
                note_end(event.rank, event.end);
            else
                facts_.notes.push_back(fmt::format("interrupted by signal {}", event.signal));
        }
    }

    void note_record(RankId rank, std::optional<RankRecord> const& record) {
        if (!record)
            return;
        facts_.ranks[rank].record = std::make_unique<RankRecord>(*record);
        facts_.own_bytes = std::max(facts_.own_bytes, record->own_bytes);
    }

    void note_end(RankId rank, launch::ChildEnd const& end) {
        RankFacts& facts = facts_.ranks[rank];
        facts.phase = board_.of(rank);
        facts_.cpu_ns += end.cpu_ns;
        facts_.peak_rss_bytes = std::max(facts_.peak_rss_bytes, end.peak_rss_bytes);
        if (facts.record || facts.absence.kind == Absence::Kind::hung)
            return;
        if (job_.options.fault_of(rank, Fault::Kind::never) != nullptr)
            facts.absence = {Absence::Kind::never, 0};
        else if (end.signal != 0)
            facts.absence = {Absence::Kind::signal, end.signal};
        else
            facts.absence = {Absence::Kind::exit, end.exit_status};
    }

    Job const& job_;
    RootSet& roots_;
    PhaseBoard const& board_;
    RunFacts& facts_;
    launch::LocalJob* children_ = nullptr;
    bool last_call_ = false;
};

void note_idle_faults(RunOptions const& options, RunFacts& facts) {
    for (Fault const& fault : options.faults) {
        if (fault.kind != Fault::Kind::kill && fault.kind != Fault::Kind::stop)
            continue;
        for (RankId rank = fault.ranks.first; rank <= fault.ranks.last; ++rank) {
            if (facts.ranks[rank].record)
                facts.notes.push_back(fmt::format("--fault {}: rank {} never entered that phase", fault.text, rank));
        }
    }
}

}  // namespace

RunFacts run_processes(RunOptions const& options) {
    RootHost host = create_host(options);
    Job const job = local_job(options, host.id(), options.ranks);
    auto const nroots = static_cast<std::uint32_t>(job.id.roots().size());
    RunFacts facts = facts_for(options, job.policies, options.ranks, nroots);
    PhaseBoard board(options.ranks);

    net::DescriptorNeed need;
    for (std::uint32_t root = 0; root < nroots; ++root)
        need +=
            net::descriptors_of_root(job.policies, options.ranks, nroots, root, protocol::RootConfig{}.pending_limit);
    if (auto const enough = net::check_descriptors(need, net::open_descriptors()); !enough)
        throw LauncherError(enough.error());

    // Before anybody is started: one line of ours instead of one of each rank.
    if (!options.record.empty()) {
        std::error_code failed;
        std::filesystem::create_directory(options.record, failed);
        if (failed)
            throw LauncherError(
                fmt::format("cannot make the folder {} for recordings: {}", options.record, failed.message()));
    }

    launch::LocalOptions local;
    local.count = options.ranks;
    local.body = [&](launch::Child const& child) { return live(job, board, child); };
    auto children = launch::LocalJob::start(local);
    if (!children)
        throw LauncherError(children.error());
    std::int64_t const cpu_before_ns = usage_here().cpu_ns;

    net::Loop loop;
    RootSet roots(loop, job, host.take_listeners());
    roots.start();
    {
        ProgressLine progress(loop, roots);
        ProcessRun(loop, job, roots, board, facts).run(*children);
    }
    facts.start_ns = children->gate_opened_ns();
    facts.roots = roots.statistics();
    facts.cpu_ns += usage_here().cpu_ns - cpu_before_ns;
    note_idle_faults(options, facts);
    return facts;
}

}  // namespace ronde::cli
