#include "page/playback.hpp"

#include "protocol/root.hpp"
#include "ring/ring_moment.hpp"
#include "timeline/happenings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace ronde::viz {
namespace {

using Kind = Happening::Kind;
using protocol::Phase;

class Player {
public:
    Player(Chronicle const& chronicle, std::size_t most_events)
        : chronicle_(chronicle), happenings_(happenings_of(chronicle)), failure_ns_(first_failure_ns(chronicle)),
          now_(chronicle.nranks), states_(std::size_t{chronicle.nranks} + chronicle.nroots) {
        RingRank nobody;
        nobody.absent = true;
        std::fill_n(states_.begin(), chronicle.nranks, state_of(nobody));
        playback_.first = states_;
        playback_.every_step = chronicle.has_steps && count_events(true) <= most_events;
        last_step_.resize(chronicle.processes.size());
        for (std::uint32_t i = 0; i < chronicle.steps.size(); ++i)
            last_step_[chronicle.steps[i].process] = i;
        for (RankId rank = 0; rank < chronicle.nranks; ++rank)
            owners_.push_back(rank);
    }

    Playback play() {
        for (Happening const& one : happenings_.in_order) {
            if (is_event(one, playback_.every_step))
                take(one);
        }
        take_end();
        playback_.failure = playback_.events.size();
        for (std::size_t i = playback_.events.size(); i-- > 0;) {
            if (playback_.events[i].at_ns >= failure_ns_)
                playback_.failure = i;
        }
        return std::move(playback_);
    }

private:
    [[nodiscard]] std::size_t count_events(bool every_step) const {
        return static_cast<std::size_t>(std::count_if(happenings_.in_order.begin(), happenings_.in_order.end(),
                                                      [&](Happening const& one) { return is_event(one, every_step); }));
    }

    [[nodiscard]] bool is_event(Happening const& one, bool every_step) const {
        switch (one.kind) {
        case Kind::fault: return true;
        case Kind::syn_again: return every_step;
        case Kind::step: {
            StepStory const& step = chronicle_.steps[one.index];
            return every_step || step.phase_before != step.phase_after;
        }
        case Kind::phase_begin: return !chronicle_.has_steps && one.process < chronicle_.nranks;
        default: return false;
        }
    }

    void take(Happening const& one) {
        PlayEvent event;
        event.at_ns = one.at_ns;
        event.process = one.process;
        switch (one.kind) {
        case Kind::step: {
            StepStory const& step = chronicle_.steps[one.index];
            event.from = step.from;
            event.text = step.text.substr(who_bytes(step));
            note_step(event, one.index);
            break;
        }
        case Kind::syn_again:
            event.text = fmt::format("SYN again to {}", name_of(chronicle_, chronicle_.calls[one.index].to));
            break;
        case Kind::fault:
            event.text = fmt::format("fault {}", chronicle_.faults[one.index].text);
            note_fault(event, chronicle_.faults[one.index].text);
            break;
        default:
            event.text = phase_name(chronicle_.processes[one.process], happenings_.spans[one.process][one.index].phase);
            note_story(event, one.process);
        }
        if (!judged_ && event.at_ns >= failure_ns_)
            note_judgement(event);
        playback_.events.push_back(std::move(event));
    }

    /// "3 ", "root 0 ": the name that the text of a step begins with.
    [[nodiscard]] static std::size_t who_bytes(StepStory const& step) {
        std::string_view const name = step_name(step);
        bool const inside = name.data() >= step.text.data() && name.data() <= step.text.data() + step.text.size();
        return inside ? static_cast<std::size_t>(name.data() - step.text.data()) : 0;
    }

    void note_step(PlayEvent& event, std::uint32_t index) {
        StepStory const& step = chronicle_.steps[index];
        Process const& who = chronicle_.processes[step.process];
        if (who.kind == Process::Kind::root)
            return change(event, step.process, step.phase_after | (states_[step.process] & kRootLost));
        if (who.rank >= chronicle_.nranks)
            return;
        RankNow& now = now_[who.rank];
        // A process that takes the place of a dead rank; a second one beside the first does not.
        if (now.dead && step.process >= chronicle_.nranks) {
            now = {};
            owners_[who.rank] = step.process;
        }
        if (now.dead || owners_[who.rank] != step.process)
            return;
        now.absent = false;
        if (step.phase_after <= static_cast<std::uint8_t>(Phase::ready))
            now.phase = static_cast<Phase>(step.phase_after);
        now.failed = now.failed || step.phase_after == static_cast<std::uint8_t>(Phase::failed);
        // Recordings tell of a death by their silence.
        now.dead = index == last_step_[step.process] && is_dead_by(who.rank, event.at_ns);
        show(event, who.rank);
    }

    [[nodiscard]] bool is_dead_by(RankId rank, TimeNs at_ns) const {
        RankStory const& story = chronicle_.ranks[rank];
        return story.end == RankEnd::dead && story.ended_ns <= at_ns;
    }

    void show(PlayEvent& event, RankId rank) {
        change(event, rank, state_of(ring_rank(chronicle_, rank, now_[rank], judged_)));
    }

    /// Where steps were not kept: what its story says of that time.
    void note_story(PlayEvent& event, RankId rank) {
        change(event, rank, state_of(ring_rank_at(chronicle_, rank, at_end_ ? kNever : event.at_ns, judged_)));
    }

    /// What dies by it is dead at once; all other faults show in the steps that follow.
    void note_fault(PlayEvent& event, std::string_view text) {
        bool const deadly = text.starts_with("crash") || text.starts_with("restart");
        for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
            bool const struck =
                event.process == kNobody ? is_dead_by(rank, event.at_ns) : event.process == owners_[rank];
            if (!deadly || !struck)
                continue;
            now_[rank].dead = true;
            if (chronicle_.has_steps)
                show(event, rank);
            else
                note_story(event, rank);
        }
        note_lost_roots(event);
    }

    void note_lost_roots(PlayEvent& event) {
        for (std::uint32_t root = 0; root < chronicle_.nroots; ++root) {
            ProcessIndex const process = chronicle_.nranks + root;
            if (root_is_lost_at(chronicle_, root, at_end_ ? kNever : event.at_ns))
                change(event, process, states_[process] | kRootLost);
        }
    }

    /// From the first failure on, those whom it blames are marked.
    void note_judgement(PlayEvent& event) {
        judged_ = true;
        for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
            if (chronicle_.ranks[rank].culprit)
                change(event, rank, states_[rank] | kCulprit);
        }
    }

    /// When all was over. Who died unseen is dead by now.
    void take_end() {
        PlayEvent event;
        event.at_ns = chronicle_.end_ns;
        event.text = chronicle_.ready ? "the end" : "the end, not well";
        at_end_ = judged_ = true;
        for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
            now_[rank].dead = chronicle_.ranks[rank].end == RankEnd::dead;
            if (chronicle_.has_steps)
                show(event, rank);
            else
                note_story(event, rank);
        }
        note_lost_roots(event);
        playback_.events.push_back(std::move(event));
    }

    void change(PlayEvent& event, ProcessIndex process, std::uint32_t state) {
        if (states_[process] == state)
            return;
        states_[process] = state;
        for (StateChange& before : event.changes) {
            if (before.process == process) {
                before.state = state;
                return;
            }
        }
        event.changes.push_back({process, state});
    }

    Chronicle const& chronicle_;
    Happenings happenings_;
    TimeNs failure_ns_;
    std::vector<std::uint32_t> last_step_;  ///< by process
    std::vector<RankNow> now_;              ///< by rank, where steps were kept
    std::vector<ProcessIndex> owners_;      ///< by rank: whose steps are its own
    std::vector<std::uint32_t> states_;
    Playback playback_;
    bool judged_ = false;
    bool at_end_ = false;
};

/// Each text once: most steps of a run say what others have said before.
class Texts {
public:
    std::size_t number_of(std::string const& text) {
        auto const [at, fresh] = numbers_.emplace(text, all_.size());
        if (fresh)
            all_.push_back(text);
        return at->second;
    }
    [[nodiscard]] std::vector<std::string> const& all() const { return all_; }

private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> all_;
};

/// A string of JSON that can stand in HTML as it is.
void append_string(std::string& out, std::string_view text) {
    out += '"';
    for (char const c : text) {
        bool const plain =
            static_cast<unsigned char>(c) >= 0x20U && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
        if (plain)
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    out += '"';
}

template <typename List, typename Append>
void append_list(std::string& out, List const& list, Append append) {
    out += '[';
    bool first = true;
    for (auto const& one : list) {
        if (!first)
            out += ',';
        first = false;
        append(one);
    }
    out += ']';
}

/// kNobody is -1.
std::int64_t number_of(ProcessIndex process) { return process == kNobody ? -1 : std::int64_t{process}; }

}  // namespace

Playback playback_of(Chronicle const& chronicle, std::size_t most_events) {
    return Player(chronicle, most_events).play();
}

std::vector<std::uint32_t> states_after(Playback const& playback, std::size_t count) {
    std::vector<std::uint32_t> states = playback.first;
    for (std::size_t i = 0; i < count && i < playback.events.size(); ++i) {
        for (StateChange const& change : playback.events[i].changes)
            states[change.process] = change.state;
    }
    return states;
}

std::string playback_json(Chronicle const& chronicle, Playback const& playback) {
    std::string out = fmt::format("{{\"ranks\":{},\"roots\":{},\"end\":{},\"failure\":{},\"first\":", chronicle.nranks,
                                  chronicle.nroots, chronicle.end_ns, playback.failure);
    auto const number = [&](auto value) { fmt::format_to(std::back_inserter(out), "{}", value); };
    auto const text = [&](std::string_view value) { append_string(out, value); };
    append_list(out, playback.first, number);
    std::vector<std::string_view> looks;
    std::vector<bool> dark;
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        looks.push_back(style_of(static_cast<PhaseLook>(i)).name);
        dark.push_back(style_of(static_cast<PhaseLook>(i)).ink == "#ffffff");
    }
    out += ",\"looks\":";
    append_list(out, looks, text);
    out += ",\"dark\":";
    append_list(out, dark, [&](bool one) { out += one ? '1' : '0'; });
    std::vector<std::string_view> phases;
    for (std::uint32_t i = 0; i < protocol::kRootPhaseCount; ++i)
        phases.push_back(root_words(chronicle, i));
    out += ",\"rootPhases\":";
    append_list(out, phases, text);
    std::vector<std::string> extras;
    for (ProcessIndex i = chronicle.nranks + chronicle.nroots; i < chronicle.processes.size(); ++i)
        extras.push_back(name_of(chronicle, i));
    out += ",\"extras\":";
    append_list(out, extras, text);

    // An event: ns since the one before, who, from whom, number of the text, and pairs of process and state.
    Texts texts;
    TimeNs before_ns = 0;
    out += ",\"events\":";
    append_list(out, playback.events, [&](PlayEvent const& event) {
        fmt::format_to(std::back_inserter(out), "[{},{},{},{}", event.at_ns - before_ns, number_of(event.process),
                       number_of(event.from), texts.number_of(event.text));
        for (StateChange const& change : event.changes)
            fmt::format_to(std::back_inserter(out), ",{},{}", change.process, change.state);
        out += ']';
        before_ns = event.at_ns;
    });
    out += ",\"texts\":";
    append_list(out, texts.all(), text);
    return out + "}";
}

}  // namespace ronde::viz
