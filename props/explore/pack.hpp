/// Worlds as they are remembered: connections have numbers, too, so a world is a run of small words. And fingerprints
/// of worlds, each the sum of those of its components: of a world that is a move away only what the move changed has
/// to be looked at.
#pragma once

#include "explore/sleep.hpp"

#include <vector>

namespace ronde::explore {

/// Of a component that is there with no other beside it.
[[nodiscard]] std::uint64_t fingerprint_of(Connection const& connection);
[[nodiscard]] std::uint64_t fingerprint_of(Node node, StateNumber state);
/// Of a whole world.
[[nodiscard]] std::uint64_t fingerprint_of(Job const& job, World const& world);

/// A world that is a move away from another one: what is different.
struct Neighbour {
    std::uint64_t fingerprint = 0;
    std::uint64_t without = 0;  ///< bit per place of a connection that is not there any more as it was
    std::uint32_t states = 0;   ///< how many processes have another state
    std::uint32_t added = 0;    ///< how many connections are new, or are not what they were
    std::size_t at = 0;         ///< in the buffer: states, faults that happened, connections
};

/// What is different in each of some neighbours.
struct Differences {
    std::vector<std::uint32_t> words;
    std::size_t used = 0;
    /// Where the next neighbour's begin.
    std::uint32_t* room() {
        if (words.size() - used < kMost)
            words.resize(words.size() * 2U + kMost);
        return &words[used];
    }
    static constexpr std::size_t kMost =
        2U * kMostNodes + 1U + kMostConnections * sizeof(Connection) / sizeof(std::uint32_t);
};

class Packer {
public:
    /// `names`, which must outlive it: what it says of connections has the names of moves, too.
    explicit Packer(MachineRoom const& room, MoveNames* names = nullptr)
        : room_(room), job_(room.job()), names_(names) {}
    Packer(Packer const&) = delete;
    Packer& operator=(Packer const&) = delete;
    ~Packer() = default;

    [[nodiscard]] std::size_t most_words() const { return job_.nodes + 1U + kMostConnections; }
    [[nodiscard]] std::size_t words_of(std::uint32_t const* packed) const {
        return job_.nodes + 1U + (packed[job_.nodes] & 0xffU);
    }
    /// How many words it wrote.
    std::size_t pack(World const& world, std::uint32_t* packed);
    /// Says what may happen next on each connection, until another world is packed.
    std::span<Prospect const* const> unpack(std::uint32_t const* packed, World& world);

    /// What is between `from`, a packed world whose fingerprint is given, and `world`, which `change` led to. What is
    /// different goes into `buffer`.
    [[nodiscard]] Neighbour compare(std::uint32_t const* from, std::uint64_t from_fingerprint, World const& world,
                                    Change const& change, Differences& buffer) const;
    /// The packed form of a neighbour. How many words it wrote.
    std::size_t pack(std::uint32_t const* from, Neighbour const& neighbour, Differences const& buffer,
                     std::uint32_t* packed);

    [[nodiscard]] std::uint32_t number_of(Connection const& connection);
    [[nodiscard]] Connection const& operator[](std::uint32_t number) const { return connections_[number]; }

    /// Makes `world`, which `change` led to, what `from` is again.
    void undo(std::uint32_t const* from, Change const& change, World& world) const;

private:
    MachineRoom const& room_;
    Job const& job_;
    MoveNames* names_;
    Interner<Connection> connections_;
    std::vector<std::uint64_t> fingerprints_;  ///< by number of the connection
    std::vector<Prospect> prospects_;          ///< likewise
    std::array<Prospect const*, kMostConnections> prospects_of_world_{};
};

}  // namespace ronde::explore
