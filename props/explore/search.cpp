#include "explore/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

constexpr std::uint64_t kAskEvery = 1U << 14U;
constexpr std::size_t kMostArcs = std::size_t{1} << 28U;  ///< of 4 bytes

std::size_t size_at(std::byte const* bytes) {
    std::size_t const at = offsetof(World, connection_count);
    return World::kHeaderBytes + std::to_integer<std::size_t>(bytes[at]) * sizeof(Connection);
}

std::uint64_t fingerprint_of(std::span<std::byte const> world) { return XXH3_64bits(world.data(), world.size()); }

}  // namespace

Search::Search(MachineRoom& room, FaultPlan const& plan, ExploreSettings const& settings, KeepGoing keep_going)
    : room_(room), settings_(settings), keep_going_(std::move(keep_going)), finder_(room, plan, settings.reduction),
      keeps_arcs_(is_asked(settings, Property::l4)) {}

std::uint32_t Search::number_of(std::span<std::byte const> world, std::uint64_t fingerprint, bool& fresh) {
    std::uint32_t const number = visited_.find_or_add(fingerprint, numbers_, [&](std::uint32_t known) {
        if (!settings_.exact)
            return true;
        std::byte const* const other = &worlds_[world_at_[known]];
        return size_at(other) == world.size() && std::memcmp(other, world.data(), world.size()) == 0;
    });
    fresh = number == numbers_;
    if (!fresh)
        return number;
    ++numbers_;
    ++counts_.states;
    if (settings_.exact) {
        world_at_.push_back(worlds_.size());
        worlds_.insert(worlds_.end(), world.begin(), world.end());
    }
    return number;
}

Answer Search::give_up(std::string why) {
    gave_up_why_ = std::move(why);
    return Answer::gave_up;
}

bool Search::may_go_on() {
    if (++since_asked_ < kAskEvery)
        return true;
    since_asked_ = 0;
    out_of_time_ = !keep_going_(counts_);
    return !out_of_time_;
}

bool Search::begins_well() {
    Job const& job = room_.job();
    for (std::uint32_t root = 0; root < job.nroots; ++root) {
        Node const node = job.root_node(root);
        Broken const& broken = room_.step(node, room_.unborn(node), Input{}).broken;
        if (is_wanted(settings_, broken))
            found_ = Counterexample{{broken.property, fmt::format("{} {}", job.name_of(node), broken.why)}, {}, {}};
    }
    return !found_;
}

std::vector<Move> Search::path_to(std::uint32_t number) const {
    std::vector<Move> path;
    for (; records_[number].parent != kNoParent; number = records_[number].parent)
        path.push_back(Move::unpacked(records_[number].move));
    std::reverse(path.begin(), path.end());
    return path;
}

Answer Search::look_at_rest(World const& world, std::function<std::vector<Move>()> const& path) {
    ++counts_.rests;
    if (settings_.keep_outcomes)
        outcomes_.insert(outcome_of(room_, finder_.plan(), world));
    Broken broken = judge_at_rest(room_, finder_.plan(), world);
    if (!broken)
        return Answer::holds;
    found_ = Counterexample{std::move(broken), path(), finder_.plan()};
    return Answer::broken;
}

bool Search::make_successors(std::span<std::byte const> from, Moves const& moves, std::uint32_t number) {
    successors_.clear();
    successors_bytes_.clear();
    for (std::vector<Move> const* list : {&moves.steps, &moves.faults}) {
        for (Move const move : *list) {
            world_.read(from);
            ++counts_.transitions;
            Broken broken = make_move(room_, finder_.plan().list, world_, move);
            if (broken && !is_wanted(settings_, broken))
                continue;
            if (broken) {
                found_ = Counterexample{std::move(broken), path_to(number), finder_.plan()};
                found_->path.push_back(move);
                return false;
            }
            auto const bytes = world_.bytes();
            std::uint64_t const fingerprint = fingerprint_of(bytes);
            visited_.prefetch(fingerprint);
            successors_.push_back({successors_bytes_.size(), bytes.size(), fingerprint, move.packed()});
            successors_bytes_.insert(successors_bytes_.end(), bytes.begin(), bytes.end());
        }
    }
    return true;
}

/// Looks at one world and puts what is new behind it into the next level.
Answer Search::expand(std::span<std::byte const> from, std::uint32_t number, Level& next) {
    world_.read(from);
    finder_.find(world_, moves_);
    counts_.reduced += moves_.reduced ? 1U : 0U;
    counts_.possible += moves_.possible;
    if (moves_.at_rest && look_at_rest(world_, [&] { return path_to(number); }) == Answer::broken)
        return Answer::broken;
    if (!make_successors(from, moves_, number))
        return Answer::broken;
    if (keeps_arcs_)
        arcs_from_.push_back(arcs_.size());
    for (Successor const& successor : successors_) {
        bool fresh = false;
        auto const bytes = std::span(successors_bytes_).subspan(successor.at, successor.size);
        std::uint32_t const reached = number_of(bytes, successor.fingerprint, fresh);
        if (keeps_arcs_)
            arcs_.push_back(reached);
        if (!fresh) {
            graded_ = graded_ && reached >= next.first;
            continue;
        }
        records_.push_back({number, successor.move});
        next.bytes.insert(next.bytes.end(), bytes.begin(), bytes.end());
    }
    return Answer::holds;
}

Answer Search::breadth_first(std::atomic<std::uint64_t> const& most_depth) {
    if (!begins_well())
        return Answer::broken;
    bool fresh = false;
    Level level;
    World const first = first_world(room_);
    number_of(first.bytes(), fingerprint_of(first.bytes()), fresh);
    records_.push_back({kNoParent, 0});
    level.bytes.assign(first.bytes().begin(), first.bytes().end());
    for (std::uint64_t depth = 0; !level.bytes.empty(); ++depth) {
        counts_.depth = depth;
        Level next;
        next.first = numbers_;
        std::uint32_t number = level.first;
        for (std::size_t at = 0; at < level.bytes.size(); at += size_at(&level.bytes[at]), ++number) {
            if (expand({&level.bytes[at], size_at(&level.bytes[at])}, number, next) == Answer::broken)
                return Answer::broken;
            if (!may_go_on())
                return give_up("the time is up");
        }
        if (arcs_.size() > kMostArcs) {
            keeps_arcs_ = false;
            arcs_ = {};
            arcs_from_ = {};
        }
        counts_.bytes = std::max<std::uint64_t>(
            counts_.bytes, visited_.bytes() + records_.size() * sizeof(Record) + arcs_.size() * sizeof(std::uint32_t) +
                               arcs_from_.size() * sizeof(std::uint64_t) + level.bytes.size() + next.bytes.size() +
                               worlds_.size());
        counts_.node_states = room_.states();
        counts_.machine_steps = room_.steps();
        counts_by_depth_.push_back(counts_);
        if (counts_.states > settings_.limit_states)
            return give_up(fmt::format("more than {} states", settings_.limit_states));
        std::uint64_t const longest = most_depth;
        if (depth + 1U > longest && !next.bytes.empty())
            return give_up(fmt::format("paths of more than {} steps", longest));
        level = std::move(next);
    }
    long double const seen = static_cast<long double>(numbers_);
    counts_.mistaken_2_65 += settings_.exact ? 0 : seen * seen;
    return Answer::holds;
}

/// Where each move leads from one depth to the next there is no circle. Elsewhere worlds are taken away to which no
/// move leads any more; what cannot be taken away is a circle, or behind one.
Search::Circles Search::circles() const {
    if (graded_)
        return Circles::none;
    if (!keeps_arcs_)
        return Circles::unknown;
    std::vector<std::uint32_t> into(numbers_);
    for (std::uint32_t const reached : arcs_)
        ++into[reached];
    std::vector<std::uint32_t> free;
    if (into.front() == 0)
        free.push_back(0);
    std::uint64_t taken = 0;
    while (!free.empty()) {
        std::uint32_t const world = free.back();
        free.pop_back();
        ++taken;
        std::uint64_t const end = world + 1U < arcs_from_.size() ? arcs_from_[world + 1U] : arcs_.size();
        for (std::uint64_t at = arcs_from_[world]; at < end; ++at) {
            if (--into[arcs_[at]] == 0)
                free.push_back(arcs_[at]);
        }
    }
    return taken == numbers_ ? Circles::none : Circles::some;
}

struct Search::Frame {
    std::vector<std::byte> bytes;
    std::uint32_t number = 0;
    std::vector<Move> moves;
    std::size_t next = 0;
};

Answer Search::depth_first() {
    enum Colour : std::uint8_t { on_path, done };
    std::vector<std::uint8_t> colours;
    std::vector<Frame> stack;
    bool fresh = false;
    auto const path = [&] {
        std::vector<Move> taken;
        for (Frame const& frame : stack) {
            if (frame.next > 0)
                taken.push_back(frame.moves[frame.next - 1U]);
        }
        return taken;
    };
    auto const enter = [&](World const& world, std::uint32_t number) {
        colours.push_back(on_path);
        finder_.find(world, moves_);
        counts_.reduced += moves_.reduced ? 1U : 0U;
        counts_.possible += moves_.possible;
        Answer const answer = moves_.at_rest ? look_at_rest(world, path) : Answer::holds;
        Frame frame;
        frame.bytes.assign(world.bytes().begin(), world.bytes().end());
        frame.number = number;
        frame.moves = moves_.steps;
        frame.moves.insert(frame.moves.end(), moves_.faults.begin(), moves_.faults.end());
        stack.push_back(std::move(frame));
        counts_.depth = std::max<std::uint64_t>(counts_.depth, stack.size() - 1U);
        return answer;
    };
    auto const number = [&](World const& world) {
        return number_of(world.bytes(), fingerprint_of(world.bytes()), fresh);
    };
    if (!begins_well())
        return Answer::broken;
    world_ = first_world(room_);
    if (enter(world_, number(world_)) == Answer::broken)
        return Answer::broken;
    while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == frame.moves.size()) {
            colours[frame.number] = done;
            stack.pop_back();
            continue;
        }
        Move const move = frame.moves[frame.next++];
        world_.read(frame.bytes);
        ++counts_.transitions;
        Broken broken = make_move(room_, finder_.plan().list, world_, move);
        if (broken && !is_wanted(settings_, broken))
            continue;
        std::uint32_t const reached = broken ? 0 : number(world_);
        if (!broken && !fresh && colours[reached] == on_path && is_asked(settings_, Property::l4))
            broken = {Property::l4, "the world is where it was before: it goes in circles"};
        if (broken) {
            found_ = Counterexample{std::move(broken), path(), finder_.plan()};
            return Answer::broken;
        }
        if (!fresh)
            continue;
        if (enter(world_, reached) == Answer::broken)
            return Answer::broken;
        if (!may_go_on())
            return give_up("the time is up");
        if (counts_.states > settings_.limit_states)
            return give_up(fmt::format("more than {} states", settings_.limit_states));
        if (stack.size() > settings_.limit_depth)
            return give_up(fmt::format("paths of more than {} steps", settings_.limit_depth));
    }
    counts_.bytes = visited_.bytes() + worlds_.size();
    long double const seen = static_cast<long double>(numbers_);
    counts_.mistaken_2_65 += settings_.exact ? 0 : seen * seen;
    return Answer::holds;
}

}  // namespace ronde::explore
