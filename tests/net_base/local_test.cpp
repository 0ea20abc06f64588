// Ranks as processes of this host: started together, heard, counted, and never left behind.

#include "launch/local.hpp"

#include "net/loop.hpp"
#include "temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace ronde::launch {
namespace {

using protocol::kNever;
using protocol::TimeNs;
using test::TemporaryFolder;

LocalJob started(LocalOptions const& options) {
    auto job = LocalJob::start(options);
    if (!job)
        throw std::runtime_error(job.error());
    return std::move(*job);
}

LocalOptions forked(std::uint32_t count, std::function<int(Child const&)> body) {
    LocalOptions options;
    options.count = count;
    options.body = std::move(body);
    return options;
}

LocalOptions shell(std::uint32_t count, std::string const& script) {
    LocalOptions options;
    options.count = count;
    options.program = {"sh", "-c", script};
    return options;
}

std::vector<LocalEvent> everything_from(LocalJob& job) {
    std::vector<LocalEvent> all;
    while (job.running() > 0) {
        for (LocalEvent& event : job.wait(kNever))
            all.push_back(std::move(event));
    }
    return all;
}

template <class Value>
std::span<const std::byte> bytes_of(Value const& value) {
    return std::as_bytes(std::span(&value, 1));
}

template <class Value>
Value value_of(LocalEvent const& event) {
    Value value{};
    EXPECT_EQ(event.record.size(), sizeof value);
    std::memcpy(&value, event.record.data(), std::min(event.record.size(), sizeof value));
    return value;
}

std::string content_of(std::string const& path) {
    std::ifstream file(path);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

TEST(LocalJob, SixtyFourChildrenEachSendTheirRecordAndEnd) {
    LocalJob job = started(forked(64, [](Child const& child) {
        std::uint32_t const square = child.rank() * child.rank() + child.count();
        return child.send(bytes_of(square)) ? 0 : 1;
    }));
    std::map<std::uint32_t, std::uint32_t> squares;
    std::uint32_t ended = 0;
    for (LocalEvent const& event : everything_from(job)) {
        if (event.kind == LocalEvent::Kind::record) {
            squares[event.rank] = value_of<std::uint32_t>(event);
        } else {
            ASSERT_EQ(event.kind, LocalEvent::Kind::ended);
            EXPECT_TRUE(event.end.ok()) << describe(event.end);
            EXPECT_EQ(squares.count(event.rank), 1U) << "the record comes before the end";
            ++ended;
        }
    }
    EXPECT_EQ(ended, 64U);
    ASSERT_EQ(squares.size(), 64U);
    for (auto const& [rank, square] : squares)
        EXPECT_EQ(square, rank * rank + 64);
}

TEST(LocalJob, NobodyStartsBeforeEverybodyExists) {
    LocalJob job = started(forked(16, [](Child const& child) {
        TimeNs const now = net::monotonic_ns();
        return child.send(bytes_of(now)) ? 0 : 1;
    }));
    std::uint32_t records = 0;
    for (LocalEvent const& event : everything_from(job)) {
        if (event.kind != LocalEvent::Kind::record)
            continue;
        ++records;
        EXPECT_GE(value_of<TimeNs>(event), job.gate_opened_ns());
    }
    EXPECT_EQ(records, 16U);
}

TEST(LocalJob, EndsAreReportedAsTheyWere) {
    LocalJob job = started(forked(4, [](Child const& child) {
        switch (child.rank()) {
        case 0: return 0;
        case 1: return 3;
        case 2: ::raise(SIGKILL); return 0;
        default: ::raise(SIGTERM); return 0;
        }
    }));
    static_cast<void>(everything_from(job));
    EXPECT_EQ(describe(*job.end_of(0)), "exit status 0");
    EXPECT_EQ(describe(*job.end_of(1)), "exit status 3");
    EXPECT_EQ(describe(*job.end_of(2)), "killed by SIGKILL");
    EXPECT_EQ(job.end_of(2)->signal, SIGKILL);
    EXPECT_EQ(describe(*job.end_of(3)), "killed by SIGTERM");
    EXPECT_FALSE(job.end_of(3)->ok());
    EXPECT_EQ(job.process_id(3), 0);
    EXPECT_EQ(job.count(), 4U);
}

TEST(LocalJob, AnExceptionDoesNotEscapeIntoTheParentsProgram) {
    TemporaryFolder const folder;
    LocalJob job = started(forked(1, [&](Child const&) -> int {
        // std::terminate says a word on stderr, which would only puzzle the reader of this test.
        ::dup2(::open((folder / "stderr").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        throw std::runtime_error("oops");
    }));
    static_cast<void>(everything_from(job));
    EXPECT_EQ(describe(*job.end_of(0)), "killed by SIGABRT");
    EXPECT_THAT(content_of(folder / "stderr"), testing::HasSubstr("oops"));
}

TEST(LocalJob, WhatAChildUsedIsKnown) {
    LocalJob job = started(forked(1, [](Child const&) {
        constexpr std::size_t kPageBytes = 4096;
        std::vector<char> memory(32U << 20U);
        auto* const touched = static_cast<char volatile*>(memory.data());
        for (std::size_t at = 0; at < memory.size(); at += kPageBytes)
            touched[at] = 1;
        return touched[0] == 1 ? 0 : 1;
    }));
    static_cast<void>(everything_from(job));
    ChildEnd const end = job.end_of(0).value();
    EXPECT_GT(end.peak_rss_bytes, 32U << 20U);
    EXPECT_GT(end.cpu_ns, 0);
    EXPECT_GT(end.ended_ns, job.gate_opened_ns());
}

TEST(LocalJob, OneRankCanBeKilledWhileTheOthersGoOn) {
    LocalJob job = started(shell(3, "exec sleep 1000"));
    EXPECT_TRUE(job.kill(1, SIGKILL));
    while (!job.end_of(1))
        static_cast<void>(job.wait(kNever));
    EXPECT_EQ(describe(*job.end_of(1)), "killed by SIGKILL");
    EXPECT_EQ(job.running(), 2U);
    EXPECT_FALSE(job.kill(1, SIGKILL)) << "it has ended; its number may be somebody else's by now";
    job.kill_all(SIGTERM);
    static_cast<void>(everything_from(job));
    EXPECT_EQ(job.end_of(0)->signal, SIGTERM);
}

TEST(LocalJob, PollingWithOutsideLoopsWorksAndIsQuietWhileNothingHappens) {
    LocalJob job = started(shell(2, "exec sleep 1000"));
    // Both children have become another program when the result pipe is closed at its other end; that is one event.
    pollfd item{job.poll_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&item, 1, -1), 1);
    EXPECT_TRUE(job.handle_ready().empty());
    EXPECT_EQ(::poll(&item, 1, 0), 0) << "a readable descriptor with nothing to read would make every loop spin";
    job.kill_all(SIGKILL);
    std::uint32_t ended = 0;
    while (ended < 2) {
        ASSERT_EQ(::poll(&item, 1, -1), 1);
        ended += static_cast<std::uint32_t>(job.handle_ready().size());
    }
    EXPECT_EQ(job.running(), 0U);
}

/// Somebody whose attention is elsewhere when the children end: it looks after them at the third call only.
class BusyParent final : public net::Pollable {
public:
    explicit BusyParent(LocalJob& job) : job_(job) {}
    void on_ready(std::uint32_t) override {
        if (++calls >= 3)
            ended += static_cast<std::uint32_t>(job_.handle_ready().size());
    }
    std::uint32_t calls = 0;
    std::uint32_t ended = 0;

private:
    LocalJob& job_;
};

TEST(LocalJob, ALoopIsToldOfTheEndOfChildrenForAsLongAsNobodyLooks) {
    constexpr std::uint32_t kChildren = 16;
    LocalJob job = started(forked(kChildren, [](Child const&) { return 0; }));
    // All have ended before the loop looks for the first time, so no further news will come; waiting is not reaping.
    for (std::uint32_t rank = 0; rank < kChildren; ++rank) {
        siginfo_t info{};
        ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(job.process_id(rank)), &info, WEXITED | WNOWAIT), 0);
    }
    net::Loop loop;
    BusyParent parent(job);
    net::Loop::Watch watch;
    ASSERT_EQ(loop.watch_level(job.poll_fd(), EPOLLIN, parent, watch), 0);
    for (int batch = 0; batch < 3; ++batch)
        loop.run_once(0);
    EXPECT_EQ(parent.ended, kChildren);
    EXPECT_EQ(job.running(), 0U);
    std::uint32_t const calls = parent.calls;
    loop.run_once(0);
    EXPECT_EQ(parent.calls, calls) << "what was handled is not told again";
    loop.unwatch(watch);
}

TEST(LocalJob, ProgramsGetTheirPlaceInTheirEnvironment) {
    TemporaryFolder const folder;
    ASSERT_EQ(::setenv("RONDE_TEST_GONE", "1", 1), 0);
    LocalOptions options =
        shell(3, "echo $RONDE_RANK/$RONDE_WORLD_SIZE $RONDE_LOCAL_RANK/$RONDE_LOCAL_SIZE $RONDE_ID_FILE "
                 "[$RONDE_TEST_GONE] > $OUT/$RONDE_RANK; exit $RONDE_RANK");
    options.environment = {{"RONDE_ID_FILE", "/run/id"}, {"OUT", folder.path()}, {"RONDE_TEST_GONE", std::nullopt}};
    LocalJob job = started(options);
    static_cast<void>(everything_from(job));
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(content_of(folder / std::to_string(rank)), fmt::format("{0}/3 {0}/3 /run/id []\n", rank));
        EXPECT_EQ(job.end_of(rank)->exit_status, static_cast<int>(rank));
    }
    EXPECT_STREQ(::getenv("RONDE_TEST_GONE"), "1") << "the parent's own environment stays as it was";
}

TEST(LocalJob, AProgramThatIsNotThereIsNamedByItsCause) {
    LocalOptions options;
    options.count = 2;
    options.program = {"no-such-program-anywhere"};
    LocalJob job = started(options);
    static_cast<void>(everything_from(job));
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(describe(*job.end_of(rank)), "cannot be started: No such file or directory (ENOENT)");
        EXPECT_EQ(job.end_of(rank)->exit_status, 127);
    }
}

TEST(LocalJob, OnlyRankZeroReadsTheKeyboard) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], "typed\n", 6), 6);
    ::close(ends[1]);
    int const old_stdin = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    LocalJob job = started(shell(2, "read line; test \"$line\" = typed"));
    ::dup2(old_stdin, STDIN_FILENO);
    ::close(old_stdin);
    static_cast<void>(everything_from(job));
    EXPECT_EQ(job.end_of(0)->exit_status, 0);
    EXPECT_EQ(job.end_of(1)->exit_status, 1);
}

TEST(LocalJob, ChildrenKeepOnlyTheDescriptorsTheyAreMeantToKeep) {
    net::Fd const dropped(::open("/dev/null", O_RDONLY));
    net::Fd const shared(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    net::Fd const root_only(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto const is_open = [](net::Fd const& fd) { return ::fcntl(fd.get(), F_GETFD) >= 0; };
    LocalOptions options = forked(2, [&](Child const& child) {
        return (is_open(dropped) ? 4 : 0) + (is_open(shared) ? 0 : 2) +
               (is_open(root_only) == (child.rank() == 0) ? 0 : 1);
    });
    options.keep = {shared.get()};
    options.keep_in_rank0 = {root_only.get()};
    LocalJob job = started(options);
    static_cast<void>(everything_from(job));
    EXPECT_EQ(job.end_of(0)->exit_status, 0);
    EXPECT_EQ(job.end_of(1)->exit_status, 0);

    options.body = nullptr;
    options.program = {
        "sh", "-c",
        fmt::format("test -e /proc/self/fd/{} && {{ test $RONDE_RANK = 1 || test -e /proc/self/fd/{}; }}", shared.get(),
                    root_only.get())};
    LocalJob programs = started(options);
    static_cast<void>(everything_from(programs));
    EXPECT_EQ(programs.end_of(0)->exit_status, 0) << "also across exec";
    EXPECT_EQ(programs.end_of(1)->exit_status, 0);
}

TEST(LocalJob, ASignalToTheLauncherReachesTheChildrenAndIsReported) {
    LocalJob job = started(forked(2, [](Child const& child) {
        sigset_t expected;
        ::sigemptyset(&expected);
        ::sigaddset(&expected, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &expected, nullptr);
        child.send({});
        int received = 0;
        return ::sigwait(&expected, &received) == 0 && received == SIGTERM ? 9 : 1;
    }));
    for (std::size_t ready = 0; ready < 2;)
        ready += job.wait(kNever).size();
    ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
    bool reported = false;
    for (LocalEvent const& event : everything_from(job)) {
        reported = reported || (event.kind == LocalEvent::Kind::signal && event.signal == SIGTERM);
    }
    EXPECT_TRUE(reported);
    for (std::uint32_t rank = 0; rank < 2; ++rank)
        EXPECT_EQ(describe(*job.end_of(rank)), "exit status 9");
}

TEST(LocalJob, TheSignalMaskIsRestoredForChildrenAndAfterwards) {
    auto const blocks_child_signals = [] {
        sigset_t mask;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        return ::sigismember(&mask, SIGCHLD) == 1 || ::sigismember(&mask, SIGTERM) == 1;
    };
    ASSERT_FALSE(blocks_child_signals());
    {
        LocalJob job = started(forked(1, [&](Child const&) { return blocks_child_signals() ? 1 : 0; }));
        EXPECT_TRUE(blocks_child_signals());
        static_cast<void>(everything_from(job));
        EXPECT_EQ(job.end_of(0)->exit_status, 0);
    }
    EXPECT_FALSE(blocks_child_signals());
}

TEST(LocalJob, OtherChildrenOfTheProcessKeepTheirStatus) {
    pid_t const stranger = ::fork();
    if (stranger == 0)
        ::_exit(42);
    // It is a zombie before the job starts, and stands first in line.
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(stranger), &info, WEXITED | WNOWAIT), 0);
    LocalJob job = started(forked(8, [](Child const&) { return 0; }));
    static_cast<void>(everything_from(job));
    int status = 0;
    ASSERT_EQ(::waitpid(stranger, &status, 0), stranger);
    EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(LocalJob, AStatusThatOtherCodeCollectedIsSaidToBeLost) {
    LocalJob job = started(forked(1, [](Child const&) { return 5; }));
    ASSERT_GT(::waitpid(job.process_id(0), nullptr, 0), 0);
    static_cast<void>(everything_from(job));
    EXPECT_EQ(describe(*job.end_of(0)), "ended, but other code of this process took its exit status");
}

TEST(LocalJob, ItsEndIsTheEndOfItsChildren) {
    pid_t child = 0;
    {
        LocalJob const job = started(shell(1, "exec sleep 1000"));
        child = job.process_id(0);
        EXPECT_EQ(::kill(child, 0), 0);
    }
    EXPECT_EQ(::kill(child, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST(LocalJob, ChildrenDieWithTheirLauncher) {
    // The launcher is a process of its own here; its child holds the write end of a pipe until it dies.
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t const launcher = ::fork();
    if (launcher == 0) {
        LocalOptions options = forked(1, [&](Child const&) {
            static_cast<void>(::write(ends[1], "x", 1));
            for (;;)
                ::pause();
            return 0;
        });
        options.keep = {ends[1]};
        LocalJob const job = started(options);
        for (;;)
            ::pause();
    }
    ::close(ends[1]);
    char byte = 0;
    ASSERT_EQ(::read(ends[0], &byte, 1), 1) << "the child runs";
    ::kill(launcher, SIGKILL);
    EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "and ends with its launcher";
    ::close(ends[0]);
    EXPECT_EQ(::waitpid(launcher, nullptr, 0), launcher);
}

TEST(LocalJob, RecordsOfFullLengthArriveWholeAndLongerOnesAreRefused) {
    LocalJob job = started(forked(4, [](Child const& child) {
        std::vector<std::byte> record(Child::kMaxRecordBytes, std::byte(child.rank() + 1));
        for (int i = 0; i < 200; ++i) {
            if (!child.send(record))
                return 1;
        }
        if (!child.send({}))
            return 2;
        record.push_back(std::byte{0});
        return child.send(record) ? 3 : 0;
    }));
    std::map<std::uint32_t, std::uint32_t> whole;
    std::map<std::uint32_t, std::uint32_t> empty;
    for (LocalEvent const& event : everything_from(job)) {
        if (event.kind != LocalEvent::Kind::record)
            continue;
        if (event.record.empty())
            ++empty[event.rank];
        std::vector<std::byte> const expected(Child::kMaxRecordBytes, std::byte(event.rank + 1));
        if (event.record == expected)
            ++whole[event.rank];
    }
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(whole[rank], 200U);
        EXPECT_EQ(empty[rank], 1U);
        EXPECT_EQ(describe(*job.end_of(rank)), "exit status 0");
    }
}

TEST(LocalJob, BadOptionsAreRefusedBeforeAnyProcess) {
    EXPECT_EQ(LocalJob::start({}).error(), "give either a function or a program to run");
    LocalOptions both = shell(1, "true");
    both.body = [](Child const&) { return 0; };
    EXPECT_EQ(LocalJob::start(both).error(), "give either a function or a program to run");
    EXPECT_EQ(LocalJob::start(shell(0, "true")).error(), "0 processes asked for, expected 1 to 1048576");
}

TEST(LocalJob, WaitingEndsWhenTimeRunsOut) {
    LocalJob job = started(shell(1, "exec sleep 1000"));
    EXPECT_TRUE(job.wait(0).empty());
    EXPECT_EQ(job.running(), 1U);
}

}  // namespace
}  // namespace ronde::launch
