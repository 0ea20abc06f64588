#include "mutants/loopback_trials.hpp"
#include "mutants/trials_of.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::mutants {
namespace {

bool names_the_guilty(LoopbackTrial const& trial, protocol::Error const& error) {
    if (trial.other == protocol::kNoRank)
        return error.about == trial.about;
    return std::minmax(error.about, error.other) == std::minmax(trial.about, trial.other);
}

std::optional<Kill> judged(LoopbackTrial const& trial, LoopbackJob const& job) {
    auto const kill = [&](std::string_view property, std::string why) {
        return Kill{std::string(property), trial.plan.nranks, trial.name, std::move(why)};
    };
    if (!job.tables_are_right())
        return kill("S1", "a table is not what the ranks registered");
    for (LoopbackJob::RankEnd const& end : job.ends()) {
        if (end.end == LoopbackJob::End::hanging)
            return kill("L2", fmt::format("rank {} hangs", end.rank));
        if (end.end == LoopbackJob::End::ready) {
            if (trial.nobody_ready)
                return kill(trial.code == protocol::Code::duplicate_device ? "S8" : "S4",
                            fmt::format("rank {} is ready", end.rank));
            continue;
        }
        std::string const said = fmt::format("rank {}: {}", end.rank, protocol::describe(end.verdict));
        if (trial.code == protocol::Code::ok)
            return kill("L1", said);
        if (end.verdict.error.code != trial.code || !names_the_guilty(trial, end.verdict.error))
            return kill(trial.other == protocol::kNoRank ? "L3" : "S8", said);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Kill> put_through_sockets(Note note, void* context) {
    for (LoopbackTrial const& trial : loopback_trials()) {
        note(trial.plan.nranks, trial.name, context);
        LoopbackJob job(trial.plan);
        job.run();
        if (auto kill = judged(trial, job))
            return kill;
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
