/// Recordings of real jobs hold nothing that the pretend world's TCP does not know, and one that somebody changed does.
#include "conformance/conformance.hpp"
#include "doctored.hpp"
#include "net_driver/small_job.hpp"
#include "net_driver/stranger.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>

namespace ronde::conformance {
namespace {

using net::test::JobPlan;
using net::test::ScratchFolder;
using net::test::SmallJob;
using protocol::Event;
using protocol::EventKind;
using protocol::Failure;
using protocol::FrameKind;
using protocol::kMillisecondNs;
using protocol::kSecondNs;
using protocol::Listener;
using protocol::Operation;
using protocol::OperationKind;
using protocol::Profile;

Report report_of(std::string const& folder) {
    Observer observer;
    auto const replayed = net::replay(folder, &observer);
    EXPECT_TRUE(replayed) << replayed.error();
    EXPECT_TRUE(replayed->same()) << replayed->text();
    return observer.report();
}

void expect_conforms(std::string const& folder) {
    Report const report = report_of(folder);
    EXPECT_TRUE(report.conforms()) << report.text();
    EXPECT_GT(report.frames, 10U);
    EXPECT_GT(report.pairs, 2U) << report.text();
}

/// An all-gather, a barrier, a message that waits for its receiver, and an orderly end.
void use_and_close(SmallJob& job) {
    Operation gather;
    gather.kind = OperationKind::all_gather;
    gather.slice_bytes = 3'000;
    std::size_t const total = gather.slice_bytes * job.plan.nranks;
    std::vector<std::vector<std::byte>> buffers(job.plan.nranks, std::vector<std::byte>(total));
    job.operate_all([&](RankId) { return gather; }, buffers);
    Operation barrier;
    barrier.kind = OperationKind::barrier;
    std::vector<std::vector<std::byte>> nothing(job.plan.nranks);
    job.operate_all([&](RankId) { return barrier; }, nothing);
    Operation send;
    send.kind = OperationKind::send;
    send.peer = 2;
    send.tag = 11;
    send.slice_bytes = 5;
    std::vector<std::byte> message(5);
    for (int i = 0; i < 2; ++i) {  // the second one finds a connection that stands
        job.ranks[0]->operate(send, std::span<const std::byte>(message));
        job.run_until([&] { return job.ranks[0]->idle(); });
    }
    Operation receive = send;
    receive.kind = OperationKind::receive;
    receive.peer = 0;
    for (int i = 0; i < 2; ++i) {
        job.ranks[2]->operate(receive, std::span<std::byte>(message));
        job.run_until([&] { return job.ranks[2]->idle(); });
    }
    job.close();
    job.run_until([&] { return job.roots_settled(); });
}

JobPlan recorded(std::string const& folder, std::uint32_t nranks, Profile profile = Profile::ronde) {
    JobPlan plan;
    plan.nranks = nranks;
    plan.policies = protocol::policies_of(profile);
    plan.record_directory = folder;
    return plan;
}

TEST(Conformance, OfHealthyJobsInEveryProfileAndGather) {
    using protocol::Gather;
    for (Profile const profile : {Profile::ronde, Profile::nccl, Profile::article}) {
        ScratchFolder folder;
        SmallJob job(recorded(folder.path(), 5, profile));
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        use_and_close(job);
        expect_conforms(folder.path());
    }
    for (Gather const gather : {Gather::doubling, Gather::ring, Gather::ring2}) {
        ScratchFolder folder;
        JobPlan plan = recorded(folder.path(), 6);
        plan.nroots = 3;
        plan.policies.gather = gather;
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        use_and_close(job);
        expect_conforms(folder.path());
    }
}

TEST(Conformance, OfAJobThatReadsAndWritesByteByByte) {
    ScratchFolder folder;
    JobPlan plan = recorded(folder.path(), 4);
    plan.max_io_bytes = 1;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    use_and_close(job);
    expect_conforms(folder.path());
}

TEST(Conformance, OfAJobAtWhoseDoorsAllKindsOfStrangersStand) {
    for (Profile const profile : {Profile::ronde, Profile::nccl}) {
        ScratchFolder folder;
        JobPlan plan = recorded(folder.path(), 4, profile);
        plan.absent = {2};  // the others are at the doors meanwhile
        SmallJob job(plan);
        job.start();
        ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 3; })) << job.complaints();
        std::vector<net::Fd> strangers;
        for (net::test::Stranger const stranger : net::test::all_strangers()) {
            bool const stays = profile == Profile::nccl && stranger != net::test::Stranger::reset &&
                               stranger != net::test::Stranger::fin;
            if (stays)
                continue;  // a silent one would hold the only door for ever: a story of the museum
            protocol::Frame hello;
            hello.kind = FrameKind::hello;
            hello.payload_bytes = protocol::kNonceBytes;
            hello.aux = protocol::purpose_of(protocol::LinkClass::root);
            hello.a = 1;
            hello.c = job.rank_config(0).session;
            strangers.push_back(net::test::knock(job.root_endpoints[0], stranger, hello));
            hello.aux = protocol::purpose_of(protocol::LinkClass::chord_out, 0);
            hello.a = 0;
            hello.b = 1;
            strangers.push_back(net::test::knock(job.ranks[1]->table()[1].endpoint, stranger, hello));
        }
        job.start_rank(2);
        job.run_until([&] { return job.all_ready() || job.all_finished(); });
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        use_and_close(job);
        expect_conforms(folder.path());
    }
}

TEST(Conformance, OfAJobOfWhichOneRankIsKilledInAnyPhase) {
    for (protocol::Phase const phase :
         {protocol::Phase::checking_in, protocol::Phase::awaiting_successor, protocol::Phase::connecting_ring,
          protocol::Phase::committing, protocol::Phase::ready}) {
        ScratchFolder folder;
        JobPlan plan = recorded(folder.path(), 4);
        plan.policies.gather = protocol::Gather::doubling;
        plan.budget_ns = 2 * kSecondNs;
        bool due = false;
        plan.on_phase = [&](RankId rank, protocol::Phase entered) { due = due || (rank == 1 && entered == phase); };
        SmallJob job(plan);
        job.start();
        ASSERT_TRUE(job.run_until([&] { return due; })) << protocol::name_of(phase);
        job.kill(1);
        if (phase == protocol::Phase::ready)
            job.run_until([&] { return job.ranks[0]->machine().phase() == protocol::Phase::failed; });
        else
            job.run_until([&] { return job.all_finished(); });
        job.roots.clear();
        job.ranks.clear();
        Report const report = report_of(folder.path());
        EXPECT_TRUE(report.conforms()) << protocol::name_of(phase) << "\n" << report.text();
        EXPECT_GT(report.pairs, 2U) << report.text();
    }
}

TEST(Conformance, OfRanksThatFindNobody) {
    ScratchFolder folder;
    JobPlan plan = recorded(folder.path(), 3);
    plan.budget_ns = 300 * kMillisecondNs;
    {
        SmallJob job(plan);
        job.start();
        job.roots.clear();  // whoever calls is refused, or reset
        job.run_until([&] { return job.all_finished(); });
        EXPECT_TRUE(job.all_finished());
    }
    Report const report = report_of(folder.path());
    EXPECT_TRUE(report.conforms()) << report.text();
}

// --- recordings that somebody changed -------------------------------------------------------------------------------

/// A job of three ranks, one of which comes late. Meanwhile a stranger who says nothing stands at rank 1's door, and
/// another one comes and goes.
class Doctored : public testing::Test {
protected:
    void SetUp() override {
        SmallJob job([&] {
            JobPlan plan = recorded(folder_.path(), 3);
            plan.absent = {2};
            return plan;
        }());
        job.start();
        ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 2; }));
        auto const silent =
            net::test::knock(job.ranks[1]->table()[1].endpoint, net::test::Stranger::silent, protocol::Frame{});
        ASSERT_TRUE(job.run_until([&] { return job.ranks[1]->statistics().accepts == 1; }));
        (void)net::test::knock(job.ranks[1]->table()[1].endpoint, net::test::Stranger::fin, protocol::Frame{});
        ASSERT_TRUE(job.run_until([&] { return job.ranks[1]->statistics().accepts == 2; }));
        job.start_rank(2);
        job.run_until([&] { return job.all_ready(); });
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        job.close();
        job.run_until([&] { return job.roots_settled(); });
        job.roots.clear();
        expect_conforms(folder_.path());
    }

    [[nodiscard]] Recording load(std::string const& name) const { return load_recording(folder_.path(), name); }
    /// Once `recording` is written again, this is what is found, and it is found in `file`.
    void expect_found(Recording const& recording, Rule rule, std::string const& file) const {
        record_again(folder_.path(), recording);
        Report const report = report_of(folder_.path());
        EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                                [&](Finding const& one) { return one.rule == rule && one.file == file; }))
            << "expected " << name_of(rule) << " in " << file << "\n"
            << report.text();
        EXPECT_NE(report.text().find(file + ", event "), std::string::npos) << report.text();
    }

    ScratchFolder folder_;
};

auto frame(FrameKind kind) {
    return [kind](Event const& event) { return event.kind == EventKind::frame && event.frame.kind == kind; };
}
auto kind(EventKind kind) {
    return [kind](Event const& event) { return event.kind == kind; };
}

constexpr char const* kRank0 = "rank-00000.ronde";
constexpr char const* kRank1 = "rank-00001.ronde";
constexpr char const* kRoot = "root-0.ronde";

TEST_F(Doctored, AFrameThatWasMovedBeforeItsSendingIsFound) {
    Recording rank = load(kRank1);
    std::size_t const stranger = rank.find(kind(EventKind::accepted));
    std::size_t const table = rank.find(frame(FrameKind::slices));
    ASSERT_LT(stranger, table);
    Event early = rank.events[table];
    early.now = rank.events[stranger - 1U].now;
    rank.events.erase(rank.events.begin() + static_cast<std::ptrdiff_t>(table));
    rank.insert(stranger, early);
    expect_found(rank, Rule::before_sending, kRank1);
}

TEST_F(Doctored, ASecondEndOfStreamIsFound) {
    Recording rank = load(kRank1);
    std::size_t const end = rank.find(kind(EventKind::closed));
    ASSERT_LT(end, rank.events.size());
    rank.insert(end + 1U, Event::closed(rank.events[end].now, rank.events[end].link, Failure::end_of_stream));
    expect_found(rank, Rule::end_twice, kRank1);
}

TEST_F(Doctored, AFrameThatNobodySentIsFound) {
    Recording rank = load(kRank1);
    std::size_t const commit = rank.find(frame(FrameKind::slices));
    rank.insert(commit + 1U, rank.events[commit]);
    expect_found(rank, Rule::never_sent, kRank1);
}

TEST_F(Doctored, AFrameWithAnotherNumberIsFound) {
    Recording root = load(kRoot);
    std::size_t const check_in = root.find(frame(FrameKind::check_in));
    root.events[check_in].frame.d += 1;  // its deadline, a nanosecond later
    expect_found(root, Rule::never_sent, kRoot);
}

TEST_F(Doctored, AFrameBehindTheEndIsFound) {
    Recording rank = load(kRank1);
    std::size_t const end = rank.find(kind(EventKind::closed));
    std::size_t const hello = rank.find(frame(FrameKind::hello));
    ASSERT_LT(hello, rank.events.size());
    Event late = rank.events[hello];
    late.now = rank.events[end].now;
    late.link = rank.events[end].link;
    rank.insert(end + 1U, late);
    expect_found(rank, Rule::data_after_end, kRank1);
}

TEST_F(Doctored, AFrameOnAConnectionThatNeverStoodIsFound) {
    Recording rank = load(kRank1);
    std::size_t const table = rank.find(frame(FrameKind::slices));
    rank.events[table].link = protocol::mail_in(2);
    expect_found(rank, Rule::data_before_open, kRank1);
}

TEST_F(Doctored, ASecondAnswerToACallIsFound) {
    Recording rank = load(kRank1);
    std::size_t const connected = rank.find(kind(EventKind::connected));
    rank.insert(connected + 1U, rank.events[connected]);
    expect_found(rank, Rule::answer_without_call, kRank1);
}

TEST_F(Doctored, AConnectionAtAListenerThatThereIsNotIsFound) {
    Recording rank = load(kRank1);
    std::size_t const stranger = rank.find(kind(EventKind::accepted));
    rank.events[stranger].listener = Listener::callback;
    expect_found(rank, Rule::no_listener, kRank1);
}

TEST_F(Doctored, TwoConnectionsInOneSlotAreFound) {
    Recording rank = load(kRank1);
    std::size_t const stranger = rank.find(kind(EventKind::accepted));
    rank.insert(stranger + 1U, rank.events[stranger]);
    expect_found(rank, Rule::beyond_credit, kRank1);
}

TEST_F(Doctored, ANoticeThatNobodyAskedForIsFound) {
    Recording rank = load(kRank1);
    std::size_t const table = rank.find(frame(FrameKind::slices));
    rank.insert(table + 1U, Event::sent(rank.events[table].now, rank.events[table].link));
    expect_found(rank, Rule::sent_unasked, kRank1);
}

TEST_F(Doctored, AnErrnoThatMeansSomethingElseIsFound) {
    Recording rank = load(kRank0);
    std::size_t const connected = rank.find(kind(EventKind::connected));
    rank.insert(connected, Event::connect_failed(rank.events[connected].now, rank.events[connected].link,
                                                 Failure::refused, ETIMEDOUT));
    expect_found(rank, Rule::wrong_errno, kRank0);
    rank.events[connected].os_error = ECONNREFUSED;
    record_again(folder_.path(), rank);
    for (Finding const& finding : report_of(folder_.path()).findings)
        EXPECT_NE(finding.rule, Rule::wrong_errno) << to_text(finding);
}

TEST_F(Doctored, AMemberWhoNeverCalledIsFound) {
    Recording root = load(kRoot);
    // The whole check-in of one rank, once more: the root takes it for the same process that is back.
    std::size_t const accepted = root.find(kind(EventKind::accepted));
    protocol::Link const door = root.events[accepted].link;
    std::size_t const check_in = root.find(frame(FrameKind::check_in));
    std::vector<Event> again;
    for (std::size_t at = accepted; at <= check_in; ++at) {
        Event event = root.events[at];
        bool const mine = event.kind == EventKind::accepted || event.kind == EventKind::frame;
        if (mine && event.link == door) {
            event.now = root.events[check_in].now;
            again.push_back(event);
        }
    }
    ASSERT_EQ(again.size(), 4U) << "accepted, hello, proof and check_in";
    root.events.insert(root.events.begin() + static_cast<std::ptrdiff_t>(check_in) + 1, again.begin(), again.end());
    expect_found(root, Rule::heard_from_nobody, kRoot);
}

TEST_F(Doctored, AClockThatRunsBackIsFound) {
    Recording rank = load(kRank1);
    std::size_t const table = rank.find(frame(FrameKind::slices));
    rank.events[table].now = rank.events[table - 1U].now - 1;
    expect_found(rank, Rule::clock_runs_back, kRank1);
}

/// Turns of old: who writes reads nothing until all is out.
TEST(Conformance, AFrameThatIsReadInTheMiddleOfAWriteIsFound) {
    ScratchFolder folder;
    JobPlan plan = recorded(folder.path(), 3, Profile::article);
    plan.policies.turns = protocol::Turns::send_then_receive;
    {
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        job.close();
        job.run_until([&] { return job.roots_settled(); });
    }
    expect_conforms(folder.path());
    Recording rank = load_recording(folder.path(), kRank1);
    std::size_t const sent = rank.find(kind(EventKind::sent));
    std::size_t const slices = rank.find(frame(FrameKind::slices), sent);
    ASSERT_LT(slices, rank.events.size());
    std::swap(rank.events[sent], rank.events[slices]);
    std::swap(rank.events[sent].now, rank.events[slices].now);
    record_again(folder.path(), rank);
    Report const report = report_of(folder.path());
    ASSERT_FALSE(report.conforms());
    EXPECT_EQ(name_of(report.findings.front().rule), "paused") << report.text();
}

TEST_F(Doctored, AConnectionThatIsAcceptedBeforeItWasCalledForIsFound) {
    Recording rank = load(kRank1);
    rank.delay(0, 10 * kSecondNs);
    expect_found(rank, Rule::accepted_before_called, kRoot);
}

TEST_F(Doctored, AnEndBeforeTheOtherEndHasClosedIsFound) {
    Recording rank = load(kRank0);
    std::size_t const close = rank.find(kind(EventKind::close));
    ASSERT_LT(close, rank.events.size());
    ASSERT_LT(rank.events[close - 1U].now, rank.events[close].now);
    rank.insert(close, Event::closed(rank.events[close - 1U].now, protocol::chord_in(0), Failure::end_of_stream));
    expect_found(rank, Rule::end_before_close, kRank0);
}

TEST(Rules, HaveNamesAndMeaningsOfTheirOwn) {
    std::set<std::string_view> names;
    for (std::uint32_t i = 0; i < kRules; ++i) {
        EXPECT_TRUE(names.insert(name_of(static_cast<Rule>(i))).second);
        EXPECT_FALSE(meaning_of(static_cast<Rule>(i)).empty());
    }
}

TEST(Rules, StandInTheGuideAsTheyAre) {
    std::ifstream file(RONDE_GUIDE);
    std::string const guide{std::istreambuf_iterator<char>(file), {}};
    for (std::uint32_t i = 0; i < kRules; ++i) {
        auto const rule = static_cast<Rule>(i);
        std::string const row = fmt::format("| `{}` | {} |\n", name_of(rule), meaning_of(rule));
        EXPECT_NE(guide.find(row), std::string::npos) << "docs/checking.md lacks " << row;
    }
}

}  // namespace
}  // namespace ronde::conformance
