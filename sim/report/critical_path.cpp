#include "report/critical_path.hpp"

#include "report/trace.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr std::size_t kLongest = 8;

std::string what(PathPiece const& piece, WorldPlan const& plan) {
    std::string name = process_name(piece.process, plan.nranks, plan.nroots);
    switch (piece.wait) {
    case Wait::start: return name + " is not there yet";
    case Wait::travel:
        return piece.from == piece.process
                   ? fmt::format("a call of {} is being answered", name)
                   : fmt::format("on the way from {} to {}", process_name(piece.from, plan.nranks, plan.nroots), name);
    case Wait::busy: return name + " is busy with others";
    case Wait::service: return name + " works on it";
    case Wait::timer: return name + " waits for its own timer";
    }
    return name;
}

}  // namespace

Slack slack_of(CriticalPath const& path, std::uint32_t nranks) {
    auto const ranks = std::min<std::ptrdiff_t>(nranks, std::ssize(path.slack_ns));
    Slack slack;
    slack.of_ranks_ns.assign(path.slack_ns.begin(), path.slack_ns.begin() + ranks);
    if (ranks == 0)
        return slack;
    std::vector<TimeNs> sorted = slack.of_ranks_ns;
    std::sort(sorted.begin(), sorted.end());
    slack.ranks_without =
        static_cast<std::uint32_t>(std::upper_bound(sorted.begin(), sorted.end(), 0) - sorted.begin());
    slack.median_ns = sorted[sorted.size() / 2];
    slack.most_ns = sorted.back();
    return slack;
}

std::string critical_path_text(CriticalPath const& path, WorldPlan const& plan) {
    if (path.pieces.empty())
        return {};
    std::string text = fmt::format("critical path, {} to the table of {}:", about(path.end_ns),
                                   process_name(path.pieces.back().process, plan.nranks, plan.nroots));
    for (std::uint32_t wait = 0; wait < kWaits; ++wait) {
        if (path.spent_ns[wait] > 0)
            text += fmt::format(" {} {},", name_of(static_cast<Wait>(wait)), about(path.spent_ns[wait]));
    }
    text.back() = '\n';

    std::vector<std::size_t> longest(path.pieces.size());
    for (std::size_t i = 0; i < longest.size(); ++i)
        longest[i] = i;
    auto const length = [&](std::size_t i) { return path.pieces[i].end_ns - path.pieces[i].begin_ns; };
    std::stable_sort(longest.begin(), longest.end(), [&](auto a, auto b) { return length(a) > length(b); });
    longest.resize(std::min(longest.size(), kLongest));
    std::sort(longest.begin(), longest.end());
    for (std::size_t const i : longest) {
        PathPiece const& piece = path.pieces[i];
        text += fmt::format("  at {:>8}  {:>8}  {}\n", about(piece.begin_ns), about(length(i)), what(piece, plan));
    }
    if (path.pieces.size() > longest.size())
        text += fmt::format("  and {} shorter ones\n", path.pieces.size() - longest.size());

    Slack const slack = slack_of(path, plan.nranks);
    text += fmt::format("slack of the ranks: none for {}, median {}, most {}\n", slack.ranks_without,
                        about(slack.median_ns), about(slack.most_ns));
    return text;
}

}  // namespace ronde::sim
