/// The chronicle of a counterexample: its moves are made once more, one each millisecond.
#include "chronicle/sources.hpp"
#include "chronicle/story_builder.hpp"
#include "explore/story.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

namespace ronde::viz {

using explore::Life;
using explore::Node;
using protocol::Phase;

namespace {

/// Nodes are processes first, a second one of a rank among them, then roots; in a chronicle roots follow the ranks.
ProcessIndex process_of(explore::Job const& job, Node node) {
    if (node < job.nranks)
        return node;
    if (job.is_stranger(node))
        return job.nranks + job.nroots + (job.processes - job.nranks);
    if (job.is_root(node))
        return job.nranks + (node - job.processes);
    return job.nranks + job.nroots;
}

Node node_of(explore::Job const& job, ProcessIndex process) {
    if (process < job.nranks)
        return static_cast<Node>(process);
    if (process < job.nranks + job.nroots)
        return job.root_node(process - job.nranks);
    return static_cast<Node>(job.nranks);
}

/// The connections of the world before a move, and those that the move makes.
class WorldsPeers final : public Peers {
public:
    WorldsPeers(explore::Job const& job, explore::World const& before, explore::World const& after)
        : job_(job), worlds_{&before, &after} {}

    [[nodiscard]] Peer other_end(ProcessIndex process, protocol::Link link) const override {
        Node const node = node_of(job_, process);
        for (explore::World const* const world : worlds_) {
            for (explore::Connection const& connection : world->all()) {
                for (unsigned const end : {0U, 1U}) {
                    explore::End const& mine = connection.ends[end];
                    if (connection.owner(end) == node && mine.link() == link && !mine.over())
                        return {process_of(job_, connection.owner(end ^ 1U)), connection.ends[end ^ 1U].link()};
                }
            }
        }
        return {};
    }

private:
    explore::Job const& job_;
    explore::World const* worlds_[2];
};

class Retelling {
public:
    explicit Retelling(explore::Exploration const& exploration)
        : found_(*exploration.found), job_(exploration.settings), room_(job_), before_(explore::first_world(room_)),
          after_(before_), peers_(job_, before_, after_), builder_(chronicle_, peers_) {}

    Chronicle tell(explore::Exploration const& exploration);

private:
    void make(explore::Move move);
    void take(Node node, protocol::Event const& event, protocol::Actions const& actions, explore::Move move);
    void note_phase(Node node);
    void add_processes();
    void add_ends();
    [[nodiscard]] std::uint8_t phase_in(explore::World const& world, Node node) const {
        return static_cast<std::uint8_t>(room_.facts(node, world.states[node]).phase);
    }

    explore::Counterexample const& found_;
    explore::Job job_;
    explore::MachineRoom room_;
    explore::World before_;
    explore::World after_;
    Chronicle chronicle_;
    WorldsPeers peers_;
    StoryBuilder builder_;
    TimeNs now_ns_ = 0;
    bool stranger_came_ = false;
};

void Retelling::make(explore::Move move) {
    now_ns_ += protocol::kMillisecondNs;
    before_ = after_;
    explore::Fed fed;
    static_cast<void>(make_move(room_, found_.plan.list, after_, move, &fed));
    if (move.kind == explore::Move::Kind::fault)
        chronicle_.faults.push_back(
            {now_ns_, process_of(job_, move.node), text_of(found_.plan.list[move.detail], job_.settings)});
    if (fed.any) {
        room_.retell(fed.node, fed.before, fed.input,
                     [&](protocol::Event const& event, protocol::Actions const& actions) {
                         take(fed.node, event, actions, move);
                     });
    }
    for (explore::Connection const& connection : after_.all())
        stranger_came_ = stranger_came_ || job_.is_stranger(connection.caller);
    for (std::uint32_t rank = 0; rank < job_.nranks; ++rank)
        note_phase(static_cast<Node>(rank));
}

/// One event and its answer; what the driver answers by itself is an event of the same moment.
void Retelling::take(Node node, protocol::Event const& event, protocol::Actions const& actions, explore::Move move) {
    StepStory story;
    story.at_ns = now_ns_;
    story.process = process_of(job_, node);
    bool const delivered = event.kind == protocol::EventKind::frame && move.kind == explore::Move::Kind::deliver;
    if (delivered)
        story.from = process_of(job_, before_.connections[move.connection].owner(move.detail ^ 1U));
    story.phase_before = phase_in(before_, node);
    story.phase_after = phase_in(after_, node);
    protocol::Rank const some_rank;
    protocol::Root const some_root;
    sim::StepSeen seen;
    seen.process = story.process;
    seen.from = story.from;
    seen.event = &event;
    seen.actions = &actions;
    seen.rank = job_.is_root(node) ? nullptr : &some_rank;
    seen.root = job_.is_root(node) ? &some_root : nullptr;
    seen.phase_before = story.phase_before;
    seen.phase_after = story.phase_after;
    story.text = sim::step_text(seen, job_.nranks, job_.nroots);
    builder_.asked(story.process, now_ns_, std::span(actions.begin(), actions.end()));
    builder_.took(std::move(story), event);
}

void Retelling::note_phase(Node node) {
    RankStory& story = chronicle_.ranks[node];
    explore::NodeFacts const& facts = room_.facts(node, after_.states[node]);
    if (facts.life == Life::unborn)
        return;
    if (TimeNs& born = story.entered_ns[0]; born == kNever)
        born = now_ns_;
    auto const phase = static_cast<Phase>(facts.phase);
    bool const ended = facts.life == Life::dead || phase == Phase::failed;
    if (ended && story.ended_ns == kNever)
        story.ended_ns = now_ns_;
    if (facts.life == Life::dead)
        return;
    if (TimeNs& first = story.entered_ns[static_cast<std::size_t>(phase)]; first == kNever)
        first = now_ns_;
    if ((phase == Phase::committing || phase == Phase::ready) && story.table_ns == kNever)
        story.table_ns = now_ns_;
    if (phase < Phase::failed)
        story.last_phase = phase;
}

void Retelling::add_processes() {
    std::uint32_t const twins = job_.processes - job_.nranks;
    std::uint32_t const known = job_.nranks + job_.nroots + twins;
    for (ProcessIndex process = 0; process < known + (stranger_came_ ? 1U : 0U); ++process) {
        Process one;
        one.kind = process < job_.nranks                 ? Process::Kind::rank
                   : process < job_.nranks + job_.nroots ? Process::Kind::root
                                                         : Process::Kind::extra;
        one.rank = process < job_.nranks ? process : kNoRank;
        one.host = process;
        one.name = sim::process_name(process, job_.nranks, job_.nroots);
        if (one.kind == Process::Kind::extra && process < known) {
            one.rank = job_.rank_of(static_cast<Node>(job_.nranks));
            one.name = fmt::format("rank {} again", one.rank);
        } else if (one.kind == Process::Kind::extra) {
            one.name = "a stranger";
        }
        chronicle_.processes.push_back(one);
    }
    chronicle_.nhosts = static_cast<std::uint32_t>(chronicle_.processes.size());
}

void Retelling::add_ends() {
    for (std::uint32_t rank = 0; rank < job_.nranks; ++rank) {
        auto const node = static_cast<Node>(rank);
        RankStory& story = chronicle_.ranks[node];
        explore::NodeFacts const& facts = room_.facts(node, after_.states[node]);
        auto const phase = static_cast<Phase>(facts.phase);
        if (facts.life == Life::unborn) {
            story.end = RankEnd::not_there;
        } else if (facts.life == Life::dead) {
            story.end = RankEnd::dead;
            story.culprit = true;
        } else if (phase == Phase::failed) {
            story.end = RankEnd::failed;
            protocol::Verdict verdict;
            verdict.error = story.error = room_.process(after_.states[node]).machine.error;
            story.message = describe(verdict);
        } else {
            bool const ready = story.entered_ns[static_cast<std::size_t>(Phase::ready)] != kNever;
            story.end = ready ? RankEnd::ready : RankEnd::hanging;
        }
        if (story.end == RankEnd::hanging)
            story.message = fmt::format("waits, {}", sim::spaced(name_of(story.last_phase)));
    }
    for (RankStory const& story : chronicle_.ranks) {
        if (story.end == RankEnd::failed && story.error.about < job_.nranks)
            chronicle_.ranks[story.error.about].culprit = true;
    }
}

Chronicle Retelling::tell(explore::Exploration const& exploration) {
    chronicle_.nranks = job_.nranks;
    chronicle_.nroots = job_.nroots;
    chronicle_.profile = name_of(job_.policies.profile);
    chronicle_.has_steps = true;
    RankStory nobody;
    nobody.entered_ns.fill(kNever);
    chronicle_.ranks.assign(job_.nranks, nobody);
    for (explore::Move const move : found_.path)
        make(move);
    chronicle_.end_ns = now_ns_ + protocol::kMillisecondNs;  // what the last move changed is to be seen
    add_processes();
    add_ends();
    chronicle_.verdict = fmt::format("{} is broken, {}: {}", name_of(found_.broken.property),
                                     meaning_of(found_.broken.property), found_.broken.why);
    chronicle_.title = fmt::format("a counterexample: {}, failed", sim::plural(job_.nranks, "rank"));
    chronicle_.subtitle = fmt::format("profile {}; one move each millisecond", chronicle_.profile);
    chronicle_.source = fmt::format("exploration, {}", sim::plural(found_.path.size(), "move"));
    chronicle_.rerun = rerun_line(exploration);
    return std::move(chronicle_);
}

}  // namespace

Made chronicle_of_exploration(explore::Exploration const& exploration) {
    if (!exploration.found)
        return tl::unexpected(std::string("no counterexample was found, so there is no story to draw"));
    return Retelling(exploration).tell(exploration);
}

}  // namespace ronde::viz
