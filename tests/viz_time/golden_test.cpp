/// Pictures of a small chronicle, byte by byte. `--rewrite` writes what came instead; look at it before you keep it.
#include "viz/golden.hpp"

#include "sequence/sequence_svg.hpp"
#include "sequence/sequence_text.hpp"
#include "storm/storm_svg.hpp"
#include "timeline/chrome.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>

namespace ronde::viz {
namespace {

SequenceScene scene_of(Chronicle const& chronicle) {
    auto const scene = sequence_scene(chronicle, {});
    EXPECT_TRUE(scene) << (scene ? "" : scene.error());
    return scene.value_or(SequenceScene{});
}

TEST(GoldenPicture, SequenceAsSvg) {
    Chronicle const told = stories::of_two();
    expect_golden("sequence.svg", sequence_svg(scene_of(told)));
}

TEST(GoldenPicture, SequenceAsMermaid) {
    Chronicle const told = stories::of_two();
    expect_golden("sequence.mmd", sequence_mermaid(scene_of(told)));
}

TEST(GoldenPicture, SequenceAsMscgen) {
    Chronicle const told = stories::of_two();
    expect_golden("sequence.msc", sequence_mscgen(scene_of(told)));
}

TEST(GoldenPicture, StormAsSvgAndCsv) {
    Chronicle const told = stories::of_two();
    StormNumbers const numbers = storm_numbers(told);
    expect_golden("storm.svg", storm_svg(told, numbers));
    expect_golden("storm.csv", storm_csv(numbers));
}

TEST(GoldenPicture, TimelineAsChromeTrace) {
    Chronicle const told = stories::of_two();
    expect_golden("timeline.json", stories::written([&](Sink const& sink) { chrome_trace(told, sink); }));
}

}  // namespace
}  // namespace ronde::viz
