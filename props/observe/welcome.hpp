/// A root takes a check-in: the moment at which several properties look.
#pragma once

#include "observe/property.hpp"
#include "protocol/partition.hpp"

namespace ronde::props {

struct Welcome {
    ProcessId process = kNoProcess;  ///< who was welcomed; kNoProcess: nobody in this step
    RankId rank = kNoRank;           ///< as whom
    std::uint32_t local_id = 0;      ///< its number at the root
    bool own_root = false;           ///< the root of its block, and not of the one before
};

[[nodiscard]] inline Welcome welcome_in(Step const& step, Scene const& scene) {
    Welcome welcome;
    if (step.is_rank() || !step.frame(protocol::FrameKind::check_in))
        return welcome;
    for (protocol::Action const& action : step.actions) {
        bool const learns = action.kind == protocol::ActionKind::learn;
        bool const admits = action.kind == protocol::ActionKind::admit && action.link == step.event().link;
        if (!learns && !admits)
            continue;
        welcome.rank = learns ? action.first : action.rank;
        welcome.process = step.seen->from;
    }
    if (welcome.process == kNoProcess)
        return welcome;
    std::uint32_t const index = step.process() - scene.plan().nranks;
    protocol::Partition const partition{scene.plan().nranks, scene.plan().nroots};
    welcome.local_id = partition.local_id(index, welcome.rank);
    welcome.own_root = welcome.local_id < partition.size_of(index);
    return welcome;
}

}  // namespace ronde::props
