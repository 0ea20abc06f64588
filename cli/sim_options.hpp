/// What `ronde sim` and `ronde sweep` share: the scenario and what is changed of it on the command line.
#pragma once

#include "cli/usage.hpp"
#include "scenario/scenario.hpp"

#include <CLI/App.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::cli {

/// A scenario by name or path, and changes to it in the order in which they take effect.
struct ScenarioChoice {
    /// --gather star: short for --set policy.gather=star.
    struct Flag {
        std::string name;
        std::string key;
        std::string value;
    };
    std::string scenario;
    std::vector<Flag> flags;        ///< in the order of the command line
    std::vector<std::string> sets;  ///< of --set; after the flags

    /// The command that plays it, and nothing else: "ronde sim storm-4k --ranks 64 --set network.same_rack=50us".
    [[nodiscard]] std::string command() const;
    /// The plan with all changes made. Throws UsageError, or LauncherError when a file cannot be read.
    [[nodiscard]] sim::WorldPlan plan() const;
};

/// The scenario's name and the flags that change it; `choice` must outlive the parsing.
void add_scenario_options(CLI::App& app, ScenarioChoice& choice);

/// One line on standard error that is written over itself, at most four times a second, and only on a terminal.
class StatusLine {
public:
    StatusLine();
    ~StatusLine();
    StatusLine(StatusLine const&) = delete;
    StatusLine& operator=(StatusLine const&) = delete;

    /// Whether it is time to say something. Cheap enough to ask often.
    [[nodiscard]] bool due();
    void show(std::string const& line);

private:
    std::chrono::steady_clock::time_point next_;
    bool active_ = false;
    bool shown_ = false;
};

/// Prints to standard output, or puts it into `file` in one step. Throws LauncherError.
void deliver(std::string const& text, std::string const& file);

/// --format: text or json. `json` must outlive the parsing.
CLI::Option* add_json_option(CLI::App& command, bool& json);

/// The index of `name` in `names`; what stands there otherwise is a parse error of --format.
[[nodiscard]] std::size_t parse_format(std::string const& name, std::vector<std::string_view> const& names);

/// Of this process so far: CPU, and the peak of its resident memory.
struct ProcessCosts {
    std::int64_t cpu_ns = 0;
    std::uint64_t peak_rss_bytes = 0;
};
[[nodiscard]] ProcessCosts costs_of_this_process();

}  // namespace ronde::cli
