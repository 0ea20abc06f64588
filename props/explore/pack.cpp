#include "explore/pack.hpp"

#include <algorithm>
#include <bit>

namespace ronde::explore {
namespace {

__extension__ using Wide = unsigned __int128;  // a type of both compilers that the standard does not know

constexpr std::size_t kConnectionWords = sizeof(Connection) / sizeof(std::uint32_t);
static_assert(sizeof(Connection) == 24);

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    Wide const product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Which faults happened, and how many connections there are.
std::uint32_t rest_of(World const& world, std::size_t connections) {
    static_assert(kMostFaults == 3);
    return static_cast<std::uint32_t>(connections) | std::uint32_t{world.spent[0]} << 8U |
           std::uint32_t{world.spent[1]} << 16U | std::uint32_t{world.spent[2]} << 24U;
}

void set_rest(std::uint32_t rest, World& world) {
    world.connection_count = static_cast<std::uint8_t>(rest);
    for (std::uint32_t i = 0; i < kMostFaults; ++i)
        world.spent[i] = static_cast<std::uint8_t>(rest >> (8U + 8U * i));
}

std::uint64_t fingerprint_of_faults(std::uint32_t spent) {
    return scramble(0x9e3779b97f4a7c15U + (std::uint64_t{spent} << 32U));
}

template <class Visit>
void each_bit(std::uint64_t bits, Visit const& visit) {
    for (; bits != 0; bits &= bits - 1U)
        visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace

std::uint64_t fingerprint_of(Connection const& connection) {
    std::uint64_t words[3];
    std::memcpy(words, &connection, sizeof(words));
    std::uint64_t const first = fold(words[0] ^ 0xa0761d6478bd642fU, words[1] ^ 0xe7037ed1a0b428dbU);
    return scramble(fold(first ^ 0x8ebc6af09c88c6e3U, words[2] ^ 0x589965cc75374cc3U));
}

std::uint64_t fingerprint_of(Node node, StateNumber state) {
    return scramble(0x9e3779b97f4a7c15U * (std::uint64_t{node} << 32U | state) + 0xd1b54a32d192ed03U);
}

std::uint64_t fingerprint_of(Job const& job, World const& world) {
    std::uint64_t sum = fingerprint_of_faults(rest_of(world, 0));
    for (Node node = 0; node < job.nodes; ++node)
        sum += fingerprint_of(node, world.states[node]);
    for (Connection const& connection : world.all())
        sum += fingerprint_of(connection);
    return sum;
}

std::uint32_t Packer::number_of(Connection const& connection) {
    std::uint64_t const fingerprint = fingerprint_of(connection);
    std::uint32_t const number = connections_.number_of(connection, fingerprint);
    if (number == fingerprints_.size()) {
        fingerprints_.push_back(fingerprint);
        prospects_.push_back(prospect_of(room_, connection));
        if (names_ != nullptr)
            prospects_.back().names = names_->names_at(connection);
    }
    return number;
}

std::size_t Packer::pack(World const& world, std::uint32_t* packed) {
    std::copy_n(world.states.begin(), job_.nodes, packed);
    packed[job_.nodes] = rest_of(world, world.connection_count);
    std::size_t words = job_.nodes + 1U;
    for (Connection const& connection : world.all())
        packed[words++] = number_of(connection);
    return words;
}

std::span<Prospect const* const> Packer::unpack(std::uint32_t const* packed, World& world) {
    std::copy_n(packed, job_.nodes, world.states.begin());
    set_rest(packed[job_.nodes], world);
    std::uint32_t const* const numbers = packed + job_.nodes + 1U;
    for (std::uint32_t i = 0; i < world.connection_count; ++i) {
        world.connections[i] = connections_[numbers[i]];
        prospects_of_world_[i] = &prospects_[numbers[i]];
    }
    return std::span(prospects_of_world_).first(world.connection_count);
}

Neighbour Packer::compare(std::uint32_t const* from, std::uint64_t from_fingerprint, World const& world,
                          Change const& change, Differences& buffer) const {
    Neighbour neighbour;
    neighbour.at = buffer.used;
    std::uint32_t* into = buffer.room();
    std::uint64_t sum = from_fingerprint;
    each_bit(change.nodes, [&](std::uint32_t node) {
        if (from[node] == world.states[node])
            return;
        auto const which = static_cast<Node>(node);
        sum += fingerprint_of(which, world.states[node]) - fingerprint_of(which, from[node]);
        *into++ = node;
        *into++ = world.states[node];
        ++neighbour.states;
    });
    std::uint32_t const spent = rest_of(world, 0);
    std::uint32_t const spent_before = from[job_.nodes] & ~0xffU;
    *into++ = spent;
    if (spent != spent_before)
        sum += fingerprint_of_faults(spent) - fingerprint_of_faults(spent_before);
    std::uint32_t const from_count = from[job_.nodes] & 0xffU;
    std::uint32_t const* const numbers = from + job_.nodes + 1U;
    each_bit(change.connections, [&](std::uint32_t place) {
        if (place < from_count) {
            sum -= fingerprints_[numbers[place]];
            neighbour.without |= std::uint64_t{1} << place;
        }
        Connection const& connection = world.connections[place];
        if (is_gone(job_, connection))
            return;
        sum += fingerprint_of(connection);
        std::memcpy(into, &connection, sizeof(Connection));
        into += kConnectionWords;
        ++neighbour.added;
    });
    neighbour.fingerprint = sum;
    buffer.used = static_cast<std::size_t>(into - buffer.words.data());
    return neighbour;
}

std::size_t Packer::pack(std::uint32_t const* from, Neighbour const& neighbour, Differences const& buffer,
                         std::uint32_t* packed) {
    std::copy_n(from, job_.nodes, packed);
    std::uint32_t const* different = &buffer.words[neighbour.at];
    for (std::uint32_t i = 0; i < neighbour.states; ++i, different += 2)
        packed[different[0]] = different[1];
    std::uint32_t const spent = *different++;
    // Those that stay are in order; each of the others finds its place among them, from behind.
    std::uint32_t const from_count = from[job_.nodes] & 0xffU;
    std::uint32_t const* const from_numbers = from + job_.nodes + 1U;
    std::uint32_t* const numbers = packed + job_.nodes + 1U;
    std::size_t count = 0;
    for (std::uint32_t place = 0; place < from_count; ++place) {
        numbers[count] = from_numbers[place];
        count += (neighbour.without >> place & 1U) == 0 ? 1U : 0U;
    }
    for (std::uint32_t i = 0; i < neighbour.added; ++i, different += kConnectionWords) {
        Connection connection;
        std::memcpy(static_cast<void*>(&connection), different, sizeof(Connection));
        std::size_t at = count++;
        for (; at > 0 && is_before(connection, connections_[numbers[at - 1U]]); --at)
            numbers[at] = numbers[at - 1U];
        numbers[at] = number_of(connection);
    }
    packed[job_.nodes] = spent | static_cast<std::uint32_t>(count);
    return job_.nodes + 1U + count;
}

void Packer::undo(std::uint32_t const* from, Change const& change, World& world) const {
    each_bit(change.nodes, [&](std::uint32_t node) { world.states[node] = from[node]; });
    std::uint32_t const rest = from[job_.nodes];
    std::uint32_t const* const numbers = from + job_.nodes + 1U;
    each_bit(change.connections, [&](std::uint32_t place) {
        if (place < (rest & 0xffU))
            world.connections[place] = connections_[numbers[place]];
    });
    set_rest(rest, world);
}

}  // namespace ronde::explore
