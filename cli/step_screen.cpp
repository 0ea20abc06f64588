#include "cli/step_screen.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace ronde::cli {
namespace {

constexpr std::string_view kKeys = "Enter take  n the seed's  b back  r to the end  w write the tape  ? help  q quit";
/// "rank 12  c awaiting successor    12/64  ="
constexpr std::size_t kCell = 44;

constexpr std::array<std::string_view, 17> kHelp = {
    "The world waits where something can be chosen: which of the things that could happen now comes first, how long",
    "a packet travels, whether it is lost. In between it stops after each step of a machine.",
    "",
    "  up, down, k, j   move to another choice",
    "  0 1 2 ...        move to that choice",
    "  Enter, Space     take it; where there is nothing to choose, go on",
    "  n                what the seed would choose",
    "  b                back to the stop before",
    "  r                to the end, as the seed chooses",
    "  w                write all choices as a tape, for ronde replay and ronde draw",
    "  q                quit",
    "",
    "In the ring each rank is a letter; = is a hand that is held, . one that is not yet.",
    "  - not started  l listening or delayed  c checking in  a awaiting successor  n connecting ring",
    "  g gathering  m committing  R ready  F failed  X dead",
    "",
    "Any key goes back to the world.",
};

struct Rgb {
    unsigned red = 0;
    unsigned green = 0;
    unsigned blue = 0;
};

Rgb rgb_of(std::string_view hex) {
    unsigned value = 0;
    std::from_chars(hex.data() + 1, hex.data() + hex.size(), value, 16);
    return {value >> 16U, value >> 8U & 0xffU, value & 0xffU};
}

/// The nearest of the 216 colours that terminals agree on.
unsigned cube_colour(std::string_view hex) {
    Rgb const rgb = rgb_of(hex);
    auto const level = [](unsigned part) { return (part * 5 + 127) / 255; };
    return 16 + 36 * level(rgb.red) + 6 * level(rgb.green) + level(rgb.blue);
}

/// A line that knows how wide it is, whatever it holds of escape sequences.
class Line {
public:
    Line(std::size_t columns, bool colours) : room_(columns), colours_(colours) {}
    Line& plain(std::string_view text) {
        std::string_view const fits = text.substr(0, room_);
        room_ -= fits.size();
        text_ += fits;
        return *this;
    }
    Line& in(std::string_view codes, std::string_view text) {
        if (colours_)
            text_ += fmt::format("\x1b[{}m", codes);
        plain(text);
        if (colours_)
            text_ += "\x1b[0m";
        return *this;
    }
    Line& letter(viz::PhaseLook look) {
        viz::PhaseStyle const& style = style_of(look);
        constexpr unsigned kBlack = 16;
        constexpr unsigned kWhite = 231;
        unsigned const ink = style.ink == "#ffffff" ? kWhite : kBlack;
        return in(fmt::format("38;5;{};48;5;{}", ink, cube_colour(style.fill)), std::string(1, letter_of(look)));
    }
    [[nodiscard]] std::string const& text() const { return text_; }

private:
    std::size_t room_;
    bool colours_;
    std::string text_;
};

std::string title_of(StepSession const& session) {
    return fmt::format("{}, {}, seed {}", session.plan().name, sim::plural(session.plan().nranks, "rank"),
                       session.plan().seed);
}

std::string place_of(StepSession const& session) {
    return fmt::format("{}, {}, {} by hand", sim::about(session.stop().now_ns),
                       sim::plural(session.stop().steps, "step"), sim::plural(session.chosen(), "choice"));
}

std::string known_text(StepSession const& session, StepProcess const& process) {
    return fmt::format("{}/{}", process.known, session.plan().nranks);
}

/// The ring as it is: a letter for each rank, and between two of them whether they hold hands.
void add_ring(Line& line, StepSession const& session) {
    line.plain("ring  ");
    for (StepProcess const& process : session.stop().processes) {
        if (!process.is_rank)
            break;
        line.letter(process.look).plain(process.hand ? "=" : ".");
    }
}

void add_process(Line& line, StepSession const& session, StepProcess const& process) {
    line.plain(fmt::format("{:<9}", process.name)).letter(process.look).plain(fmt::format(" {:<22}", process.phase));
    bool const counts = process.is_rank || process.name.starts_with("root");
    line.plain(fmt::format("{:>6} {}   ", counts ? known_text(session, process) : "",
                           process.is_rank && process.hand ? "=" : " "));
}

/// All lines of a screen, from the top; the lowest one is kept for keys and notes.
class Page {
public:
    Page(StepSession const& session, Screen const& screen) : session_(session), screen_(screen) {}

    std::string text() {
        screen_.help ? add_help() : add_world();
        lines_.resize(std::min(lines_.size(), screen_.rows - 1));
        lines_.resize(screen_.rows - 1);
        std::string text;
        for (std::string const& line : lines_)
            text += line + "\x1b[K\r\n";
        Line last = line_of();
        last.in("7", screen_.note.empty() ? std::string(kKeys) : screen_.note);
        return text + last.text() + "\x1b[K";
    }

private:
    [[nodiscard]] Line line_of() const { return {screen_.columns, screen_.colours}; }
    void add(Line const& line) { lines_.push_back(line.text()); }
    void add_plain(std::string_view text) { add(line_of().plain(text)); }
    [[nodiscard]] std::size_t room() const {
        std::size_t const used = lines_.size() + 1;
        return screen_.rows > used ? screen_.rows - used : 0;
    }

    void add_help() {
        for (std::string_view const text : kHelp)
            add_plain(text);
    }

    void add_world() {
        add(line_of().in("1", title_of(session_)).plain("    " + place_of(session_)));
        Line ring = line_of();
        add_ring(ring, session_);
        add(ring);
        add_plain("");
        add_processes();
        add_plain("");
        add_done();
        add_question();
    }

    /// In as many columns as there is room for, downwards.
    void add_processes() {
        auto const& all = session_.stop().processes;
        std::size_t const columns = std::max<std::size_t>(1, screen_.columns / kCell);
        std::size_t const rows = (all.size() + columns - 1) / columns;
        // Half of the screen at most: what can be chosen has to have room, too.
        std::size_t const shown = std::min(rows, std::max<std::size_t>(4, screen_.rows / 2));
        for (std::size_t row = 0; row < shown; ++row) {
            Line line = line_of();
            for (std::size_t at = row; at < all.size(); at += rows)
                add_process(line, session_, all[at]);
            add(line);
        }
        if (shown < rows)
            add_plain(fmt::format("... {} more lines; a larger terminal shows them", rows - shown));
    }

    void add_done() {
        auto const& done = session_.stop().done;
        std::size_t const most = std::min<std::size_t>(done.size(), room() / 3);
        if (most < done.size())
            add_plain(fmt::format("... {} steps before", done.size() - most));
        for (std::size_t i = done.size() - most; i < done.size(); ++i)
            add_plain(done[i]);
        if (!done.empty())
            add_plain("");
    }

    void add_question() {
        StepStop const& stop = session_.stop();
        if (stop.over) {
            add(line_of().in("1", "over: " + stop.verdict));
            return;
        }
        if (stop.question.empty()) {
            add_plain("nothing to choose here: Enter goes on");
            return;
        }
        add(line_of().in("1", stop.question));
        std::size_t const rows = std::max<std::size_t>(1, room());
        std::size_t const first = screen_.cursor < rows ? 0 : screen_.cursor - rows + 1;
        for (std::size_t i = first; i < std::min(stop.options.size(), first + rows); ++i) {
            std::string const text = fmt::format("{} {:>3}  {}{}", i == screen_.cursor ? '>' : ' ', i, stop.options[i],
                                                 i == stop.usual ? "   (the seed's)" : "");
            add(i == screen_.cursor ? line_of().in("7", text) : line_of().plain(text));
        }
    }

    StepSession const& session_;
    Screen const& screen_;
    std::vector<std::string> lines_;
};

}  // namespace

char letter_of(viz::PhaseLook look) noexcept {
    using viz::PhaseLook;
    switch (look) {
    case PhaseLook::never_came: return '-';
    case PhaseLook::listening: return 'l';
    case PhaseLook::checking_in: return 'c';
    case PhaseLook::awaiting_successor: return 'a';
    case PhaseLook::connecting_ring: return 'n';
    case PhaseLook::gathering: return 'g';
    case PhaseLook::committing: return 'm';
    case PhaseLook::ready: return 'R';
    case PhaseLook::failed: return 'F';
    case PhaseLook::dead: return 'X';
    }
    return '?';
}

std::string stop_text(StepSession const& session) {
    constexpr std::size_t kWide = 400;
    StepStop const& stop = session.stop();
    std::string text = fmt::format("{}; {}\n", title_of(session), place_of(session));
    auto const add = [&](Line const& line) {
        std::string const& all = line.text();
        text += all.substr(0, all.find_last_not_of(' ') + 1) + "\n";
    };
    Line ring(kWide, false);
    add_ring(ring, session);
    add(ring);
    for (StepProcess const& process : stop.processes) {
        Line line(kWide, false);
        add_process(line.plain("  "), session, process);
        add(line);
    }
    for (std::string const& done : stop.done)
        text += fmt::format("did {}\n", done);
    if (stop.over)
        return text + fmt::format("over: {}\n", stop.verdict);
    if (stop.question.empty())
        return text + "nothing to choose here\n";
    text += stop.question + "\n";
    for (std::size_t i = 0; i < stop.options.size(); ++i)
        text += fmt::format("{:>4}  {}{}\n", i, stop.options[i], i == stop.usual ? "   (the seed's)" : "");
    return text;
}

std::string stop_screen(StepSession const& session, Screen const& screen) { return Page(session, screen).text(); }

}  // namespace ronde::cli
