/// `ronde draw sequence`, `ronde draw storm` and `ronde draw timeline`: a run along its time.
#include "cli/draw.hpp"
#include "cli/draw_input.hpp"
#include "cli/draw_output.hpp"
#include "cli/sim_options.hpp"
#include "scenario/atomic_file.hpp"
#include "scenario/values.hpp"
#include "sequence/sequence_svg.hpp"
#include "sequence/sequence_text.hpp"
#include "storm/storm_svg.hpp"
#include "timeline/chrome.hpp"
#include "timeline/pcapng.hpp"
#include "timeline/perfetto.hpp"
#include "timeline/time_text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ronde::cli {
namespace {

void add_input(CLI::App& command, std::string& input) {
    command.add_option("INPUT", input, "What is drawn, see below")->required();
}

// --- sequence -------------------------------------------------------------------------------------------------------

enum class SequenceFormat : std::uint8_t { picture, mermaid, mscgen };

struct SequenceOptions {
    std::string input;
    std::string ranks;
    std::string from;
    std::string until;
    std::string format;
    PictureOutput output;
};

protocol::TimeNs window_time(std::string const& text, std::string_view flag) {
    if (text == "0")
        return 0;
    constexpr protocol::TimeNs kMost = protocol::TimeNs{24} * 3'600 * protocol::kSecondNs;
    auto const time_ns = sim::time_from(text, 0, kMost, false);
    if (!time_ns)
        throw UsageError(fmt::format("{} {}", flag, time_ns.error()));
    return *time_ns;
}

/// "0,3,5-7"; "5..7" is the same as "5-7".
std::vector<protocol::RankId> chosen_ranks(std::string text) {
    for (std::size_t dots = text.find(".."); dots != std::string::npos; dots = text.find(".."))
        text.replace(dots, 2, "-");
    auto const ranges = sim::ranks_from(text);
    if (!ranges)
        throw UsageError(fmt::format("--ranks {}", ranges.error()));
    std::vector<protocol::RankId> ranks;
    for (sim::RankRange const& range : *ranges) {
        for (std::uint64_t rank = range.first; rank < std::uint64_t{range.first} + range.count; ++rank) {
            ranks.push_back(static_cast<protocol::RankId>(rank));
            if (ranks.size() > viz::kMostLifelines) {
                throw UsageError(fmt::format("--ranks {}: a picture has room for {} processes, roots included", text,
                                             viz::kMostLifelines));
            }
        }
    }
    return ranks;
}

/// Text when --format or the end of the file's name says so; everything else is a picture.
SequenceFormat sequence_format(SequenceOptions& options) {
    static constexpr std::array<std::string_view, 5> kNames{"svg", "png", "pdf", "mermaid", "mscgen"};
    std::string const ending = std::filesystem::path(options.output.file).extension().string();
    if (options.format.empty())
        return ending == ".mmd"   ? SequenceFormat::mermaid
               : ending == ".msc" ? SequenceFormat::mscgen
                                  : SequenceFormat::picture;
    std::size_t const index = parse_format(options.format, {kNames.begin(), kNames.end()});
    if (index >= 3)
        return index == 3 ? SequenceFormat::mermaid : SequenceFormat::mscgen;
    constexpr std::array<PictureFormat, 3> kPictures{PictureFormat::svg, PictureFormat::png, PictureFormat::pdf};
    options.output.format = kPictures[index];
    return SequenceFormat::picture;
}

void draw_sequence(SequenceOptions& options) {
    SequenceFormat const format = sequence_format(options);
    viz::SequenceChoice choice;
    if (!options.ranks.empty())
        choice.ranks = chosen_ranks(options.ranks);
    if (!options.from.empty())
        choice.from_ns = window_time(options.from, "--from");
    if (!options.until.empty())
        choice.until_ns = window_time(options.until, "--until");
    viz::Chronicle const chronicle = chronicle_of_input(options.input);
    auto const scene = viz::sequence_scene(chronicle, choice);
    if (!scene)
        throw UsageError(scene.error());
    switch (format) {
    case SequenceFormat::picture: return deliver_svg(viz::sequence_svg(*scene), options.output);
    case SequenceFormat::mermaid: return deliver(viz::sequence_mermaid(*scene), options.output.file);
    case SequenceFormat::mscgen: return deliver(viz::sequence_mscgen(*scene), options.output.file);
    }
}

void add_sequence(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<SequenceOptions>();
    CLI::App* const command = draw.add_subcommand(
        "sequence", "Who said what to whom, and when: a lifeline for each process, an arrow for each message");
    add_input(*command, options->input);
    command->add_option("--ranks", options->ranks, "Show these, and the roots they speak with (all, if they are few)")
        ->type_name("R,R-R");
    command->add_option("--from", options->from, "Show what happens from then on (0)")->type_name("TIME");
    command->add_option("--until", options->until, "Show what happens until then (the end)")->type_name("TIME");
    command->add_option("-o", options->output.file, "Put the picture into FILE, in one step (standard output)")
        ->type_name("FILE");
    command
        ->add_option("--format", options->format,
                     "svg, png, pdf, mermaid or mscgen (what FILE ends with: .mmd and .msc for the last two, or svg)")
        ->type_name("NAME");
    command->footer(fmt::format("{}\n\nExample: ronde draw sequence article-4 -o article-4.svg", kDrawInputs));
    command->callback([options, &outcome] {
        draw_sequence(*options);
        outcome = Exit::ok;
    });
}

// --- storm ----------------------------------------------------------------------------------------------------------

struct StormOptions {
    std::string input;
    PictureOutput output;
};

void draw_storm(StormOptions const& options) {
    static_cast<void>(options.output.chosen());
    viz::Chronicle const chronicle = chronicle_of_input(options.input);
    viz::StormNumbers const numbers = viz::storm_numbers(chronicle);
    deliver_svg(viz::storm_svg(chronicle, numbers), options.output);
    if (!options.output.file.empty())
        deliver(viz::storm_csv(numbers), std::filesystem::path(options.output.file).replace_extension(".csv").string());
}

void add_storm(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<StormOptions>();
    CLI::App* const command = draw.add_subcommand(
        "storm", "What a root's listener went through, and what its ranks paid for it; the numbers as CSV beside it");
    add_input(*command, options->input);
    add_output_options(*command, options->output, false);
    command->footer(
        fmt::format("{}\n\nExample: ronde draw storm storm-4k -o storm.svg     writes storm.csv too", kDrawInputs));
    command->callback([options, &outcome] {
        draw_storm(*options);
        outcome = Exit::ok;
    });
}

// --- timeline -------------------------------------------------------------------------------------------------------

enum class TimelineFormat : std::uint8_t { chrome, perfetto, pcapng };

struct TimelineOptions {
    std::string input;
    std::string format;
    std::string file;
};

TimelineFormat timeline_format(TimelineOptions const& options) {
    static constexpr std::array<std::string_view, 3> kNames{"chrome", "perfetto", "pcapng"};
    if (!options.format.empty())
        return static_cast<TimelineFormat>(parse_format(options.format, {kNames.begin(), kNames.end()}));
    std::string const ending = std::filesystem::path(options.file).extension().string();
    if (ending == ".json")
        return TimelineFormat::chrome;
    if (ending == ".pftrace" || ending == ".perfetto-trace")
        return TimelineFormat::perfetto;
    if (ending == ".pcapng")
        return TimelineFormat::pcapng;
    throw UsageError("--format is missing: chrome, perfetto or pcapng; or -o FILE that ends with .json, .pftrace or "
                     ".pcapng");
}

/// Refuses what a viewer could not open in reasonable time.
void check_bearable(viz::Chronicle const& chronicle, TimelineFormat format) {
    if (format == TimelineFormat::chrome && viz::chrome_events(chronicle) > viz::kMostChromeEvents) {
        throw UsageError(fmt::format("--format chrome: about {} events are more than viewers of JSON bear ({}): choose "
                                     "--format perfetto",
                                     viz::in_groups(viz::chrome_events(chronicle)),
                                     viz::in_groups(viz::kMostChromeEvents)));
    }
    if (format != TimelineFormat::pcapng)
        return;
    if (!chronicle.has_steps) {
        throw UsageError(fmt::format("--format pcapng: messages are kept for up to {} ranks, and this run has {}: "
                                     "choose a smaller world",
                                     viz::in_groups(viz::kMostDetailedRanks), viz::in_groups(chronicle.nranks)));
    }
    if (viz::capture_bytes(chronicle) > viz::kMostCaptureBytes) {
        throw UsageError(fmt::format("--format pcapng: the packets carry {} MiB and may carry {} MiB: choose a smaller "
                                     "world",
                                     viz::capture_bytes(chronicle) >> 20U, viz::kMostCaptureBytes >> 20U));
    }
}

void write_timeline(viz::Chronicle const& chronicle, TimelineFormat format, viz::Sink const& sink) {
    switch (format) {
    case TimelineFormat::chrome: return viz::chrome_trace(chronicle, sink);
    case TimelineFormat::perfetto: return viz::perfetto_trace(chronicle, sink);
    case TimelineFormat::pcapng: return viz::pcapng(chronicle, sink);
    }
}

void draw_timeline(TimelineOptions const& options) {
    TimelineFormat const format = timeline_format(options);
    if (options.file.empty() && format != TimelineFormat::chrome && ::isatty(STDOUT_FILENO) != 0)
        throw UsageError("-o FILE is missing: what would be written is no text for a terminal");
    viz::Chronicle const chronicle = chronicle_of_input(options.input);
    check_bearable(chronicle, format);
    if (options.file.empty()) {
        write_timeline(chronicle, format,
                       [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); });
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw LauncherError(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
        return;
    }
    sim::AtomicFile file(options.file);
    write_timeline(chronicle, format, [&file](std::string_view bytes) { file.write(bytes); });
    if (!file.error().empty() || !file.commit())
        throw LauncherError(file.error());
}

void add_timeline(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<TimelineOptions>();
    CLI::App* const command =
        draw.add_subcommand("timeline", "A run for the viewers of others: Chrome's and Perfetto's, and Wireshark");
    add_input(*command, options->input);
    command
        ->add_option("--format", options->format,
                     "chrome, perfetto or pcapng (what FILE ends with: .json, .pftrace, .pcapng)")
        ->type_name("NAME");
    command->add_option("-o", options->file, "Put it into FILE, in one step (standard output)")->type_name("FILE");
    command->footer(fmt::format("{}\n\nExample: ronde draw timeline article-4 -o article-4.pcapng", kDrawInputs));
    command->callback([options, &outcome] {
        draw_timeline(*options);
        outcome = Exit::ok;
    });
}

}  // namespace

void add_time_pictures(CLI::App& draw, Outcome& outcome) {
    add_sequence(draw, outcome);
    add_storm(draw, outcome);
    add_timeline(draw, outcome);
}

}  // namespace ronde::cli
