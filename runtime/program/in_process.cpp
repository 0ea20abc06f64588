/// Many ranks in this process: a fiber and a driver for each, one loop and one scheduler for all.
#include "fiber/scheduler.hpp"
#include "net/limits.hpp"
#include "net/loop.hpp"
#include "program/ending.hpp"
#include "program/net_port.hpp"
#include "program/net_start.hpp"
#include "program/place.hpp"
#include "program/surroundings.hpp"

#include <ronde/program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

namespace ronde {

using fiber::Fiber;
using fiber::Scheduler;
using net::monotonic_ns;
using protocol::kNever;
using protocol::TimeNs;

namespace {

/// Parks until somebody has noted that the wait may be over.
class FiberWaiting final : public Waiting {
public:
    /// `waits_at` is the port while a fiber waits at it, otherwise null.
    FiberWaiting(Scheduler& scheduler, RankPort const*& waits_at) noexcept
        : scheduler_(scheduler), waits_at_(waits_at) {}

    /// Fibers that share a communicator would be two threads in one.
    [[nodiscard]] bool enter() noexcept override { return waiter_ == nullptr; }
    void until(RankPort& port, Milestone milestone) override {
        Here const here(*this, port);
        while (!port.reached(milestone))
            scheduler_.park();
    }
    [[nodiscard]] bool being_cancelled() const noexcept override { return Fiber::being_cancelled(); }

    void look_again() {
        if (waiter_ != nullptr)
            scheduler_.wake(*waiter_);
    }

private:
    struct Here {
        Here(FiberWaiting& waiting, RankPort const& port) : at(waiting) {
            at.waiter_ = &at.scheduler_.current();
            at.waits_at_ = &port;
        }
        Here(Here const&) = delete;
        Here& operator=(Here const&) = delete;
        Here(Here&&) = delete;
        Here& operator=(Here&&) = delete;
        ~Here() {
            at.waiter_ = nullptr;
            at.waits_at_ = nullptr;
        }
        FiberWaiting& at;
    };

    Scheduler& scheduler_;
    RankPort const*& waits_at_;
    Scheduler::Task* waiter_ = nullptr;
};

/// Wakes a fiber at a time. Lives on its stack.
class Alarm final : public net::Node {
public:
    Alarm(net::Loop& loop, Scheduler& scheduler, TimeNs wake_ns)
        : Node(loop), scheduler_(scheduler), task_(scheduler.current()) {
        set_deadline(wake_ns);
    }
    void wait() {
        while (!rang_)
            scheduler_.park();
    }

private:
    void on_deadline(TimeNs) override {
        rang_ = true;
        scheduler_.wake(task_);
    }
    void on_signal(TimeNs) override {}

    Scheduler& scheduler_;
    Scheduler::Task& task_;
    bool rang_ = false;
};

class InProcessJob final : public Surroundings {
public:
    InProcessJob(Program const& program, InProcessOptions const& options, RootHost& host)
        : program_(program), options_(options), host_(host), ends_(options.nranks), waits_at_(options.nranks) {
        fiber::StackOptions stacks;
        stacks.stack_bytes = options.stack_bytes;
        scheduler_.emplace(stacks);
    }

    tl::expected<ProgramEnds, std::string> run() {
        if (auto const why = prepare(); !why.empty())
            return tl::unexpected(why);
        Scope const scope(*this);
        TimeNs const limit_ns = budget_ns(options_.limit);
        TimeNs const until_ns = limit_ns == kNever ? kNever : monotonic_ns() + limit_ns;
        for (;;) {
            scheduler_->run_until_idle();
            if (scheduler_->alive() == 0 || monotonic_ns() >= until_ns)
                break;
            loop_.run_once(until_ns);
        }
        note_who_hangs();
        scheduler_.reset();  // unwinds them
        return result();
    }

    [[nodiscard]] TimeNs now_ns() const noexcept override { return monotonic_ns(); }
    void sleep_until(TimeNs wake_ns) override { Alarm(loop_, *scheduler_, wake_ns).wait(); }

private:
    [[nodiscard]] std::string prepare() {
        CommunicatorOptions options = options_.communicator;
        options.root = &host_;
        options.record_directory.clear();
        auto const config = rank_config_for(host_.id(), 0, options_.nranks, options);
        if (!config)
            return config.error().message();
        net::DescriptorNeed need;
        for (RankId rank = 0; rank < options_.nranks; ++rank)
            need += net::descriptors_of_rank(config->policies, config->nranks, config->nroots, rank);
        for (std::uint32_t root = 0; root < config->nroots; ++root) {
            need += net::descriptors_of_root(config->policies, config->nranks, config->nroots, root,
                                             protocol::RootConfig{}.pending_limit);
        }
        if (auto const enough = net::check_descriptors(need, net::open_descriptors()); !enough)
            return enough.error();
        if (auto const started = start_roots(loop_, host_.id(), *config, options, {}, roots_); !started)
            return started.error().message();
        for (RankId rank = 0; rank < options_.nranks; ++rank) {
            ends_[rank].rank = rank;
            ends_[rank].ending = Ending::hanging;
            auto const spawned = scheduler_->spawn(fmt::format("rank {}", rank), [this, rank] { run_rank(rank); });
            if (!spawned)
                return spawned.error().message();
        }
        return {};
    }

    void run_rank(RankId rank) {
        ends_[rank] = run_program(
            rank, options_.before_connect, [this, rank] { return connect(rank); }, program_);
    }

    tl::expected<Communicator, Failed> connect(RankId rank) {
        CommunicatorOptions options = options_.communicator;
        options.record_directory.clear();
        auto const config = rank_config_for(host_.id(), rank, options_.nranks, options);
        if (!config)
            return tl::unexpected(config.error());
        auto rank_options = rank_options_for(host_.id(), *config, options);
        if (!rank_options)
            return tl::unexpected(rank_options.error());
        auto waiting = std::make_unique<FiberWaiting>(*scheduler_, waits_at_[rank]);
        rank_options->on_settled = [waiter = waiting.get()] { waiter->look_again(); };
        auto port = std::make_unique<NetPort>(loop_, *config, host_.id().secret(), own_entry(options),
                                              std::move(*rank_options));
        port->start();
        Joining joining;
        joining.rank = rank;
        joining.nranks = options_.nranks;
        joining.operation_budget_ns = budget_ns(options.operation_deadline);
        joining.abort_switch = options.abort_switch;
        joining.waiting = std::move(waiting);
        joining.port = std::move(port);
        return join(std::move(joining));
    }

    /// Whose fiber still lives stands in a verb or in a sleep.
    void note_who_hangs() {
        for (RankId rank = 0; rank < options_.nranks; ++rank) {
            if (ends_[rank].ending != Ending::hanging)
                continue;
            RankPort const* const port = waits_at_[rank];
            ends_[rank].text = port == nullptr ? "sleep_for" : verb_under_way(port->machine());
        }
    }

    [[nodiscard]] ProgramEnds result() {
        ProgramEnds result;
        for (ProgramEnd& end : ends_) {
            if (end.ending == Ending::returned)
                ++result.returned;
            else
                result.others.push_back(std::move(end));
        }
        return result;
    }

    Program const& program_;
    InProcessOptions const& options_;
    RootHost& host_;
    std::vector<ProgramEnd> ends_;           ///< by rank; hanging until its fiber has ended
    std::vector<RankPort const*> waits_at_;  ///< by rank; of those that are in a verb
    net::Loop loop_;
    Roots roots_;
    std::optional<Scheduler> scheduler_;
};

}  // namespace

tl::expected<ProgramEnds, std::string> run_in_process(Program const& program, InProcessOptions const& options) {
    IdOptions wanted;
    wanted.loopback = true;
    wanted.roots = options.roots;
    auto host = UniqueId::create(wanted);
    if (!host)
        return tl::unexpected(host.error());
    try {
        return InProcessJob(program, options, *host).run();
    } catch (std::system_error const& error) {  // no descriptors for the loop
        return tl::unexpected(std::string(error.what()));
    }
}

}  // namespace ronde
