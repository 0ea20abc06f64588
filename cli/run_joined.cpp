/// One rank of a job that mpirun, torchrun, Slurm, `ronde run -- …` or the command line describes.
#include "cli/job.hpp"
#include "cli/progress.hpp"
#include "cli/rank_session.hpp"
#include "cli/run_modes.hpp"
#include "cli/run_report.hpp"
#include "launch/id_exchange.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ronde::cli {

using protocol::TimeNs;

namespace {

constexpr std::string_view kIdPrefix = "ronde1-";

/// The id, and what this process holds because it is the one that made it or hosts its roots.
struct Meeting {
    UniqueId id;
    std::optional<RootHost> host;
    std::optional<launch::IdOffer> offer;
};

template <class T>
T need(tl::expected<T, std::string> value) {
    if (!value)
        throw LauncherError(value.error());
    return std::move(*value);
}

UniqueId id_from_text(std::string const& text, std::string const& source) {
    auto id = UniqueId::parse(text);
    if (!id)
        throw UsageError(fmt::format("{}: {}", source, id.error()));
    return *id;
}

/// Ranks and root are started in any order, so a file that is not there yet is waited for.
UniqueId id_from_file(std::string const& path, std::string const& source, TimeNs deadline_ns) {
    auto const say_so = [&] {
        fmt::print(stderr, "ronde run: {}: waiting up to {} for {}\n", source, sim::about(deadline_ns), path);
    };
    if (!launch::await_file(path, deadline_ns, say_so)) {
        throw LauncherError(fmt::format(
            "{}: {} is not there after {}: start the root (ronde root --id {}), or say where its id file is", source,
            path, sim::about(deadline_ns), path));
    }
    auto read = UniqueId::read_file(path);
    if (!read)
        throw LauncherError(fmt::format("{}: {}", source, read.error()));
    if (!read->warning.empty())
        fmt::print(stderr, "ronde: warning: {}\n", read->warning);
    return read->id;
}

Meeting at_address(launch::IdSource const& source, launch::JobPlace const& place) {
    auto const variables = launch::variables_here();
    auto const secret = variables.find("RONDE_SECRET");
    auto id = UniqueId::at_address(source.address, secret == variables.end() ? std::string_view() : secret->second);
    if (!id)
        throw UsageError(fmt::format("{}: {}", source.source, id.error()));
    if (place.rank != 0)
        return {*id, {}, {}};
    return {*id, need(RootHost::listen_at(*id)), {}};
}

/// Nobody gave an id: rank 0 makes one, and the ranks of this host hand it on in a file.
Meeting exchanged(RunOptions const& options, launch::JobPlace const& place) {
    if (auto const obstacle = launch::exchange_obstacle(place))
        throw LauncherError(*obstacle);
    std::string const folder = need(launch::exchange_folder(launch::variables_here()));
    std::string const key = launch::exchange_key(place);
    if (place.rank != 0)
        return {id_from_text(need(launch::await_id(folder, key, options.deadline_ns)), "the id that rank 0 offers"),
                {},
                {}};
    RootHost host = create_host(options);
    launch::IdOffer offer = need(launch::IdOffer::make(folder, key, host.id().text()));
    UniqueId const id = host.id();
    return {id, std::move(host), std::move(offer)};
}

Meeting meet(RunOptions const& options, launch::JobPlace const& place) {
    if (!options.id.empty()) {
        bool const is_text = options.id.rfind(kIdPrefix, 0) == 0;
        return {
            is_text ? id_from_text(options.id, "--id") : id_from_file(options.id, "--id", options.deadline_ns), {}, {}};
    }
    auto const source = launch::find_id_source(launch::variables_here());
    if (!source)
        throw UsageError(source.error());
    if (!source->text.empty())
        return {id_from_text(source->text, source->source), {}, {}};
    if (!source->file.empty())
        return {id_from_file(source->file, source->source, options.deadline_ns), {}, {}};
    if (!source->address.empty())
        return at_address(*source, place);
    return exchanged(options, place);
}

bool same_host(std::vector<RankRecord> const& records) {
    return std::all_of(records.begin(), records.end(),
                       [&](RankRecord const& record) { return record.host_id == records.front().host_id; });
}

/// What rank 0 knows when all records are here.
RunFacts facts_from(Job const& job, std::vector<RankRecord> const& records, RootSet const* roots) {
    RunFacts facts =
        facts_for(job.options, job.policies, job.nranks, static_cast<std::uint32_t>(job.id.roots().size()));
    if (same_host(records)) {  // one clock: the first start counts for all
        facts.start_ns = protocol::kNever;
        for (RankRecord const& record : records)
            facts.start_ns = std::min(facts.start_ns, record.start_ns);
    }
    for (RankRecord const& record : records) {
        RankFacts& rank = facts.ranks[record.rank];
        rank.record = std::make_unique<RankRecord>(record);
        rank.phase = record.last_phase;
        facts.cpu_ns += record.cpu_ns;
        facts.peak_rss_bytes = std::max(facts.peak_rss_bytes, record.peak_rss_bytes);
        facts.own_bytes = std::max(facts.own_bytes, record.own_bytes);
    }
    if (roots != nullptr)
        facts.roots = roots->statistics();
    return facts;
}

/// A rank that failed knows its own story only; with JSON it tells that in the documented form, all others in one line.
Exit tell_own_failure(Job const& job, launch::JobPlace const& place, RankRecord const& record, bool hung,
                      KeptRun const& kept) {
    RunFacts facts = facts_for(job.options, job.policies, 1, static_cast<std::uint32_t>(job.id.roots().size()));
    facts.ranks[0].record = std::make_unique<RankRecord>(record);
    facts.ranks[0].phase = record.last_phase;
    if (hung)
        facts.ranks[0].absence = {Absence::Kind::hung, 0};
    facts.nranks = job.nranks;
    RunReport report = conclude(facts);
    report.ready = false;
    for (RankFailure& failure : report.errors)
        failure.rank = place.rank;
    for (FailureGroup& group : report.groups)
        group.ranks = {place.rank};
    if (job.options.json)
        fmt::print("{}", report_json(facts, report));
    else
        fmt::print(stderr, "{}", failure_text(facts, report));
    // A picture of one rank says no more than its line.
    kept.finish(fmt::format("rank {} of {} failed", place.rank, job.nranks), report_json(facts, report), nullptr,
                nullptr);
    return Exit::failed;
}

}  // namespace

Exit run_joined(RunOptions const& options, launch::JobPlace const& place, KeptRun const& kept) {
    Meeting meeting = meet(options, place);
    Job const job = joined_job(options, meeting.id, place.world_size);

    net::Loop loop;
    std::optional<RootSet> roots;
    std::optional<ProgressLine> progress;
    if (meeting.host) {
        roots.emplace(loop, job, meeting.host->take_listeners(), [&] {
            if (meeting.offer && roots->checked_in() == roots->expected())
                meeting.offer->withdraw();
        });
        roots->start();
        progress.emplace(loop, *roots);
    }

    RankSession session(loop, job, place.rank);
    TimeNs const operations = 2 + 2 * static_cast<TimeNs>(options.repeat) + options.barriers;
    TimeNs const until_ns = net::monotonic_ns() + operations * options.deadline_ns + kHangGraceNs;
    bool const in_time = session.run(options.all_gather_bytes == 0 && options.barriers == 0
                                         ? net::monotonic_ns() + options.deadline_ns + kHangGraceNs
                                         : until_ns);
    progress.reset();
    std::optional<std::vector<RankRecord>> records;
    if (in_time && !session.driver().finished())
        records = session.gather_records(until_ns);
    Exit exit = Exit::ok;
    if (!records) {
        exit = tell_own_failure(job, place, session.record(), !in_time, kept);
    } else {
        RunFacts const facts = facts_from(job, *records, roots ? &*roots : nullptr);
        if (place.rank == 0)
            exit = finish_run(options, facts, kept);
        else
            exit = conclude(facts).ready ? Exit::ok : Exit::failed;
    }
    session.leave();
    if (roots)
        loop.run_until([&] { return roots->settled(); }, net::monotonic_ns() + kHangGraceNs);
    return exit;
}

}  // namespace ronde::cli
