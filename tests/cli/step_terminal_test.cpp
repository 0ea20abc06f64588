/// `ronde step` as a process: through lines, and on a terminal.
#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

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

/// A program on a terminal of 100 times 30.
class OnATerminal {
public:
    explicit OnATerminal(std::string const& arguments) {
        winsize const size{30, 100, 0, 0};
        std::vector<std::string> all = words(arguments);
        all.insert(all.begin(), ronde_path());
        child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
        if (child_ == 0) {
            std::vector<char*> pointers;
            for (std::string& word : all)
                pointers.push_back(word.data());
            pointers.push_back(nullptr);
            ::setenv("TERM", "xterm-256color", 1);
            ::execv(pointers.front(), pointers.data());
            ::_exit(127);
        }
        EXPECT_GT(child_, 0);
        before_ = state();
    }
    OnATerminal(OnATerminal const&) = delete;
    OnATerminal& operator=(OnATerminal const&) = delete;
    ~OnATerminal() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        ::close(terminal_);
    }

    void press(std::string const& keys) const {
        ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
    }
    /// Reads until `text` is on the screen, and forgets what stood before. False: the program ended.
    bool shows(std::string const& text) {
        for (;;) {
            std::size_t const at = unread_.find(text);
            if (at != std::string::npos) {
                unread_.erase(0, at + text.size());
                return true;
            }
            std::array<char, 4'096> bytes{};
            ssize_t const count = ::read(terminal_, bytes.data(), bytes.size());
            if (count <= 0)
                return false;
            unread_.append(bytes.data(), static_cast<std::size_t>(count));
        }
    }
    /// Everything up to its end; its wait status.
    int end() {
        static_cast<void>(shows("there is no such text"));
        int status = 0;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        return status;
    }
    [[nodiscard]] std::string const& last_words() const { return unread_; }
    void resize(std::uint16_t rows, std::uint16_t columns) const {
        winsize const size{rows, columns, 0, 0};
        ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
    }
    void tell(int signal) const { ASSERT_EQ(::kill(child_, signal), 0); }
    [[nodiscard]] bool is_as_it_was() const { return state() == before_; }

private:
    /// Echo and whole lines: what a person notices.
    [[nodiscard]] tcflag_t state() const {
        termios now{};
        EXPECT_EQ(::tcgetattr(terminal_, &now), 0);
        return now.c_lflag & static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    }

    int terminal_ = -1;
    pid_t child_ = -1;
    tcflag_t before_ = 0;
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
