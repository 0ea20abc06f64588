/// When a process was in which phase.
#pragma once

#include "chronicle/chronicle.hpp"

#include <string_view>
#include <vector>

namespace ronde::viz {

/// From entering a phase to leaving it; the last one ends with the process or with the chronicle.
struct PhaseSpan {
    std::uint8_t phase = 0;  ///< protocol::Phase, of a root RootPhase
    TimeNs from_ns = 0;
    TimeNs until_ns = 0;  ///< later than from_ns: phases that took no time are left out
    friend bool operator==(PhaseSpan const&, PhaseSpan const&) = default;
};

/// By process. Where steps were kept every stay in a phase is there, otherwise the first one only, and none of roots
/// and of those that faults added. `created` is left out: nothing is going on in it.
[[nodiscard]] std::vector<std::vector<PhaseSpan>> phase_spans(Chronicle const& chronicle);

/// "gathering", "handing_out".
[[nodiscard]] std::string_view phase_name(Process const& process, std::uint8_t phase) noexcept;

/// "rank 3", "root 0": `process.name`, or made from its numbers where that is empty.
[[nodiscard]] std::string name_of(Chronicle const& chronicle, ProcessIndex process);

}  // namespace ronde::viz
