#include "check/coverage.hpp"

#include "protocol/transitions.hpp"

#include <fmt/format.h>

#include <bit>

namespace ronde::props {
namespace {

using protocol::Code;
using protocol::FrameKind;
using protocol::Phase;

constexpr std::size_t kEvents = protocol::kEventKindCount;
constexpr std::size_t kCodes = protocol::kCodeCount;

}  // namespace

void CaseReach::on_step(sim::StepSeen const& seen) {
    std::size_t const phase = seen.phase_after + (seen.rank != nullptr ? 0U : protocol::kPhaseCount);
    Code const code = seen.rank != nullptr ? seen.rank->error().code : seen.root->verdict().error.code;
    std::size_t const step =
        (phase * kEvents + static_cast<std::size_t>(seen.event->kind)) * kCodes + static_cast<std::size_t>(code);
    steps_[step / 64U] |= std::uint64_t{1} << (step % 64U);
    if (seen.event->kind == protocol::EventKind::frame)
        frames_ |= 1U << static_cast<std::uint32_t>(seen.event->frame.kind);
}

std::uint32_t Coverage::add(CaseReach const& reach, sim::WorldPlan const& plan, sim::Outcome const& outcome) {
    std::uint32_t faults = 0;
    for (sim::Fault const& fault : plan.faults) {
        faults |= 1U << static_cast<std::uint32_t>(fault.kind);
        if (fault.kind == sim::FaultKind::stranger)
            ++strangers_[static_cast<std::size_t>(fault.stranger)];
    }
    if (faults == 0)
        faults = 1U << kNoFault;
    std::uint32_t fresh = 0;
    std::array<bool, kMachinePhases> phases{};
    std::array<bool, kCodes> codes{};
    auto const note = [&](std::size_t step) {
        codes[step % kCodes] = true;
        phases[step / kCodes / kEvents] = true;
        for (std::uint32_t left = faults; left != 0; left &= left - 1U) {
            std::size_t const tuple = step * kFaultColumns + static_cast<std::size_t>(std::countr_zero(left));
            std::uint64_t const bit = std::uint64_t{1} << (tuple % 64U);
            fresh += (tuples_[tuple / 64U] & bit) == 0 ? 1U : 0U;
            tuples_[tuple / 64U] |= bit;
        }
    };
    for (std::size_t word = 0; word < reach.steps().size(); ++word) {
        for (std::uint64_t left = reach.steps()[word]; left != 0; left &= left - 1U)
            note(word * 64U + static_cast<std::size_t>(std::countr_zero(left)));
    }
    for (std::uint32_t left = faults; left != 0; left &= left - 1U) {
        auto const fault = static_cast<std::size_t>(std::countr_zero(left));
        for (std::size_t phase = 0; phase < protocol::kPhaseCount; ++phase)
            by_phase_[phase][fault] += phases[phase] ? 1U : 0U;
        for (std::size_t code = 0; code < kCodes; ++code)
            by_code_[code][fault] += codes[code] ? 1U : 0U;
    }
    for (std::size_t phase = 0; phase < root_phases_.size(); ++phase)
        root_phases_[phase] += phases[protocol::kPhaseCount + phase] ? 1U : 0U;
    for (std::size_t kind = 0; kind < frames_.size(); ++kind)
        frames_[kind] += reach.frames() >> kind & 1U;
    for (std::size_t end = 0; end < ends_.size(); ++end)
        ends_[end] += outcome.ends[end] > 0 ? 1U : 0U;
    sim::Storm const& storm = outcome.storm;
    moments_[kGhost] += storm.ghosts > 0 ? 1U : 0U;
    moments_[kSynDrop] += storm.syn_drops > 0 ? 1U : 0U;
    moments_[kOverflowReset] += storm.overflow_resets > 0 ? 1U : 0U;
    moments_[kRefused] += storm.refused > 0 ? 1U : 0U;
    moments_[kReset] += storm.resets > 0 ? 1U : 0U;
    moments_[kLoss] += storm.packets_lost > 0 ? 1U : 0U;
    moments_[kRetry] += storm.syn_retransmits > 0 ? 1U : 0U;
    return fresh;
}

void Coverage::add(Coverage const& other) {
    for (std::size_t i = 0; i < tuples_.size(); ++i)
        tuples_[i] |= other.tuples_[i];
    std::vector<std::uint64_t> theirs;
    each_count(other, [&](std::uint64_t const& count) { theirs.push_back(count); });
    std::size_t i = 0;
    each_count(*this, [&](std::uint64_t& count) { count += theirs[i++]; });
}

std::uint64_t Coverage::tuples() const {
    std::uint64_t total = 0;
    for (std::uint64_t const word : tuples_)
        total += static_cast<std::uint64_t>(std::popcount(word));
    return total;
}

std::vector<Coverage::Probe> Coverage::probes() const {
    std::vector<Probe> probes;
    auto const sum = [](auto const& row) {
        std::uint64_t total = 0;
        for (std::uint64_t const count : row)
            total += count;
        return total;
    };
    for (std::size_t i = 0; i < protocol::kPhaseCount; ++i) {
        auto const phase = static_cast<Phase>(i);
        // A rank is staggered only in a crowd, leaves only when its program says so, and is never seen unborn.
        bool const rare = phase == Phase::created || phase == Phase::delayed || phase == Phase::closed;
        probes.push_back({fmt::format("phase {}", name_of(phase)), sum(by_phase_[i]), !rare});
    }
    for (std::size_t i = 0; i < root_phases_.size(); ++i) {
        auto const phase = static_cast<protocol::RootPhase>(i);
        // Not the end of any step: the machine goes on within it.
        bool const passed = phase == protocol::RootPhase::created || phase == protocol::RootPhase::handing_out ||
                            phase == protocol::RootPhase::judging;
        probes.push_back({fmt::format("root phase {}", name_of(phase)), root_phases_[i], !passed});
    }
    for (std::size_t i = 1; i < kCodes; ++i) {
        auto const code = static_cast<Code>(i);
        // Programs that leave early, or call verbs with wrong numbers, are not among these worlds.
        bool const of_programs = code == Code::peer_closed || code == Code::bad_argument;
        probes.push_back({fmt::format("code {}", name_of(code)), sum(by_code_[i]),
                          !of_programs && code != Code::protocol_violation});
    }
    for (std::uint32_t kind = 0; kind < sim::kFaultKinds; ++kind) {
        std::uint64_t reached = 0;
        for (auto const& row : by_phase_)
            reached = std::max(reached, row[kind]);
        probes.push_back({fmt::format("fault {}", name_of(static_cast<sim::FaultKind>(kind))), reached});
    }
    for (std::size_t i = 0; i < strangers_.size(); ++i)
        probes.push_back({fmt::format("stranger {}", name_of(static_cast<sim::StrangerKind>(i))), strangers_[i]});
    for (std::size_t i = 1; i < frames_.size(); ++i) {
        auto const kind = static_cast<FrameKind>(i);
        bool const of_programs = kind == FrameKind::message || kind == FrameKind::bye;
        probes.push_back({fmt::format("frame {}", name_of(kind)), frames_[i], !of_programs});
    }
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        auto const end = static_cast<sim::End>(i);
        probes.push_back({fmt::format("end {}", name_of(end)), ends_[i], end != sim::End::hanging});
    }
    constexpr std::array<std::string_view, kMoments> names{
        "a ghost",       "a SYN dropped", "an overflow answered by a reset", "a refusal", "a reset",
        "a packet lost", "a SYN repeated"};
    for (std::size_t i = 0; i < moments_.size(); ++i)
        probes.push_back({std::string(names[i]), moments_[i]});
    return probes;
}

std::vector<std::uint64_t> Coverage::counts() const {
    std::vector<std::uint64_t> all = tuples_;
    each_count(*this, [&](std::uint64_t const& count) { all.push_back(count); });
    return all;
}

bool Coverage::take_counts(std::vector<std::uint64_t> const& counts) {
    std::size_t needed = tuples_.size();
    each_count(*this, [&](std::uint64_t const&) { ++needed; });
    if (counts.size() != needed)
        return false;
    std::copy(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(tuples_.size()), tuples_.begin());
    std::size_t i = tuples_.size();
    each_count(*this, [&](std::uint64_t& count) { count = counts[i++]; });
    return true;
}

}  // namespace ronde::props
