#include "judge.hpp"

#include "world/world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ronde::sim::museum {
namespace {

struct NamedCount {
    std::string_view name;
    std::uint64_t (*of)(Outcome const&);
};

constexpr std::array kCounts{
    NamedCount{"ready", [](Outcome const& o) -> std::uint64_t { return o.count(End::ready); }},
    NamedCount{"failed", [](Outcome const& o) -> std::uint64_t { return o.count(End::failed); }},
    NamedCount{"hanging", [](Outcome const& o) -> std::uint64_t { return o.count(End::hanging); }},
    NamedCount{"dead", [](Outcome const& o) -> std::uint64_t { return o.count(End::dead); }},
    NamedCount{"not_there", [](Outcome const& o) -> std::uint64_t { return o.count(End::not_there); }},
    NamedCount{"frames", [](Outcome const& o) -> std::uint64_t { return o.frames; }},
    NamedCount{"bytes", [](Outcome const& o) -> std::uint64_t { return o.bytes; }},
    NamedCount{"connects", [](Outcome const& o) -> std::uint64_t { return o.storm.connects; }},
    NamedCount{"accepts", [](Outcome const& o) -> std::uint64_t { return o.storm.accepts; }},
    NamedCount{"syn_drops", [](Outcome const& o) -> std::uint64_t { return o.storm.syn_drops; }},
    NamedCount{"ack_drops", [](Outcome const& o) -> std::uint64_t { return o.storm.ack_drops; }},
    NamedCount{"ghosts", [](Outcome const& o) -> std::uint64_t { return o.storm.ghosts; }},
    NamedCount{"syn_retransmits", [](Outcome const& o) -> std::uint64_t { return o.storm.syn_retransmits; }},
    NamedCount{"refused", [](Outcome const& o) -> std::uint64_t { return o.storm.refused; }},
    NamedCount{"overflow_resets", [](Outcome const& o) -> std::uint64_t { return o.storm.overflow_resets; }},
    NamedCount{"resets", [](Outcome const& o) -> std::uint64_t { return o.storm.resets; }},
    NamedCount{"strangers", [](Outcome const& o) -> std::uint64_t { return o.storm.strangers; }},
    NamedCount{"queue_high_water", [](Outcome const& o) -> std::uint64_t { return o.storm.queue_high_water; }},
    NamedCount{"backlog", [](Outcome const& o) -> std::uint64_t { return o.storm.backlog; }},
    NamedCount{"descriptors_high_water",
               [](Outcome const& o) -> std::uint64_t { return o.storm.descriptors_high_water; }},
    NamedCount{"ports_high_water", [](Outcome const& o) -> std::uint64_t { return o.storm.ports_high_water; }},
};

bool holds(std::uint64_t value, std::string_view relation, std::uint64_t bound) {
    if (relation == "=")
        return value == bound;
    if (relation == "<")
        return value < bound;
    if (relation == "<=")
        return value <= bound;
    return relation == ">" ? value > bound : value >= bound;
}

bool contains(std::vector<std::string> const& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(std::optional<std::vector<RankRange>> const& ranges, RankId rank) {
    return !ranges || std::any_of(ranges->begin(), ranges->end(), [rank](RankRange const& range) {
        return rank >= range.first && rank - range.first < range.count;
    });
}

std::string line_of(RankEnd const& one) {
    if (one.end != End::failed)
        return fmt::format("{} in {}", name_of(one.end), protocol::name_of(one.phase));
    return fmt::format("{}: {}", protocol::name_of(one.error.code), protocol::describe(one.verdict));
}

std::string rank_text(RankId rank) { return rank == kNoRank ? "nobody" : fmt::format("rank {}", rank); }

std::string seconds(TimeNs time_ns) { return time_ns == kNever ? "never" : time_text(time_ns); }

/// Gathers complaints; of those that repeat from rank to rank, the first ones.
class Complaints {
public:
    void say(std::string text) { all_.push_back(std::move(text)); }
    void of_rank(RankId rank, std::string_view what, std::string_view wanted, std::string_view got) {
        auto const [count, fresh] = seen_.emplace(what, 0);
        if (++count->second <= 3)
            all_.push_back(fmt::format("rank {}: {}: expected {}, got {}", rank, what, wanted, got));
    }
    std::vector<std::string> take() {
        for (auto const& [what, count] : seen_) {
            if (count > 3)
                all_.push_back(fmt::format("{}: so have {} more ranks", what, count - 3));
        }
        return std::move(all_);
    }

private:
    std::vector<std::string> all_;
    std::map<std::string, std::uint32_t, std::less<>> seen_;
};

void judge_error(Expectation const& expected, RankEnd const& one, Complaints& found) {
    protocol::Error const& error = one.error;
    auto const choice = [&](std::string_view what, std::vector<std::string> const& names, std::string_view got) {
        if (!contains(names, got))
            found.of_rank(one.rank, what, fmt::format("{}", fmt::join(names, " or ")), got);
    };
    choice("code", expected.codes, protocol::name_of(error.code));
    choice("phase", expected.phases, protocol::name_of(error.phase));
    choice("failure", expected.failures, protocol::name_of(error.failure));
    choice("field", expected.fields, protocol::name_of(error.field));
    if (!contains(expected.about, error.about))
        found.of_rank(one.rank, "about", ranks_text(*expected.about), rank_text(error.about));
    if (!contains(expected.other, error.other))
        found.of_rank(one.rank, "other", ranks_text(*expected.other), rank_text(error.other));
    std::string const missing = protocol::describe_ranges(one.verdict);
    if (expected.missing && error.code == protocol::Code::ranks_missing && missing != *expected.missing)
        found.of_rank(one.rank, "missing", fmt::format("'{}'", *expected.missing), fmt::format("'{}'", missing));
    std::string const line = line_of(one);
    for (std::string const& words : expected.says) {
        if (line.find(words) == std::string::npos)
            found.of_rank(one.rank, "says", fmt::format("'{}'", words), fmt::format("'{}'", line));
    }
}

void judge_ranks(Expectation const& expected, Outcome const& outcome, Complaints& found) {
    std::vector<std::string_view> wanted;
    for (End const end : expected.ends)
        wanted.push_back(name_of(end));
    for (End const end : {End::ready, End::failed, End::hanging}) {
        bool const allowed = std::find(expected.ends.begin(), expected.ends.end(), end) != expected.ends.end();
        if (!allowed && outcome.count(end) > 0)
            found.say(fmt::format("end: expected {}, but {} ranks are {}", fmt::join(wanted, " or "),
                                  outcome.count(end), name_of(end)));
    }
    auto const what = [](protocol::Error const& error) {
        return std::tuple(error.code, error.about, error.other, error.field, error.expected, error.got);
    };
    RankEnd const* first = nullptr;
    for (RankEnd const& one : outcome.not_ready) {
        if (one.end != End::failed)
            continue;
        judge_error(expected, one, found);
        if (first == nullptr)
            first = &one;
        if (expected.same && what(one.error) != what(first->error))
            found.of_rank(one.rank, "same", fmt::format("'{}', as rank {}", line_of(*first), first->rank),
                          fmt::format("'{}'", line_of(one)));
    }
}

void judge_times(Expectation const& expected, Played const& played, Complaints& found) {
    TimeNs const last_ns = played.last_end_ns;
    // Nothing but waiting for ever may last longer than the deadline; who is hanging does not end, and is seen above.
    TimeNs const usual_ns = played.budget_ns >= kNever - kSecondNs ? kNever : played.budget_ns + kSecondNs;
    TimeNs const by_ns = expected.by_ns.value_or(usual_ns);
    if (last_ns > by_ns)
        found.say(
            fmt::format("by: expected all to end by {}, the last one did at {}", seconds(by_ns), seconds(last_ns)));
    if (expected.not_before_ns && last_ns < *expected.not_before_ns)
        found.say(fmt::format("not_before: expected no end before {}, the last one was at {}",
                              seconds(*expected.not_before_ns), seconds(last_ns)));
    if (!expected.delay_ns && !expected.delay_per_million)
        return;
    TimeNs const calm_ns = played.calm_ready_ns;
    TimeNs const allowed_ns =
        expected.delay_ns ? *expected.delay_ns : calm_ns / 1'000'000 * TimeNs{*expected.delay_per_million};
    if (calm_ns == kNever || last_ns > calm_ns + allowed_ns)
        found.say(fmt::format("delay: expected ready {} after the calm world at most, which is at {}; the last one was "
                              "at {}",
                              seconds(allowed_ns), seconds(calm_ns), seconds(last_ns)));
}

}  // namespace

std::optional<std::uint64_t> count_named(std::string_view name, Outcome const& outcome) {
    for (NamedCount const& count : kCounts) {
        if (count.name == name)
            return count.of(outcome);
    }
    return std::nullopt;
}

std::string count_names() {
    std::vector<std::string_view> names;
    for (NamedCount const& count : kCounts)
        names.push_back(count.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

Played play(Showing const& showing) {
    Played played;
    played.budget_ns = showing.plan.budget_ns;
    World world(showing.plan);
    played.outcome = world.run();
    if (played.outcome.all_ready())
        played.last_end_ns = played.outcome.last_ready_ns;
    for (RankEnd const& one : played.outcome.not_ready) {
        if (one.end == End::failed)
            played.last_end_ns = std::max(played.last_end_ns, one.at_ns);
    }
    if (showing.expected.delay_ns || showing.expected.delay_per_million) {
        WorldPlan calm = showing.plan;
        calm.faults.clear();
        played.calm_ready_ns = World(calm).run().last_ready_ns;
    }
    return played;
}

std::vector<std::string> complaints(Expectation const& expected, Played const& played) {
    Complaints found;
    if (!played.outcome.broken.empty())
        found.say(fmt::format("a promise was broken: {}", played.outcome.broken));
    judge_ranks(expected, played.outcome, found);
    judge_times(expected, played, found);
    for (Bound const& bound : expected.counts) {
        auto const value = count_named(bound.name, played.outcome).value_or(0);
        if (!holds(value, bound.relation, bound.value))
            found.say(fmt::format("counts: expected {} {} {}, got {}", bound.name, bound.relation, bound.value, value));
    }
    return found.take();
}

std::string story_of(Played const& played) {
    Outcome const& outcome = played.outcome;
    std::string text = "what happened:";
    for (std::uint32_t i = 0; i < kEnds; ++i) {
        if (outcome.ends[i] > 0)
            text += fmt::format(" {} {},", outcome.ends[i], name_of(static_cast<End>(i)));
    }
    text += fmt::format(" the last end at {}, strangers {}, ghosts {}\n", seconds(played.last_end_ns),
                        outcome.storm.strangers, outcome.storm.ghosts);
    std::map<std::string, std::vector<RankRange>> lines;
    for (RankEnd const& one : outcome.not_ready) {
        auto& ranges = lines[line_of(one)];
        if (!ranges.empty() && ranges.back().first + ranges.back().count == one.rank)
            ++ranges.back().count;
        else
            ranges.push_back({one.rank, 1});
    }
    std::uint32_t shown = 0;
    for (auto const& [line, ranks] : lines) {
        if (++shown > 12)
            return text + fmt::format("  and {} other lines\n", lines.size() - 12);
        text += fmt::format("  {} [{}]\n", line, ranks_text(ranks));
    }
    return text;
}

}  // namespace ronde::sim::museum
