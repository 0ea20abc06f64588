/// What a picture costs, once its chronicle is there: time of drawing and size, the time to be reached beside it.
///
/// Each row is the median of several drawings; Graphviz, which turns DOT into SVG, is not among them. How long it took
/// to play the world stands apart.
#include "chronicle/sources.hpp"
#include "ring/heat_ring.hpp"
#include "ring/ring_dot.hpp"
#include "ring/ring_film.hpp"
#include "ring/ring_moment.hpp"
#include "scenario/scenario.hpp"
#include "sequence/sequence_svg.hpp"
#include "storm/storm_svg.hpp"
#include "table.hpp"
#include "timeline/chrome.hpp"
#include "timeline/pcapng.hpp"
#include "timeline/perfetto.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

namespace {

using namespace ronde;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// The world of a scenario with some keys changed, played.
viz::Chronicle played(std::string const& name, std::vector<std::string> const& sets, bench::Table& worlds) {
    auto plan = sim::load_scenario(name);
    for (std::string const& set : sets) {
        if (plan && !sim::set_key(*plan, set).empty())
            plan = tl::unexpected(set);
    }
    if (!plan) {
        std::fprintf(stderr, "ronde_viz_bench: %s: %s\n", name.c_str(), plan.error().c_str());
        std::exit(EXIT_FAILURE);
    }
    auto const begin = Clock::now();
    viz::Chronicle chronicle = viz::chronicle_of_plan(*plan);
    worlds.row({name, std::to_string(chronicle.nranks), fmt::format("{:.0f} ms", ms_since(begin)),
                std::to_string(chronicle.steps.size()), std::to_string(chronicle.messages.size())});
    return chronicle;
}

/// Draws, and returns how many bytes came of it.
using Drawing = std::function<std::size_t()>;

class Pictures {
public:
    explicit Pictures(std::size_t repeats) : repeats_(repeats) {}

    /// `target_ms` 0: none is set.
    void row(std::string_view what, std::uint32_t nranks, double target_ms, Drawing const& draw) {
        std::vector<double> took_ms;
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < repeats_; ++i) {
            auto const begin = Clock::now();
            bytes = draw();
            took_ms.push_back(ms_since(begin));
        }
        double const median_ms = bench::median(took_ms);
        table_.row({std::string(what), std::to_string(nranks), fmt::format("{:.2f} ms", median_ms),
                    target_ms > 0 ? fmt::format("< {:.0f} ms", target_ms) : "-",
                    fmt::format("{:.0f} KiB", static_cast<double>(bytes) / 1'024)});
        std::fputs(".", stderr);
    }
    [[nodiscard]] std::string text() const { return table_.text(); }

private:
    std::size_t repeats_;
    bench::Table table_{{"picture", "ranks", "drawn in", "target", "size"}};
};

/// Of what is written piece by piece.
template <class Write>
std::size_t bytes_of(Write const& write) {
    std::size_t bytes = 0;
    write([&bytes](std::string_view piece) { bytes += piece.size(); });
    return bytes;
}

std::size_t sequence_of(viz::Chronicle const& chronicle, viz::SequenceChoice const& choice) {
    auto const scene = viz::sequence_scene(chronicle, choice);
    return scene ? viz::sequence_svg(*scene).size() : 0;
}

}  // namespace

int main() {
    constexpr std::size_t kRepeats = 7;
    bench::Table worlds({"world", "ranks", "played in", "steps kept", "messages kept"});
    Pictures pictures(kRepeats);

    viz::Chronicle const huge = played("storm-98k", {"ranks=100000"}, worlds);
    pictures.row("ring, heat", huge.nranks, 1'000, [&] { return heat_ring(huge, viz::kNever).size(); });
    pictures.row("storm", huge.nranks, 0, [&] { return storm_svg(huge, storm_numbers(huge)).size(); });
    pictures.row("timeline, perfetto", huge.nranks, 0,
                 [&] { return bytes_of([&](viz::Sink const& sink) { perfetto_trace(huge, sink); }); });

    viz::Chronicle const large = played("storm-4k", {}, worlds);
    pictures.row("ring, DOT", large.nranks, 500, [&] { return ring_dot(ring_at(large, viz::kNever)).size(); });
    pictures.row("storm", large.nranks, 0, [&] { return storm_svg(large, storm_numbers(large)).size(); });
    pictures.row("storm, numbers as CSV", large.nranks, 0, [&] { return storm_csv(storm_numbers(large)).size(); });
    pictures.row("sequence of 8", large.nranks, 0, [&] {
        return sequence_of(large, {.ranks = {0, 1, 2, 3, 4, 5, 6, 7}});
    });
    pictures.row("timeline, perfetto", large.nranks, 0,
                 [&] { return bytes_of([&](viz::Sink const& sink) { perfetto_trace(large, sink); }); });

    viz::Chronicle const middle = played("storm-4k", {"ranks=512"}, worlds);
    pictures.row("ring, a frame", middle.nranks, 0, [&] { return ring_frame(middle, viz::kNever).size(); });
    pictures.row("ring, film", middle.nranks, 0, [&] { return ring_film(middle).size(); });
    pictures.row("timeline, chrome", middle.nranks, 0,
                 [&] { return bytes_of([&](viz::Sink const& sink) { chrome_trace(middle, sink); }); });
    pictures.row("timeline, pcapng", middle.nranks, 0,
                 [&] { return bytes_of([&](viz::Sink const& sink) { pcapng(middle, sink); }); });

    viz::Chronicle const small = played("stragglers", {"ranks=31"}, worlds);
    pictures.row("sequence, all", small.nranks, 0, [&] { return sequence_of(small, {}); });

    fmt::print(stderr, "\n");
    fmt::print("{}\n{}", worlds.text(), pictures.text());
    return EXIT_SUCCESS;
}
