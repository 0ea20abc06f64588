/// `ronde step` as a process: through lines, and on a terminal.
#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace ronde::cli_test {
namespace {

using testing::HasSubstr;

Ended talk(std::string const& said, std::string const& arguments) {
    return run({"sh", "-c", "printf '" + said + "' | '" + ronde_path() + "' step " + arguments});
}

TEST(StepLines, AreAConversation) {
    Folder const folder;
    std::string const tape = folder / "mine.tape";
    Ended const ended = talk("3\\n\\nb\\nb\\nb\\n9\\nsoon\\nn 2\\nw\\nr\\nq\\n", "article-4 --ranks 3 --tape " + tape);
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, HasSubstr("   3  root 0 starts"));
    EXPECT_THAT(ended.out, HasSubstr("> this is the beginning\n"));
    EXPECT_THAT(ended.out, HasSubstr("'9' is none of them; expected 0 to 3, "));
    EXPECT_THAT(ended.out, HasSubstr("'soon' is none of them; "));
    EXPECT_THAT(ended.out, HasSubstr("written: " + tape));
    EXPECT_THAT(ended.out, HasSubstr("\nover: ready: 3 ranks in a ring"));
    Ended const replayed = ronde("replay " + tape);
    EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
    EXPECT_EQ(ronde("draw sequence " + tape).status, 0);
}

TEST(StepLines, AreTheSameEveryTime) {
    std::string const said = "1\\n\\n\\n2\\nn 5\\nr\\n";
    EXPECT_EQ(talk(said, "stragglers --ranks 4").out, talk(said, "stragglers --ranks 4").out);
}

TEST(StepLines, OfTooManyRanksAreNone) {
    Ended const ended = ronde("step storm-4k");
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("4096 ranks are too many to follow step by step; expected at most 64"));
}

/// A program on a terminal of 100 times 30. Between it and the test stands a process that owns the terminal and
/// outlives it: the kernel may throw away what is still to be read when the owner of a terminal ends.
class OnATerminal {
public:
    explicit OnATerminal(std::string const& arguments) {
        winsize const size{30, 100, 0, 0};
        std::vector<std::string> all = words(arguments);
        all.insert(all.begin(), ronde_path());
        std::array<int, 2> news{};
        EXPECT_EQ(::pipe(news.data()), 0);
        owner_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
        if (owner_ == 0)
            own(all, news[1]);
        EXPECT_GT(owner_, 0);
        ::close(news[1]);
        news_ = news[0];
        program_ = next_news();
    }
    OnATerminal(OnATerminal const&) = delete;
    OnATerminal& operator=(OnATerminal const&) = delete;
    ~OnATerminal() {
        ::kill(owner_, SIGKILL);
        ::waitpid(owner_, nullptr, 0);
        ::close(news_);
        ::close(terminal_);
    }

    void press(std::string const& keys) const {
        ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
    }
    /// Reads until `text` is on the screen, and forgets what stood before. False: nothing can be read any more.
    bool shows(std::string const& text) {
        for (;;) {
            std::size_t const at = unread_.find(text);
            if (at != std::string::npos) {
                unread_.erase(0, at + text.size());
                return true;
            }
            if (!read_more())
                return false;
        }
    }
    /// Waits until it has ended, and reads the rest. Its wait status.
    int end() {
        int const status = next_news();
        pollfd more{terminal_, POLLIN, 0};
        while (::poll(&more, 1, 0) > 0 && read_more())
            continue;
        return status;
    }
    [[nodiscard]] std::string const& last_words() const { return unread_; }
    void resize(std::uint16_t rows, std::uint16_t columns) const {
        winsize const size{rows, columns, 0, 0};
        ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
    }
    void tell(int signal) const { ASSERT_EQ(::kill(program_, signal), 0); }
    /// A new terminal has all three.
    [[nodiscard]] bool is_as_it_was() const { return state() == (ECHO | ICANON | ISIG); }

private:
    /// The owner's life: tells who the program is and how it ended, and then stays. Keys that end programs do not end
    /// it.
    [[noreturn]] static void own(std::vector<std::string>& words_of_it, int news) {
        std::signal(SIGINT, SIG_IGN);
        pid_t const program = ::fork();
        if (program == 0) {
            std::signal(SIGINT, SIG_DFL);
            std::vector<char*> pointers;
            for (std::string& word : words_of_it)
                pointers.push_back(word.data());
            pointers.push_back(nullptr);
            ::setenv("TERM", "xterm-256color", 1);
            ::execv(pointers.front(), pointers.data());
            ::_exit(127);
        }
        int status = 0;
        bool told = ::write(news, &program, sizeof program) == sizeof program;
        ::waitpid(program, &status, 0);
        told = told && ::write(news, &status, sizeof status) == sizeof status;
        if (!told)
            ::_exit(1);
        while (true)
            ::pause();
    }
    int next_news() const {
        int number = -1;
        EXPECT_EQ(::read(news_, &number, sizeof number), static_cast<ssize_t>(sizeof number));
        return number;
    }
    bool read_more() {
        std::array<char, 4'096> bytes{};
        ssize_t const count = ::read(terminal_, bytes.data(), bytes.size());
        unread_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
        return count > 0;
    }
    /// Echo and whole lines: what a person notices.
    [[nodiscard]] tcflag_t state() const {
        termios now{};
        EXPECT_EQ(::tcgetattr(terminal_, &now), 0);
        return now.c_lflag & static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    }

    int terminal_ = -1;
    int news_ = -1;
    pid_t owner_ = -1;
    pid_t program_ = -1;
    std::string unread_;
};

constexpr char const* kKeysLine = "q quit";
constexpr char const* kDown = "\x1b[B";
constexpr char const* kGone = "\x1b[?25h\x1b[?1049l";

TEST(StepScreen, FollowsTheKeys) {
    Folder const folder;
    std::string const tape = folder / "t.tape";
    OnATerminal screen("step article-4 --ranks 3 --tape " + tape);
    ASSERT_TRUE(screen.shows(">   0  rank 0 starts"));
    ASSERT_TRUE(screen.shows(kKeysLine));
    EXPECT_FALSE(screen.is_as_it_was()) << "keys come one by one, without echo";
    screen.press(kDown);
    ASSERT_TRUE(screen.shows(">   1  rank 1 starts"));
    screen.press("3");
    ASSERT_TRUE(screen.shows(">   3  root 0 starts"));
    screen.press("\r");
    ASSERT_TRUE(screen.shows("1 choice by hand"));
    ASSERT_TRUE(screen.shows("collecting check-ins"));
    screen.press("b");
    ASSERT_TRUE(screen.shows("0 choices by hand"));
    screen.press("?");
    ASSERT_TRUE(screen.shows("Any key goes back to the world."));
    screen.press("x");
    ASSERT_TRUE(screen.shows("what comes first?"));
    screen.press("r");
    ASSERT_TRUE(screen.shows("over: ready: 3 ranks in a ring"));
    screen.press("w");
    ASSERT_TRUE(screen.shows("written: " + tape));
    screen.press("q");
    EXPECT_EQ(screen.end(), 0);
    EXPECT_THAT(screen.last_words(), HasSubstr(kGone));
    EXPECT_TRUE(screen.is_as_it_was());
    EXPECT_EQ(ronde("replay " + tape).status, 0);
}

TEST(StepScreen, IsPutAwayWhenASignalEndsIt) {
    for (int const signal : {SIGTERM, SIGHUP, SIGINT}) {
        OnATerminal screen("step article-4");
        ASSERT_TRUE(screen.shows(kKeysLine));
        if (signal == SIGINT)
            screen.press("\x03");  // Ctrl-C
        else
            screen.tell(signal);
        int const status = screen.end();
        ASSERT_TRUE(WIFSIGNALED(status)) << "it ends as any program does";
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_THAT(screen.last_words(), HasSubstr(kGone));
        EXPECT_TRUE(screen.is_as_it_was());
    }
}

TEST(StepScreen, TakesAnotherSizeAndKeysThatMeanNothing) {
    OnATerminal screen("step article-4");
    ASSERT_TRUE(screen.shows(kKeysLine));
    screen.press("z");
    ASSERT_TRUE(screen.shows("no such key; ? lists them"));
    screen.press("k");
    ASSERT_TRUE(screen.shows(kKeysLine));
    screen.resize(20, 60);
    ASSERT_TRUE(screen.shows("r to the end  w write the \x1b[0m")) << "cut where the line ends now";
    screen.press("q");
    EXPECT_EQ(screen.end(), 0);
}

}  // namespace
}  // namespace ronde::cli_test
