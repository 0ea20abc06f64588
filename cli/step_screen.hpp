/// A stop of a stepped world in letters: as text, line by line, and as a screen of a terminal.
#pragma once

#include "cli/step_session.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ronde::cli {

/// Everything at a stop as plain text, ending with a newline: the ring, each process, what was done, what can be
/// chosen.
[[nodiscard]] std::string stop_text(StepSession const& session);

struct Screen {
    std::size_t rows = 24;
    std::size_t columns = 80;
    bool colours = true;
    std::size_t cursor = 0;  ///< option that Enter takes
    std::string note = {};   ///< one line at the bottom; empty: the keys
    std::string typed = {};  ///< the digits of a number that is being typed
    bool help = false;       ///< the keys instead of the world
};

/// The stop as exactly `rows` lines of at most `columns` letters, from the upper left corner, escape sequences
/// included.
[[nodiscard]] std::string stop_screen(StepSession const& session, Screen const& screen);

/// One letter for each look: told without colours, too.
[[nodiscard]] char letter_of(viz::PhaseLook look) noexcept;

}  // namespace ronde::cli
