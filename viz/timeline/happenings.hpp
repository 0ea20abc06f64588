/// All that a timeline shows, in the order of time.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/phase_spans.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ronde::viz {

/// At one time: phases end before others begin, and steps come within the phase that they lead to.
struct Happening {
    enum class Kind : std::uint8_t { phase_end, phase_begin, step, syn_again, call_failed, fault, listener };
    TimeNs at_ns = 0;
    Kind kind = Kind::step;
    ProcessIndex process = kNobody;  ///< kNobody: a fault of nobody in particular
    std::uint32_t index = 0;         ///< of the process's spans, of steps, calls, faults or listener samples
};

struct Happenings {
    std::vector<std::vector<PhaseSpan>> spans;  ///< by process
    std::vector<Happening> in_order;
};

[[nodiscard]] Happenings happenings_of(Chronicle const& chronicle);

/// Which messages each step has sent and received: indices of Chronicle::messages, in groups by step.
class StepMessages {
public:
    explicit StepMessages(Chronicle const& chronicle);
    [[nodiscard]] std::span<const std::uint32_t> sent_by(std::uint32_t step) const { return sent_.of(step); }
    [[nodiscard]] std::span<const std::uint32_t> received_by(std::uint32_t step) const { return received_.of(step); }

private:
    struct Groups {
        std::vector<std::uint32_t> begins;  ///< one more than there are steps
        std::vector<std::uint32_t> messages;
        [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t step) const {
            return std::span(messages).subspan(begins[step], begins[step + 1] - begins[step]);
        }
    };
    template <typename StepOf>
    static Groups grouped(Chronicle const& chronicle, StepOf step_of);

    Groups sent_;
    Groups received_;
};

/// What a step is called: the event that was fed, "frame hello", "timer".
[[nodiscard]] std::string_view step_name(StepStory const& step) noexcept;

}  // namespace ronde::viz
