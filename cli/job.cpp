#include "cli/job.hpp"

#include "cli/usage.hpp"
#include "net/host_identity.hpp"
#include "net/interfaces.hpp"
#include "net/limits.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <unistd.h>

#include <cstdio>

namespace ronde::cli {
namespace {

std::uint64_t random_number() {
    std::uint64_t value = 0;
    randombytes_buf(&value, sizeof value);
    return value;
}

Job job_of(RunOptions const& options, UniqueId const& id, std::uint32_t nranks) {
    if (sodium_init() < 0)
        throw LauncherError("libsodium cannot be initialised");
    if (id.roots().size() > nranks)
        throw UsageError(fmt::format("the id names {} roots for {} ranks: expected at most as many roots as ranks",
                                     id.roots().size(), nranks));
    RunOptions sized = options;
    sized.roots = static_cast<std::uint32_t>(id.roots().size());
    return Job{options, id, nranks, sized.policies(nranks), net::host_id_of(net::this_host()), {}, protocol::kNever};
}

template <class Config>
std::unique_ptr<net::Recorder> recorder_for(RunOptions const& options, Config const& config) {
    if (options.record.empty())
        return nullptr;
    auto recorder = net::Recorder::create(options.record, config);
    if (!recorder)
        throw LauncherError(recorder.error());
    return std::move(*recorder);
}

}  // namespace

Job local_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks) {
    Job job = job_of(options, id, nranks);
    job.listen_at = id.roots().front();
    job.listen_at.port = 0;
    return job;
}

Job joined_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks) {
    Job job = job_of(options, id, nranks);
    protocol::Endpoint const root = id.roots().front();
    if (options.interface.empty() && net::reach_of(root) == net::Reach::loopback) {
        job.listen_at = net::loopback(root.family);
        return job;
    }
    auto request = net::interface_request_from(net::environment_variable);
    if (!request)
        throw LauncherError(request.error());
    if (!options.interface.empty()) {
        request->names = options.interface;
        request->names_source = "--interface";
    }
    request->root = root;
    auto const choice = net::choose_interface_here(std::move(*request));
    if (!choice)
        throw LauncherError(choice.error());
    job.listen_at = choice->chosen.address;
    return job;
}

Job root_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks) {
    if (nranks != 0)
        return job_of(options, id, nranks);
    return Job{options, id, 0, options.unresolved_policies(), 0, {}, protocol::kNever};
}

RootHost create_host(IdOptions const& wanted) {
    auto host = UniqueId::create(wanted);
    if (!host)
        throw LauncherError(host.error());
    if (!host->warning().empty())
        fmt::print(stderr, "ronde: warning: {}\n", host->warning());
    return std::move(*host);
}

RootHost create_host(RunOptions const& options) {
    IdOptions wanted;
    wanted.roots = options.roots;
    wanted.loopback = options.interface.empty();
    wanted.interface = options.interface;
    if (options.ipv6)
        wanted.family = "AF_INET6";
    return create_host(wanted);
}

std::unique_ptr<net::RankDriver> make_rank(net::Loop& loop, Job const& job, protocol::RankId rank,
                                           std::function<void(protocol::Phase)> on_phase) {
    protocol::RankConfig config;
    config.policies = job.policies;
    config.nranks = job.nranks;
    config.nroots = static_cast<std::uint32_t>(job.id.roots().size());
    config.rank = rank;
    config.roots_digest = job.id.roots_digest();
    config.session = job.id.session();
    config.seed = random_number();
    config.budget_ns = job.options.deadline_ns;
    config.root_promised = job.id.promised();
    config.root_backlog = job.id.root_backlog();

    protocol::Entry mine;
    mine.host_id = job.host_id;
    mine.device_id = job.options.device_of(rank);
    mine.incarnation = random_number();
    mine.process_id = static_cast<std::uint32_t>(::getpid());

    net::RankOptions options;
    options.max_io_bytes = static_cast<std::size_t>(job.options.max_io_bytes);
    options.recorder = recorder_for(job.options, config);
    options.listen.at = job.listen_at;
    options.roots.assign(job.id.roots().begin(), job.id.roots().end());
    options.on_phase = std::move(on_phase);
    return std::make_unique<net::RankDriver>(loop, config, job.id.secret(), mine, std::move(options));
}

RootSet::RootSet(net::Loop& loop, Job const& job, std::vector<net::Fd> listeners,
                 std::function<void()> const& on_change) {
    for (std::uint32_t i = 0; i < listeners.size(); ++i) {
        protocol::RootConfig config;
        config.policies = job.policies;
        config.expected_nranks = job.nranks;
        config.nroots = static_cast<std::uint32_t>(listeners.size());
        config.root_index = i;
        config.roots_digest = job.id.roots_digest();
        config.session = job.id.session();
        config.budget_ns = job.root_budget_ns;
        net::RootOptions options;
        options.max_io_bytes = static_cast<std::size_t>(job.options.max_io_bytes);
        options.recorder = recorder_for(job.options, config);
        if (on_change)
            options.on_progress = [on_change](protocol::Root const&) { on_change(); };
        drivers_.push_back(std::make_unique<net::RootDriver>(loop, config, job.id.secret(), std::move(listeners[i]),
                                                             std::move(options)));
    }
    std::string const warning = net::backlog_warning(job.nranks, net::somaxconn());
    if (!warning.empty())
        fmt::print(stderr, "ronde: warning: {}\n", warning);
}

void RootSet::start() {
    for (auto const& driver : drivers_)
        driver->start();
}

void RootSet::vanish() {
    gone_ = statistics();
    gone_strangers_ = strangers();
    drivers_.clear();
}

bool RootSet::settled() const {
    for (auto const& driver : drivers_) {
        if (!driver->settled())
            return false;
    }
    return true;
}

std::uint32_t RootSet::checked_in() const {
    std::uint32_t sum = 0;
    for (auto const& driver : drivers_)
        sum += driver->machine().checked_in();
    return sum;
}

std::uint32_t RootSet::expected() const {
    std::uint32_t sum = 0;
    for (auto const& driver : drivers_)
        sum += driver->machine().expected();
    return sum;
}

protocol::Verdict RootSet::missing() const {
    protocol::Verdict all;
    for (auto const& driver : drivers_) {
        protocol::Verdict const one = driver->machine().missing();
        all.more_ranks += one.more_ranks;
        for (std::uint32_t i = 0; i < one.range_count; ++i) {
            if (all.range_count < protocol::kMaxRanges)
                all.ranges[all.range_count++] = one.ranges[i];
            else
                all.more_ranks += one.ranges[i].last - one.ranges[i].first + 1U;
        }
    }
    return all;
}

protocol::Verdict RootSet::verdict() const {
    for (auto const& driver : drivers_) {
        if (!driver->machine().verdict().error.is_ok())
            return driver->machine().verdict();
    }
    return {};
}

net::Statistics RootSet::statistics() const {
    net::Statistics sum = gone_;
    for (auto const& driver : drivers_)
        add_counts(sum, driver->statistics());
    return sum;
}

std::uint32_t RootSet::strangers() const {
    std::uint32_t sum = gone_strangers_;
    for (auto const& driver : drivers_)
        sum += driver->machine().strangers();
    return sum;
}

void add_counts(net::Statistics& sum, net::Statistics const& one) {
    sum.frames_sent += one.frames_sent;
    sum.frames_received += one.frames_received;
    sum.bytes_sent += one.bytes_sent;
    sum.bytes_received += one.bytes_received;
    sum.connects += one.connects;
    sum.accepts += one.accepts;
    sum.unanswered += one.unanswered;
    sum.strangers += one.strangers;
    sum.accept_pauses += one.accept_pauses;
    for (std::size_t i = 0; i < sum.failures.size(); ++i)
        sum.failures[i] += one.failures[i];
}

}  // namespace ronde::cli
