#include "report/report.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <utility>

namespace ronde::sim {
namespace {

using protocol::Phase;

constexpr std::string_view kLine = "{:<14}{}\n";

std::string verdict_line(Outcome const& outcome) {
    std::string const shape =
        fmt::format("profile {}, gather {}, {}, seed {}", name_of(outcome.policies.profile),
                    name_of(outcome.policies.gather), plural(outcome.nroots, "root"), outcome.seed);
    if (stands(outcome))
        return fmt::format("ready: {} in a ring ({})\n", plural(outcome.nranks, "rank"), shape);
    std::string ends;
    static constexpr std::array<std::pair<End, std::string_view>, 5> kWords{{{End::failed, "ended with an error"},
                                                                             {End::hanging, "hang"},
                                                                             {End::dead, "dead"},
                                                                             {End::not_there, "never started"},
                                                                             {End::ready, "ready"}}};
    for (auto const& [end, words] : kWords) {
        if (outcome.count(end) > 0)
            ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", outcome.count(end), words);
    }
    return fmt::format("failed: of {} {} ({})\n", plural(outcome.nranks, "rank"), ends, shape);
}

std::string phase_table(Outcome const& outcome) {
    std::string rows;
    for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(Phase::ready); ++p) {
        Histogram const& times = outcome.phases[p];
        if (times.count() == 0 || times.most_ns() == 0)
            continue;  // over within the step that began it
        rows += fmt::format("  {:<20}{:>8}{:>11}{:>11}{:>11}{:>11}{:>11}   rank {}\n",
                            spaced(name_of(static_cast<Phase>(p))), times.count(), about(times.least_ns()),
                            about(times.quantile_ns(500)), about(times.quantile_ns(900)), about(times.quantile_ns(990)),
                            about(times.most_ns()), outcome.slowest_in[p]);
    }
    if (rows.empty())
        return rows;
    return fmt::format("  {:<20}{:>8}{:>11}{:>11}{:>11}{:>11}{:>11}   slowest\n", "phase", "ranks", "min", "p50", "p90",
                       "p99", "max") +
           rows;
}

/// "3967 SYNs dropped, 12 resets": the counts that are not zero.
std::string counts(std::initializer_list<std::pair<std::uint64_t, std::string_view>> list) {
    std::string text;
    for (auto const& [count, words] : list) {
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
    }
    return text;
}

std::string storm_lines(Storm const& storm) {
    std::string text =
        fmt::format(fmt::runtime(kLine), "connections",
                    fmt::format("{} asked for, {} accepted; accept queue of a root held {} at most (backlog {})",
                                storm.connects, storm.accepts, storm.queue_high_water, storm.backlog));
    std::array const lines{
        std::pair{std::string("dropped"), counts({{storm.syn_drops, "SYNs"},
                                                  {storm.ack_drops, "ACKs at a full queue"},
                                                  {storm.packets_lost, "packets lost by the network"}})},
        std::pair{std::string("sent again"), counts({{storm.syn_retransmits, "SYNs"},
                                                     {storm.synack_retransmits, "SYN-ACKs"},
                                                     {storm.data_retransmits, "segments of data"}})},
        std::pair{std::string("ended"), counts({{storm.refused, "refused"},
                                                {storm.overflow_resets, "reset by a full queue"},
                                                {storm.resets, "reset"},
                                                {storm.ghosts, "stood for the caller only"}})},
        std::pair{std::string("strangers"), counts({{storm.strangers, "turned away"}})}};
    for (auto const& [label, words] : lines) {
        if (!words.empty())
            text += fmt::format(fmt::runtime(kLine), label, words);
    }
    std::string steps;
    for (std::size_t i = 0; i < storm.connects_after_retries.size(); ++i) {
        std::uint64_t const count = storm.connects_after_retries[i];
        bool const last = i + 1 == storm.connects_after_retries.size();
        if (count > 0)
            steps += fmt::format("{}{} after {}{}", steps.empty() ? "" : ", ", count, i, last ? " or more" : "");
    }
    if (storm.syn_retransmits > 0 && !steps.empty())
        text += fmt::format(fmt::runtime(kLine), "stood", steps + " SYNs sent again");
    return text;
}

}  // namespace

bool stands(Outcome const& outcome) { return outcome.all_ready() && outcome.broken.empty(); }

std::uint64_t events_per_s(Outcome const& outcome, Costs const& costs) {
    auto const wall_us = static_cast<std::uint64_t>(costs.wall_ns / protocol::kMicrosecondNs);
    return wall_us == 0 ? 0 : outcome.events * 1'000'000 / wall_us;
}

std::uint64_t bytes_per_rank(Outcome const& outcome) {
    return outcome.nranks == 0 ? 0 : outcome.world_bytes / outcome.nranks;
}

std::string outcome_text(Outcome const& outcome, Costs const& costs) {
    auto const line = [](std::string_view label, std::string const& words) {
        return fmt::format(fmt::runtime(kLine), label, words);
    };
    std::string text = verdict_line(outcome);
    if (!outcome.broken.empty())
        text += line("BROKEN", outcome.broken + ": this is a bug worth a report");
    if (outcome.last_table_ns != kNever)
        text +=
            line("full table", fmt::format("{} (rank {} was the last)", about(outcome.last_table_ns), outcome.slowest));
    if (outcome.last_ready_ns != kNever)
        text += line("all ready", about(outcome.last_ready_ns));
    text += phase_table(outcome);
    text += storm_lines(outcome.storm);
    text += line("messages", fmt::format("{}, {}", outcome.frames, about_bytes(outcome.bytes)));
    if (outcome.storm.descriptors_high_water > 0)
        text += line("most held", fmt::format("{} descriptors by one process, {} ports by one host",
                                              outcome.storm.descriptors_high_water, outcome.storm.ports_high_water));
    std::string skipped;
    if (outcome.skipped_frames > 0)
        skipped = fmt::format(", {} frames of the ring computed as a whole", about_count(outcome.skipped_frames));
    if (outcome.waiting_ring_unplayed)
        skipped += ", those of a ring that waits not played";
    text +=
        line("simulated", fmt::format("{} in {} events, {} of them steps of machines{}", about(outcome.simulated_ns),
                                      about_count(outcome.events), about_count(outcome.steps), skipped));
    text += line("cost", fmt::format("{} here, {} events/s; {} a rank, peak memory {}", about(costs.wall_ns),
                                     about_count(events_per_s(outcome, costs)), about_bytes(bytes_per_rank(outcome)),
                                     about_bytes(costs.peak_rss_bytes)));
    text += line("digest", to_text(outcome.digest));
    return text;
}

}  // namespace ronde::sim
