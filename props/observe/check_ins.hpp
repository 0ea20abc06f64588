/// Properties of roots and doors.
#pragma once

#include "observe/property.hpp"

#include <map>
#include <vector>

namespace ronde::props {

/// S3: the links form one cycle in rank order, and each end is the authenticated neighbour.
///
/// The ring is the whole point. Each rank knows only its own two hands, so that they form one cycle, and not two or a
/// knot, is seen from outside alone. It must hold because a rank connects to the endpoint of rank r+1's entry, and its
/// door lets in as chord 0 nobody but rank r-1 [clauses 3.1, 3.2, 5.5].
class OneRing final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s3; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::entering(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    void look_at_hands(ProcessId process, bool settled, Scene const& scene, Findings& findings) const;
    std::vector<ProcessId> ready_;  ///< by rank: the process that was ready last
};

/// S4: each rank is counted once; no duplicate displaces the first, a retry changes nothing.
///
/// A root that counts "how many" instead of "who" goes on without somebody as soon as anybody comes twice. The model is
/// a set for each root: who is in it, and which process that was [clause 5.2].
class CountedOnce final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s4; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::of_roots(); }
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    struct Book {
        std::vector<ProcessId> present;  ///< by local id: who checked in; kNoProcess: nobody yet
        std::uint32_t count = 0;         ///< of those who are present
        std::uint32_t done = 0;
    };
    std::vector<Book> books_;  ///< by root; of this world those of its roots
};

/// S5: what an outsider says changes nothing but the count of strangers.
///
/// Port scanners, health checks and ranks of other jobs connect to every open port of a cluster. Whatever they send
/// must end at the door: the machine's state differs after such a step only in its doors and their counters, and it
/// asks for nothing but words on that very connection [clause 3.3]. That they delay nobody is judged by comparing two
/// runs (TwinRuns).
class StrangersChangeNothing final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s5; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;

private:
    /// What of a root may not change.
    struct RootBefore {
        std::uint32_t nranks = 0;
        std::uint32_t expected = 0;
        std::uint32_t checked_in = 0;
        std::uint32_t done = 0;
        std::uint8_t phase = 0;
        protocol::Code code = protocol::Code::ok;
        friend bool operator==(RootBefore const&, RootBefore const&) = default;
    };
    [[nodiscard]] ProcessId behind(Step const& step, Scene const& scene);
    [[nodiscard]] bool has_changed(Step const& step) const;
    void remember(Step const& step);

    std::map<std::uint64_t, ProcessId> doors_;  ///< process and door -> who stands there
    std::vector<protocol::RankState> ranks_;    ///< by process, after its last step
    std::vector<RootBefore> roots_;
};

/// S6: actions, doors, words of strangers and memory stay within their bounds.
///
/// Whoever may make a program hold one more connection, or one more byte, without having proven anything can make it
/// hold too many. The bounds are those of clause 2.3; a step's answer comes in few pieces, each of 32 actions at most.
class BoundsHold final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s6; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    void on_step(Step const& step, Scene const& scene, Findings& findings) override;
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    static constexpr std::uint8_t kShut = 0xff;
    [[nodiscard]] std::size_t first_door(ProcessId process) const;
    void look_at_door(Step const& step, Findings& findings);
    [[nodiscard]] std::vector<RankId> whose(Step const& step) const;

    std::uint32_t nranks_ = 0;
    std::uint32_t nroots_ = 0;
    std::uint32_t root_doors_ = 0;
    std::vector<std::uint8_t> words_;  ///< by door, all ranks and then all roots: frames that were read there
    std::vector<std::uint16_t> open_;  ///< by process: its doors that are in use
};

/// S7: who has ended holds no connection, descriptor, timer or port.
///
/// Jobs restart thousands of times in one process, and what is left over each time adds up. A rank that failed or
/// closed has let go of everything; one that is ready holds the links of its chords and one listener, and a root that
/// is finished its listener alone [clauses 6.5, 7.6].
class EverythingReleased final : public PropertyObserver {
public:
    [[nodiscard]] PropertyId id() const override { return PropertyId::s7; }
    [[nodiscard]] bool begin(Scene const& scene, Premise const& premise) override;
    [[nodiscard]] StepKinds wants() const override { return StepKinds::of(); }
    void at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) override;

private:
    void look_at(ProcessId process, sim::ProcessFacts const& facts, sim::Holdings const& holds, Scene const& scene,
                 Findings& findings) const;
    std::vector<std::uint32_t> ports_;  ///< by host: of its processes' calls
};

}  // namespace ronde::props
