/// What `ronde run` was asked for, as values.
#pragma once

#include "cli/failure_picture.hpp"
#include "cli/values.hpp"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace ronde::cli {

/// Most repetitions of one verb that a rank's record can hold.
inline constexpr std::uint32_t kMaxRepeats = 200;

struct RunOptions {
    std::uint32_t ranks = 0;  ///< 0: not given
    std::uint32_t roots = 1;
    protocol::Profile profile = protocol::Profile::ronde;
    protocol::Gather gather = protocol::Gather::automatic;
    bool gather_given = false;
    bool no_auth = false;
    bool no_device_check = false;
    std::vector<std::uint64_t> devices;
    protocol::TimeNs deadline_ns = 30 * protocol::kSecondNs;
    bool in_process = false;

    std::string interface;
    bool ipv6 = false;

    // joining as one rank
    std::optional<std::uint32_t> rank;
    std::optional<std::uint32_t> world_size;
    std::string id;

    // after ready
    std::uint64_t all_gather_bytes = 0;  ///< 0: none
    std::uint32_t repeat = 1;
    std::uint32_t barriers = 0;

    // for watching and testing
    std::string record;
    std::string dot;
    std::string out;  ///< below it a folder of this run is left
    PictureWish pictures;
    bool json = false;
    std::uint64_t max_io_bytes = 0;
    std::vector<Fault> faults;
    enum class Label : std::uint8_t { automatic, always, never } label = Label::automatic;

    std::vector<std::string> program;

    /// The policies that all ranks use, resolved for `nranks`. Throws UsageError when they contradict each other.
    [[nodiscard]] protocol::Policies policies(std::uint32_t nranks) const;
    /// The same without a size: automatic choices stay open.
    [[nodiscard]] protocol::Policies unresolved_policies() const;
    /// The device that `rank` claims: --devices, or else its number.
    [[nodiscard]] std::uint64_t device_of(protocol::RankId of) const;
    [[nodiscard]] Fault const* fault_of(protocol::RankId of, Fault::Kind kind) const;
    [[nodiscard]] Fault const* root_fault() const;
};

/// Adds the flags; `options` must outlive the parsing.
void add_run_options(CLI::App& app, RunOptions& options);
/// Those that ranks and a root of another process must agree on.
void add_protocol_options(CLI::App& app, RunOptions& options);
/// What no flag can check alone. `joins`: this process is one rank of a job that others started. Throws UsageError.
void check_run_options(RunOptions const& options, bool joins);

/// A flag whose value is parsed by `parse`, with its error in one line.
template <class T, class Parse, class Store>
CLI::Option* add_value(CLI::App& app, std::string const& flag, std::string const& help, Parse parse, Store store) {
    std::string const name = flag.substr(flag.rfind("--"));
    return app.add_option_function<std::string>(
        flag,
        [name, parse, store](std::string const& text) {
            Parsed<T> value = parse(text);
            if (!value)
                throw CLI::ValidationError(name, value.error());
            store(std::move(*value));
        },
        help);
}

}  // namespace ronde::cli
