#include "cli/step_terminal.hpp"

#include "cli/interrupt.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace ronde::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";  // another screen, without a cursor
constexpr std::string_view kLeave = "\x1b[0m\x1b[?25h\x1b[?1049l";

termios as_it_was;       ///< of the one terminal that a process has
sigset_t while_waiting;  ///< signals that are held back while it waits for a key; at other times SIGWINCH is, too

void write_all(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        ssize_t const written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return;
        bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

/// Nothing here that a signal handler may not call.
void restore() noexcept {
    write_all(kLeave);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
}

void note_size(int) {}

}  // namespace

Terminal::Terminal() {
    if (::tcgetattr(STDIN_FILENO, &as_it_was) != 0)
        throw LauncherError(fmt::format("the terminal does not answer: {}", std::strerror(errno)));
    // Told of another size only while it waits: what came just before the wait is not lost.
    struct sigaction resized {};
    resized.sa_handler = note_size;
    ::sigemptyset(&resized.sa_mask);
    ::sigaction(SIGWINCH, &resized, nullptr);
    sigset_t size_changes;
    ::sigemptyset(&size_changes);
    ::sigaddset(&size_changes, SIGWINCH);
    ::sigprocmask(SIG_BLOCK, &size_changes, &while_waiting);
    on_ending_signal(restore);
    termios keys = as_it_was;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    keys.c_iflag &= ~static_cast<tcflag_t>(IXON);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    // A process that is stopped or quits with a core would leave the terminal as it is now.
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    keys.c_cc[VQUIT] = _POSIX_VDISABLE;
    if (::tcsetattr(STDIN_FILENO, TCSANOW, &keys) != 0) {
        on_ending_signal(nullptr);
        throw LauncherError(fmt::format("the terminal cannot be set up: {}", std::strerror(errno)));
    }
    write_all(kEnter);
}

Terminal::~Terminal() {
    restore();
    on_ending_signal(nullptr);
    ::sigprocmask(SIG_SETMASK, &while_waiting, nullptr);
    std::signal(SIGWINCH, SIG_DFL);
}

Terminal::Size Terminal::size() const {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0)
        return {};
    return {window.ws_row, window.ws_col};
}

void Terminal::draw(std::string_view screen) {
    write_all("\x1b[H");
    write_all(screen);
    write_all("\x1b[J");
}

Pressed Terminal::wait() {
    pollfd keys{STDIN_FILENO, POLLIN, 0};
    if (::ppoll(&keys, 1, nullptr, &while_waiting) < 0)
        return {errno == EINTR ? Key::resized : Key::end};
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0)
        return {Key::end};
    if (byte == '\r' || byte == '\n')
        return {Key::enter};
    return byte == '\x1b' ? after_escape() : Pressed{Key::letter, byte};
}

/// An arrow is three bytes that come together; a lone Escape is nobody's key here.
Pressed Terminal::after_escape() {
    char bytes[2] = {};
    for (char& byte : bytes) {
        pollfd ready{STDIN_FILENO, POLLIN, 0};
        if (::poll(&ready, 1, 0) <= 0 || ::read(STDIN_FILENO, &byte, 1) != 1)
            return {Key::letter, '\x1b'};
    }
    bool const arrow = bytes[0] == '[' || bytes[0] == 'O';
    if (arrow && bytes[1] == 'A')
        return {Key::up};
    return arrow && bytes[1] == 'B' ? Pressed{Key::down} : Pressed{Key::letter, '\x1b'};
}

}  // namespace ronde::cli
