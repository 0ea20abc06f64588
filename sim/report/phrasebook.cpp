#include "report/phrasebook.hpp"

#include "protocol/check.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

namespace ronde::sim {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::uint32_t kUpperBits = 22;  ///< of a time out of 64 bits, see pick_bits

}  // namespace

WorldPhrasebook::Matter WorldPhrasebook::matter_of(Choice kind, std::uint32_t n) {
    bool const upper = n == 1U << kUpperBits;
    switch (kind) {
    case Choice::delay: return Matter::travel_time;
    case Choice::loss: return Matter::loss;
    case Choice::arrival: return upper ? Matter::start : Matter::nothing;
    case Choice::straggler:
        if (n == kMillion)
            return Matter::lateness;
        return upper ? Matter::late_start : Matter::nothing;
    default: return Matter::nothing;
    }
}

bool WorldPhrasebook::is_time(Matter matter) { return matter != Matter::loss && matter != Matter::lateness; }

TimeNs WorldPhrasebook::time_ns(Matter matter, std::uint32_t n, std::uint32_t picked) const {
    switch (matter) {
    case Matter::travel_time: return world_->trip().delay->among(picked, n);
    case Matter::start: return plan_.arrival.skew.draw(std::uint64_t{picked} << (64U - kUpperBits));
    case Matter::late_start: return plan_.arrival.straggler.draw(std::uint64_t{picked} << (64U - kUpperBits));
    default: RONDE_CHECK(false, "WorldPhrasebook: expected a choice that is a time"); return 0;
    }
}

std::uint32_t WorldPhrasebook::yes_per_million(Matter matter) const {
    return matter == Matter::loss ? world_->trip().loss_per_million : plan_.arrival.stragglers_per_million;
}

std::string WorldPhrasebook::question(Choice kind, std::uint64_t key, std::uint32_t n) {
    // The draws of a start are named after its rank.
    auto const rank = [&] { return process_name(static_cast<ProcessId>(key >> 32U), plan_.nranks, plan_.nroots); };
    switch (matter_of(kind, n)) {
    case Matter::start: return fmt::format("how long after its turn does {} start?", rank());
    case Matter::lateness: return fmt::format("does {} come late?", rank());
    case Matter::late_start: return fmt::format("how late does {} come?", rank());
    default: break;
    }
    Trip const trip = world_->trip();
    std::string const packet =
        fmt::format("a packet {} {} {} {}", trip.is_directed ? "from" : "between",
                    process_name(trip.from, plan_.nranks, plan_.nroots), trip.is_directed ? "to" : "and",
                    process_name(trip.to, plan_.nranks, plan_.nroots));
    std::string const when = about(world_->now_ns());
    return kind == Choice::loss ? fmt::format("at {}: is {} lost?", when, packet)
                                : fmt::format("at {}: how long does {} travel?", when, packet);
}

std::vector<std::uint32_t> WorldPhrasebook::options(Choice kind, std::uint64_t, std::uint32_t n) {
    Matter const matter = matter_of(kind, n);
    if (matter == Matter::nothing)
        return {};
    if (!is_time(matter)) {
        std::uint32_t const yes = yes_per_million(matter);
        return yes < n ? std::vector<std::uint32_t>{yes, 0} : std::vector<std::uint32_t>{0};
    }
    std::vector<std::uint32_t> quartiles;
    for (std::uint32_t const picked : {0U, n / 4, n / 2, n / 4 * 3, n - 1}) {
        if (quartiles.empty() || time_ns(matter, n, picked) != time_ns(matter, n, quartiles.back()))
            quartiles.push_back(picked);
    }
    return quartiles;
}

std::string WorldPhrasebook::meaning(Choice kind, std::uint64_t, std::uint32_t n, std::uint32_t picked) {
    Matter const matter = matter_of(kind, n);
    if (is_time(matter))
        return about(time_ns(matter, n, picked));
    return picked < yes_per_million(matter) ? "yes" : "no";
}

}  // namespace ronde::sim
