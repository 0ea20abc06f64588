/// `ronde root`: holds the roots of a job whose ranks are started elsewhere.
#include "cli/id.hpp"
#include "cli/job.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "net/resolve.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sys/stat.h>

#include <cstdio>
#include <memory>

namespace ronde::cli {
namespace {

struct RootOptions {
    RunOptions run;
    std::string id_file;
    std::string listen;
    protocol::TimeNs keep_ns = 0;
    bool deadline_given = false;
};

/// An id file that was made for an address beforehand is served as it is. Anything else that stands there is from a
/// former job, and is replaced.
std::optional<UniqueId> prepared_id(std::string const& path) {
    struct stat there {};
    if (path.empty() || ::stat(path.c_str(), &there) != 0)
        return std::nullopt;
    auto read = UniqueId::read_file(path);
    if (!read)
        throw LauncherError(fmt::format("--id {}: {}; remove it or name another file", path, read.error()));
    if (read->id.promised())
        return std::nullopt;
    return read->id;
}

RootHost listen_at(UniqueId const& id) {
    auto host = RootHost::listen_at(id);
    if (!host)
        throw LauncherError(host.error());
    return std::move(*host);
}

RootHost open_host(RootOptions& options) {
    if (auto const id = prepared_id(options.id_file)) {
        if (!options.listen.empty())
            throw UsageError(
                fmt::format("--listen {}: the id in {} says where to listen already", options.listen, options.id_file));
        return listen_at(*id);
    }
    if (net::parse_host_port(options.listen))
        return listen_at(id_at(options.listen));
    if (options.listen.empty()) {
        IdOptions wanted;
        wanted.roots = options.run.roots;
        if (options.run.ipv6)
            wanted.family = "AF_INET6";
        return create_host(wanted);
    }
    RunOptions run = options.run;
    run.interface = options.listen == "loopback" ? "" : options.listen;
    return create_host(run);
}

/// Hands the id out: to a file that only this user may read, or to standard output.
void publish(RootOptions const& options, UniqueId const& id) {
    if (options.id_file.empty()) {
        fmt::print("{}\n", id.text());
    } else if (id.promised() || !prepared_id(options.id_file)) {
        if (auto const written = id.write_file(options.id_file); !written)
            throw LauncherError(written.error());
    }
    std::fflush(stdout);
    fmt::print(stderr, "serving {}\n", id.public_text());
}

void serve(RootOptions& options, Outcome& outcome) {
    if (options.run.ranks != 0 && options.run.roots > options.run.ranks)
        throw UsageError(fmt::format("--roots {} with {} ranks: expected at most as many roots as ranks",
                                     options.run.roots, options.run.ranks));
    RootHost host = open_host(options);
    Job job = root_job(options.run, host.id(), options.run.ranks);
    if (options.deadline_given)
        job.root_budget_ns = options.run.deadline_ns;

    net::Loop loop;
    RootSet roots(loop, job, host.take_listeners());
    roots.start();
    publish(options, job.id);
    {
        ProgressLine progress(loop, roots);
        loop.run_until([&] { return roots.settled(); });
    }
    protocol::Verdict const verdict = roots.verdict();
    if (verdict.error.is_ok())
        fmt::print("over: {} ranks were served\n", roots.checked_in());
    else
        fmt::print(stderr, "failed: {}\n  -> {}\n", describe(verdict), remedy_for(verdict.error));
    std::fflush(stdout);
    if (options.keep_ns > 0)
        loop.run_until([] { return false; }, net::monotonic_ns() + options.keep_ns);
    outcome = verdict.error.is_ok() ? Exit::ok : Exit::failed;
}

}  // namespace

void register_root(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<RootOptions>();
    CLI::App* const command =
        app.add_subcommand("root", "Hold the root of a job whose ranks are started elsewhere, until its ring stands");
    command->footer("Exit status: 0 the ring stood, 1 it did not, 2 bad usage, 3 this host could not do it.");
    command
        ->add_option("--id,--id-file", options->id_file,
                     "Write the new id here, readable by you only (an id of `ronde id new` is served instead); "
                     "without: print it")
        ->type_name("FILE");
    add_value<std::uint64_t>(
        *command, "-n,--ranks,--world-size", "Ranks to expect (default: the first that checks in says it)",
        [](std::string_view text) { return parse_count(text, 1, protocol::kMaxRanks); },
        [options](std::uint64_t n) { options->run.ranks = static_cast<std::uint32_t>(n); })
        ->type_name("N");
    add_value<std::uint64_t>(
        *command, "--roots", "Roots that share the check-ins, 1 to 4 (1)",
        [](std::string_view text) { return parse_count(text, 1, 4); },
        [options](std::uint64_t n) { options->run.roots = static_cast<std::uint32_t>(n); })
        ->type_name("K");
    command
        ->add_option("--listen", options->listen,
                     "Interface (eth0), loopback, or a fixed HOST:PORT (default: the interface that reaches farthest)")
        ->type_name("WHERE");
    command->add_flag("--ipv6", options->run.ipv6, "Use an IPv6 address of the interface");
    add_value<protocol::TimeNs>(*command, "--deadline",
                                "Give up when the ring does not stand by then (default: the ranks' own)",
                                parse_duration,
                                [options](protocol::TimeNs ns) {
                                    options->run.deadline_ns = ns;
                                    options->deadline_given = true;
                                })
        ->type_name("TIME");
    add_value<protocol::TimeNs>(*command, "--keep",
                                "Stay so long after the end and tell late comers why they come in vain", parse_duration,
                                [options](protocol::TimeNs ns) { options->keep_ns = ns; })
        ->type_name("TIME");
    command->add_option("--record", options->run.record, "Record every event for `ronde replay`")->type_name("DIR");
    add_protocol_options(*command, options->run);
    command->callback([options, &outcome] { serve(*options, outcome); });
}

}  // namespace ronde::cli
