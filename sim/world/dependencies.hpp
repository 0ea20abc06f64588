/// Why it took as long as it did: which step waited for which, the longest chain, and how late each rank could have
/// been without anybody noticing.
#pragma once

#include "world/histogram.hpp"
#include "world/observer.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace ronde::sim {

/// What the time between two steps of a chain was spent on.
enum class Wait : std::uint8_t {
    start,    ///< the process was not there yet
    travel,   ///< something was on its way, retransmissions included
    busy,     ///< it had arrived, and the process had other things to do
    service,  ///< the process worked on it
    timer,    ///< the process waited for its own timer: a pace, a pause before the next try, a patience
};
inline constexpr std::uint32_t kWaits = 5;

/// One stretch of a chain.
struct PathPiece {
    ProcessId process = kNoProcess;  ///< whose time it was; of a trip: where it ended
    ProcessId from = kNoProcess;     ///< of a trip: where it began
    Wait wait = Wait::travel;
    TimeNs begin_ns = 0;
    TimeNs end_ns = 0;
    std::uint32_t steps = 1;  ///< neighbouring stretches of one kind at one process are one piece
};

struct CriticalPath {
    TimeNs end_ns = 0;              ///< of the last step of the chain
    std::vector<PathPiece> pieces;  ///< in the order of time; they fill 0 .. end_ns
    std::array<TimeNs, kWaits> spent_ns{};
    /// By process: by how much each of its steps could have been later without delaying the end of the chain. Processes
    /// that nothing waits for have the whole time.
    std::vector<TimeNs> slack_ns;
};

[[nodiscard]] std::string_view name_of(Wait wait) noexcept;

/// The log of all steps: 32 bytes each.
class Dependencies {
public:
    using Node = std::uint32_t;
    static constexpr Node kNoNode = 0xffff'ffffU;

    /// A step of `process` is done at `done_ns`. It was caused by what `cause` set in motion, which was there at
    /// `there_ns` (kNoNode: nothing, the process began by itself), and its work took `service_ns`.
    Node add(ProcessId process, Node cause, TimeNs there_ns, TimeNs done_ns, TimeNs service_ns, bool timer);

    /// The chain that ends with the last step of `process` at or before `end_ns`.
    [[nodiscard]] CriticalPath path_to(ProcessId process, TimeNs end_ns) const;

    [[nodiscard]] Node last_of(ProcessId process) const { return process < last_.size() ? last_[process] : kNoNode; }
    [[nodiscard]] std::size_t size() const { return steps_.size(); }

private:
    struct Step {
        TimeNs done_ns = 0;
        TimeNs there_ns = 0;
        Node cause = kNoNode;
        Node before = kNoNode;  ///< the same process's step before
        ProcessId process = kNoProcess;
        std::uint32_t service_ns : 31 = 0;
        std::uint32_t timer : 1 = 0;
    };
    static_assert(sizeof(Step) == 32);

    [[nodiscard]] std::vector<TimeNs> slack_towards(Node end) const;

    std::vector<Step> steps_;
    std::vector<Node> last_;  ///< by process
};

}  // namespace ronde::sim
