#include "forward/closed_form.hpp"

#include "protocol/check.hpp"

#include <algorithm>
#include <functional>

namespace ronde::sim {

using protocol::TimeNs;

namespace {

/// One way around as a line: position p hears from position p - 1, and the line repeats every N.
class Line {
public:
    Line(RingForward const& ring, Way way)
        : ring_(ring), delays_(way == Way::forward ? ring.forward : ring.backward), way_(way) {
        for (Distribution const& kind : delays_.kinds)
            kind_ns_.push_back(kind.least_ns());
    }
    [[nodiscard]] std::uint32_t rank_at(std::uint32_t position) const {
        return way_ == Way::forward ? position : ring_.nranks - 1U - position;
    }
    [[nodiscard]] TimeNs start_ns(std::uint32_t position) const {
        return ring_.start_ns.empty() ? 0 : ring_.start_ns[rank_at(position)];
    }
    /// Of the link on which `position` sends.
    [[nodiscard]] TimeNs delay_ns(std::uint32_t position) const {
        std::uint32_t const sender = rank_at(position);
        std::size_t const kind = delays_.kind_of_link.empty() ? 0U : delays_.kind_of_link[sender];
        return kind_ns_[kind] + (delays_.constant_ns.empty() ? 0 : delays_.constant_ns[sender]);
    }

private:
    RingForward const& ring_;
    LinkDelays const& delays_;
    Way way_;
    std::vector<TimeNs> kind_ns_;
};

[[nodiscard]] bool constant(LinkDelays const& delays) {
    return std::all_of(delays.kinds.begin(), delays.kinds.end(), [](Distribution const& d) { return d.is_constant(); });
}

[[nodiscard]] Way only_way_of(RingTurns const& turns) {
    return turns.frames(Way::backward) > 0 ? Way::backward : Way::forward;
}

}  // namespace

bool has_closed_form(RingForward const& ring, RingTurns const& turns) {
    std::vector<TimeNs> const& service = ring.service_ns;
    bool const same_service =
        std::adjacent_find(service.begin(), service.end(), std::not_equal_to<>{}) == service.end();
    bool const one_cost = service.empty() || service.front() == 0 || turns.longest_busy_ns() == 0;
    bool const backward = only_way_of(turns) == Way::backward;
    return turns.one_way() && same_service && one_cost && constant(backward ? ring.backward : ring.forward);
}

std::vector<TimeNs> closed_form(RingForward const& ring, RingTurns const& turns) {
    RONDE_CHECK(has_closed_form(ring, turns), "a closed form is asked for where there is one");
    Way const way = only_way_of(turns);
    Line const line(ring, way);
    std::uint32_t const nranks = ring.nranks;
    std::uint64_t const moves = turns.frames(way);
    TimeNs const served_ns = ring.service_ns.empty() ? 0 : ring.service_ns.front() * static_cast<TimeNs>(moves);
    TimeNs const busy_ns = static_cast<TimeNs>(turns.busy_ns());

    std::vector<TimeNs> done_ns(nranks);
    if (moves == 0) {
        for (std::uint32_t position = 0; position < nranks; ++position)
            done_ns[line.rank_at(position)] = line.start_ns(position);
        return done_ns;
    }

    // Along the unrolled line, `moves` entries before the first rank, so that all it hears from is there.
    TimeNs passed_ns = 0;  // P
    std::uint32_t position = static_cast<std::uint32_t>((nranks - moves % nranks) % nranks);
    auto const next_lead_ns = [&] {
        TimeNs const lead_ns = line.start_ns(position) - passed_ns;
        passed_ns += line.delay_ns(position);
        position = position + 1U == nranks ? 0U : position + 1U;
        return lead_ns;
    };
    std::vector<TimeNs> leads_ns(moves);  // start - P: of the piece under way, then, one by one, of the next
    for (TimeNs& lead_ns : leads_ns)
        lead_ns = next_lead_ns();

    // A rank's window is the `moves` entries before it. Cut into pieces of that length, a window is the end of one
    // piece and the beginning of the next.
    for (std::size_t begin = 0; begin < nranks; begin += moves) {
        for (std::size_t i = moves - 1; i > 0; --i)
            leads_ns[i - 1] = std::max(leads_ns[i - 1], leads_ns[i]);
        TimeNs latest_ns = leads_ns[moves - 1];
        for (std::size_t i = 0; i < std::min<std::size_t>(moves, nranks - begin); ++i) {
            TimeNs const start_ns = line.start_ns(position);
            TimeNs const heard_ns = std::max(leads_ns[i], latest_ns) + passed_ns + busy_ns;
            done_ns[line.rank_at(position)] = std::max(start_ns, heard_ns) + served_ns;
            leads_ns[i] = next_lead_ns();
            latest_ns = std::max(latest_ns, leads_ns[i]);
        }
    }
    return done_ns;
}

}  // namespace ronde::sim
