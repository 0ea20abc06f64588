#include "forward/ring_forward.hpp"

#include "forward/closed_form.hpp"
#include "forward/recurrence.hpp"
#include "forward/ring_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::sim {

using protocol::Gather;
using protocol::TimeNs;
using protocol::Turns;

namespace {

constexpr TimeNs kLatestNs = TimeNs{1} << 62;

/// Why `row`, one duration per rank, is none, or an empty text.
[[nodiscard]] std::string wrong_with(std::string_view name, std::vector<TimeNs> const& row, std::uint32_t nranks,
                                     TimeNs longest_ns) {
    if (!row.empty() && row.size() != nranks)
        return fmt::format("{} has {} entries: give none, or one for each of {} ranks", name, row.size(), nranks);
    for (std::size_t r = 0; r < row.size(); ++r) {
        if (row[r] < 0 || row[r] > longest_ns)
            return fmt::format("{}[{}] is {}: expected 0 .. {}", name, r, row[r], longest_ns);
    }
    return {};
}

[[nodiscard]] std::string wrong_with(std::string_view way, LinkDelays const& delays, std::uint32_t nranks) {
    if (delays.kinds.empty())
        return fmt::format("{}.kinds is empty: give at least one distribution of delays", way);
    if (!delays.kind_of_link.empty() && delays.kind_of_link.size() != nranks)
        return fmt::format("{}.kind_of_link has {} entries: give none, or one for each of {} ranks", way,
                           delays.kind_of_link.size(), nranks);
    for (std::size_t r = 0; r < delays.kind_of_link.size(); ++r) {
        if (delays.kind_of_link[r] >= delays.kinds.size())
            return fmt::format("{}.kind_of_link[{}] is {}, but there are {} kinds", way, r, delays.kind_of_link[r],
                               delays.kinds.size());
    }
    return wrong_with(fmt::format("{}.constant_ns", way), delays.constant_ns, nranks, kLongestNs);
}

[[nodiscard]] bool takes_service(RingForward const& ring) {
    return std::any_of(ring.service_ns.begin(), ring.service_ns.end(), [](TimeNs ns) { return ns > 0; });
}

/// The two ways of such a gather never wait for each other.
[[nodiscard]] bool falls_apart(RingForward const& ring) {
    return ring.gather == Gather::ring2 && ring.turns == Turns::pipelined;
}

}  // namespace

std::string contradiction_in(RingForward const& ring) {
    if (ring.nranks == 0 || ring.nranks > protocol::kMaxRanks)
        return fmt::format("nranks is {}: expected 1 .. {}", ring.nranks, protocol::kMaxRanks);
    if (ring.gather != Gather::ring && ring.gather != Gather::ring2)
        return fmt::format("gather is {}: only ring and ring2 go around a ring", name_of(ring.gather));
    if (ring.slice_bytes > 0xffff'ffffU)
        return fmt::format("slice_bytes is {}: a frame carries less than 2^32", ring.slice_bytes);
    std::string wrong = wrong_with("start_ns", ring.start_ns, ring.nranks, kLatestNs / 2);
    if (wrong.empty())
        wrong = wrong_with("service_ns", ring.service_ns, ring.nranks, kLongestNs);
    if (wrong.empty())
        wrong = wrong_with("forward", ring.forward, ring.nranks);
    if (wrong.empty() && ring.gather == Gather::ring2)
        wrong = wrong_with("backward", ring.backward, ring.nranks);
    if (!wrong.empty())
        return wrong;
    RingTurns const turns = RingTurns::of(ring);
    if (!turns.one_way() && takes_service(ring))
        return "service_ns with gather ring2: both ways around share a CPU, and who is served first depends on the "
               "delays; that needs events";
    std::uint64_t const longest_ns = longest_turn_ns(ring) + turns.longest_busy_ns();
    if (longest_ns > 0 && turns.count() > static_cast<std::uint64_t>(kLatestNs / 2) / longest_ns)
        return fmt::format("{} turns of up to {} ns each may last beyond 2^61 ns", turns.count(), longest_ns);
    return {};
}

tl::expected<ForwardResult, std::string> forward(RingForward const& ring, ForwardOptions const& options) {
    if (std::string wrong = contradiction_in(ring); !wrong.empty())
        return tl::unexpected(std::move(wrong));
    if (!has_isa(options.isa))
        return tl::unexpected(
            fmt::format("this machine or this build has no {}: take automatic", name_of(options.isa)));

    std::vector<RingTurns> parts;
    if (falls_apart(ring)) {
        parts = {RingTurns::one_way_of(ring, Way::forward), RingTurns::one_way_of(ring, Way::backward)};
    } else {
        parts = {RingTurns::of(ring)};
    }
    ForwardResult result;
    for (RingTurns const& turns : parts) {
        Recurred part;
        if (options.closed_form && has_closed_form(ring, turns)) {
            part.done_ns = closed_form(ring, turns);
        } else {
            part = recur(ring, turns, options);
        }
        // A rank whose two ways fall apart is done with the later one.
        for (std::size_t r = 0; r < result.done_ns.size(); ++r)
            part.done_ns[r] = std::max(part.done_ns[r], result.done_ns[r]);
        result.done_ns = std::move(part.done_ns);
        result.cells += part.cells;
        result.messages += (turns.frames(Way::forward) + turns.frames(Way::backward)) * ring.nranks;
        result.bytes += turns.bytes_per_rank() * ring.nranks;
    }
    auto const [first, last] = std::minmax_element(result.done_ns.begin(), result.done_ns.end());
    result.first_ns = *first;
    result.last_ns = *last;
    return result;
}

}  // namespace ronde::sim
