#include "explore/world.hpp"

namespace ronde::explore {

using protocol::LinkClass;
using protocol::Listener;

std::uint32_t stranger_door(Job const& job, Node callee, std::uint32_t doors) {
    return job.is_root(callee) ? job.nodes % doors : doors - 1U;
}

std::uint32_t preferred_door(Job const& job, Connection const& connection, std::uint32_t doors) {
    if (job.is_stranger(connection.caller))
        return stranger_door(job, connection.callee, doors);
    return (job.is_root(connection.callee) ? connection.caller : connection.ends[0].link_index) % doors;
}

bool has_room(MachineRoom const& room, World const& world, Node node, Listener listener) {
    NodeFacts const& facts = room.facts(node, world.states[node]);
    std::uint32_t pending = 0;
    for (Connection const& connection : world.all()) {
        pending += connection.callee == node && connection.stage == Connection::Stage::standing &&
                           connection.listener == listener && connection.ends[1].link_class == LinkClass::pending &&
                           !connection.ends[1].over()
                       ? 1U
                       : 0U;
    }
    return pending < facts.credits[static_cast<std::size_t>(listener)];
}

}  // namespace ronde::explore
