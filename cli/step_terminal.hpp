/// A terminal as a screen: keys one by one, and everything as it was when this object or the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ronde::cli {

enum class Key : std::uint8_t { letter, enter, up, down, resized, end };

struct Pressed {
    Key key = Key::letter;
    char letter = 0;  ///< of Key::letter
};

/// At most one at a time. Ctrl-C, SIGTERM and SIGHUP end the process as always, with the terminal as it was.
class Terminal {
public:
    /// Standard input and output are terminals. Throws LauncherError when they cannot be set up.
    Terminal();
    Terminal(Terminal const&) = delete;
    Terminal& operator=(Terminal const&) = delete;
    ~Terminal();

    struct Size {
        std::size_t rows = 24;
        std::size_t columns = 80;
    };
    [[nodiscard]] Size size() const;
    /// From the upper left corner.
    void draw(std::string_view screen);
    /// Waits for a key, or for the terminal to have another size. Key::end: nobody is there any more.
    [[nodiscard]] Pressed wait();

private:
    [[nodiscard]] Pressed after_escape();
};

}  // namespace ronde::cli
