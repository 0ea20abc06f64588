/// Runs programs the way a shell does, and keeps what they print.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ronde::cli_test {

using Json = nlohmann::json;

struct Ended {
    int status = -1;  ///< as a shell tells it: 128 + signal for a signal
    std::string out;
    std::string err;

    /// `out` as JSON; a failed expectation and null when it is none.
    [[nodiscard]] Json json() const;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Starts `arguments[0]` (found in PATH) with `environment` on top of a clean one, and waits for its end.
[[nodiscard]] Ended run(std::vector<std::string> const& arguments, Environment const& environment = {});
/// The `ronde` of this build, with these arguments (separated by single spaces).
[[nodiscard]] Ended ronde(std::string const& arguments, Environment const& environment = {});
[[nodiscard]] std::string ronde_path();
[[nodiscard]] std::string hello_ring_path();
/// Whether PATH has such a program.
[[nodiscard]] bool installed(std::string const& program);

[[nodiscard]] std::vector<std::string> words(std::string const& text);
[[nodiscard]] std::size_t lines_of(std::string const& text);
/// Of a file; empty when there is none.
[[nodiscard]] std::string content_of(std::string const& path);

/// Writes a script that violates L1 with the machine as it is: three refusals, each of which passes soon enough to be
/// forgiven, one after the other. `ronde shrink` brings it down to 1 rank and 2 faults.
void write_broken_script(std::string const& path);

/// A folder that goes with the test.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;
    [[nodiscard]] std::string operator/(std::string const& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace ronde::cli_test
