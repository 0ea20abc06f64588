/// `ronde prove`: the ring for any number of ranks, one process at a time.
#include "prove/prove.hpp"

#include "cli/explore_options.hpp"
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

namespace ronde::cli {
namespace {

struct ProveOptions {
    prove::ProveSettings settings;
    std::optional<protocol::Gather> gather;
    bool no_auth = false;
    bool json = false;

    [[nodiscard]] prove::ProveSettings chosen() const {
        prove::ProveSettings changed = settings;
        if (gather)
            changed.policies.gather = *gather;
        if (no_auth)
            changed.policies.auth = protocol::Auth::magic;
        if (std::string const why = contradiction_in(changed); !why.empty())
            throw UsageError(why);
        return changed;
    }
};

/// "2..64", or "16" alone.
void set_ranks(ProveOptions& options, std::string const& text) {
    std::size_t const dots = text.find("..");
    auto const from = parse_count(text.substr(0, dots), 1, prove::kMostRanks);
    auto const to = parse_count(dots == std::string::npos ? text : text.substr(dots + 2), 1, prove::kMostRanks);
    if (!from || !to || *from > *to)
        throw CLI::ValidationError("--ranks", fmt::format("'{}' is no range; expected such as 2..64 or 16, up to {}",
                                                          text, prove::kMostRanks));
    options.settings.from_ranks = static_cast<std::uint32_t>(*from);
    options.settings.to_ranks = static_cast<std::uint32_t>(*to);
}

void add_job(CLI::App& command, ProveOptions& options) {
    command
        .add_option_function<std::string>(
            "-n,--ranks", [&options](std::string const& text) { set_ranks(options, text); }, "Sizes (2..64)")
        ->type_name("A..B");
    add_number(
        command, "--roots", 1, 64,
        [&options](std::uint64_t n) { options.settings.nroots = static_cast<std::uint32_t>(n); }, "Roots (1)");
    add_protocol_options(command, options.settings.policies, options.gather, "Options");
    command.add_flag("--no-auth", options.no_auth, "The session number instead of the id's secret");
}

}  // namespace

void register_prove(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ProveOptions>();
    CLI::App* const command = app.add_subcommand(
        "prove", "For many sizes: one real machine among promises, then who waits for whom all around");
    command->footer("Example: ronde prove --ranks 2..64 --gather doubling\n"
                    "Exit status: 0 holds for every size, 1 not shown for one, 2 bad usage.");
    add_job(*command, *options);
    std::string const depth = "Depth";
    add_number(
        *command, "--every-rank", 0, prove::kMostRanks,
        [options](std::uint64_t n) { options->settings.every_rank = static_cast<std::uint32_t>(n); },
        "Up to so many ranks look at each of them, in larger jobs at a few (16)")
        ->group(depth);
    add_number(
        *command, "--every-order", 0, prove::kMostRanks,
        [options](std::uint64_t n) { options->settings.every_order = static_cast<std::uint32_t>(n); },
        "Up to so many ranks greetings interleave (8)")
        ->group(depth);
    add_number(
        *command, "--root-check-ins", 0, 24,
        [options](std::uint64_t n) {
            options->settings.root_check_ins = static_cast<std::uint32_t>(n);
            options->settings.calling_root_check_ins = static_cast<std::uint32_t>(n);
        },
        "Look at roots with so many check-ins, take larger ones at their word (8; 12 where they call back)")
        ->group(depth);
    add_json_option(*command, options->json);
    command->callback([options, &outcome] {
        prove::ProveSettings const settings = options->chosen();
        prove::Proof const proof = [&] {
            StatusLine status;
            return prove::prove(settings, [&status](std::uint32_t nranks) {
                if (status.due())
                    status.show(fmt::format("{} ranks", nranks));
            });
        }();
        deliver(options->json ? proof_json(proof) : proof_text(proof), "");
        outcome = proof.answer == prove::ProofAnswer::holds ? Exit::ok : Exit::failed;
    });
}

}  // namespace ronde::cli
