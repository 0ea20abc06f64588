#include "engine/pct_oracle.hpp"

#include "engine/draw.hpp"
#include "protocol/check.hpp"

#include <algorithm>

namespace ronde::sim {

namespace {

// Streams of the seed.
constexpr std::uint64_t kPriorities = 1;
constexpr std::uint64_t kChangePoints = 2;

}  // namespace

PctOracle::PctOracle(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps, Oracle& rest)
    : seed_(seed), rest_(&rest) {
    RONDE_CHECK(depth >= 1 && steps >= 1, "PctOracle: expected a depth and a number of steps of at least 1");
    for (std::uint32_t change = 0; change + 1 < depth; ++change)
        changes_.push_back({below(draw(seed, kChangePoints, change), steps), change + 1U});
    std::sort(changes_.begin(), changes_.end(), [](Change const& a, Change const& b) {
        return a.step != b.step ? a.step < b.step : a.priority < b.priority;
    });
}

std::uint64_t PctOracle::priority_of(std::uint64_t actor) const {
    auto const fallen = fallen_.find(actor);
    if (fallen != fallen_.end())
        return fallen->second;
    // The first bit is above all that have fallen. Two actors share the other 63 once in 2^63 pairs; then the
    // candidate that comes first goes first.
    return draw(seed_, kPriorities, actor) | std::uint64_t{1} << 63U;
}

std::uint32_t PctOracle::pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) {
    if (kind != Choice::order)
        return rest_->pick_among(kind, key, actors);
    RONDE_CHECK(!actors.empty(), "PctOracle::pick_among: expected one candidate at least");
    auto const first = [&] {
        std::size_t best = 0;
        for (std::size_t i = 1; i < actors.size(); ++i) {
            if (priority_of(actors[i]) > priority_of(actors[best]))
                best = i;
        }
        return best;
    };
    // Two change points at one step let two actors fall, one after the other.
    for (; next_change_ < changes_.size() && changes_[next_change_].step == step_; ++next_change_)
        fallen_[actors[first()]] = changes_[next_change_].priority;
    ++step_;
    return static_cast<std::uint32_t>(first());
}

std::uint32_t PctOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    if (kind != Choice::order)
        return rest_->pick(kind, key, n);
    std::vector<std::uint64_t> positions(n);
    for (std::uint32_t i = 0; i < n; ++i)
        positions[i] = i;
    return pick_among(kind, key, positions);
}

}  // namespace ronde::sim
