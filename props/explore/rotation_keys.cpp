#include "explore/rotation_keys.hpp"

#include <algorithm>
#include <bit>

namespace ronde::explore {
namespace {

using Lanes = RotationKeys::Lanes;

void add(Lanes& sum, Lanes const& more) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += more[i];
}

void subtract(Lanes& sum, Lanes const& less) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] -= less[i];
}

}  // namespace

RotationKeys::RotationKeys(MachineRoom& room, Packer& packer) : job_(room.job()), packer_(packer), rotation_(room) {}

RotationKeys::Known& RotationKeys::place_of(std::vector<Known>& known, std::uint32_t at) {
    if (at >= known.size())
        known.resize(std::max<std::size_t>(at + 1U, known.size() * 2U));
    return known[at];
}

Lanes const& RotationKeys::of(Node node, StateNumber state) {
    std::vector<Known>& known = job_.is_root(node) ? roots_ : processes_;
    if (Known const& place = place_of(known, state); place.known)
        return place.lanes;
    Known fresh;
    fresh.known = true;
    Node whose = node;
    StateNumber at = state;
    for (std::uint32_t turn = 0; turn < job_.nranks; ++turn) {
        fresh.lanes[turn] = fingerprint_of(whose, at);
        at = rotation_.turned(whose, at);
        whose = rotation_.next(whose);
    }
    return (place_of(known, state) = fresh).lanes;
}

Lanes const& RotationKeys::of(std::uint32_t connection) {
    if (Known const& place = place_of(connections_, connection); place.known)
        return place.lanes;
    Known fresh;
    fresh.known = true;
    Connection at = packer_[connection];
    for (std::uint32_t turn = 0; turn < job_.nranks; ++turn) {
        fresh.lanes[turn] = fingerprint_of(at);
        at = rotation_.turned(at);
    }
    return (place_of(connections_, connection) = fresh).lanes;
}

Lanes RotationKeys::lanes_of(std::uint32_t const* packed) {
    Lanes sum{};
    for (Node node = 0; node < job_.nodes; ++node)
        add(sum, of(node, packed[node]));
    std::uint32_t const* const numbers = packed + job_.nodes + 1U;
    for (std::uint32_t i = 0; i < (packed[job_.nodes] & 0xffU); ++i)
        add(sum, of(numbers[i]));
    return sum;
}

Lanes RotationKeys::lanes_of(Lanes lanes, std::uint32_t const* from, World const& world, Change const& change) {
    for (std::uint32_t nodes = change.nodes; nodes != 0; nodes &= nodes - 1U) {
        auto const node = static_cast<Node>(std::countr_zero(nodes));
        subtract(lanes, of(node, from[node]));
        add(lanes, of(node, world.states[node]));
    }
    std::uint32_t const* const numbers = from + job_.nodes + 1U;
    for (std::uint64_t places = change.connections; places != 0; places &= places - 1U) {
        auto const place = static_cast<std::uint32_t>(std::countr_zero(places));
        if (place < (from[job_.nodes] & 0xffU))
            subtract(lanes, of(numbers[place]));
        if (Connection const& connection = world.connections[place]; !is_gone(job_, connection))
            add(lanes, of(packer_.number_of(connection)));
    }
    return lanes;
}

std::uint64_t RotationKeys::key_of(Lanes const& lanes) const {
    std::uint64_t sum = 0;
    for (std::uint32_t turn = 0; turn < job_.nranks; ++turn)
        sum += scramble(lanes[turn] + 0x9e3779b97f4a7c15U);
    return sum;
}

std::uint32_t RotationKeys::versions(Lanes const& lanes) const {
    std::uint32_t turns = 1;
    while (turns < job_.nranks && lanes[turns] != lanes[0])
        ++turns;
    return turns;
}

}  // namespace ronde::explore
