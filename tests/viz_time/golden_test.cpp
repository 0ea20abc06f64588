/// Pictures of a small chronicle, byte by byte. `--rewrite` writes what came instead; look at it before you keep it.
#include "sequence/sequence_svg.hpp"
#include "sequence/sequence_text.hpp"
#include "storm/storm_svg.hpp"
#include "timeline/chrome.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::viz {
namespace {

bool rewrite_pictures = false;

void expect_golden(std::string const& name, std::string const& came) {
    auto const path = std::filesystem::path(RONDE_GOLDEN_PICTURES) / name;
    if (rewrite_pictures) {
        std::ofstream(path, std::ios::binary) << came;
        return;
    }
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file) << path << " cannot be read";
    std::ostringstream bytes;
    bytes << file.rdbuf();
    std::string const kept = bytes.str();
    auto const [left, right] = std::mismatch(kept.begin(), kept.end(), came.begin(), came.end());
    EXPECT_TRUE(left == kept.end() && right == came.end())
        << name << ":" << 1 + std::count(kept.begin(), left, '\n') << ": the picture is another one\n  kept "
        << std::string(left, left + std::min<std::ptrdiff_t>(80, kept.end() - left)) << "\n  came "
        << std::string(right, right + std::min<std::ptrdiff_t>(80, came.end() - right));
}

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

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i)
        ronde::viz::rewrite_pictures |= std::string_view(argv[i]) == "--rewrite";
    return RUN_ALL_TESTS();
}
