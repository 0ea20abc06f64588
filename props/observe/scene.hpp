/// What a property may look at. A pretend world is one scene (WorldScene); whoever drives the machines in another way
/// can put them under the same properties by being another one.
#pragma once

#include "world/look.hpp"
#include "world/world.hpp"

#include <span>

namespace ronde::props {

using protocol::kNever;
using protocol::kNoRank;
using protocol::RankId;
using protocol::TimeNs;
using sim::kNoProcess;
using sim::ProcessId;

/// Processes are numbered as in sim/world/observer.hpp: ranks, then roots, then everybody else.
class Scene {
public:
    virtual ~Scene() = default;
    [[nodiscard]] virtual sim::WorldPlan const& plan() const = 0;
    [[nodiscard]] virtual protocol::Policies const& policies() const = 0;  ///< resolved
    [[nodiscard]] virtual std::uint32_t processes() const = 0;
    [[nodiscard]] virtual sim::ProcessFacts facts(ProcessId process) const = 0;
    [[nodiscard]] virtual sim::Holdings holdings(ProcessId process) const = 0;
    /// Of a rank process.
    [[nodiscard]] virtual protocol::RankState const& state(ProcessId process) const = 0;
    /// Whether holder() tells entries of other ranks apart.
    [[nodiscard]] virtual bool exact() const = 0;
    [[nodiscard]] virtual std::uint32_t known(ProcessId process) const = 0;
    /// By rank: whose entry `reader` holds; kNoProcess: none. Empty: it holds none at all. Until the next step.
    [[nodiscard]] virtual std::span<ProcessId const> table(ProcessId reader) const = 0;
    /// Whose entry `reader` holds at `rank`; kNoProcess: none.
    [[nodiscard]] ProcessId holder(ProcessId reader, RankId rank) const {
        std::span<ProcessId const> const all = table(reader);
        return rank < all.size() ? all[rank] : kNoProcess;
    }
    /// Whom a process claims to be; kNoRank: it is no rank.
    [[nodiscard]] RankId rank_of(ProcessId process) const {
        return process < plan().nranks ? process : facts(process).rank;
    }
    [[nodiscard]] virtual protocol::Entry entry_of(ProcessId process) const = 0;
    [[nodiscard]] virtual sim::OtherEnd other_end(ProcessId process, protocol::Link link) const = 0;
    [[nodiscard]] virtual std::uint32_t hosts() const = 0;
    [[nodiscard]] virtual std::uint32_t ports_in_use(std::uint32_t host) const = 0;
    /// Nothing more can happen.
    [[nodiscard]] virtual bool at_rest() const = 0;
};

class WorldScene final : public Scene {
public:
    explicit WorldScene(sim::Look look) : look_(look) {}
    [[nodiscard]] sim::WorldPlan const& plan() const override { return look_.plan(); }
    [[nodiscard]] protocol::Policies const& policies() const override { return look_.policies(); }
    [[nodiscard]] std::uint32_t processes() const override { return look_.processes(); }
    [[nodiscard]] sim::ProcessFacts facts(ProcessId process) const override { return look_.facts(process); }
    [[nodiscard]] sim::Holdings holdings(ProcessId process) const override { return look_.holdings(process); }
    [[nodiscard]] protocol::RankState const& state(ProcessId process) const override { return look_.rank(process); }
    [[nodiscard]] bool exact() const override { return look_.exact(); }
    [[nodiscard]] std::uint32_t known(ProcessId process) const override { return look_.known(process); }
    [[nodiscard]] std::span<ProcessId const> table(ProcessId reader) const override { return look_.table(reader); }
    [[nodiscard]] protocol::Entry entry_of(ProcessId process) const override { return look_.entry_of(process); }
    [[nodiscard]] sim::OtherEnd other_end(ProcessId process, protocol::Link link) const override {
        return look_.other_end(process, link);
    }
    [[nodiscard]] std::uint32_t hosts() const override { return look_.hosts(); }
    [[nodiscard]] std::uint32_t ports_in_use(std::uint32_t host) const override { return look_.ports_in_use(host); }
    [[nodiscard]] bool at_rest() const override { return look_.at_rest(); }

private:
    sim::Look look_;
};

}  // namespace ronde::props
