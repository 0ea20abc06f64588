// How ranks of one host agree on an id: the offer, the wait, and what is left of jobs that died.

#include "launch/id_exchange.hpp"

#include "launch/local.hpp"
#include "net/private_file.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace ronde::launch {
namespace {

using protocol::kNever;
using protocol::kSecondNs;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char const* kKey = "job-1";
constexpr char const* kText = "ronde1-text";
constexpr protocol::TimeNs kPlentyNs = 60 * kSecondNs;

std::uint32_t my_process_id() { return static_cast<std::uint32_t>(::getpid()); }

/// Makes an offer in a process of its own, which then dies without cleaning up.
void leave_an_offer_behind(TemporaryFolder const& folder) {
    LocalOptions options;
    options.body = [&](Child const&) {
        auto offer = IdOffer::make(folder.path(), kKey, "ronde1-of-the-dead");
        if (!offer)
            return 1;
        ::_exit(0);
    };
    auto job = LocalJob::start(options);
    ASSERT_TRUE(job) << job.error();
    while (job->running() > 0)
        static_cast<void>(job->wait(kNever));
    ASSERT_TRUE(job->end_of(0)->ok());
    ASSERT_TRUE(std::filesystem::exists(folder / kKey));
}

TEST(IdExchange, WhatRankZeroOffersTheOthersRead) {
    TemporaryFolder const folder;
    auto offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer) << offer.error();
    struct stat status {};
    ASSERT_EQ(::stat(offer->path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_EQ(await_id(folder.path(), kKey, 0), kText) << "an offer that is there needs no time";
    offer->withdraw();
    EXPECT_FALSE(std::filesystem::exists(folder / kKey));
}

TEST(IdExchange, RanksThatComeFirstWaitAndAllGetTheSame) {
    TemporaryFolder const folder;
    LocalOptions options;
    options.count = 8;
    options.body = [&](Child const& child) {
        auto const text = await_id(folder.path(), kKey, kPlentyNs);
        if (!text)
            return 1;
        child.send(std::as_bytes(std::span(*text)));
        return 0;
    };
    auto job = LocalJob::start(options);
    ASSERT_TRUE(job) << job.error();
    auto const offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer);
    std::vector<std::string> read;
    while (job->running() > 0) {
        for (LocalEvent const& event : job->wait(kNever)) {
            if (event.kind != LocalEvent::Kind::record)
                continue;
            read.emplace_back(reinterpret_cast<char const*>(event.record.data()), event.record.size());
        }
    }
    EXPECT_THAT(read, testing::AllOf(testing::SizeIs(8), testing::Each(kText)));
}

TEST(IdExchange, AWaitEndsAtItsDeadlineAndSaysWhatItWaitedFor) {
    TemporaryFolder const folder;
    EXPECT_EQ(await_id(folder.path(), kKey, 0).error(),
              "rank 0 has not offered an id at " + (folder / kKey) +
                  " within 0 ms (nothing was there): is rank 0 of this job on this host, and did it start?");
}

TEST(IdExchange, AnOfferOfADeadProcessIsIgnoredAndReplaced) {
    TemporaryFolder const folder;
    leave_an_offer_behind(folder);
    EXPECT_THAT(await_id(folder.path(), kKey, 0).error(),
                HasSubstr("only what a process that has ended left behind was there"));
    auto const offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer) << offer.error();
    EXPECT_EQ(await_id(folder.path(), kKey, 0), kText);
}

TEST(IdExchange, AProcessIdThatWasUsedAgainIsNotMistakenForTheWriter) {
    TemporaryFolder const folder;
    auto const me = mark_of(my_process_id());
    ASSERT_TRUE(me);
    auto const offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer);
    std::string content = net::read_private_file(folder / kKey, 4096)->content;
    std::string const start = std::to_string(me->start_ticks);
    content.replace(content.find(start), start.size(), std::to_string(me->start_ticks - 1));
    ASSERT_TRUE(net::write_private_file(folder / kKey, content));
    EXPECT_THAT(await_id(folder.path(), kKey, 0).error(), HasSubstr("left behind"));
}

TEST(IdExchange, AnOfferFromBeforeARebootIsStale) {
    TemporaryFolder const folder;
    auto const offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer);
    std::string content = net::read_private_file(folder / kKey, 4096)->content;
    content.replace(content.find("boot ") + 5, 4, "0000");
    ASSERT_TRUE(net::write_private_file(folder / kKey, content));
    EXPECT_THAT(await_id(folder.path(), kKey, 0).error(), HasSubstr("left behind"));
}

TEST(IdExchange, GarbageUnderTheNameIsNoOffer) {
    TemporaryFolder const folder;
    for (std::string const& garbage : {std::string(), std::string("hello\n"), std::string(5000, 'x'),
                                       std::string("ronde-exchange 2\nboot b\nwriter 1 2 3\nid x\n")}) {
        ASSERT_TRUE(net::write_private_file(folder / kKey, garbage));
        EXPECT_FALSE(await_id(folder.path(), kKey, 0));
    }
    EXPECT_TRUE(IdOffer::make(folder.path(), kKey, kText));
}

TEST(IdExchange, TwoLivingRankZerosAreAnError) {
    TemporaryFolder const folder;
    auto const offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer);
    LocalOptions options;
    options.body = [&](Child const& child) {
        auto const second = IdOffer::make(folder.path(), kKey, "ronde1-other");
        if (second)
            return 1;
        child.send(std::as_bytes(std::span(second.error())));
        return 0;
    };
    auto job = LocalJob::start(options);
    ASSERT_TRUE(job);
    std::string said;
    while (job->running() > 0) {
        for (LocalEvent const& event : job->wait(kNever)) {
            said.append(reinterpret_cast<char const*>(event.record.data()), event.record.size());
        }
    }
    EXPECT_THAT(said, StartsWith("another process (" + std::to_string(::getpid()) + ") is rank 0 of this job already"));
    EXPECT_EQ(await_id(folder.path(), kKey, 0), kText) << "the first offer stands";
}

TEST(IdExchange, OneProcessMayOfferRoundAfterRound) {
    TemporaryFolder const folder;
    auto first = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(first);
    auto second = IdOffer::make(folder.path(), kKey, "ronde1-second");
    ASSERT_TRUE(second) << second.error();
    first->withdraw();
    EXPECT_EQ(await_id(folder.path(), kKey, 0), "ronde1-second") << "only its own file is ever removed";
    EXPECT_THAT(await_id(folder.path(), kKey, 0, "ronde1-second").error(),
                HasSubstr("only the id of the round before"));
}

TEST(IdExchange, AForkedCopyOfAnOfferRemovesNothing) {
    TemporaryFolder const folder;
    auto offer = IdOffer::make(folder.path(), kKey, kText);
    ASSERT_TRUE(offer);
    pid_t const child = ::fork();
    if (child == 0) {
        offer->withdraw();
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(std::filesystem::exists(folder / kKey));
    IdOffer moved = std::move(*offer);
    { IdOffer const gone = std::move(moved); }
    EXPECT_FALSE(std::filesystem::exists(folder / kKey));
}

TEST(ExchangeKey, TellsJobsSizesAndRoundsApart) {
    JobPlace place;
    place.launcher = Launcher::open_mpi;
    place.world_size = 8;
    place.job = "4711";
    std::string const key = exchange_key(place);
    place.rank = 5;
    place.local_rank = 5;
    EXPECT_EQ(exchange_key(place), key) << "all ranks have the same key";
    EXPECT_NE(exchange_key(place, 1), key);
    place.world_size = 9;
    EXPECT_NE(exchange_key(place), key);
    place.world_size = 8;
    place.job = "4712";
    EXPECT_NE(exchange_key(place), key);
    EXPECT_THAT(key, testing::MatchesRegex("job-[0-9a-f]+"));
}

TEST(ExchangeKey, WithoutAJobNameTheParentStandsForIt) {
    JobPlace place;
    place.launcher = Launcher::mpich;
    place.world_size = 2;
    LocalOptions options;
    options.count = 2;
    options.body = [&](Child const& child) {
        std::string const key = exchange_key(place);
        child.send(std::as_bytes(std::span(key)));
        return 0;
    };
    std::vector<std::string> keys{exchange_key(place)};
    auto job = LocalJob::start(options);
    ASSERT_TRUE(job);
    while (job->running() > 0) {
        for (LocalEvent const& event : job->wait(kNever)) {
            if (event.kind != LocalEvent::Kind::record)
                continue;
            keys.emplace_back(reinterpret_cast<char const*>(event.record.data()), event.record.size());
        }
    }
    ASSERT_EQ(keys.size(), 3U);
    EXPECT_EQ(keys[1], keys[2]);
    EXPECT_NE(keys[0], keys[1]) << "their grandparent has other children";
}

TEST(ExchangeFolder, IsPrivateAndInTheSessionsFolderIfThereIsOne) {
    TemporaryFolder const session;
    TemporaryFolder const temporary;
    std::string const uid = std::to_string(::geteuid());
    EXPECT_EQ(exchange_folder({{"XDG_RUNTIME_DIR", session.path()}, {"TMPDIR", temporary.path()}}), session / "ronde");
    EXPECT_EQ(exchange_folder({{"XDG_RUNTIME_DIR", session / "gone"}, {"TMPDIR", temporary.path()}}),
              temporary / ("ronde-" + uid));
    struct stat status {};
    ASSERT_EQ(::stat((session / "ronde").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    EXPECT_EQ(exchange_folder({{"XDG_RUNTIME_DIR", session.path()}}), session / "ronde") << "and may exist already";
}

TEST(ExchangeFolder, OneThatOthersMayWriteToIsRefused) {
    TemporaryFolder const temporary;
    std::string const path = temporary / ("ronde-" + std::to_string(::geteuid()));
    Variables const variables{{"TMPDIR", temporary.path()}};
    ASSERT_TRUE(exchange_folder(variables));
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
    EXPECT_THAT(exchange_folder(variables).error(),
                StartsWith(path + " belongs to somebody else or can be written by others"));
    ASSERT_EQ(::rmdir(path.c_str()), 0);
    std::filesystem::create_symlink(temporary.path(), path);
    EXPECT_THAT(exchange_folder(variables).error(), StartsWith(path + " is not a folder"));
    EXPECT_THAT(exchange_folder({{"TMPDIR", temporary / "missing"}}).error(), StartsWith("cannot create "));
}

TEST(ProcessMarks, AreOfOneProcessOnly) {
    auto const me = mark_of(my_process_id());
    ASSERT_TRUE(me);
    EXPECT_EQ(mark_of(my_process_id()), me);
    EXPECT_GT(me->start_ticks, 0U);
    EXPECT_NE(me->pid_namespace, 0U);
    EXPECT_FALSE(mark_of(0));
    EXPECT_FALSE(mark_of(0x7fff'ffffU));
}

TEST(IdFile, OneThatIsThereNeedsNoTimeAndNoWord) {
    TemporaryFolder const folder;
    ASSERT_TRUE(net::write_private_file(folder / "job.id", kText));
    EXPECT_TRUE(await_file(folder / "job.id", 0, [] { FAIL() << "nothing is waited for"; }));
}

TEST(IdFile, OneThatComesLaterIsWaitedForAndTheWaitIsToldOnce) {
    TemporaryFolder const folder;
    int told = 0;
    // Written by the very word that says it is missing: later than the first look, earlier than the next.
    EXPECT_TRUE(await_file(folder / "job.id", kPlentyNs, [&] {
        ++told;
        ASSERT_TRUE(net::write_private_file(folder / "job.id", kText));
    }));
    EXPECT_EQ(told, 1);
}

TEST(IdFile, AFileFromAnotherProcessWakesWhoSleepsInItsFolder) {
    TemporaryFolder const folder;
    LocalOptions options;
    options.body = [&](Child const&) { return net::write_private_file(folder / "job.id", kText).has_value() ? 0 : 1; };
    std::optional<LocalJob> writer;
    EXPECT_TRUE(await_file(folder / "job.id", kPlentyNs, [&] {
        auto job = LocalJob::start(options);
        ASSERT_TRUE(job) << job.error();
        writer.emplace(std::move(*job));
    }));
}

TEST(IdFile, AnEmptyOneIsNotYetWritten) {
    TemporaryFolder const folder;
    std::ofstream(folder / "job.id").close();
    EXPECT_FALSE(await_file(folder / "job.id", 0));
}

TEST(IdFile, TimeRunsOutAlsoWhereTheFolderIsMissing) {
    TemporaryFolder const folder;
    EXPECT_FALSE(await_file(folder / "no-folder/job.id", protocol::kMillisecondNs));
}

TEST(IdFile, APathThatCanNeverBecomeAFileIsLeftToTheReader) {
    TemporaryFolder const folder;
    ASSERT_TRUE(net::write_private_file(folder / "file", kText));
    EXPECT_TRUE(await_file(folder / "file/job.id", kPlentyNs)) << "a file is no folder, and waiting makes it none";
}

}  // namespace
}  // namespace ronde::launch
