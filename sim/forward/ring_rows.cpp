#include "forward/ring_rows.hpp"

#include <algorithm>

namespace ronde::sim {

using protocol::RankId;
using protocol::TimeNs;

namespace {

/// The rank that sends to `receiver`.
[[nodiscard]] RankId sender_to(RankId receiver, std::uint32_t nranks, Way way) {
    if (way == Way::forward)
        return receiver == 0 ? nranks - 1U : receiver - 1U;
    return receiver + 1U == nranks ? 0U : receiver + 1U;
}

/// The delays of a kind as frame_delay_ns() finds them; ascending.
[[nodiscard]] TimeNs quantile_ns(Distribution const& kind, std::uint32_t index) {
    return kind.among(index, kQuantiles);
}

/// Makes `row`, which holds one entry per rank, as long as the unrolled ring.
template <class Entry>
void unroll(Row<Entry>& row) {
    std::size_t const nranks = row.size();
    Row<Entry> unrolled(nranks + std::size_t{2} * kRowMargin);
    std::size_t rank = (nranks - kRowMargin % nranks) % nranks;
    for (Entry& entry : unrolled) {
        entry = row[rank];
        rank = rank + 1U == nranks ? 0U : rank + 1U;
    }
    row.swap(unrolled);
}

[[nodiscard]] TimeNs longest_delay_ns(LinkDelays const& delays) {
    TimeNs longest_kind = 0;
    for (Distribution const& kind : delays.kinds)
        longest_kind = std::max(longest_kind, quantile_ns(kind, kQuantiles - 1U));
    auto const longest = std::max_element(delays.constant_ns.begin(), delays.constant_ns.end());
    return longest_kind + (longest == delays.constant_ns.end() ? 0 : *longest);
}

}  // namespace

std::uint64_t longest_turn_ns(RingForward const& ring) {
    TimeNs longest = longest_delay_ns(ring.forward);
    if (ring.gather == protocol::Gather::ring2)
        longest = std::max(longest, longest_delay_ns(ring.backward));
    auto const service = std::max_element(ring.service_ns.begin(), ring.service_ns.end());
    return static_cast<std::uint64_t>(longest + (service == ring.service_ns.end() ? 0 : *service));
}

template <class Word>
RingRows<Word>::RingRows(RingForward const& ring) {
    hold_ns_.assign(ring.nranks, 0);
    for (std::size_t r = 0; r < ring.service_ns.size(); ++r)
        hold_ns_[r] = static_cast<Word>(ring.service_ns[r]);
    unroll(hold_ns_);
    fill(forward_, ring, Way::forward);
    if (ring.gather == protocol::Gather::ring2)
        fill(backward_, ring, Way::backward);
}

template <class Word>
void RingRows<Word>::fill(OneWay& rows, RingForward const& ring, Way way) {
    LinkDelays const& delays = way == Way::forward ? ring.forward : ring.backward;
    // Ways of the same kinds share their quantiles, so that both find them in the cache.
    bool const shared = way == Way::backward && delays.kinds == ring.forward.kinds;
    std::vector<TimeNs> shortest_ns;
    for (Distribution const& kind : delays.kinds) {
        shortest_ns.push_back(quantile_ns(kind, 0));
        delays_vary_ = delays_vary_ || !kind.is_constant();
        for (std::uint32_t i = 0; !shared && i < kQuantiles; ++i)
            rows.delays_ns.push_back(static_cast<Word>(quantile_ns(kind, i) - shortest_ns.back()));
    }
    for (RankId receiver = 0; receiver < ring.nranks; ++receiver) {
        RankId const sender = sender_to(receiver, ring.nranks, way);
        std::uint32_t const kind = delays.kind_of_link.empty() ? 0U : delays.kind_of_link[sender];
        TimeNs const constant_ns = delays.constant_ns.empty() ? 0 : delays.constant_ns[sender];
        TimeNs const service_ns = ring.service_ns.empty() ? 0 : ring.service_ns[receiver];
        FrameStream const stream = frame_stream(ring.seed, ring.operation, sender, way);
        rows.reach_ns.push_back(static_cast<Word>(shortest_ns[kind] + constant_ns + service_ns));
        rows.first.push_back(stream.first);
        rows.second.push_back(stream.second);
        rows.slot.push_back(kind * kQuantiles);
    }
    unroll(rows.reach_ns);
    unroll(rows.first);
    unroll(rows.second);
    unroll(rows.slot);
}

template <class Word>
void RingRows<Word>::lay_under(Tile<Word>& tile, std::int64_t first) const {
    auto const at = static_cast<std::size_t>(first + std::int64_t{kRowMargin});
    auto const way = [this, at](OneWay const& rows) -> WayRows<Word> {
        if (rows.first.empty())
            return {};
        return {rows.reach_ns.data() + at, rows.first.data() + at, rows.second.data() + at, rows.slot.data() + at,
                rows.delays_ns.empty() ? forward_.delays_ns.data() : rows.delays_ns.data()};
    };
    tile.forward = way(forward_);
    tile.backward = way(backward_);
    tile.hold_ns = hold_ns_.data() + at;
    tile.delays_vary = delays_vary_;
}

template class RingRows<std::uint32_t>;
template class RingRows<std::uint64_t>;

}  // namespace ronde::sim
