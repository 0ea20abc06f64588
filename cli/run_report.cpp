#include "cli/run_report.hpp"

#include "cli/job.hpp"
#include "cli/values.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>

namespace ronde::cli {

using protocol::Phase;
using protocol::RankId;
using protocol::TimeNs;

namespace {

constexpr std::uint32_t kFirstTimed = static_cast<std::uint32_t>(Phase::listening);
constexpr std::uint32_t kReady = static_cast<std::uint32_t>(Phase::ready);

TimeNs median_of(std::vector<TimeNs> values) {
    if (values.empty())
        return 0;
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// How long this rank was in `phase`, or nothing when it never was or never left it.
std::optional<TimeNs> time_in(RankRecord const& record, std::uint32_t phase) {
    auto const& entered = record.statistics.phase_entered_ns;
    if (entered[phase] == 0)
        return std::nullopt;
    TimeNs left = protocol::kNever;
    for (std::uint32_t later = phase + 1; later < entered.size(); ++later) {
        if (entered[later] != 0)
            left = std::min(left, entered[later]);
    }
    if (left == protocol::kNever)
        return std::nullopt;
    return left - entered[phase];
}

std::vector<PhaseTimes> phase_times(RunFacts const& facts) {
    std::vector<PhaseTimes> result;
    for (std::uint32_t phase = kFirstTimed; phase < kReady; ++phase) {
        PhaseTimes times;
        times.phase = static_cast<Phase>(phase);
        std::vector<TimeNs> all;
        for (RankId rank = 0; rank < facts.ranks.size(); ++rank) {
            auto const& record = facts.ranks[rank].record;
            auto const spent = record ? time_in(*record, phase) : std::nullopt;
            if (!spent)
                continue;
            if (all.empty() || *spent > times.max_ns) {
                times.max_ns = *spent;
                times.slowest_rank = rank;
            }
            all.push_back(*spent);
        }
        if (all.empty())
            continue;
        times.ranks = static_cast<std::uint32_t>(all.size());
        times.min_ns = *std::min_element(all.begin(), all.end());
        times.median_ns = median_of(std::move(all));
        result.push_back(times);
    }
    return result;
}

/// Median over the rounds of the slowest rank's time in each.
template <class Times>
TimeNs median_of_slowest(RunFacts const& facts, std::uint32_t rounds, Times times) {
    std::vector<TimeNs> slowest(rounds, 0);
    for (RankFacts const& rank : facts.ranks) {
        if (!rank.record)
            continue;
        for (std::uint32_t i = 0; i < rounds; ++i)
            slowest[i] = std::max(slowest[i], times(*rank.record)[i]);
    }
    return median_of(std::move(slowest));
}

std::string signal_name(int number) {
    char const* const name = ::sigabbrev_np(number);
    return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

RankFailure without_record(RankId rank, RankFacts const& facts, protocol::Profile profile) {
    RankFailure failure;
    failure.rank = rank;
    failure.phase = facts.phase;
    failure.about = rank;
    std::string const where = sim::spaced(name_of(facts.phase));
    switch (facts.absence.kind) {
    case Absence::Kind::none: break;
    case Absence::Kind::never:
        failure.code = "never_started";
        failure.message = "not started, as the command line asked for";
        break;
    case Absence::Kind::signal:
        failure.code = "killed";
        failure.message = fmt::format("{}: killed by {}", where, signal_name(facts.absence.number));
        break;
    case Absence::Kind::exit:
        failure.code = "exited";
        failure.message = fmt::format("{}: ended without a report, exit status {}", where, facts.absence.number);
        failure.remedy = "see what it printed before it ended";
        break;
    case Absence::Kind::hung:
        failure.code = "hung";
        failure.message =
            fmt::format("hung in phase {}; it did not end by its deadline and was ended from outside", where);
        failure.remedy = profile == protocol::Profile::ronde
                             ? "look at that process: stopped by a signal or a debugger, swapped out, or without CPU"
                             : "profiles article and nccl wait for ever when a rank is lost; profile ronde does not";
        break;
    }
    return failure;
}

std::vector<RankFailure> failures_of(RunFacts const& facts) {
    std::vector<RankFailure> failures;
    for (RankId rank = 0; rank < facts.ranks.size(); ++rank) {
        RankFacts const& one = facts.ranks[rank];
        if (one.absence.kind != Absence::Kind::none || !one.record) {
            failures.push_back(without_record(rank, one, facts.profile));
            continue;
        }
        RankRecord const& record = *one.record;
        if (record.ok())
            continue;
        RankFailure failure;
        failure.rank = rank;
        failure.phase = record.last_phase;
        if (record.verdict.error.is_ok()) {
            failure.code = "wrong_data";
            failure.about = rank;
            failure.message = fmt::format("{} slices of all-gathers held wrong bytes", record.wrong_slices);
            failure.remedy = "this is a bug worth a report";
        } else {
            failure.error = record.verdict.error;
            failure.code = name_of(record.verdict.error.code);
            failure.about = record.verdict.error.about;
            failure.message = describe(record.verdict);
            failure.remedy = remedy_for(record.verdict.error);
        }
        failures.push_back(std::move(failure));
    }
    return failures;
}

/// Ranks that blame the same ranks for the same thing make one group, told in the words that most of them use.
std::vector<FailureGroup> group(std::vector<RankFailure> const& failures) {
    struct Key {
        std::string code;
        std::string own;  ///< culprits: what happened to them
        RankId about;
        RankId other;
        auto operator<=>(Key const&) const = default;
    };
    std::map<Key, std::vector<RankFailure const*>> by_cause;
    for (RankFailure const& failure : failures) {
        bool const culprit = failure.error.is_ok();
        by_cause[{failure.code, culprit ? failure.message : std::string(), culprit ? protocol::kNoRank : failure.about,
                  failure.error.other}]
            .push_back(&failure);
    }
    std::vector<FailureGroup> groups;
    for (auto const& [key, members] : by_cause) {
        std::map<std::string, std::size_t> votes;
        for (RankFailure const* member : members)
            ++votes[member->message];
        auto const most = std::max_element(votes.begin(), votes.end(),
                                           [](auto const& a, auto const& b) { return a.second < b.second; });
        FailureGroup one;
        for (RankFailure const* member : members) {
            one.ranks.push_back(member->rank);
            if (member->message == most->first)
                one.remedy = member->remedy;
        }
        one.message = most->first;
        one.culprit = members.front()->error.is_ok();
        groups.push_back(std::move(one));
    }
    std::stable_sort(groups.begin(), groups.end(), [](FailureGroup const& a, FailureGroup const& b) {
        if (a.culprit != b.culprit)
            return a.culprit;
        return a.ranks.size() != b.ranks.size() ? a.ranks.size() > b.ranks.size() : a.ranks.front() < b.ranks.front();
    });
    return groups;
}

}  // namespace

RunReport conclude(RunFacts const& facts) {
    RunReport report;
    std::uint32_t ready = 0;
    TimeNs first_start = facts.start_ns;
    TimeNs last_table = 0;
    TimeNs last_ready = 0;
    report.all_gathers = report.barriers = kMaxRepeats;
    net::Statistics sum = facts.roots;
    std::optional<net::StateDigest> digest;
    for (RankFacts const& rank : facts.ranks) {
        if (!rank.record)
            continue;
        RankRecord const& record = *rank.record;
        add_counts(sum, record.statistics);
        report.all_gathers = std::min(report.all_gathers, record.all_gathers);
        report.barriers = std::min(report.barriers, record.barriers);
        report.retries += record.statistics.unanswered;
        for (std::size_t i = 1; i < record.statistics.failures.size(); ++i)
            report.retries += record.statistics.failures[i];
        if (record.was_ready == 0)
            continue;
        ++ready;
        TimeNs const from = facts.start_ns != 0 ? first_start : record.start_ns;
        last_table = std::max(last_table, record.statistics.table_ns - from);
        last_ready = std::max(last_ready, record.statistics.phase_entered_ns[kReady] - from);
        if (digest && !(*digest == record.table_digest))
            report.digests_differ = true;
        digest = record.table_digest;
    }
    report.messages = sum.frames_sent;
    report.bytes = sum.bytes_sent;
    report.strangers = sum.strangers;
    report.phases = phase_times(facts);
    report.errors = failures_of(facts);
    report.groups = group(report.errors);
    report.ready = report.errors.empty() && ready == facts.nranks && !report.digests_differ;
    if (digest)
        report.table_digest = net::to_text(*digest);
    if (ready == facts.nranks) {
        report.time_to_table_ns = last_table;
        report.time_to_ready_ns = last_ready;
    } else {
        report.all_gathers = report.barriers = 0;
    }
    report.all_gather_ns =
        median_of_slowest(facts, report.all_gathers, [](RankRecord const& r) { return r.all_gather_ns; });
    report.barrier_ns = median_of_slowest(facts, report.barriers, [](RankRecord const& r) { return r.barrier_ns; });
    return report;
}

}  // namespace ronde::cli
