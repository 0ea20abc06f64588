/// A trace that somebody else has written.
#pragma once

#include "engine/digest.hpp"
#include "engine/tape.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace ronde::sim {

/// Read line by line: traces of large worlds do not fit into memory.
class TraceFile {
public:
    /// Reads all of it once, and refuses a file that is cut off or damaged. Errors name the path and the line.
    [[nodiscard]] static tl::expected<TraceFile, std::string> open(std::string const& path);

    /// The scenario, as TOML.
    [[nodiscard]] std::string const& plan() const noexcept { return plan_; }
    /// The choices that the seed did not make.
    [[nodiscard]] std::vector<TapeEntry> const& choices() const noexcept { return choices_; }
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

    /// The next line behind the plan, down to the last one ("end 210 steps 6b1f...", without the digest of the text).
    [[nodiscard]] std::optional<std::string> next();
    /// Of the line that next() gave last, from 1.
    [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

private:
    explicit TraceFile(std::string path);
    [[nodiscard]] std::string check();
    [[nodiscard]] std::string check_line(std::string const& line);
    [[nodiscard]] std::string check_end(std::string const& line);
    [[nodiscard]] bool read_line(std::string& line);

    std::string path_;
    std::ifstream file_;
    std::string plan_;
    std::vector<TapeEntry> choices_;
    std::uint64_t steps_ = 0;
    std::uint64_t line_number_ = 0;
    RunningDigest lines_;
    bool ended_ = false;
};

}  // namespace ronde::sim
