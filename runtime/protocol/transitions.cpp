#include "protocol/transitions.hpp"

#include <array>

namespace ronde::protocol {
namespace {

template <class... Phases>
constexpr PhaseSet to(Phases... phases) {
    return (phase_bit(phases) | ...);
}

constexpr auto created = Phase::created;
constexpr auto listening = Phase::listening;
constexpr auto delayed = Phase::delayed;
constexpr auto checking_in = Phase::checking_in;
constexpr auto awaiting = Phase::awaiting_successor;
constexpr auto connecting = Phase::connecting_ring;
constexpr auto gathering = Phase::gathering;
constexpr auto committing = Phase::committing;
constexpr auto ready = Phase::ready;
constexpr auto failed = Phase::failed;
constexpr auto closed = Phase::closed;

// A small job can run from any point of the bootstrap to `ready` within one step: the last thing missing arrives,
// and everything after it is already there.
constexpr PhaseSet kOnFromAwaiting = to(awaiting, connecting, gathering, committing, ready, failed);
constexpr PhaseSet kOnFromConnecting = to(connecting, gathering, committing, ready, failed);
constexpr PhaseSet kOnFromGathering = to(gathering, committing, ready, failed);
constexpr PhaseSet kOnFromCommitting = to(committing, ready, failed);

constexpr auto kRankTransitions = std::to_array<Transition>({
    {created, EventKind::start, to(listening), "5.1"},
    {created, EventKind::abort, to(failed), "7.6"},

    {listening, EventKind::listening, to(listening, delayed, checking_in), "5.1"},
    {listening, EventKind::listen_failed, to(failed), "5.1"},
    {listening, EventKind::accepted, to(listening), "3.4"},
    {listening, EventKind::queued, to(listening), "3.4"},
    {listening, EventKind::accept_failed, to(listening), "3.7"},
    {listening, EventKind::frame, to(listening, failed), "3.1"},
    {listening, EventKind::closed, to(listening, failed), "3.3"},
    {listening, EventKind::timer, to(listening, failed), "6.2"},
    {listening, EventKind::abort, to(failed), "7.6"},
    {listening, EventKind::close, to(failed), "7.6"},

    {delayed, EventKind::timer, to(delayed, checking_in, failed), "4.3"},
    {delayed, EventKind::accepted, to(delayed), "3.4"},
    {delayed, EventKind::queued, to(delayed), "3.4"},
    {delayed, EventKind::accept_failed, to(delayed), "3.7"},
    {delayed, EventKind::frame, to(delayed, failed), "3.1"},
    {delayed, EventKind::closed, to(delayed, failed), "3.3"},
    {delayed, EventKind::abort, to(failed), "7.6"},
    {delayed, EventKind::close, to(failed), "7.6"},

    {checking_in, EventKind::connected, to(checking_in) | kOnFromAwaiting, "5.2"},
    {checking_in, EventKind::connect_failed, to(checking_in, failed), "5.6"},
    {checking_in, EventKind::frame, to(checking_in) | kOnFromAwaiting, "5.2"},
    {checking_in, EventKind::closed, to(checking_in, failed), "5.6"},
    {checking_in, EventKind::accepted, to(checking_in), "3.4"},
    {checking_in, EventKind::queued, to(checking_in), "3.4"},
    {checking_in, EventKind::accept_failed, to(checking_in), "3.7"},
    {checking_in, EventKind::timer, to(checking_in, failed), "3.5"},
    {checking_in, EventKind::abort, to(failed), "7.6"},
    {checking_in, EventKind::close, to(failed), "7.6"},

    {awaiting, EventKind::frame, kOnFromAwaiting, "5.4"},
    {awaiting, EventKind::closed, to(awaiting, checking_in, failed), "6.3"},
    {awaiting, EventKind::accepted, to(awaiting), "3.4"},
    {awaiting, EventKind::queued, to(awaiting), "3.4"},
    {awaiting, EventKind::accept_failed, to(awaiting), "3.7"},
    {awaiting, EventKind::timer, to(awaiting, failed), "6.2"},
    {awaiting, EventKind::abort, to(failed), "7.6"},
    {awaiting, EventKind::close, to(failed), "7.6"},

    {connecting, EventKind::connected, kOnFromConnecting, "5.5"},
    {connecting, EventKind::connect_failed, to(connecting, failed), "5.6"},
    {connecting, EventKind::frame, kOnFromConnecting, "5.5"},
    {connecting, EventKind::closed, to(connecting, failed), "6.3"},
    {connecting, EventKind::accepted, kOnFromConnecting, "3.4"},
    {connecting, EventKind::queued, to(connecting), "3.4"},
    {connecting, EventKind::accept_failed, to(connecting, failed), "3.7"},
    {connecting, EventKind::timer, to(connecting, failed), "3.5"},
    {connecting, EventKind::abort, to(failed), "7.6"},
    {connecting, EventKind::close, to(failed), "7.6"},

    {gathering, EventKind::connected, kOnFromGathering, "5.7"},
    {gathering, EventKind::connect_failed, to(gathering, failed), "5.6"},
    {gathering, EventKind::frame, kOnFromGathering, "5.7"},
    {gathering, EventKind::closed, to(gathering, failed), "6.3"},
    {gathering, EventKind::accepted, kOnFromGathering, "3.4"},
    {gathering, EventKind::queued, to(gathering), "3.4"},
    {gathering, EventKind::accept_failed, to(gathering, failed), "3.7"},
    {gathering, EventKind::sent, kOnFromGathering, "5.7"},
    {gathering, EventKind::inspected, kOnFromGathering, "6.4"},
    {gathering, EventKind::timer, to(gathering, failed), "6.2"},
    {gathering, EventKind::abort, to(failed), "7.6"},
    {gathering, EventKind::close, to(failed), "7.6"},

    {committing, EventKind::connected, kOnFromCommitting, "5.8"},
    {committing, EventKind::connect_failed, to(committing, failed), "5.6"},
    {committing, EventKind::frame, kOnFromCommitting, "5.8"},
    {committing, EventKind::closed, to(committing, failed), "6.3"},
    {committing, EventKind::accepted, kOnFromCommitting, "3.4"},
    {committing, EventKind::queued, to(committing), "3.4"},
    {committing, EventKind::accept_failed, to(committing), "3.7"},
    {committing, EventKind::timer, to(committing, failed), "6.2"},
    {committing, EventKind::abort, to(failed), "7.6"},
    {committing, EventKind::close, to(failed), "7.6"},

    {ready, EventKind::operate, to(ready, failed), "7.1"},
    {ready, EventKind::connected, to(ready, failed), "7.1"},
    {ready, EventKind::connect_failed, to(ready, failed), "7.1"},
    {ready, EventKind::frame, to(ready, failed), "7.1"},
    {ready, EventKind::closed, to(ready, failed), "7.6"},
    {ready, EventKind::accepted, to(ready, failed), "3.4"},
    {ready, EventKind::queued, to(ready), "3.4"},
    {ready, EventKind::accept_failed, to(ready), "3.7"},
    {ready, EventKind::sent, to(ready), "7.2"},
    {ready, EventKind::collected, to(ready), "7.5"},
    {ready, EventKind::timer, to(ready, failed), "6.2"},
    {ready, EventKind::abort, to(failed), "7.6"},
    {ready, EventKind::close, to(closed), "7.6"},

    {failed, EventKind::resume, to(failed), "6.5"},
    {closed, EventKind::resume, to(closed), "7.6"},
});

constexpr auto r_created = RootPhase::created;
constexpr auto r_collecting = RootPhase::collecting;
constexpr auto r_handing_out = RootPhase::handing_out;
constexpr auto r_committing = RootPhase::committing;
constexpr auto r_judging = RootPhase::judging;
constexpr auto r_finished = RootPhase::finished;
constexpr auto r_failed = RootPhase::failed;

constexpr auto kRootTransitions = std::to_array<RootTransition>({
    {r_created, EventKind::start, to(r_created, r_collecting), "5.1"},

    {r_collecting, EventKind::listening, to(r_collecting), "5.1"},
    {r_collecting, EventKind::listen_failed, to(r_failed), "5.1"},
    {r_collecting, EventKind::accepted, to(r_collecting), "3.4"},
    {r_collecting, EventKind::queued, to(r_collecting), "3.4"},
    {r_collecting, EventKind::accept_failed, to(r_collecting, r_judging, r_failed), "3.7"},
    {r_collecting, EventKind::frame, to(r_collecting, r_handing_out, r_committing, r_judging, r_finished, r_failed),
     "5.2"},
    {r_collecting, EventKind::closed, to(r_collecting, r_judging, r_finished, r_failed), "6.3"},
    {r_collecting, EventKind::connected, to(r_collecting, r_finished), "5.3"},
    {r_collecting, EventKind::connect_failed, to(r_collecting, r_failed), "5.3"},
    {r_collecting, EventKind::timer, to(r_collecting, r_judging, r_failed), "6.2"},
    {r_collecting, EventKind::abort, to(r_judging, r_failed), "7.6"},

    {r_handing_out, EventKind::resume, to(r_handing_out, r_committing, r_finished), "5.4"},
    {r_handing_out, EventKind::connected, to(r_handing_out, r_finished), "5.3"},
    {r_handing_out, EventKind::connect_failed, to(r_handing_out, r_failed), "5.3"},
    {r_handing_out, EventKind::timer, to(r_handing_out, r_judging, r_failed), "6.2"},
    {r_handing_out, EventKind::abort, to(r_judging, r_failed), "7.6"},

    {r_committing, EventKind::resume, to(r_committing, r_finished), "5.8"},
    {r_committing, EventKind::accepted, to(r_committing), "3.4"},
    {r_committing, EventKind::queued, to(r_committing), "3.4"},
    {r_committing, EventKind::accept_failed, to(r_committing), "3.7"},
    {r_committing, EventKind::frame, to(r_committing, r_judging, r_finished, r_failed), "5.8"},
    {r_committing, EventKind::closed, to(r_committing, r_judging, r_finished, r_failed), "6.3"},
    {r_committing, EventKind::timer, to(r_committing, r_judging, r_finished, r_failed), "6.2"},
    {r_committing, EventKind::abort, to(r_judging, r_failed), "7.6"},

    {r_judging, EventKind::resume, to(r_judging, r_failed), "6.5"},

    {r_finished, EventKind::accepted, to(r_finished), "5.6"},
    {r_finished, EventKind::queued, to(r_finished), "5.6"},
    {r_finished, EventKind::accept_failed, to(r_finished), "3.7"},
    {r_finished, EventKind::frame, to(r_finished), "5.6"},
    {r_finished, EventKind::closed, to(r_finished), "5.6"},
    {r_finished, EventKind::timer, to(r_finished), "5.6"},

    {r_failed, EventKind::accepted, to(r_failed), "6.5"},
    {r_failed, EventKind::queued, to(r_failed), "6.5"},
    {r_failed, EventKind::accept_failed, to(r_failed), "3.7"},
    {r_failed, EventKind::frame, to(r_failed), "6.5"},
    {r_failed, EventKind::closed, to(r_failed), "6.5"},
    {r_failed, EventKind::timer, to(r_failed), "6.5"},
});

/// Dense [phase][event] form of a table, built by the compiler; two rows for one cell do not compile.
template <std::uint32_t kPhases, class Rows>
constexpr auto dense(Rows const& rows) {
    std::array<std::array<PhaseSet, kEventKindCount>, kPhases> cells{};
    for (auto const& row : rows) {
        PhaseSet& cell = cells[static_cast<std::size_t>(row.from)][static_cast<std::size_t>(row.on)];
        if (cell != 0)
            throw "two rows for one phase and event";
        cell = row.to;
    }
    return cells;
}

constexpr auto kRankCells = dense<kPhaseCount>(kRankTransitions);
constexpr auto kRootCells = dense<kRootPhaseCount>(kRootTransitions);

}  // namespace

std::span<const Transition> rank_transitions() noexcept { return kRankTransitions; }
std::span<const RootTransition> root_transitions() noexcept { return kRootTransitions; }

PhaseSet targets_of(Phase from, EventKind on) noexcept {
    return kRankCells[static_cast<std::size_t>(from)][static_cast<std::size_t>(on)];
}
PhaseSet targets_of(RootPhase from, EventKind on) noexcept {
    return kRootCells[static_cast<std::size_t>(from)][static_cast<std::size_t>(on)];
}

std::string_view name_of(RootPhase phase) noexcept {
    constexpr std::array<std::string_view, kRootPhaseCount> kNames = {
        "created", "collecting", "handing out", "committing", "judging", "finished", "failed"};
    auto const index = static_cast<std::size_t>(phase);
    return index < kNames.size() ? kNames[index] : "?";
}

}  // namespace ronde::protocol
