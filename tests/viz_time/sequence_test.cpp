/// Sequence diagrams: what there is is drawn, once, where there is room for it.
#include "sequence/layout.hpp"
#include "sequence/sequence_svg.hpp"
#include "sequence/sequence_text.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/time_text.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::viz {
namespace {

constexpr TimeNs kMicro = protocol::kMicrosecondNs;

std::size_t times_in(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size()))
        ++count;
    return count;
}

SequenceScene shown(Chronicle const& told, SequenceChoice const& choice = {}) {
    auto scene = sequence_scene(told, choice);
    if (!scene)
        throw std::runtime_error(scene.error());
    return *scene;
}

TEST(Sequence, EveryMessageIsDrawnOnce) {
    Chronicle const told = stories::of_crowd(12);
    SequenceScene const scene = shown(told);
    SequenceLayout const layout = lay_out(scene, 1'000);
    std::vector<std::uint32_t> drawn;
    for (SequenceArrow const& arrow : layout.arrows)
        drawn.push_back(arrow.message);
    std::sort(drawn.begin(), drawn.end());
    ASSERT_EQ(drawn.size(), told.messages.size());
    for (std::uint32_t i = 0; i < drawn.size(); ++i)
        EXPECT_EQ(drawn[i], i);

    std::string const svg = sequence_svg(scene);
    EXPECT_EQ(times_in(svg, "<title>check_in, rank 7 to root 0, "), 1U);
    EXPECT_EQ(times_in(svg, "<title>check_in, "), 12U);
    EXPECT_EQ(times_in(svg, "<title>slices all, "), 12U);
    EXPECT_EQ(times_in(sequence_mermaid(scene), "->>"), told.messages.size());
    EXPECT_EQ(times_in(sequence_mscgen(scene), "=>"), told.messages.size());
}

TEST(Sequence, NoTwoLabelsOverlapAndNoneLiesOnALifeline) {
    Chronicle told = stories::of_crowd(31);
    // All that the root hears comes from rank 0, within 2 us: there is room for a few of these labels only.
    TimeNs later_ns = 0;
    for (MessageStory& message : told.messages) {
        if (message.to == 31) {
            message.from = 0;
            message.sent_ns = 50 * kMicro + later_ns;
            message.received_ns = 52 * kMicro + later_ns;
            later_ns += 20;
        }
    }
    SequenceScene const scene = shown(told);
    SequenceLayout const layout = lay_out(scene, 1'000);
    ASSERT_GT(layout.labels.size(), 20U);
    EXPECT_GT(layout.labels_left_out, 0U) << "the crowd is too small to show anything";
    for (std::size_t i = 0; i < layout.labels.size(); ++i) {
        for (std::size_t j = i + 1; j < layout.labels.size(); ++j)
            EXPECT_FALSE(layout.labels[i].box.overlaps(layout.labels[j].box))
                << layout.labels[i].text << " and " << layout.labels[j].text;
        for (Tenths const x : layout.column_x) {
            Box const line{x - 1, layout.axis.top(), 2, layout.axis.bottom() - layout.axis.top()};
            EXPECT_FALSE(layout.labels[i].box.overlaps(line)) << layout.labels[i].text;
        }
    }
}

TEST(Sequence, ALostMessageNeverReachesItsReceiver) {
    Chronicle const told = stories::of_two();
    SequenceScene const scene = shown(told);
    SequenceLayout const layout = lay_out(scene, 1'000);
    std::uint32_t lost = 0;
    for (SequenceArrow const& arrow : layout.arrows) {
        MessageStory const& message = told.messages[arrow.message];
        Tenths const there = layout.column_x[scene.column_of[message.to]];
        EXPECT_EQ(arrow.lost, message.received_ns == kNever);
        if (!arrow.lost) {
            EXPECT_EQ(arrow.to.x, there);
            continue;
        }
        ++lost;
        EXPECT_FALSE(arrow.arrives);
        EXPECT_GT(std::abs(arrow.to.x - arrow.from.x), 0);
        EXPECT_LT(std::abs(arrow.to.x - arrow.from.x), std::abs(there - arrow.from.x));
    }
    EXPECT_EQ(lost, 1U);
    EXPECT_EQ(times_in(sequence_mermaid(scene), "-x"), 1U);
    EXPECT_EQ(times_in(sequence_mscgen(scene), "-x"), 1U);
}

TEST(Sequence, TimeGoesDownAndAnIdleSecondIsFolded) {
    Chronicle const told = stories::of_two();
    SequenceLayout const layout = lay_out(shown(told), 1'000);
    EXPECT_EQ(layout.folds, 1U);
    TimeAxis const& axis = layout.axis;
    std::vector<TimeNs> const moments{
        0, 40 * kMicro, 60 * kMicro, 100 * kMicro, protocol::kSecondNs + 40 * kMicro, told.end_ns};
    for (std::size_t i = 1; i < moments.size(); ++i)
        EXPECT_LT(axis.at(moments[i - 1]), axis.at(moments[i])) << moments[i];
    // To scale on both sides of the fold.
    Tenths const before = axis.at(60 * kMicro) - axis.at(40 * kMicro);
    Tenths const after = axis.at(protocol::kSecondNs + 80 * kMicro) - axis.at(protocol::kSecondNs + 60 * kMicro);
    EXPECT_NEAR(static_cast<double>(before), static_cast<double>(after), 2.0);
}

TEST(Sequence, AWindowCutsWhatIsOnItsWay) {
    Chronicle const told = stories::of_two();
    SequenceScene const scene = shown(told, {{}, 50 * kMicro, 70 * kMicro});
    EXPECT_EQ(scene.messages.size(), 2U);  // hello and check_in of rank 0, sent before it
    SequenceLayout const layout = lay_out(scene, 1'000);
    for (SequenceArrow const& arrow : layout.arrows) {
        EXPECT_EQ(arrow.from.y, layout.axis.top());
        EXPECT_NE(arrow.from.x, layout.column_x[scene.column_of[0]]) << "it left its sender before the window";
        EXPECT_TRUE(arrow.arrives);
    }
}

TEST(Sequence, ChosenRanksBringTheirRootAndSayWhoIsNotThere) {
    Chronicle const told = stories::of_crowd(40);
    auto const all = sequence_scene(told, {});
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error(),
              "41 processes do not fit into one picture, 36 do: choose some ranks, such as --ranks 0,3,5..7");
    SequenceScene const some = shown(told, {{3, 5}, 0, kNever});
    EXPECT_EQ(some.columns, (std::vector<ProcessIndex>{40, 3, 5}));
    EXPECT_EQ(some.messages.size(), 6U);
    EXPECT_EQ(some.hidden_messages, 38U * 3U);
    EXPECT_EQ(sequence_scene(told, {{77}, 0, kNever}).error(), "there is no rank 77: there are 0 to 39");
    EXPECT_EQ(sequence_scene(told, {{1}, protocol::kSecondNs, kNever}).error(),
              "nothing is left between 1 s and 209 us: the run ends after 209 us");
}

TEST(Sequence, EqualChroniclesGiveEqualBytes) {
    Chronicle const one = stories::of_crowd(20);
    Chronicle const other = stories::of_crowd(20);
    EXPECT_EQ(sequence_svg(shown(one)), sequence_svg(shown(other)));
}

TEST(Sequence, ARootThatIsStruckAndSilentHasNoPhaseAfterThat) {
    Chronicle told = stories::of_two();
    auto spans = phase_spans(told);
    EXPECT_EQ(spans[2].back().until_ns, told.faults[0].at_ns);
    told.faults.clear();
    spans = phase_spans(told);
    EXPECT_EQ(spans[2].back().until_ns, told.end_ns);
}

/// The step that was under way when it crashed is taken after the fault, and is its last.
TEST(Sequence, ARootThatCrashedHasNoPhaseAfterItsLastStep) {
    Chronicle told = stories::of_two();
    told.faults = {{kMicro, 2, "crash"}};
    TimeNs last_step_ns = 0;
    for (StepStory const& step : told.steps)
        last_step_ns = step.process == 2 ? step.at_ns : last_step_ns;
    ASSERT_GT(last_step_ns, kMicro);
    ASSERT_LT(last_step_ns, told.end_ns);
    EXPECT_EQ(phase_spans(told)[2].back().until_ns, last_step_ns);
    told.faults[0].text = "pause";
    EXPECT_EQ(phase_spans(told)[2].back().until_ns, told.end_ns) << "it goes on";
}

TEST(TimeText, ReadsLikePeopleWrite) {
    EXPECT_EQ(about_time(850), "850 ns");
    EXPECT_EQ(about_time(20 * kMicro), "20.0 us");
    EXPECT_EQ(about_time(999'960), "1.00 ms");
    EXPECT_EQ(about_time(12'400 * protocol::kMillisecondNs), "12.4 s");
    EXPECT_EQ(exact_time(protocol::kSecondNs + 40 * kMicro), "1.00004 s");
    EXPECT_EQ(exact_time(250 * kMicro), "250 us");
    EXPECT_EQ(in_groups(98'304), "98 304");
    EXPECT_EQ(in_groups(512), "512");
    EXPECT_EQ(round_step(3), 5);
    EXPECT_EQ(round_step(100), 100);
}

}  // namespace
}  // namespace ronde::viz
