/// The largest job there can be, seen from one of its 1 048 576 ranks. Its world is played by hand, frame by frame:
/// twenty chords each way, and a farewell that does not fit into one step.
#include "machine/story.hpp"
#include "support/wording.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kRanks = kMaxRanks;
constexpr RankId kMe = 123'456;

class GiantJob : public ::testing::Test {
protected:
    GiantJob() {
        config_.policies = policies_of(Profile::ronde);
        config_.policies.gather = Gather::star;
        config_.policies = resolve(config_.policies, kRanks, 1);
        config_.policies.stagger = Stagger::none;  // it does not wait for its turn to check in
        config_.nranks = kRanks;
        config_.rank = kMe;
        config_.session = 5;
        rank_ = Rank(config_);
    }

    /// One event and all its resumes; keeps the actions, and how many steps they took.
    void feed(Event event) {
        did_.clear();
        steps_ = 0;
        Actions actions;
        rank_.step(event, actions);
        for (;;) {
            ++steps_;
            ASSERT_LE(actions.size(), kMaxActions);
            for (Action const& action : actions)
                did_.push_back(action);
            if (!actions.more())
                break;
            ASSERT_GT(actions.size(), 0U) << "a piece of an answer is not empty";
            rank_.step(Event::resume(event.now), actions.clear());
        }
    }
    void feed_frame(Link link, FrameKind kind, std::uint32_t a = 0, std::uint32_t b = 0, std::uint64_t c = 0,
                    std::uint64_t d = 0, std::uint16_t aux = 0) {
        Frame frame;
        frame.kind = kind;
        frame.aux = aux;
        frame.a = a;
        frame.b = b;
        frame.c = c;
        frame.d = d;
        if (kind == FrameKind::slices)
            frame.payload_bytes = static_cast<std::uint32_t>(b * c);
        ASSERT_EQ(rank_.reception(link, frame).kind, Reception::Kind::take) << words(link) << ": " << words(frame);
        feed(Event::arrived(0, link, frame, {}));
    }
    /// Chord k from both sides: my call is answered, and the rank 2^k before me calls.
    void open_chord(std::uint32_t k) {
        feed(Event::connected(0, chord_out(k)));
        feed_frame(chord_out(k), FrameKind::challenge);
        feed(Event::accepted(0, Listener::ring, pending(0)));
        for (FrameKind const kind : {FrameKind::hello, FrameKind::proof}) {
            feed_frame(pending(0), kind, predecessor_of(kMe, kRanks, std::uint64_t{1} << k), kMe, config_.session, 0,
                       purpose_of(LinkClass::chord_out, k));
        }
    }
    void become_ready() {
        feed(Event::start(0));
        feed(Event::listening(0, Listener::ring));
        feed(Event::connected(0, kRootLink));
        feed_frame(kRootLink, FrameKind::challenge);
        feed_frame(kRootLink, FrameKind::slices, 0, kRanks, kEntryBytes, 0);
        open_chord(0);
        feed_frame(kRootLink, FrameKind::commit);
        ASSERT_EQ(rank_.phase(), Phase::ready);
    }
    /// Opens all chords, as a barrier does.
    void run_a_barrier() {
        feed(Event::operate(0, barrier()));
        for (std::uint32_t k = 0; k < kMaxChords; ++k) {
            if (k > 0)
                open_chord(k);
            feed_frame(chord_out(k), FrameKind::slices, successor_of(kMe, kRanks, std::uint64_t{1} << k), 1U << k, 0,
                       rank_.state().operation, static_cast<std::uint16_t>(k));
        }
        ASSERT_EQ(did_.back().kind, ActionKind::complete);
        ASSERT_EQ(rank_.state().out_open, (1U << kMaxChords) - 1U);
        ASSERT_EQ(rank_.state().in_open, (1U << kMaxChords) - 1U);
    }
    /// Every chord hears `kind`, each once; then, and only then, the end.
    void expect_farewell(FrameKind kind) {
        ASSERT_EQ(did_.size(), 2U * kMaxChords + 1U);
        EXPECT_GT(steps_, 1U);
        std::vector<std::uint32_t> told;
        for (std::size_t i = 0; i + 1 < did_.size(); ++i) {
            EXPECT_EQ(did_[i].kind, ActionKind::send);
            EXPECT_EQ(did_[i].frame.kind, kind);
            told.push_back(did_[i].link.value);
        }
        std::sort(told.begin(), told.end());
        EXPECT_EQ(std::unique(told.begin(), told.end()), told.end());
        EXPECT_EQ(did_.back().kind, ActionKind::finish);
    }

    RankConfig config_;
    Rank rank_;
    std::vector<Action> did_;
    std::uint32_t steps_ = 0;
};

TEST_F(GiantJob, ClosesInOrderOverFortyChords) {
    ASSERT_NO_FATAL_FAILURE(become_ready());
    ASSERT_NO_FATAL_FAILURE(run_a_barrier());
    feed(Event::close(0));
    EXPECT_EQ(rank_.phase(), Phase::closed);
    expect_farewell(FrameKind::bye);
}

TEST_F(GiantJob, TellsFortyChordsWhyItFails) {
    ASSERT_NO_FATAL_FAILURE(become_ready());
    ASSERT_NO_FATAL_FAILURE(run_a_barrier());
    feed(Event::abort(0));
    EXPECT_EQ(rank_.phase(), Phase::failed);
    EXPECT_EQ(rank_.error().code, Code::aborted);
    expect_farewell(FrameKind::verdict);
}

}  // namespace
}  // namespace ronde::protocol::tiny
