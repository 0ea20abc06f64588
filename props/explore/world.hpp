/// One moment of a pretended world, as bytes that are equal exactly when the moments are: the numbers of the states of
/// all processes, the connections, and which faults happened.
///
/// Connections keep the order of what is sent on each of them, and none between them: any one may be next. Nothing is
/// said about time but differences: a message takes as long as the search likes, and all of them take less than the
/// shortest timer, unless a fault says otherwise (docs/checking.md).
#pragma once

#include "explore/machine_room.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace ronde::explore {

/// One end of a connection.
struct End {
    enum Bits : std::uint8_t {
        kOver = 1,     ///< its owner has closed it, or knows that it ended
        kTold = 2,     ///< the calling end: its owner knows that the connection stands
        kPaused = 4,   ///< its owner reads nothing from it
        kSending = 8,  ///< its owner waits to be told that all it has sent is out
    };
    protocol::LinkClass link_class = protocol::LinkClass::none;  ///< its owner's name for it; none: not accepted yet
    std::uint8_t link_index = 0;
    protocol::Failure ending = protocol::Failure::none;  ///< what comes after the last message
    std::uint8_t bits = 0;

    [[nodiscard]] bool over() const { return (bits & kOver) != 0; }
    [[nodiscard]] bool told() const { return (bits & kTold) != 0; }
    [[nodiscard]] bool paused() const { return (bits & kPaused) != 0; }
    [[nodiscard]] bool sending() const { return (bits & kSending) != 0; }
    [[nodiscard]] protocol::Link link() const { return {link_class, link_index}; }
};

/// One connection. End 0 called, end 1 was called.
struct Connection {
    enum class Stage : std::uint8_t {
        calling,   ///< on its way to the listener
        queued,    ///< it stands, but nobody has accepted it
        standing,  ///< accepted
        refused,   ///< "nobody listens" is on its way back
        lost,      ///< there will be no answer
    };
    Node caller = 0;  ///< a number beyond all nodes: a stranger
    Node callee = 0;
    Stage stage = Stage::calling;
    protocol::Listener listener = protocol::Listener::ring;
    End ends[2];
    std::uint32_t inbox[2] = {};  ///< queue numbers: what each end has not read yet
    std::uint32_t hello = 0;      ///< message number + 1 of what the caller said it was

    [[nodiscard]] Node owner(unsigned end) const { return end == 0 ? caller : callee; }
    /// Whether the owner of this end can read, or be told of the end.
    [[nodiscard]] bool readable(unsigned end) const {
        bool const attached = end == 0 ? ends[0].told() : stage == Stage::standing;
        return attached && !ends[end].over() && !ends[end].paused() &&
               (inbox[end] != 0 || ends[end].ending != protocol::Failure::none);
    }
    /// Whether the owner of this end, which waits for it, can be told that all it has sent is out.
    [[nodiscard]] bool drained(unsigned end) const {
        return ends[end].sending() && inbox[end ^ 1U] == 0 && ends[end].ending != protocol::Failure::reset;
    }
};
static_assert(std::has_unique_object_representations_v<Connection>);

/// The order of their bytes, eight at once.
inline bool is_before(Connection const& a, Connection const& b) {
    static_assert(sizeof(Connection) % sizeof(std::uint64_t) == 0);
    for (std::size_t at = 0; at < sizeof(Connection); at += sizeof(std::uint64_t)) {
        std::uint64_t mine = 0;
        std::uint64_t other = 0;
        std::memcpy(&mine, reinterpret_cast<std::byte const*>(&a) + at, sizeof(mine));
        std::memcpy(&other, reinterpret_cast<std::byte const*>(&b) + at, sizeof(other));
        if (mine == other)
            continue;
        if constexpr (std::endian::native == std::endian::little)
            return __builtin_bswap64(mine) < __builtin_bswap64(other);
        return mine < other;
    }
    return false;
}

inline constexpr std::uint32_t kMostNodes = kMostProcesses + kMostRoots;
inline constexpr std::uint32_t kMostConnections = 60;

class World {
public:
    std::array<StateNumber, kMostNodes> states{};
    std::uint8_t connection_count = 0;
    /// Faults that happened, sorted: numbers of the search's list plus one; 0: none.
    std::array<std::uint8_t, kMostFaults> spent{};
    std::array<Connection, kMostConnections> connections;

    /// Of which equality is equality of worlds.
    [[nodiscard]] std::span<std::byte const> bytes() const {
        return {reinterpret_cast<std::byte const*>(this),
                kHeaderBytes + std::size_t{connection_count} * sizeof(Connection)};
    }
    static constexpr std::size_t kHeaderBytes = kMostNodes * sizeof(StateNumber) + 1U + kMostFaults;
    static constexpr std::size_t kMostBytes = kHeaderBytes + kMostConnections * sizeof(Connection);
    void read(std::span<std::byte const> bytes) {
        connection_count = static_cast<std::uint8_t>((bytes.size() - kHeaderBytes) / sizeof(Connection));
        std::memcpy(static_cast<void*>(this), bytes.data(), bytes.size());
    }
    [[nodiscard]] std::span<Connection> all() { return std::span(connections).first(connection_count); }
    [[nodiscard]] std::span<Connection const> all() const { return std::span(connections).first(connection_count); }
    [[nodiscard]] bool any_spent() const { return spent[0] != 0; }
};

static_assert(std::is_standard_layout_v<World> && offsetof(World, connections) == World::kHeaderBytes);

/// Which faults may happen in a search: a list, how many of it, and whether each stands for one.
struct FaultPlan {
    std::vector<Fault> list;
    std::uint32_t at_most = 0;
    bool each_once = false;  ///< every element of the list may happen once; otherwise any of them, again and again

    [[nodiscard]] bool is_left(World const& world, std::size_t fault) const;
};

/// What may happen next.
struct Move {
    enum class Kind : std::uint8_t {
        start,      ///< a process begins
        arrive,     ///< a call reaches its listener: it is accepted, queued or refused
        accept,     ///< a queued call finds room
        connected,  ///< the caller learns that its connection stands
        refused,    ///< ... or that nobody listens
        deliver,    ///< the next message of one end
        ending,     ///< the end of the stream at one end
        timer,      ///< time moves on to the node's timer
        fault,
        sent,  ///< all that one end has sent is out
    };
    Kind kind = Kind::start;
    std::uint8_t node = 0;        ///< whose step it is
    std::uint8_t connection = 0;  ///< its place in the world; fault: the connection that it takes
    std::uint8_t detail = 0;      ///< deliver, ending, sent: the end; fault: its number
    friend constexpr bool operator==(Move, Move) = default;
    [[nodiscard]] std::uint32_t packed() const {
        return static_cast<std::uint32_t>(kind) | std::uint32_t{node} << 8U | std::uint32_t{connection} << 16U |
               std::uint32_t{detail} << 24U;
    }
    static Move unpacked(std::uint32_t bits) {
        return {static_cast<Kind>(bits & 0xffU), static_cast<std::uint8_t>(bits >> 8U),
                static_cast<std::uint8_t>(bits >> 16U), static_cast<std::uint8_t>(bits >> 24U)};
    }
};

/// All roots listen (the id says so), nobody else has begun.
[[nodiscard]] World first_world(MachineRoom& room);

/// The input that a move feeds to a process, if it feeds one.
struct Fed {
    bool any = false;
    Node node = 0;
    StateNumber before = 0;  ///< the state that it is fed to
    Input input;
};

/// Makes `world` the world after `move`. `faults`: the search's list. Says what was fed, for whoever tells the story.
/// The answer is a broken rule, or nothing.
[[nodiscard]] Broken make_move(MachineRoom& room, std::span<Fault const> faults, World& world, Move move,
                               Fed* fed = nullptr);

/// What a move did to a world: which connections, by place, are new or not what they were, and whose states.
struct Change {
    std::uint64_t connections = 0;
    std::uint32_t nodes = 0;
};
static_assert(kMostConnections <= 64 && kMostNodes <= 32);

/// Like make_move, but what nobody will see any more (is_gone) is left where it is, and the order of connections is not
/// restored: what is not in `change` is where it was.
[[nodiscard]] Broken change_world(MachineRoom& room, std::span<Fault const> faults, World& world, Move move,
                                  Change& change);

/// Whether nobody will see anything of this connection any more, so that a world does without it.
[[nodiscard]] inline bool is_gone(Job const& job, Connection const& connection) {
    bool const unanswered =
        connection.stage == Connection::Stage::refused || connection.stage == Connection::Stage::lost;
    if (connection.ends[0].over() && (connection.ends[1].over() || unanswered))
        return true;
    return job.is_stranger(connection.caller) && (connection.ends[1].over() || unanswered);
}

/// What `deliver` or `ending` at this end feeds to its owner.
[[nodiscard]] Input next_input(MachineRoom const& room, Connection const& connection, unsigned end);

/// Moves, by the bits of their names (sleep.hpp).
using SleepSet = std::uint64_t;

/// What may happen next on a connection, as far as that is said by the connection alone.
struct Prospect {
    enum Step : std::uint16_t {
        kArrive = 1U << 0U,
        kRefused = 1U << 1U,
        kAccept = 1U << 2U,  ///< if there is room
        kConnected = 1U << 3U,
        kDeliver = 1U << 4U,  ///< at end 0, and if its owner can take it; one bit further: at end 1
        kEnding = 1U << 6U,   ///< likewise
        kSent = 1U << 8U,     ///< likewise
    };
    std::array<PackedInput, 2> inputs{};  ///< of deliver, by end; 0: no frame, so nothing that may have to wait
    std::uint16_t steps = 0;
    static constexpr std::uint8_t kNoName = 0xff;
    std::array<std::uint8_t, 2> names{kNoName, kNoName};  ///< of what may happen at each end, where moves have names

    [[nodiscard]] SleepSet name(unsigned end) const { return bit_of(names[end]); }
    [[nodiscard]] static SleepSet bit_of(std::uint8_t name) { return name == kNoName ? 0 : SleepSet{1} << name; }
};
[[nodiscard]] Prospect prospect_of(MachineRoom const& room, Connection const& connection);

/// The door, of `doors`, that its callee gives to a caller if it is free: at a root it depends on who calls, at a rank
/// on the chord, so that who comes first leaves no trace. Otherwise it is the last one that is free.
[[nodiscard]] std::uint32_t preferred_door(Job const& job, Connection const& connection, std::uint32_t doors);
/// ... of a stranger.
[[nodiscard]] std::uint32_t stranger_door(Job const& job, Node callee, std::uint32_t doors);

/// Whether `node` can take one more unproven connection at `listener`.
[[nodiscard]] bool has_room(MachineRoom const& room, World const& world, Node node, protocol::Listener listener);

}  // namespace ronde::explore
