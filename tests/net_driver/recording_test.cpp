/// The flight recorder: a real job recorded, replayed with equal states, and every kind of damage noticed.
#include "net/recorder.hpp"
#include "net/replay.hpp"
#include "small_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ronde::net::test {
namespace {

using protocol::Event;
using protocol::Operation;
using protocol::OperationKind;
using protocol::RankId;

std::vector<char> content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_content(std::string const& path, std::vector<char> const& content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// A job of three ranks with a few verbs, recorded and closed.
void record_job(std::string const& folder, protocol::Profile profile = protocol::Profile::ronde,
                std::uint32_t nroots = 1) {
    JobPlan plan;
    plan.nranks = 3;
    plan.nroots = nroots;
    plan.policies = protocol::policies_of(profile);
    plan.record_directory = folder;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    Operation gather;
    gather.kind = OperationKind::all_gather;
    gather.slice_bytes = 100;
    std::vector<std::vector<std::byte>> buffers(3, std::vector<std::byte>(300));
    job.operate_all([&](RankId) { return gather; }, buffers);
    Operation send;
    send.kind = OperationKind::send;
    send.peer = 2;
    send.tag = 11;
    send.slice_bytes = 5;
    std::vector<std::byte> message(5);
    job.ranks[0]->operate(send, std::span<const std::byte>(message));
    job.run_until([&] { return job.ranks[0]->idle(); });
    Operation receive = send;
    receive.kind = OperationKind::receive;
    receive.peer = 0;
    job.ranks[2]->operate(receive, std::span<std::byte>(message));
    job.run_until([&] { return job.ranks[2]->idle(); });
    job.close();
    job.run_until([&] { return job.roots_settled(); });
    ASSERT_TRUE(job.all_finished());
}

TEST(Recording, OfAHealthyJobReplaysToTheSameStates) {
    ScratchFolder folder;
    record_job(folder.path());
    auto const report = replay(folder.path());
    ASSERT_TRUE(report) << report.error();
    EXPECT_TRUE(report->same()) << report->text();
    ASSERT_EQ(report->files.size(), 4U) << report->text();
    EXPECT_EQ(report->files[0].file, "rank-00000.ronde");
    EXPECT_EQ(report->files[3].file, "root-0.ronde");
    for (auto const& file : report->files) {
        EXPECT_GT(file.events, 5U) << report->text();
        EXPECT_EQ(file.note, "") << report->text();
    }
    EXPECT_EQ(report->files[1].outcome, "closed");
}

TEST(Recording, OfCallBackProfilesAndSeveralRootsReplaysToo) {
    ScratchFolder folder;
    record_job(folder.path(), protocol::Profile::nccl, 2);
    auto const report = replay(folder.path());
    ASSERT_TRUE(report) << report.error();
    EXPECT_TRUE(report->same()) << report->text();
    EXPECT_EQ(report->files.size(), 5U);
}

TEST(Recording, OfAFailureTellsTheVerdict) {
    ScratchFolder folder;
    {
        JobPlan plan;
        plan.nranks = 3;
        plan.absent = {1};
        plan.budget_ns = 200 * protocol::kMillisecondNs;
        plan.record_directory = folder.path();
        SmallJob job(plan);
        job.boot();
        EXPECT_TRUE(job.all_finished());
    }
    auto const report = replay(folder.path());
    ASSERT_TRUE(report) << report.error();
    EXPECT_TRUE(report->same()) << report->text();
    ASSERT_EQ(report->files.size(), 3U);
    EXPECT_EQ(report->files[0].outcome.rfind("failed: ", 0), 0U) << report->text();
}

TEST(Recording, OfAProcessThatWasKilledReplaysAsFarAsItGoes) {
    ScratchFolder folder;
    record_job(folder.path());
    std::string const path = folder.path() + "/rank-00001.ronde";
    std::vector<char> const whole = content_of(path);
    ASSERT_GT(whole.size(), 200U);
    for (std::size_t const size : {whole.size() - 1, whole.size() - 10, whole.size() / 2, std::size_t{150}}) {
        std::vector<char> cut = whole;
        cut.resize(size);
        write_content(path, cut);
        auto const report = replay(folder.path());
        ASSERT_TRUE(report) << report.error();
        EXPECT_TRUE(report->same()) << report->text();
        EXPECT_NE(report->files[1].note.find("cut off"), std::string::npos) << report->text();
    }
}

TEST(Recording, ThatWasTamperedWithIsNoticedWhereverTheByteIs) {
    ScratchFolder folder;
    record_job(folder.path());
    std::vector<char> const whole = content_of(folder.path() + "/rank-00001.ronde");
    ScratchFolder tampered_folder;
    std::string const path = tampered_folder.path() + "/rank-00001.ronde";
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::vector<char> tampered = whole;
        tampered[at] = static_cast<char>(tampered[at] ^ 0x41);
        write_content(path, tampered);
        auto const report = replay(tampered_folder.path());
        ASSERT_TRUE(report) << report.error();
        bool const noticed = !report->same() || !report->files[0].note.empty();
        ASSERT_TRUE(noticed) << "byte " << at << " of " << whole.size() << " was changed:\n" << report->text();
        if (report->difference) {
            ASSERT_EQ(report->difference->file, "rank-00001.ronde");
        }
    }
}

TEST(Recording, ThatClaimsAnotherStateIsADifferenceWithItsEvent) {
    ScratchFolder folder;
    protocol::RankConfig config;
    config.policies = protocol::resolve(config.policies, 1, 1);
    protocol::Rank machine(config);
    {
        auto recorder = Recorder::create(folder.path(), config);
        ASSERT_TRUE(recorder) << recorder.error();
        protocol::Actions actions;
        (*recorder)->event(Event::start(1000));
        machine.step(Event::start(1000), actions);
        (*recorder)->check(state_digest_of(machine));
        (*recorder)->event(Event::listening(2000, protocol::Listener::ring));
        (*recorder)->check(StateDigest{1, 2});  // a state that this event does not lead to
        (*recorder)->end(StateDigest{1, 2});
    }
    auto const report = replay(folder.path());
    ASSERT_TRUE(report) << report.error();
    ASSERT_FALSE(report->same());
    EXPECT_EQ(report->difference->event, 2U);
    EXPECT_EQ(report->difference->what, "the state differs");
    EXPECT_EQ(report->difference->expected, "digest 00000000000000020000000000000001");
    EXPECT_NE(report->difference->event_text.find("listening"), std::string::npos) << report->difference->event_text;
}

TEST(Recording, HoldsNothingOfTheSecretAndNoMessages) {
    ScratchFolder folder;
    record_job(folder.path());
    SmallJob const job(JobPlan{});
    for (char const* const name : {"rank-00000.ronde", "rank-00001.ronde", "rank-00002.ronde", "root-0.ronde"}) {
        std::vector<char> const content = content_of(folder.path() + "/" + name);
        std::array<char, 8> piece{};
        std::memcpy(piece.data(), job.secret.data(), piece.size());
        EXPECT_EQ(std::search(content.begin(), content.end(), piece.begin(), piece.end()), content.end()) << name;
    }
}

TEST(Recording, ThatCannotBeReadSaysWhy) {
    ScratchFolder folder;
    auto const empty = replay(folder.path());
    ASSERT_FALSE(empty);
    EXPECT_NE(empty.error().find("no recordings"), std::string::npos) << empty.error();
    auto const nowhere = replay(folder.path() + "/nowhere");
    ASSERT_FALSE(nowhere);
    EXPECT_NE(nowhere.error().find("nowhere"), std::string::npos) << nowhere.error();
    write_content(folder.path() + "/rank-00000.ronde", {'h', 'e', 'l', 'l', 'o'});
    auto const other = replay(folder.path());
    ASSERT_TRUE(other) << other.error();
    EXPECT_FALSE(other->same());
    EXPECT_NE(other->text().find("is no recording"), std::string::npos) << other->text();
}

TEST(Recording, ThatCannotBeWrittenIsRefusedBeforeTheJob) {
    auto const recorder = Recorder::create("/proc/nowhere", protocol::RankConfig{});
    ASSERT_FALSE(recorder);
    EXPECT_NE(recorder.error().find("/proc/nowhere"), std::string::npos) << recorder.error();
}

}  // namespace
}  // namespace ronde::net::test
