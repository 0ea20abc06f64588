/// Worlds that are turned versions of each other under one fingerprint.
#pragma once

#include "explore/pack.hpp"
#include "explore/rotation.hpp"

namespace ronde::explore {

/// Fingerprints of worlds that do not change when the world is turned, from tables of what its components are then.
class RotationKeys {
public:
    /// Fingerprints of one thing, or their sum over a world, by how many ranks it was turned.
    using Lanes = std::array<std::uint64_t, kMostRanks>;

    RotationKeys(MachineRoom& room, Packer& packer);

    [[nodiscard]] Rotation& rotation() { return rotation_; }
    /// Of a world in its packed form.
    [[nodiscard]] Lanes lanes_of(std::uint32_t const* packed);
    /// Of the world that `change` made of it.
    [[nodiscard]] Lanes lanes_of(Lanes lanes, std::uint32_t const* from, World const& world, Change const& change);
    [[nodiscard]] std::uint64_t key_of(Lanes const& lanes) const;
    /// How many different worlds there are among the turned ones.
    [[nodiscard]] std::uint32_t versions(Lanes const& lanes) const;

private:
    struct Known {
        Lanes lanes{};
        bool known = false;
    };

    static Known& place_of(std::vector<Known>& known, std::uint32_t at);
    [[nodiscard]] Lanes const& of(Node node, StateNumber state);
    [[nodiscard]] Lanes const& of(std::uint32_t connection);

    Job const& job_;
    Packer& packer_;
    Rotation rotation_;
    std::vector<Known> processes_;  ///< by state
    std::vector<Known> roots_;
    std::vector<Known> connections_;  ///< by number
};

}  // namespace ronde::explore
