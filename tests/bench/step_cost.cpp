#include "step_cost.hpp"

#include "ronde_run.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ronde::bench {
namespace {

/// Instructions that callgrind counts inside Rank::step and below it, for that many lives.
tl::expected<std::uint64_t, std::string> instructions(std::filesystem::path const& scratch, std::string const& lives) {
    auto const file = scratch / "callgrind.out";
    auto const printed =
        output_of({"valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=" + file.string(),
                   "--toggle-collect=ronde::protocol::Rank::step*", RONDE_STEP_BENCH, "--lives", lives});
    if (!printed)
        return tl::unexpected(printed.error());
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("totals:", 0) == 0)
            return std::strtoull(line.c_str() + 7, nullptr, 10);
    }
    return tl::unexpected(std::string("callgrind wrote no totals"));
}

}  // namespace

std::string step_cost_report() {
    std::string text = "\nOne step of a rank (bootstrap and 8 all-gathers, events made up, one core)\n\n";
    auto const timed = output_of({RONDE_STEP_BENCH, "--benchmark_format=json", "--benchmark_repetitions=3"});
    auto const json = timed ? nlohmann::json::parse(*timed, nullptr, false) : nlohmann::json();
    Table table({"gather / ranks", "ns per step"});
    if (json.is_object()) {
        for (auto const& row : json.at("benchmarks")) {
            if (row.value("aggregate_name", "") == "median")
                table.row({row.value("run_name", ""), fmt::format("{:.1f}", row.value("per_step", 0.0) * 1e9)});
        }
    }
    text += table.text();
    std::string pattern = (std::filesystem::temp_directory_path() / "ronde-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return text + "instructions: no scratch folder\n";
    std::filesystem::path const scratch = pattern;
    auto const steps = output_of({RONDE_STEP_BENCH, "--lives", "100"});
    auto const counted = instructions(scratch, "100");
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
    if (!steps || !counted)
        return text + "instructions: " + (steps ? counted.error() : steps.error()) + '\n';
    return text +
           fmt::format("\ninstructions per step (callgrind, doubling, 1024 ranks): {:.0f}\n",
                       static_cast<double>(*counted) / static_cast<double>(std::strtoull(steps->c_str(), nullptr, 10)));
}

}  // namespace ronde::bench
