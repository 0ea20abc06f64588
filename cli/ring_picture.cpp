#include "cli/ring_picture.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ronde::cli {

using protocol::RankId;

namespace {

/// Whom the verdicts blame, and whoever left none.
std::set<RankId> culprits_of(RunReport const& report) {
    std::set<RankId> culprits;
    for (RankFailure const& failure : report.errors) {
        if (failure.about != protocol::kNoRank && failure.code != "hung")
            culprits.insert(failure.about);
    }
    return culprits;
}

}  // namespace

viz::RingPicture picture_of(RunFacts const& facts, RunReport const& report) {
    viz::RingPicture picture;
    picture.ready = report.ready;
    picture.roots = facts.nroots;
    picture.root_lost = facts.root_killed;
    picture.title =
        report.ready ? fmt::format("{} ranks, ready", facts.nranks) : fmt::format("{} ranks, failed", facts.nranks);
    picture.subtitle = fmt::format("profile {}, gather {}", name_of(facts.profile), name_of(facts.gather));
    if (!report.ready && !report.groups.empty())
        picture.subtitle = report.groups.back().message;
    if (report.ready)
        picture.subtitle += fmt::format(", full table after {}", sim::about(report.time_to_table_ns));

    std::set<RankId> const culprits = culprits_of(report);
    std::map<std::uint64_t, std::uint32_t> hosts;
    for (RankId rank = 0; rank < facts.ranks.size(); ++rank) {
        RankFacts const& known = facts.ranks[rank];
        viz::RingRank drawn;
        drawn.phase = known.phase;
        drawn.absent = known.phase == protocol::Phase::created;
        drawn.culprit = culprits.count(rank) != 0;
        if (known.record) {
            auto const number = static_cast<std::uint32_t>(hosts.size());
            drawn.host = hosts.emplace(known.record->host_id, number).first->second;
        }
        picture.ranks.push_back(drawn);
    }
    return picture;
}

}  // namespace ronde::cli
