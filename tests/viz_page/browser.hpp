/// A window of a headless Chromium, through chromedriver and the WebDriver protocol.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ronde::viz::pages {

using Json = nlohmann::json;

/// A window of its own, gone with this object: what one test opens, emulates and forbids is unknown to the next. The
/// program behind it is started by the first window and ended behind the last test, since starting it takes longer than
/// most tests. One window at a time, from one thread.
class Browser {
public:
    /// Whether both programs are here.
    [[nodiscard]] static bool installed();

    /// Throws std::runtime_error when the browser does not start.
    Browser();
    ~Browser();
    Browser(Browser const&) = delete;
    Browser& operator=(Browser const&) = delete;

    /// Puts the page into a file and opens that.
    void open(std::string const& html);
    void reload();
    /// The value of `return ...;` in the page; `arguments[0]` and so on are `arguments`.
    Json run(std::string const& script, Json const& arguments = Json::array());
    /// As a person does it: the element must be there to be seen, and nothing may cover it.
    void click(std::string const& css);
    /// Presses a key: "ArrowLeft", "Home", "Tab".
    void press(std::string const& key);
    void choose(std::string const& css_of_select, std::string const& text);
    /// What a screen reader calls it, and what it takes it for.
    [[nodiscard]] std::string label_of(std::string const& css);
    [[nodiscard]] std::string role_of(std::string const& css);

    void resize(int width, int height);
    /// "screen" or "print"; "light" or "dark".
    void emulate(std::string const& media, std::string const& scheme);
    void allow_scripts(bool yes);
    /// What it has written to its console so far: errors and warnings.
    [[nodiscard]] std::vector<std::string> complaints();
    /// PNG of the whole page, or of what is in the window.
    [[nodiscard]] std::string picture(bool whole = true);

    /// The programs, shared by all windows.
    struct Program;

private:
    Json command(char const* method, std::string const& path, Json const& body = Json::object());
    Json devtools(std::string const& name, Json const& parameters);
    [[nodiscard]] std::string element(std::string const& css);

    Program& program_;
    std::string no_window_;  ///< handle of the empty window that keeps the program running
    std::filesystem::path page_;
};

/// Where `--pictures=DIR` wants the pictures of the tests; empty: nowhere.
[[nodiscard]] std::string const& picture_folder();
/// Leaves a picture there, if anywhere.
void keep_picture(Browser& browser, std::string const& name, bool whole = true);

}  // namespace ronde::viz::pages
