#include "explore/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

constexpr std::uint64_t kAskEvery = 1U << 14U;
constexpr std::size_t kMostArcBytes = std::size_t{1} << 30U;

/// How many worlds are expanded before anything is looked up.
constexpr std::size_t kBatch = 16;
constexpr std::size_t kFingerprintWords = 2;  ///< before each packed world of a level
constexpr std::size_t kWokenWords = 5;        ///< before each that is looked at again

bool may_sleep(ExploreSettings const& settings) {
    return settings.sleep == Sleep::always ||
           (settings.sleep == Sleep::with_reduction && settings.reduction != Reduction::none);
}

}  // namespace

Search::Search(MachineRoom& room, FaultPlan const& plan, ExploreSettings const& settings, KeepGoing keep_going)
    : room_(room), settings_(settings), keep_going_(std::move(keep_going)), finder_(room, plan, settings.reduction),
      names_(room, finder_.plan()), packer_(room, &names_), keeps_arcs_(is_asked(settings, Property::l4)) {
    if (symmetry_of(settings) == Symmetry::rotations)
        keys_.emplace(room, packer_);
}

std::uint32_t Search::number_of(std::uint64_t fingerprint, std::span<std::uint32_t const> packed, bool& fresh) {
    std::uint32_t const number = visited_.find_or_add(fingerprint, numbers_, [&](std::uint32_t known) {
        if (!settings_.exact)
            return true;
        std::uint32_t const* const other = &worlds_[world_at_[known]];
        return std::equal(packed.begin(), packed.end(), other, other + packer_.words_of(other));
    });
    fresh = number == numbers_;
    if (!fresh)
        return number;
    ++numbers_;
    ++counts_.states;
    if (settings_.exact) {
        world_at_.push_back(worlds_.size());
        worlds_.insert(worlds_.end(), packed.begin(), packed.end());
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
        Broken const broken = room_.broken_by(room_.step(node, room_.unborn(node), Input{}));
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

Answer Search::make(Known const& from, Move move, SleepSet asleep) {
    ++counts_.transitions;
    Change change;
    Broken broken = change_world(room_, finder_.plan().list, world_, move, change);
    if (broken && is_wanted(settings_, broken)) {
        found_ = Counterexample{std::move(broken), path_to(from.number), finder_.plan()};
        found_->path.push_back(move);
        return Answer::broken;
    }
    if (!broken) {
        successors_.push_back(
            {packer_.compare(from.packed, from.fingerprint, world_, change, differences_), asleep, move.packed(), 1});
        if (keys_)
            turn(from.packed, change);
        visited_.prefetch(successors_.back().neighbour.fingerprint);
    }
    packer_.undo(from.packed, change, world_);
    return Answer::holds;
}

Answer Search::expand(Known const& world) {
    prospects_ = packer_.unpack(world.packed, world_);
    finder_.find(world_, prospects_, moves_);
    if (keys_ && !moves_.steps.empty() && moves_.steps.front().kind == Move::Kind::timer)
        keys_->rotation().look_at_timers(world_);
    if (keys_)
        lanes_ = keys_->lanes_of(world.packed);
    counts_.reduced += moves_.reduced ? 1U : 0U;
    counts_.possible += moves_.possible;
    if (moves_.at_rest && look_at_rest(world_, [&] { return path_to(world.number); }) == Answer::broken)
        return Answer::broken;
    SleepSet const asleep = sleeps_ ? asleep_[world.number] & ~moves_.shared : 0;
    SleepSet made = asleep;
    for (std::vector<Move> const* list : {&moves_.steps, &moves_.faults}) {
        for (Move const move : *list) {
            SleepSet const name = sleeps_ ? names_.name_of(world_, prospects_, move) & ~moves_.shared : 0;
            if ((name & asleep) != 0)
                continue;
            SleepSet const behind = sleeps_ ? made & ~names_.woken_by(world_, move) : 0;
            if (make(world, move, behind) == Answer::broken)
                return Answer::broken;
            made |= name;
        }
    }
    expanded_.push_back({world.packed, world.number, false, successors_.size()});
    if (keys_ && !keys_->rotation().is_possible())
        return give_up("its ranks differ in more than their numbers");
    return Answer::holds;
}

/// What woke up is made before everything that was made then, as far as the proof goes. So what slept behind the others
/// still may, but for what woke up and is not made here.
Answer Search::expand_again(Known const& world, SleepSet woken) {
    prospects_ = packer_.unpack(world.packed, world_);
    finder_.find(world_, prospects_, moves_);
    woken &= ~moves_.shared;
    SleepSet const asleep = asleep_[world.number] & ~moves_.shared;
    SleepSet made = asleep;
    SleepSet elsewhere = woken;
    for (bool const woke : {true, false}) {
        for (std::vector<Move> const* list : {&moves_.steps, &moves_.faults}) {
            for (Move const move : *list) {
                SleepSet const name = names_.name_of(world_, prospects_, move) & ~moves_.shared;
                if ((name & asleep) != 0 || ((name & woken) != 0) != woke)
                    continue;
                SleepSet const wakes = names_.woken_by(world_, move);
                if ((woke || (elsewhere & ~wakes) != 0) && make(world, move, made & ~wakes) == Answer::broken)
                    return Answer::broken;
                made |= name;
                elsewhere &= ~name;
            }
        }
    }
    expanded_.push_back({world.packed, world.number, true, successors_.size()});
    return Answer::holds;
}

SleepSet Search::wake(std::uint32_t number, SleepSet asleep) {
    SleepSet& known = asleep_[number];
    SleepSet const woken = known & ~asleep;
    known &= asleep;
    return number < looked_at_ ? woken : 0;
}

std::size_t Search::write(std::uint32_t* words, Expanded const& from, Neighbour const& neighbour) {
    std::memcpy(words, &neighbour.fingerprint, sizeof(neighbour.fingerprint));
    return packer_.pack(from.packed, neighbour, differences_, words + kFingerprintWords);
}

void Search::keep_woken(Expanded const& from, Neighbour const& neighbour, std::uint32_t number, SleepSet woken) {
    std::uint32_t* const words = woken_.room(kWokenWords + packer_.most_words());
    std::memcpy(words, &neighbour.fingerprint, sizeof(neighbour.fingerprint));
    std::memcpy(words + 2, &woken, sizeof(woken));
    words[4] = number;
    woken_.keep(kWokenWords + packer_.pack(from.packed, neighbour, differences_, words + kWokenWords));
}

void Search::turn(std::uint32_t const* packed, Change const& change) {
    RotationKeys::Lanes const there = keys_->lanes_of(lanes_, packed, world_, change);
    successors_.back().neighbour.fingerprint = keys_->key_of(there);
    successors_.back().versions = keys_->versions(there);
}

std::string Search::why_not_turned() {
    bool const right = !keys_ || keys_->rotation().holds();
    return right ? std::string() : keys_->rotation().why_not();
}

void Search::enter(WordLog& next, std::uint32_t next_first) {
    std::size_t at = 0;
    for (Expanded const& from : expanded_) {
        if (keeps_arcs_ && !from.again)
            arcs_of_.push_back(static_cast<std::uint16_t>(from.successors - at));
        for (; at < from.successors; ++at) {
            Successor const& successor = successors_[at];
            std::uint64_t const fingerprint = successor.neighbour.fingerprint;
            std::uint32_t* const words = next.room(kFingerprintWords + packer_.most_words());
            std::size_t size = settings_.exact ? write(words, from, successor.neighbour) : 0;
            bool fresh = false;
            std::uint32_t const reached = number_of(fingerprint, {words + kFingerprintWords, size}, fresh);
            if (keeps_arcs_ && from.again)
                late_arcs_.push_back({from.number, reached});
            else if (keeps_arcs_)
                arcs_.push_back(reached);
            if (!fresh) {
                graded_ = graded_ && reached >= next_first;
                SleepSet const woken = sleeps_ ? wake(reached, successor.asleep) : 0;
                if (woken != 0)
                    keep_woken(from, successor.neighbour, reached, woken);
                continue;
            }
            records_.push_back({from.number, successor.move});
            counts_.turned += successor.versions;
            if (sleeps_)
                asleep_.push_back(successor.asleep);
            if (!settings_.exact)
                size = write(words, from, successor.neighbour);
            next.keep(kFingerprintWords + size);
        }
    }
    expanded_.clear();
    successors_.clear();
    differences_.used = 0;
}

Answer Search::breadth_first(std::atomic<std::uint64_t> const& most_depth) {
    if (!begins_well())
        return Answer::broken;
    // A world that is reached as another one's turned version has other names for the same moves.
    sleeps_ = !keys_ && may_sleep(settings_);
    if (sleeps_)
        finder_.name_moves(names_);
    WordLog level(pool_);
    first_level(level);
    std::uint32_t number = 0;
    for (std::uint64_t depth = 0; !level.empty(); ++depth) {
        counts_.depth = depth;
        WordLog next(pool_);
        Answer const answer = through_level(level, number, next);
        if (answer != Answer::holds)
            return answer;
        if (arcs_.bytes() + late_arcs_.bytes() > kMostArcBytes) {
            keeps_arcs_ = false;
            arcs_.clear();
            arcs_of_.clear();
            late_arcs_.clear();
        }
        counts_.bytes = std::max<std::uint64_t>(
            counts_.bytes, visited_.bytes() + records_.bytes() + asleep_.bytes() + arcs_.bytes() + arcs_of_.bytes() +
                               late_arcs_.bytes() + level.bytes() + next.bytes() + exact_bytes());
        counts_.node_states = room_.states();
        counts_.machine_steps = room_.steps();
        counts_by_depth_.push_back(counts_);
        if (counts_.states > settings_.limit_states)
            return give_up(fmt::format("more than {} states", settings_.limit_states));
        std::uint64_t const longest = most_depth;
        if (depth + 1U > longest && !next.empty())
            return give_up(fmt::format("paths of more than {} steps", longest));
        level = std::move(next);
    }
    long double const seen = static_cast<long double>(numbers_);
    counts_.mistaken_2_65 += settings_.exact ? 0 : seen * seen;
    return Answer::holds;
}

void Search::first_level(WordLog& level) {
    World const first = first_world(room_);
    std::uint32_t* const words = level.room(kFingerprintWords + packer_.most_words());
    std::size_t const size = packer_.pack(first, words + kFingerprintWords);
    std::uint64_t fingerprint = fingerprint_of(room_.job(), first);
    if (keys_)
        fingerprint = keys_->key_of(keys_->lanes_of(words + kFingerprintWords));
    std::memcpy(words, &fingerprint, sizeof(fingerprint));
    counts_.turned += 1;
    bool fresh = false;
    number_of(fingerprint, {words + kFingerprintWords, size}, fresh);
    records_.push_back({kNoParent, 0});
    if (sleeps_)
        asleep_.push_back(0);
    level.keep(kFingerprintWords + size);
}

Answer Search::through_level(WordLog& level, std::uint32_t& number, WordLog& next) {
    std::uint32_t const next_first = numbers_;
    WordLog::Reader reader(level);
    Answer answer = Answer::holds;
    while (std::uint32_t const* const words = reader.next()) {
        std::uint64_t fingerprint = 0;
        std::memcpy(&fingerprint, words, sizeof(fingerprint));
        std::uint32_t const* const packed = words + kFingerprintWords;
        reader.skip(kFingerprintWords + packer_.words_of(packed));
        looked_at_ = number + 1U;
        answer = expand({packed, fingerprint, number++});
        if (answer == Answer::holds && !may_go_on())
            answer = give_up("the time is up");
        if (answer != Answer::holds)
            break;
        if (expanded_.size() == kBatch) {
            enter(next, next_first);
            reader.release();
        }
    }
    enter(next, next_first);
    reader.release();
    return answer == Answer::holds ? through_woken(next, next_first) : answer;
}

Answer Search::through_woken(WordLog& next, std::uint32_t next_first) {
    while (!woken_.empty()) {
        WordLog again = std::exchange(woken_, WordLog(pool_));
        WordLog::Reader reader(again);
        while (std::uint32_t const* const words = reader.next()) {
            Known world{words + kWokenWords, 0, words[4]};
            SleepSet woken = 0;
            std::memcpy(&world.fingerprint, words, sizeof(world.fingerprint));
            std::memcpy(&woken, words + 2, sizeof(woken));
            reader.skip(kWokenWords + packer_.words_of(world.packed));
            if (expand_again(world, woken) == Answer::broken)
                return Answer::broken;
            if (!may_go_on())
                return give_up("the time is up");
            if (expanded_.size() == kBatch) {
                enter(next, next_first);
                reader.release();
            }
        }
        enter(next, next_first);
        reader.release();
    }
    return Answer::holds;
}

/// Where each move leads from one depth to the next there is no circle, nor where no process returns to a state.
/// Elsewhere worlds are taken away to which no move leads any more; what cannot be taken away is a circle, or behind
/// one.
Search::Circles Search::circles() const {
    if (graded_ || room_.never_returns())
        return Circles::none;
    if (!keeps_arcs_)
        return Circles::unknown;
    std::vector<std::uint32_t> into(numbers_);
    std::vector<std::uint64_t> from(numbers_ + 1U);
    auto const each_arc = [&](auto const& visit) {
        std::size_t at = 0;
        for (std::uint32_t world = 0; world < arcs_of_.size(); ++world) {
            for (std::size_t const end = at + arcs_of_[world]; at < end; ++at)
                visit(world, arcs_[at]);
        }
        for (std::size_t late = 0; late < late_arcs_.size(); ++late)
            visit(late_arcs_[late].from, late_arcs_[late].to);
    };
    each_arc([&](std::uint32_t world, std::uint32_t reached) {
        ++into[reached];
        ++from[world + 1U];
    });
    for (std::uint32_t world = 0; world < numbers_; ++world)
        from[world + 1U] += from[world];
    std::vector<std::uint32_t> to(from.back());
    std::vector<std::uint64_t> next(from.begin(), from.end() - 1);
    each_arc([&](std::uint32_t world, std::uint32_t reached) { to[next[world]++] = reached; });
    std::vector<std::uint32_t> free;
    if (into.front() == 0)
        free.push_back(0);
    std::uint64_t taken = 0;
    while (!free.empty()) {
        std::uint32_t const world = free.back();
        free.pop_back();
        ++taken;
        for (std::uint64_t at = from[world]; at < from[world + 1U]; ++at) {
            if (--into[to[at]] == 0)
                free.push_back(to[at]);
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
    packed_.resize(packer_.most_words());
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
        std::size_t const size = settings_.exact ? packer_.pack(world, packed_.data()) : 0;
        return number_of(fingerprint_of(room_.job(), world), std::span(packed_).first(size), fresh);
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
    counts_.bytes = visited_.bytes() + exact_bytes();
    long double const seen = static_cast<long double>(numbers_);
    counts_.mistaken_2_65 += settings_.exact ? 0 : seen * seen;
    return Answer::holds;
}

}  // namespace ronde::explore
