#include "report/critical_path.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr std::size_t kLongest = 8;

std::string name_of_process(ProcessId process, WorldPlan const& plan) {
    if (process < plan.nranks)
        return fmt::format("rank {}", process);
    if (process < plan.nranks + plan.nroots)
        return fmt::format("root {}", process - plan.nranks);
    return fmt::format("extra {}", process - plan.nranks - plan.nroots);
}

std::string what(PathPiece const& piece, WorldPlan const& plan) {
    std::string const name = name_of_process(piece.process, plan);
    switch (piece.wait) {
    case Wait::start: return name + " is not there yet";
    case Wait::travel:
        return piece.from == piece.process
                   ? fmt::format("a call of {} is being answered", name)
                   : fmt::format("on the way from {} to {}", name_of_process(piece.from, plan), name);
    case Wait::busy: return name + " is busy with others";
    case Wait::service: return name + " works on it";
    case Wait::timer: return name + " waits for its own timer";
    }
    return name;
}

}  // namespace

std::string critical_path_text(CriticalPath const& path, WorldPlan const& plan) {
    if (path.pieces.empty())
        return {};
    std::string text = fmt::format("critical path, {} to the table of {}:", about(path.end_ns),
                                   name_of_process(path.pieces.back().process, plan));
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

    std::vector<TimeNs> slack_ns(path.slack_ns.begin(),
                                 path.slack_ns.begin() +
                                     std::min<std::ptrdiff_t>(plan.nranks, std::ssize(path.slack_ns)));
    std::sort(slack_ns.begin(), slack_ns.end());
    auto const on_path = std::upper_bound(slack_ns.begin(), slack_ns.end(), 0) - slack_ns.begin();
    text += fmt::format("slack of the ranks: none for {}, median {}, most {}\n", on_path,
                        about(slack_ns[slack_ns.size() / 2]), about(slack_ns.back()));
    return text;
}

}  // namespace ronde::sim
