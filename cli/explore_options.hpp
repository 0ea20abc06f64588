/// What is explored, on the command line: shared by `ronde explore` and `ronde draw explore`.
#pragma once

#include "explore/explore.hpp"

#include <CLI/App.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ronde::cli {

struct ExploreOptions {
    explore::ExploreSettings settings;
    std::optional<protocol::Gather> gather;
    std::optional<protocol::Turns> turns;
    std::string given;
    std::string same_device;
    std::string told;

    /// The settings with all flags. Throws UsageError for contradictions.
    [[nodiscard]] explore::ExploreSettings chosen() const;
};

/// Who takes part, what may go wrong, and which orders are left out. `options` must outlive the parsing.
void add_explore_options(CLI::App& command, ExploreOptions& options);

/// --profile and --gather. What they fill must outlive the parsing.
void add_protocol_options(CLI::App& command, protocol::Policies& policies, std::optional<protocol::Gather>& gather,
                          std::string const& group);

/// A flag with a plain number of least..most, which `set` takes.
CLI::Option* add_number(CLI::App& command, std::string const& flag, std::uint64_t least, std::uint64_t most,
                        std::function<void(std::uint64_t)> set, std::string const& help);

}  // namespace ronde::cli
