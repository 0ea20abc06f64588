/// `ronde step`: a pretended world, choice by choice.
#include "cli/run_folder.hpp"
#include "cli/sim_options.hpp"
#include "cli/step_screen.hpp"
#include "cli/step_session.hpp"
#include "cli/step_terminal.hpp"
#include "cli/values.hpp"
#include "engine/distribution.hpp"
#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

namespace ronde::cli {
namespace {

struct StepOptions {
    ScenarioChoice choice;
    bool equal_delays = false;
    bool plain = false;
    std::string tape;  ///< where `w` writes to; empty: the scenario's name with .tape
};

sim::WorldPlan plan_of(StepOptions const& options) {
    if (options.choice.scenario.empty())
        throw UsageError("SCENARIO is missing: a name of `ronde sim --list`, or a file such as ./mine.toml");
    sim::WorldPlan plan = options.choice.plan();
    if (options.equal_delays) {
        plan.network.same_host = plan.network.same_rack = plan.network.cross_rack =
            sim::Distribution::constant(20 * sim::kMicrosecondNs);
        plan.links.clear();
        plan.arrival = {};
    }
    if (auto const why = sim::contradiction_in(plan); !why.empty())
        throw UsageError(fmt::format("{}: {}", options.choice.scenario, why));
    if (plan.nranks > kMostSteppedRanks)
        throw UsageError(fmt::format("{} ranks are too many to follow step by step; expected at most {}, such as "
                                     "--ranks 8",
                                     plan.nranks, kMostSteppedRanks));
    return plan;
}

/// Whatever a person may do, on a terminal or not.
class Stepper {
public:
    explicit Stepper(StepOptions const& options)
        : session_(plan_of(options)),
          tape_(options.tape.empty() ? tame_name(session_.plan().name) + ".tape" : options.tape) {}

    [[nodiscard]] StepSession& session() noexcept { return session_; }
    /// One line about what came of it.
    std::string write_tape(std::string const& path) {
        std::string const& place = path.empty() ? tape_ : path;
        if (auto why = sim::write_file(place, to_text(session_.tape())); !why.empty())
            return why;
        return fmt::format("written: {} (ronde replay {}, ronde draw sequence {})", place, shell_word(place),
                           shell_word(place));
    }

private:
    StepSession session_;
    std::string tape_;
};

// --- lines in, lines out --------------------------------------------------------------------------------------------

constexpr std::string_view kLineHelp =
    "  NUMBER     take that choice\n"
    "  (nothing)  what the seed would choose; where there is nothing to choose, go on\n"
    "  n [COUNT]  the same, COUNT times\n"
    "  b [COUNT]  back to the stop before\n"
    "  r          to the end, as the seed chooses\n"
    "  w [FILE]   write all choices as a tape, for ronde replay and ronde draw\n"
    "  q          quit\n";

class LineTalk {
public:
    explicit LineTalk(Stepper& stepper) : stepper_(stepper) {}

    void run() {
        show();
        std::string line;
        while (std::getline(std::cin, line)) {
            std::istringstream words(line);
            std::string word;
            std::string more;
            words >> word >> more;
            if (word == "q")
                return;
            answer(word, more);
            std::fflush(stdout);
        }
    }

private:
    void show() {
        StepSession const& session = stepper_.session();
        fmt::print("{}", stop_text(session));
        prompt();
        std::fflush(stdout);
    }
    void prompt() {
        StepStop const& stop = stepper_.session().stop();
        if (stop.options.empty())
            fmt::print("> ");
        else
            fmt::print("0-{} [{}]> ", stop.options.size() - 1, stop.usual);
    }
    void say(std::string const& text) {
        fmt::print("{}\n", text);
        prompt();
    }

    void answer(std::string const& word, std::string const& more) {
        constexpr std::uint64_t kMostAtOnce = 1'000'000;
        auto const count = more.empty() ? Parsed<std::uint64_t>(1) : parse_count(more, 1, kMostAtOnce);
        if (word.empty() || word == "n" || word == "b")
            return count ? move(word == "b", *count) : say(fmt::format("'{}': {}", word, count.error()));
        if (word == "w")
            return say(stepper_.write_tape(more));
        if (word == "r") {
            stepper_.session().to_the_end();
            return show();
        }
        if (word == "?") {
            fmt::print("{}", kLineHelp);
            return prompt();
        }
        choose(word);
    }
    void move(bool back, std::uint64_t count) {
        StepSession& session = stepper_.session();
        for (std::uint64_t i = 0; i < count; ++i) {
            if (back && !session.go_back())
                return say("this is the beginning");
            if (!back && session.stop().over)
                return i == 0 ? say("it is over; b goes back, q quits") : show();
            if (!back)
                session.go_on();
        }
        show();
    }
    void choose(std::string const& word) {
        StepStop const& stop = stepper_.session().stop();
        if (stop.options.empty())
            return say(
                fmt::format("'{}': there is nothing to choose here; expected nothing, n, b, r, w, ? or q", word));
        auto const option = parse_count(word, 0, stop.options.size() - 1);
        if (!option)
            return say(fmt::format("'{}' is none of them; expected 0 to {}, nothing, n, b, r, w, ? or q", word,
                                   stop.options.size() - 1));
        stepper_.session().choose(static_cast<std::size_t>(*option));
        show();
    }

    Stepper& stepper_;
};

// --- a screen -------------------------------------------------------------------------------------------------------

class ScreenTalk {
public:
    explicit ScreenTalk(Stepper& stepper) : stepper_(stepper) {
        screen_.colours = std::getenv("NO_COLOR") == nullptr;
        arrive();
    }

    void run() {
        for (;;) {
            Terminal::Size const size = terminal_.size();
            screen_.rows = std::max<std::size_t>(size.rows, 4);
            screen_.columns = size.columns;
            terminal_.draw(stop_screen(stepper_.session(), screen_));
            Pressed const pressed = terminal_.wait();
            if (pressed.key == Key::end || (pressed.key == Key::letter && pressed.letter == 'q' && !screen_.help))
                return;
            if (pressed.key != Key::resized)
                take(pressed);
        }
    }

private:
    /// At another stop: the cursor stands on what the seed would choose.
    void arrive() {
        screen_.cursor = stepper_.session().stop().usual;
        screen_.note.clear();
        screen_.typed.clear();
    }
    void take(Pressed const& pressed) {
        if (std::exchange(screen_.help, false))
            return;
        screen_.note.clear();
        if (pressed.key == Key::letter && pressed.letter >= '0' && pressed.letter <= '9')
            return digit(pressed.letter);
        screen_.typed.clear();
        switch (pressed.key) {
        case Key::up: return move(false);
        case Key::down: return move(true);
        case Key::enter: return enter();
        case Key::letter: return letter(pressed.letter);
        case Key::resized:
        case Key::end: return;
        }
    }
    void letter(char letter) {
        StepSession& session = stepper_.session();
        switch (letter) {
        case 'k': return move(false);
        case 'j': return move(true);
        case ' ': return enter();
        case 'n': session.go_on(); return arrive();
        case 'b':
            if (session.go_back())
                return arrive();
            screen_.note = "this is the beginning";
            return;
        case 'r': session.to_the_end(); return arrive();
        case 'w': screen_.note = stepper_.write_tape(""); return;
        case '?': screen_.help = true; return;
        default: screen_.note = "no such key; ? lists them"; return;
        }
    }
    void enter() {
        StepSession& session = stepper_.session();
        if (session.stop().options.empty())
            session.go_on();
        else
            session.choose(screen_.cursor);
        arrive();
    }
    void move(bool down) {
        std::size_t const count = stepper_.session().stop().options.size();
        if (down && screen_.cursor + 1 < count)
            ++screen_.cursor;
        if (!down && screen_.cursor > 0)
            --screen_.cursor;
    }
    /// "1" and then "2" stand for choice 12, if there is one.
    void digit(char letter) {
        std::size_t const count = stepper_.session().stop().options.size();
        for (std::string const& typed : {screen_.typed + letter, std::string(1, letter)}) {
            auto const option = parse_count(typed, 0, count);
            if (!option || *option >= count)
                continue;
            screen_.typed = typed;
            screen_.cursor = static_cast<std::size_t>(*option);
            return;
        }
        screen_.note = "there is no such choice";
    }

    Stepper& stepper_;
    Terminal terminal_;
    Screen screen_;
};

Exit step(StepOptions const& options) {
    Stepper stepper(options);
    if (!options.plain && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1)
        ScreenTalk(stepper).run();
    else
        LineTalk(stepper).run();
    return Exit::ok;
}

}  // namespace

void register_step(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<StepOptions>();
    CLI::App* const command =
        app.add_subcommand("step", "Play a small scenario by hand: choose what happens next, look, and go back");
    command->footer(
        "On a terminal a screen with keys (? lists them); otherwise lines: a number and Enter, ? for help.\n"
        "Example: ronde step article-4 --equal-delays");
    add_scenario_options(*command, options->choice);
    std::string const group = "Step";
    command
        ->add_flag(
            "--equal-delays", options->equal_delays,
            "All packets travel 20 us and all start at once: then most of what happens could come in another order")
        ->group(group);
    command->add_option("--tape", options->tape, "Where the key w writes the choices (SCENARIO.tape)")
        ->type_name("FILE")
        ->group(group);
    command->add_flag("--plain", options->plain, "Lines instead of a screen, on a terminal too")->group(group);
    command->callback([options, &outcome] { outcome = step(*options); });
}

}  // namespace ronde::cli
