/// `ronde run -n 512 --in-process`: every rank and every root in this process and one loop.
#include "cli/job.hpp"
#include "cli/progress.hpp"
#include "cli/rank_session.hpp"
#include "cli/run_modes.hpp"
#include "net/limits.hpp"

#include <algorithm>

namespace ronde::cli {

using protocol::Operation;
using protocol::OperationKind;
using protocol::Phase;
using protocol::RankId;
using protocol::TimeNs;

namespace {

/// A rank of the one process: its driver, and when it is let go.
class Member final : public net::Node {
public:
    Member(net::Loop& loop, Job const& job, RankId rank) : Node(loop) {
        driver_ = make_rank(loop, job, rank, [this](Phase phase) {
            if (phase <= Phase::ready)
                last_phase_ = phase;
        });
    }

    void start_at(TimeNs start_ns) {
        if (start_ns > net::monotonic_ns())
            set_deadline(start_ns);
        else
            start();
    }

    [[nodiscard]] net::RankDriver& driver() const noexcept { return *driver_; }
    /// Ready, or never will be.
    [[nodiscard]] bool settled() const noexcept { return driver_->was_ready() || driver_->finished(); }
    [[nodiscard]] Phase last_phase() const noexcept { return last_phase_; }
    [[nodiscard]] TimeNs start_ns() const noexcept { return start_ns_; }

private:
    void start() {
        start_ns_ = net::monotonic_ns();
        driver_->start();
    }
    void on_deadline(TimeNs) override { start(); }
    void on_signal(TimeNs) override {}

    std::unique_ptr<net::RankDriver> driver_;
    Phase last_phase_ = Phase::created;
    TimeNs start_ns_ = 0;
};

class InProcessRun {
public:
    InProcessRun(RunOptions const& options, RootHost& host)
        : options_(options), job_(local_job(options, host.id(), options.ranks)),
          nroots_(static_cast<std::uint32_t>(job_.id.roots().size())),
          facts_(facts_for(options, job_.policies, options.ranks, nroots_)), members_(options.ranks) {
        check_room();
        roots_.emplace(loop_, job_, host.take_listeners());
        for (RankId rank = 0; rank < options.ranks; ++rank) {
            if (options.fault_of(rank, Fault::Kind::never) == nullptr)
                members_[rank] = std::make_unique<Member>(loop_, job_, rank);
        }
    }

    RunFacts run() {
        ProgressLine progress(loop_, *roots_);
        facts_.start_ns = net::monotonic_ns();
        TimeNs latest_ns = 0;
        roots_->start();
        for (RankId rank = 0; rank < members_.size(); ++rank) {
            if (!members_[rank])
                continue;
            Fault const* const late = options_.fault_of(rank, Fault::Kind::late);
            latest_ns = std::max(latest_ns, late == nullptr ? 0 : late->delay_ns);
            members_[rank]->start_at(facts_.start_ns + (late == nullptr ? 0 : late->delay_ns));
        }
        TimeNs const until_ns = facts_.start_ns + latest_ns + options_.deadline_ns + kHangGraceNs;
        bool const all = wait_for([](Member const& member) { return member.settled(); }, until_ns);
        progress.end();
        take_records();
        if (all && everyone_lives()) {
            run_barriers();
            run_all_gathers();
        }
        leave();
        return std::move(facts_);
    }

private:
    void check_room() const {
        net::DescriptorNeed need;
        for (std::uint32_t root = 0; root < nroots_; ++root)
            need += net::descriptors_of_root(job_.policies, options_.ranks, nroots_, root,
                                             protocol::RootConfig{}.pending_limit);
        for (RankId rank = 0; rank < options_.ranks; ++rank)
            need += net::descriptors_of_rank(job_.policies, options_.ranks, nroots_, rank);
        if (auto const enough = net::check_descriptors(need, net::open_descriptors()); !enough)
            throw LauncherError(enough.error());
    }

    /// Runs the loop until `done` holds for every member. The cursor makes that one look per batch and not N.
    template <class Done>
    bool wait_for(Done done, TimeNs until_ns) {
        std::size_t cursor = 0;
        Fault const* const root_fault = options_.root_fault();
        return loop_.run_until(
            [&] {
                if (root_fault != nullptr && !roots_->vanished() && roots_->checked_in() >= root_fault->check_ins) {
                    roots_->vanish();
                    facts_.root_killed = true;
                }
                while (cursor < members_.size() && (!members_[cursor] || done(*members_[cursor])))
                    ++cursor;
                return cursor == members_.size();
            },
            until_ns);
    }

    void take_records() {
        Usage const usage = usage_here();
        for (RankId rank = 0; rank < members_.size(); ++rank) {
            RankFacts& facts = facts_.ranks[rank];
            if (!members_[rank]) {
                facts.absence = {Absence::Kind::never, 0};
                continue;
            }
            Member const& member = *members_[rank];
            facts.phase = member.last_phase();
            if (!member.settled())
                facts.absence = {Absence::Kind::hung, 0};
            RankRecord record;
            record.rank = rank;
            record.nranks = options_.ranks;
            record.was_ready = member.driver().was_ready() ? 1 : 0;
            if (member.driver().was_ready())
                record.table_digest = table_digest_of(member.driver().table());
            record.last_phase = member.last_phase();
            record.host_id = job_.host_id;
            record.start_ns = member.start_ns();
            record.statistics = member.driver().statistics();
            record.verdict = member.driver().verdict();
            facts.record = std::make_unique<RankRecord>(record);
        }
        facts_.cpu_ns = usage.cpu_ns;
        facts_.peak_rss_bytes = (usage.peak_rss_bytes + options_.ranks - 1) / options_.ranks;
        facts_.own_bytes = (own_memory_bytes() + options_.ranks - 1) / options_.ranks;
        facts_.roots = roots_->statistics();
    }

    [[nodiscard]] bool everyone_lives() const {
        return std::all_of(members_.begin(), members_.end(), [](auto const& member) {
            return member && member->driver().was_ready() && !member->driver().finished();
        });
    }

    /// One verb by all ranks; `buffer_of` gives each its buffer. The time that the last one took, or nothing.
    template <class BufferOf>
    std::optional<TimeNs> operate(Operation const& operation, BufferOf buffer_of) {
        TimeNs const begin_ns = net::monotonic_ns();
        for (RankId rank = 0; rank < members_.size(); ++rank)
            members_[rank]->driver().operate(operation, buffer_of(rank));
        bool const all = wait_for([](Member const& m) { return m.driver().idle() || m.driver().finished(); },
                                  begin_ns + options_.deadline_ns + kHangGraceNs);
        TimeNs const took_ns = net::monotonic_ns() - begin_ns;
        if (all && everyone_lives())
            return took_ns;
        for (RankId rank = 0; rank < members_.size(); ++rank)
            facts_.ranks[rank].record->verdict = members_[rank]->driver().verdict();
        return std::nullopt;
    }

    /// The time of a verb is that of the slowest rank, so each record holds the same number.
    void run_barriers() {
        Operation barrier;
        barrier.kind = OperationKind::barrier;
        barrier.budget_ns = options_.deadline_ns;
        for (std::uint32_t i = 0; i < options_.barriers && everyone_lives(); ++i) {
            auto const took_ns = operate(barrier, [](RankId) { return std::span<std::byte>(); });
            if (!took_ns)
                return;
            for (RankFacts& facts : facts_.ranks)
                facts.record->barrier_ns[facts.record->barriers++] = *took_ns;
        }
    }

    void run_all_gathers() {
        if (options_.all_gather_bytes == 0 || !everyone_lives())
            return;
        Operation gather;
        gather.kind = OperationKind::all_gather;
        gather.slice_bytes = options_.all_gather_bytes;
        gather.budget_ns = options_.deadline_ns;
        auto const slice = static_cast<std::size_t>(options_.all_gather_bytes);
        std::size_t const whole = slice * options_.ranks;
        std::vector<std::byte> buffers(whole * options_.ranks);
        auto const buffer_of = [&](RankId rank) { return std::span(buffers).subspan(rank * whole, whole); };
        for (std::uint32_t round = 0; round < options_.repeat; ++round) {
            for (RankId rank = 0; rank < options_.ranks; ++rank)
                fill_slice(buffer_of(rank).subspan(rank * slice, slice), rank, round);
            auto const took_ns = operate(gather, buffer_of);
            if (!took_ns)
                return;
            for (RankId rank = 0; rank < options_.ranks; ++rank) {
                RankRecord& record = *facts_.ranks[rank].record;
                record.all_gather_ns[record.all_gathers++] = *took_ns;
                record.wrong_slices += wrong_slices(buffer_of(rank), options_.ranks, round);
            }
        }
    }

    void leave() {
        for (auto const& member : members_) {
            if (member && member->settled() && !member->driver().finished())
                member->driver().close();
        }
        static_cast<void>(wait_for([](Member const& m) { return !m.settled() || m.driver().finished(); },
                                   net::monotonic_ns() + kHangGraceNs));
    }

    RunOptions const& options_;
    Job const job_;
    std::uint32_t const nroots_;
    RunFacts facts_;
    net::Loop loop_;
    std::optional<RootSet> roots_;
    std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace

RunFacts run_in_process(RunOptions const& options) {
    RootHost host = create_host(options);
    return InProcessRun(options, host).run();
}

}  // namespace ronde::cli
