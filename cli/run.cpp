/// `ronde run`: decides whether to start a job, to join one, or to start a program, and reports.
#include "cli/ring_picture.hpp"
#include "cli/run_modes.hpp"
#include "cli/run_report.hpp"
#include "launch/environment.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

namespace ronde::cli {
namespace {

/// Where this process stands in a job that somebody else started, if it does.
std::optional<launch::JobPlace> place_of(RunOptions const& options) {
    if (options.rank) {
        launch::JobPlace place;
        place.rank = *options.rank;
        place.world_size = *options.world_size;
        return place;
    }
    if (options.in_process)
        return std::nullopt;
    auto place = launch::find_place(launch::variables_here());
    if (!place)
        throw UsageError(place.error());
    return *place;
}

Exit start_here(RunOptions const& options, KeptRun const& kept) {
    return finish_run(options, options.in_process ? run_in_process(options) : run_processes(options), kept);
}

int start_program(RunOptions const& options, KeptRun const& kept) {
    int const status = run_program(options);
    kept.finish(fmt::format("{} ranks of {}: status {}", options.ranks, options.program.front(), status), "", nullptr,
                nullptr);
    return status;
}

void run(RunOptions options, Outcome& outcome) {
    auto const place = options.program.empty() ? place_of(options) : std::nullopt;
    if (place) {
        // `mpirun -n 8 ronde run -n 8`: the launcher has said how many.
        if (options.ranks != 0 && options.ranks != place->world_size)
            throw UsageError(fmt::format("-n {}: this process is rank {} of {}, started by {}; leave -n out to join",
                                         options.ranks, place->rank, place->world_size, name_of(place->launcher)));
        options.ranks = 0;
        check_run_options(options, true);
        if (place->rank != 0)
            options.out.clear();  // one folder for the job, and rank 0 has the report
        KeptRun const kept(options, place->world_size);
        outcome = run_joined(options, *place, kept);
        return;
    }
    check_run_options(options, false);
    KeptRun const kept(options, options.ranks);
    if (options.program.empty())
        outcome = start_here(options, kept);
    else
        outcome.status = start_program(options, kept);
}

/// "ready: 8 ranks in a ring (...)", as the report begins.
std::string headline_of(RunFacts const& facts, RunReport const& report) {
    std::string const text = report_text(facts, report);
    return text.substr(0, text.find('\n'));
}

void write_picture(std::string const& path, std::string const& dot) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << dot;
    file.close();
    if (!file)
        throw LauncherError(fmt::format("--dot {}: cannot write: {}", path, std::strerror(errno)));
}

}  // namespace

RunFacts facts_for(RunOptions const& options, protocol::Policies const& policies, std::uint32_t nranks,
                   std::uint32_t nroots) {
    RunFacts facts;
    facts.nranks = nranks;
    facts.nroots = nroots;
    facts.profile = options.profile;
    facts.gather = policies.gather;
    facts.ranks.resize(nranks);
    facts.all_gather_bytes = options.all_gather_bytes;
    return facts;
}

Exit finish_run(RunOptions const& options, RunFacts const& facts, KeptRun const& kept) {
    RunReport const report = conclude(facts);
    if (!options.dot.empty())
        write_picture(options.dot, viz::ring_dot(picture_of(facts, report)));
    for (std::string const& note : facts.notes)
        fmt::print(stderr, "ronde: note: {}\n", note);
    std::string const json = report_json(facts, report);
    if (!options.json) {
        std::string const text = report_text(facts, report);
        fmt::print("{}", text);
        std::fflush(stdout);
        fmt::print(stderr, "{}", failure_text(facts, report));
    }
    std::string picture = kept.draw_failure(facts, report);
    Keeping keeping;
    keeping.attempt([&] {
        std::string const in_folder = kept.finish(headline_of(facts, report), json, &facts, &report);
        if (!in_folder.empty() && !report.ready && options.pictures.granted())
            tell_picture(picture = in_folder);
    });
    if (options.json) {
        fmt::print("{}", with_picture(json, picture));
        std::fflush(stdout);
    }
    keeping.tell();
    return report.ready ? Exit::ok : Exit::failed;
}

void register_run(CLI::App& app, Outcome& outcome, std::span<char const* const> program) {
    auto options = std::make_shared<RunOptions>();
    options->program.assign(program.begin(), program.end());
    CLI::App* const command = app.add_subcommand(
        "run", "Start a ring of ranks here, or a program as ranks (-- prog args), or join a job as one rank");
    command->footer(
        "Joining: mpirun -n N ronde run, or ronde run --rank R --world-size N --id FILE|TEXT.\n"
        "A program: ronde run -n N -- ./prog args; it finds RONDE_RANK, RONDE_WORLD_SIZE and RONDE_ID_FILE.");
    add_run_options(*command, *options);
    command->callback([options, &outcome] { run(*options, outcome); });
}

}  // namespace ronde::cli
