/// Watches a pretended world and makes a chronicle of it.
///
///     sim::World world(plan);
///     WorldChronicler chronicler(world);
///     Chronicle const chronicle = chronicler.finish(world.run());
#pragma once

#include "chronicle/chronicle.hpp"
#include "chronicle/story_builder.hpp"
#include "world/world.hpp"

#include <map>
#include <optional>

namespace ronde::viz {

class WorldChronicler final : public sim::Observer {
public:
    /// Before the first event of `world`, which must outlive it and stay where it is. Begins to watch it, and lets it
    /// keep the dependencies of a world whose steps are kept.
    explicit WorldChronicler(sim::World& world);
    ~WorldChronicler() override = default;
    WorldChronicler(WorldChronicler const&) = delete;
    WorldChronicler& operator=(WorldChronicler const&) = delete;

    /// Once, when the world is over. `source` and `rerun` are left empty.
    [[nodiscard]] Chronicle finish(sim::Outcome const& outcome);

    void on_actions(sim::ProcessId process, protocol::Actions const& actions) override;
    void on_step(sim::StepSeen const& seen) override;
    void on_fault(TimeNs now_ns, sim::Fault const& fault) override;
    [[nodiscard]] bool wants_every_frame() const override { return detailed_; }
    void on_begin_again() override;

private:
    class WorldPeers final : public Peers {
    public:
        explicit WorldPeers(sim::World const& world) : world_(world) {}
        [[nodiscard]] Peer other_end(ProcessIndex process, protocol::Link link) const override;

    private:
        sim::World const& world_;
    };

    void note_phase(sim::StepSeen const& seen);
    void sample(TimeNs now_ns);
    void add_processes();
    void add_ends(sim::Outcome const& outcome);
    void blame(sim::Outcome const& outcome);
    void add_queue_depth(sim::Outcome const& outcome);
    void mark_critical(sim::CriticalPath const& path);
    void add_slack(sim::CriticalPath const& path);
    void give_up_details();

    sim::World& world_;
    Chronicle chronicle_;
    WorldPeers peers_;
    StoryBuilder builder_;
    bool detailed_;
    std::vector<TimeNs> died_ns_;  ///< by process; kNever: it did not
    TimeNs next_sample_ns_ = 0;
    TimeNs sample_every_ns_ = 1;
};

}  // namespace ronde::viz
