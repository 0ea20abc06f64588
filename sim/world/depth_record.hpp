/// The depth of a queue over time, in a bounded number of points.
#pragma once

#include "protocol/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ronde::sim {

using protocol::TimeNs;

/// From this time on so many wait, until the next point.
struct QueueDepth {
    TimeNs at_ns = 0;
    std::uint32_t depth = 0;
};

/// Of every stretch of time it keeps the deepest moment and the last one, so that neither a peak nor what a queue came
/// to rest at gets lost. Stretches grow with the time that there is to tell of.
class DepthRecord {
public:
    static constexpr std::size_t kMostPoints = 4'096;

    /// In the order of time.
    void note(TimeNs at_ns, std::uint32_t depth) {
        QueueDepth const point{at_ns, depth};
        stretches_.push_back({point, point});
        join_neighbours(stretches_.size() - std::min<std::size_t>(stretches_.size(), 2U));
        while (2 * stretches_.size() > kMostPoints) {
            width_ns_ *= 2;
            join_neighbours(0);
        }
    }

    /// Empty, as if new, but keeps the memory it has.
    void clear() {
        stretches_.clear();
        width_ns_ = 1;
    }

    [[nodiscard]] std::vector<QueueDepth> points() const {
        std::vector<QueueDepth> all;
        points_into(all);
        return all;
    }
    void points_into(std::vector<QueueDepth>& all) const {
        all.clear();
        all.reserve(2 * stretches_.size());
        for (Stretch const& one : stretches_) {
            all.push_back(one.deepest);
            if (one.last.at_ns != one.deepest.at_ns || one.last.depth != one.deepest.depth)
                all.push_back(one.last);
        }
    }

private:
    struct Stretch {
        QueueDepth deepest;
        QueueDepth last;
    };

    void join_neighbours(std::size_t from) {
        std::size_t kept = from;
        for (std::size_t i = from + 1U; i < stretches_.size(); ++i) {
            Stretch& before = stretches_[kept];
            Stretch const& next = stretches_[i];
            if (before.last.at_ns / width_ns_ != next.last.at_ns / width_ns_) {
                stretches_[++kept] = next;
                continue;
            }
            if (next.deepest.depth > before.deepest.depth)
                before.deepest = next.deepest;
            before.last = next.last;
        }
        stretches_.resize(std::min(stretches_.size(), kept + 1U));
    }

    std::vector<Stretch> stretches_;
    TimeNs width_ns_ = 1;
};

}  // namespace ronde::sim
