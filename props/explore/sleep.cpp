#include "explore/sleep.hpp"

namespace ronde::explore {
namespace {

using Kind = Move::Kind;

/// A fault that touches one process and what that process sends, as a step of it would.
bool is_like_a_step(Fault const& fault) {
    return fault.kind == FaultKind::crash || fault.kind == FaultKind::haste || fault.kind == FaultKind::stranger;
}

}  // namespace

MoveNames::MoveNames(MachineRoom const& room, FaultPlan const& plan)
    : room_(room), job_(room.job()), plan_(plan), of_fault_(plan.list.size(), Prospect::kNoName) {
    static_assert(Prospect::kNoName >= kNames);
    for (Node node = 0; node < job_.nodes; ++node)
        of_self_[node] = new_name(node);
    // Of faults that share one budget any one takes away all others.
    bool const each_for_itself = plan_.each_once && plan_.at_most >= plan_.list.size();
    for (std::size_t number = 0; number < plan_.list.size() && each_for_itself; ++number) {
        if (is_like_a_step(plan_.list[number]))
            of_fault_[number] = new_name(plan_.list[number].node);
    }
}

std::uint8_t MoveNames::new_name(Node owner) {
    SleepSet const own = of_node_[owner];
    if (given_ < kNames) {
        of_node_[owner] |= SleepSet{1} << given_;
        return given_++;
    }
    if (own == 0)
        return Prospect::kNoName;
    auto skip = sharers_[owner]++ % static_cast<unsigned>(std::popcount(own));
    SleepSet left = own;
    for (; skip > 0; --skip)
        left &= left - 1U;
    return static_cast<std::uint8_t>(std::countr_zero(left));
}

std::uint8_t MoveNames::name_under(std::uint64_t key, Node owner) {
    std::uint32_t const number = keys_.find_or_add(key, 0, static_cast<std::uint32_t>(names_.size()));
    if (number == names_.size())
        names_.push_back(new_name(owner));
    return names_[number];
}

/// What its caller calls a connection is said when it calls, and stays. Who is called may see two of one name, when the
/// caller has given one up and calls again.
std::array<std::uint8_t, 2> MoveNames::names_at(Connection const& connection) {
    std::uint64_t const link =
        static_cast<std::uint64_t>(connection.ends[0].link_class) << 8U | connection.ends[0].link_index;
    std::array<std::uint8_t, 2> names{Prospect::kNoName, Prospect::kNoName};
    for (unsigned const end : {0U, 1U}) {
        Node const owner = connection.owner(end);
        if (job_.is_stranger(owner))
            continue;
        std::uint64_t const other = end == 0 ? 0xffU : connection.caller;
        names[end] = name_under(link | other << 16U | std::uint64_t{owner} << 24U, owner);
    }
    return names;
}

SleepSet MoveNames::shared(World const& world, std::span<Prospect const* const> prospects, std::span<Move const> steps,
                           std::span<Move const> faults) const {
    SleepSet seen = 0;
    SleepSet twice = 0;
    for (std::span<Move const> const list : {steps, faults}) {
        for (Move const move : list) {
            SleepSet const name = name_of(world, prospects, move);
            twice |= seen & name;
            seen |= name;
        }
    }
    return twice;
}

SleepSet MoveNames::woken_by_many(World const& world, Move move) const {
    constexpr SleepSet kAll = ~SleepSet{0};
    if (move.kind != Kind::fault || !plan_.each_once || plan_.at_most < plan_.list.size())
        return kAll;
    Fault const& fault = plan_.list[move.detail];
    if (is_like_a_step(fault))
        return of_node_[fault.node];
    SleepSet woken = of_node_[fault.node];
    auto const wake = [&](Node node) { woken |= job_.is_stranger(node) ? 0 : of_node_[node]; };
    switch (fault.kind) {
    case FaultKind::drop:
    case FaultKind::reset: wake(world.connections[move.connection].callee); return woken;
    case FaultKind::crash_reset:
        for (Connection const& connection : world.all()) {
            if (connection.caller == fault.node)
                wake(connection.callee);
            if (connection.callee == fault.node)
                wake(connection.caller);
        }
        return woken;
    default: return kAll;
    }
}

}  // namespace ronde::explore
