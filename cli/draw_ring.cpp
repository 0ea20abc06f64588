/// `ronde draw ring`: who stands where at a time, and whose hand is held.
#include "cli/draw.hpp"
#include "cli/draw_input.hpp"
#include "cli/draw_output.hpp"
#include "cli/values.hpp"
#include "ring/heat_ring.hpp"
#include "ring/ring_dot.hpp"
#include "ring/ring_film.hpp"
#include "ring/ring_moment.hpp"
#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace ronde::cli {
namespace {

/// Larger rings are drawn as heat unless somebody wants each rank.
constexpr std::uint32_t kMostNodes = 1'000;

struct RingOptions {
    std::string input;
    PictureOutput output;
    std::optional<protocol::TimeNs> at_ns;
    std::string style = "auto";
    bool animate = false;
    std::string frames;
    std::uint64_t frame_count = 24;
};

bool draws_heat(RingOptions const& options, viz::Chronicle const& chronicle) {
    if (options.style != "auto")
        return options.style == "heat";
    return chronicle.nranks > kMostNodes;
}

void check_size(viz::Chronicle const& chronicle, std::string_view flag) {
    if (chronicle.nranks > viz::kMostFilmRanks)
        throw UsageError(fmt::format("{}: {} ranks are too many to follow; expected at most {}", flag, chronicle.nranks,
                                     viz::kMostFilmRanks));
}

/// "ring-001.svg", "ring-002.svg" ...: the same moments for everybody.
void write_frames(RingOptions const& options, viz::Chronicle const& chronicle) {
    check_size(chronicle, "--frames");
    std::error_code trouble;
    std::filesystem::create_directories(options.frames, trouble);
    if (trouble)
        throw LauncherError(fmt::format("--frames: {}: {}", options.frames, trouble.message()));
    std::vector<protocol::TimeNs> const moments = film_moments(chronicle, options.frame_count);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        std::string const path = fmt::format("{}/ring-{:03}.svg", options.frames, i + 1);
        if (std::string const why = sim::write_file(path, ring_frame(chronicle, moments[i])); !why.empty())
            throw LauncherError("--frames: " + why);
    }
    fmt::print(stderr, "{} pictures in {}\n", moments.size(), options.frames);
}

Exit draw_ring(RingOptions const& options) {
    if (options.animate && options.at_ns)
        throw UsageError("--animate shows all of it; expected no --at");
    static_cast<void>(options.output.chosen());  // before the work, so that a wrong name is told at once
    viz::Chronicle const chronicle = chronicle_of_input(options.input);
    protocol::TimeNs const at_ns = options.at_ns.value_or(protocol::kNever);
    if (!options.frames.empty()) {
        write_frames(options, chronicle);
    } else if (options.animate) {
        check_size(chronicle, "--animate");
        deliver_svg(ring_film(chronicle), options.output);
    } else if (draws_heat(options, chronicle)) {
        deliver_svg(heat_ring(chronicle, at_ns), options.output);
    } else {
        deliver_dot(ring_dot(ring_at(chronicle, at_ns)), GraphLayout::pinned, options.output);
    }
    return Exit::ok;
}

}  // namespace

void add_ring_picture(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<RingOptions>();
    CLI::App* const command =
        draw.add_subcommand("ring", "The ring at a time: phases by colour and shape, hands, roots, who is to blame");
    command->footer(std::string(kDrawInputs) +
                    "\nUp to 1 000 ranks each is a node of a graph that Graphviz draws (neato -n2); above, the ring is "
                    "an\nSVG of our own in which stretches of hosts share a cell and each phase has a row.\n"
                    "Examples: ronde draw ring article-4 -o ring.svg; ronde draw ring run.trace --at 12ms -o ring.png");
    command->add_option("input", options->input, "What to draw; its kind is known by its content")
        ->required()
        ->type_name("INPUT");
    add_output_options(*command, options->output, true);
    command
        ->add_option_function<std::string>(
            "--at",
            [options](std::string const& text) {
                auto const at_ns = parse_duration(text);
                if (!at_ns)
                    throw CLI::ValidationError("--at", at_ns.error());
                options->at_ns = *at_ns;
            },
            "The moment, from the first step on (when all is over)")
        ->type_name("TIME");
    command
        ->add_option_function<std::string>(
            "--style",
            [options](std::string const& name) {
                if (name != "nodes" && name != "heat")
                    throw CLI::ValidationError("--style",
                                               fmt::format("'{}' is no style; expected nodes or heat", name));
                options->style = name;
            },
            "nodes or heat (nodes up to 1 000 ranks)")
        ->type_name("NAME");
    command->add_flag("--animate", options->animate, "One SVG that plays how the ring closes (up to 512 ranks)");
    command->add_option("--frames", options->frames, "A numbered series of SVG in DIR, ring-001.svg and so on")
        ->type_name("DIR")
        ->excludes("--animate");
    command
        ->add_option_function<std::string>(
            "--frame-count",
            [options](std::string const& text) {
                auto const count = parse_count(text, 2, 999);
                if (!count)
                    throw CLI::ValidationError("--frame-count", count.error());
                options->frame_count = *count;
            },
            "How many pictures --frames makes (24)")
        ->type_name("N");
    command->callback([options, &outcome] { outcome = draw_ring(*options); });
}

}  // namespace ronde::cli
