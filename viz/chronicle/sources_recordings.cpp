/// The chronicle of a real run, from the flight recordings of its machines.
#include "chronicle/sources.hpp"
#include "chronicle/story_builder.hpp"
#include "net/replay.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

namespace ronde::viz {

using protocol::LinkClass;
using protocol::Partition;
using protocol::Phase;

namespace {

/// One step as it was replayed, with all that refers to the machine's own memory copied.
struct RecordedStep {
    StepStory story;
    protocol::Event event;  ///< without payload
    std::vector<protocol::Action> asked;
    bool of_root = false;  ///< story.process is the number of a root
};

/// Collects what the machines do. Each recording knows its own machine only: who is at the other end follows from the
/// arithmetic of the ring, and of those who knock, from what they say.
class RecordingWatcher final : public net::ReplayObserver {
public:
    void on_machine(protocol::RankConfig const* rank, protocol::RootConfig const* root) override;
    void on_actions(TimeNs, protocol::Actions const& actions) override {
        asked_.insert(asked_.end(), actions.begin(), actions.end());
    }
    void on_step(net::ReplayedStep const& step) override;
    void on_end(bool cut_off) override;

    std::uint32_t nranks = 0;
    std::uint32_t nroots = 0;
    std::string profile;
    std::string gather;
    std::map<RankId, RankStory> ranks;
    std::map<std::uint32_t, TimeNs> root_seen_ns;
    std::vector<RecordedStep> steps;

private:
    void note_rank(net::ReplayedStep const& step);

    RankId rank_ = kNoRank;
    std::uint32_t root_ = 0;
    protocol::Phase phase_ = Phase::created;
    protocol::Error error_;
    TimeNs last_ns_ = 0;
    std::vector<protocol::Action> asked_;
};

void RecordingWatcher::on_machine(protocol::RankConfig const* rank, protocol::RootConfig const* root) {
    rank_ = kNoRank;
    if (rank != nullptr) {
        rank_ = rank->rank;
        nranks = rank->nranks;
        nroots = rank->nroots;
        profile = name_of(rank->policies.profile);
        gather = name_of(rank->policies.gather);
        ranks[rank_].entered_ns.fill(kNever);
        phase_ = Phase::created;
        error_ = {};
    } else {
        root_ = root->root_index;
        nroots = root->nroots;
        nranks = std::max(nranks, root->expected_nranks);
    }
}

void RecordingWatcher::on_step(net::ReplayedStep const& step) {
    last_ns_ = step.event->now;
    if (step.rank != nullptr) {
        note_rank(step);
    } else {
        root_seen_ns[root_] = last_ns_;
        nranks = std::max(nranks, step.root->nranks());
    }
    RecordedStep kept;
    kept.story.at_ns = step.event->now;
    kept.story.process = rank_ != kNoRank ? rank_ : root_;  // roots move behind the ranks when these are counted
    kept.story.phase_before = step.phase_before;
    kept.story.phase_after = step.phase_after;
    kept.of_root = rank_ == kNoRank;
    kept.event = *step.event;
    kept.event.payload = {};
    kept.asked = std::move(asked_);
    asked_.clear();
    steps.push_back(std::move(kept));
}

void RecordingWatcher::note_rank(net::ReplayedStep const& step) {
    RankStory& story = ranks[rank_];
    if (TimeNs& born = story.entered_ns[0]; born == kNever)
        born = last_ns_;
    error_ = step.rank->error();
    if (step.phase_after == step.phase_before)
        return;
    auto const before = static_cast<Phase>(step.phase_before);
    phase_ = static_cast<Phase>(step.phase_after);
    if (TimeNs& first = story.entered_ns[step.phase_after]; first == kNever)
        first = last_ns_;
    if ((phase_ == Phase::committing || phase_ == Phase::ready) && story.table_ns == kNever)
        story.table_ns = last_ns_;
    if (phase_ != Phase::failed && phase_ != Phase::closed)
        story.last_phase = phase_;
    else if (before < Phase::failed)
        story.last_phase = before;
}

void RecordingWatcher::on_end(bool cut_off) {
    if (rank_ == kNoRank)
        return;
    RankStory& story = ranks[rank_];
    story.error = error_;
    bool const was_ready = story.entered_ns[static_cast<std::size_t>(Phase::ready)] != kNever;
    if (phase_ == Phase::failed) {
        story.end = RankEnd::failed;
        story.ended_ns = last_ns_;
        protocol::Verdict verdict;
        verdict.error = error_;
        story.message = describe(verdict);
    } else if (was_ready) {
        story.end = RankEnd::ready;
    } else if (cut_off) {
        story.end = RankEnd::dead;
        story.ended_ns = last_ns_;
        story.message = "its process was killed, or still ran";
    } else {
        story.end = RankEnd::hanging;
        story.message = "was still waiting";
    }
}

/// Chords by arithmetic, check-ins by the roots' blocks, doors by the hello that came through them.
class RecordingPeers final : public Peers {
public:
    RecordingPeers(std::uint32_t nranks, std::uint32_t nroots) : partition_{nranks, nroots}, nranks_(nranks) {}

    void look_at(StepStory const& story, protocol::Event const& event, std::span<const protocol::Action> asked);
    [[nodiscard]] Peer other_end(ProcessIndex process, protocol::Link link) const override;

private:
    [[nodiscard]] Peer of_rank(RankId rank, protocol::Link link) const;
    [[nodiscard]] Peer of_root(std::uint32_t root, protocol::Link link) const;

    Partition partition_;
    std::uint32_t nranks_;
    std::map<std::pair<ProcessIndex, std::uint32_t>, Peer> doors_;  ///< by process and slot
    std::map<std::uint32_t, ProcessIndex> callbacks_;               ///< by root: whom it calls
};

/// Before the step is told: a hello says who knocks, and a call of a root whom it means.
void RecordingPeers::look_at(StepStory const& story, protocol::Event const& event,
                             std::span<const protocol::Action> asked) {
    if (event.kind == protocol::EventKind::frame && event.frame.kind == protocol::FrameKind::hello &&
        event.link.link_class() == LinkClass::pending) {
        LinkClass const purpose = protocol::purpose_class(event.frame.aux);
        bool const from_root = purpose == LinkClass::callback;
        Peer peer{from_root ? nranks_ + partition_.root_of(story.process % nranks_) : event.frame.a,
                  {purpose, protocol::purpose_chord(event.frame.aux)}};
        doors_[{story.process, event.link.index()}] = peer;
    }
    for (protocol::Action const& action : asked) {
        if (action.kind == protocol::ActionKind::connect && action.link == protocol::kCallbackLink)
            callbacks_[story.process] = action.rank;
    }
}

Peer RecordingPeers::other_end(ProcessIndex process, protocol::Link link) const {
    if (link.link_class() == LinkClass::pending) {
        auto const found = doors_.find({process, link.index()});
        return found == doors_.end() ? Peer{} : found->second;
    }
    return process < nranks_ ? of_rank(process, link) : of_root(process - nranks_, link);
}

Peer RecordingPeers::of_rank(RankId rank, protocol::Link link) const {
    std::uint32_t const k = link.index();
    std::uint32_t const root = partition_.root_of(rank);
    switch (link.link_class()) {
    case LinkClass::root: return {nranks_ + root, protocol::member(partition_.local_id(root, rank))};
    case LinkClass::previous_root: {
        std::uint32_t const before = partition_.previous_root(root);
        return {nranks_ + before, protocol::member(partition_.local_id(before, rank))};
    }
    case LinkClass::callback: return {nranks_ + root, protocol::kCallbackLink};
    case LinkClass::chord_out:
        return {protocol::successor_of(rank, nranks_, std::uint64_t{1} << k), protocol::chord_in(k)};
    case LinkClass::chord_in:
        return {protocol::predecessor_of(rank, nranks_, std::uint64_t{1} << k), protocol::chord_out(k)};
    case LinkClass::mail_out: return {k, protocol::mail_in(rank)};
    case LinkClass::mail_in: return {k, protocol::mail_out(rank)};
    default: return {};
    }
}

Peer RecordingPeers::of_root(std::uint32_t root, protocol::Link link) const {
    if (link == protocol::kCallbackLink) {
        auto const found = callbacks_.find(nranks_ + root);
        return found == callbacks_.end() ? Peer{} : Peer{found->second, protocol::kCallbackLink};
    }
    if (link.link_class() != LinkClass::member)
        return {};
    RankId const rank = protocol::successor_of(partition_.first_of(root), nranks_, link.index());
    bool const own = link.index() < partition_.size_of(root);
    return {rank, own ? protocol::kRootLink : protocol::kPreviousRootLink};
}

/// The rank or root that has sent this frame on its own name for the link.
ProcessIndex sender_of(RecordingPeers const& peers, StepStory const& story, protocol::Event const& event) {
    return event.kind == protocol::EventKind::frame ? peers.other_end(story.process, event.link).process : kNobody;
}

void add_processes(Chronicle& chronicle) {
    for (RankId rank = 0; rank < chronicle.nranks; ++rank)
        chronicle.processes.push_back({Process::Kind::rank, rank, 0, ""});
    for (std::uint32_t root = 0; root < chronicle.nroots; ++root)
        chronicle.processes.push_back({Process::Kind::root, kNoRank, 0, ""});
    chronicle.nhosts = 1;
    if (chronicle.nranks > kMostNamed)
        return;
    for (ProcessIndex i = 0; i < chronicle.processes.size(); ++i)
        chronicle.processes[i].name = sim::process_name(i, chronicle.nranks, chronicle.nroots);
}

/// Ends of all ranks, those without a recording included, and the sentence about them.
void add_ends(Chronicle& chronicle, RecordingWatcher& watcher, TimeNs first_ns) {
    RankStory nobody;
    nobody.entered_ns.fill(kNever);
    nobody.end = RankEnd::not_there;
    nobody.message = "left no recording";
    chronicle.ranks.assign(chronicle.nranks, nobody);
    auto const shift = [first_ns](TimeNs& at_ns) { at_ns = at_ns == kNever ? kNever : at_ns - first_ns; };
    for (auto& [rank, story] : watcher.ranks) {
        for (TimeNs& at_ns : story.entered_ns)
            shift(at_ns);
        shift(story.table_ns);
        shift(story.ended_ns);
        chronicle.ranks[rank] = story;
    }
    chronicle.ready = true;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        RankStory& story = chronicle.ranks[rank];
        if (story.end == RankEnd::ready)
            continue;
        bool const silent = story.end == RankEnd::dead || story.end == RankEnd::not_there;
        story.culprit = story.culprit || silent;
        if (story.end == RankEnd::failed && story.error.about < chronicle.nranks)
            chronicle.ranks[story.error.about].culprit = true;
        if (chronicle.ready || silent)
            chronicle.verdict = fmt::format("rank {}: {}", rank, story.message);
        chronicle.ready = false;
    }
    if (chronicle.ready)
        chronicle.verdict = "ready";
}

/// As a trace of a pretended world has it.
std::string text_of(RecordedStep const& step, Chronicle const& chronicle) {
    protocol::Rank const some_rank;
    protocol::Root const some_root;
    protocol::Actions actions;
    for (protocol::Action const& action : step.asked) {
        if (actions.room() > 0)
            actions.push(action.kind) = action;
    }
    sim::StepSeen seen;
    seen.process = step.story.process;
    seen.from = step.story.from;
    seen.event = &step.event;
    seen.actions = &actions;
    seen.rank = step.of_root ? nullptr : &some_rank;
    seen.root = step.of_root ? &some_root : nullptr;
    seen.phase_before = step.story.phase_before;
    seen.phase_after = step.story.phase_after;
    return sim::step_text(seen, chronicle.nranks, chronicle.nroots);
}

void tell(Chronicle& chronicle, RecordingWatcher& watcher, TimeNs first_ns) {
    RecordingPeers peers(chronicle.nranks, chronicle.nroots);
    StoryBuilder builder(chronicle, peers);
    for (RecordedStep& step : watcher.steps) {
        StepStory& story = step.story;
        story.at_ns -= first_ns;
        peers.look_at(story, step.event, step.asked);
        story.from = sender_of(peers, story, step.event);
        builder.asked(story.process, story.at_ns, step.asked);
        story.text = text_of(step, chronicle);
        builder.took(std::move(story), step.event);
    }
}

}  // namespace

Made chronicle_of_recordings(std::string const& directory) {
    RecordingWatcher watcher;
    auto const report = net::replay(directory, &watcher);
    if (!report)
        return tl::unexpected(report.error());
    if (!report->same())
        return tl::unexpected(fmt::format("{}: {}: {}; ronde replay says more", directory, report->difference->file,
                                          report->difference->what));
    if (watcher.nranks == 0 || watcher.steps.empty())
        return tl::unexpected(fmt::format("{}: its recordings hold no event of a job", directory));
    Chronicle chronicle;
    chronicle.nranks = watcher.nranks;
    chronicle.nroots = std::max(1U, watcher.nroots);
    chronicle.profile = watcher.profile;
    for (RecordedStep& step : watcher.steps) {
        if (step.of_root)
            step.story.process += chronicle.nranks;
    }
    std::stable_sort(
        watcher.steps.begin(), watcher.steps.end(),
        [](RecordedStep const& one, RecordedStep const& other) { return one.story.at_ns < other.story.at_ns; });
    TimeNs const first_ns = watcher.steps.front().story.at_ns;
    chronicle.end_ns = watcher.steps.back().story.at_ns - first_ns;
    chronicle.has_steps = chronicle.nranks <= kMostDetailedRanks && watcher.steps.size() <= kMostDetailedSteps;
    add_processes(chronicle);
    add_ends(chronicle, watcher, first_ns);
    if (chronicle.has_steps)
        tell(chronicle, watcher, first_ns);
    chronicle.title =
        fmt::format("{}, {}", sim::plural(chronicle.nranks, "rank"), chronicle.ready ? "ready" : "failed");
    chronicle.subtitle = fmt::format("profile {}, gather {}{}{}", chronicle.profile, watcher.gather,
                                     chronicle.ready ? "" : "; ", chronicle.ready ? "" : chronicle.verdict);
    chronicle.source = fmt::format("recording {}", std::filesystem::path(directory).lexically_normal().string());
    chronicle.rerun = "ronde replay " + directory;
    return chronicle;
}

}  // namespace ronde::viz
