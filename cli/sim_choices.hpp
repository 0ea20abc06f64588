/// Who makes the choices of one run of `ronde sim`: its seed, or a person at a prompt; and the tape that keeps them.
#pragma once

#include "report/trace.hpp"
#include "world/world.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ronde::cli {

class SimChoices {
public:
    /// `by_hand`: a person is asked on standard error and answers on standard input. `tape`: where to keep the choices,
    /// or an empty path. `plan` must outlive this. Throws LauncherError when the tape cannot be written.
    SimChoices(sim::WorldPlan const& plan, bool by_hand, std::string const& tape);
    ~SimChoices();
    SimChoices(SimChoices const&) = delete;
    SimChoices& operator=(SimChoices const&) = delete;

    /// Choices by hand become part of the trace, which must outlive the run. Before oracle().
    void trace_into(sim::TraceLines& trace);
    /// For the world; nullptr: the plan's seed chooses, and nobody wants to know.
    [[nodiscard]] sim::Oracle* oracle();
    /// The world that asks.
    void speak_of(sim::World const& world);

    /// What a person has chosen so far, and the seed in between; nullptr: nobody was asked.
    [[nodiscard]] sim::Tape const* by_hand() const;

    /// Says who chose how often, and puts the tape in its place. Throws LauncherError.
    void finish(sim::Outcome const& outcome);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ronde::cli
