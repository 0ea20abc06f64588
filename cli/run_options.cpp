#include "cli/run_options.hpp"

#include "cli/run_folder.hpp"
#include "cli/usage.hpp"
#include "protocol/entry.hpp"
#include "report/words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ronde::cli {

using protocol::kMaxRanks;
using protocol::Policies;

namespace {

/// Ranks that one host is asked to hold at most.
constexpr std::uint32_t kMaxLocalRanks = 65'536;
constexpr std::uint64_t kMaxSliceBytes = std::uint64_t{1} << 30;
/// All buffers of all ranks in one process together.
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{4} << 30;

auto count_up_to(std::uint64_t least, std::uint64_t most) {
    return [least, most](std::string_view text) { return parse_count(text, least, most); };
}

auto one_of(std::string_view what, std::vector<std::string> words) {
    return [what = std::string(what), words = std::move(words)](std::string_view text) -> Parsed<std::size_t> {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == text)
                return i;
        }
        std::vector<std::string_view> const views(words.begin(), words.end());
        return tl::unexpected(fmt::format("'{}' is no {}; expected {}{}", text, what, fmt::join(words, " or "),
                                          did_you_mean(text, views)));
    };
}

void add_size_and_shape(CLI::App& app, RunOptions& o) {
    add_value<std::uint64_t>(app, "-n,--ranks", "Ranks to start on this host", count_up_to(1, kMaxLocalRanks),
                             [&o](std::uint64_t n) { o.ranks = static_cast<std::uint32_t>(n); })
        ->type_name("N");
    app.add_flag("--in-process", o.in_process, "Hold all ranks and roots in this process and one event loop");
    add_value<std::uint64_t>(app, "--roots", "Roots that share the check-ins, 1 to 4 (1)", count_up_to(1, 4),
                             [&o](std::uint64_t n) { o.roots = static_cast<std::uint32_t>(n); })
        ->type_name("K");
    add_value<protocol::TimeNs>(app, "--deadline", "Ready by then, or an error by then (30s)", parse_duration,
                                [&o](protocol::TimeNs ns) { o.deadline_ns = ns; })
        ->type_name("TIME");
    app.add_option("--interface", o.interface,
                   "Listen on this interface (eth0; also the grammar of NCCL_SOCKET_IFNAME); default: loopback")
        ->type_name("NAME");
    app.add_flag("--ipv6", o.ipv6, "Use ::1, or an IPv6 address of the interface");
}

}  // namespace

void add_protocol_options(CLI::App& app, RunOptions& o) {
    std::string const group = "Protocol";
    add_value<protocol::Profile>(app, "--profile", "article, nccl or ronde (ronde)", parse_profile,
                                 [&o](protocol::Profile profile) { o.profile = profile; })
        ->type_name("NAME")
        ->group(group);
    add_value<protocol::Gather>(app, "--gather", "How the table spreads: auto, star, doubling, ring or ring2",
                                parse_gather,
                                [&o](protocol::Gather gather) {
                                    o.gather = gather;
                                    o.gather_given = true;
                                })
        ->type_name("NAME")
        ->group(group);
    app.add_flag("--no-auth", o.no_auth, "Check the session number only instead of the id's secret")->group(group);
    app.add_flag("--no-device-check", o.no_device_check, "Let ranks of one host share a device")->group(group);
}

namespace {

void add_joining(CLI::App& app, RunOptions& o) {
    std::string const group = "Join a job as one rank instead of starting one";
    add_value<std::uint64_t>(app, "--rank", "This process is rank R", count_up_to(0, kMaxRanks - 1),
                             [&o](std::uint64_t n) { o.rank = static_cast<std::uint32_t>(n); })
        ->type_name("R")
        ->group(group);
    add_value<std::uint64_t>(app, "--world-size", "... of N", count_up_to(1, kMaxRanks),
                             [&o](std::uint64_t n) { o.world_size = static_cast<std::uint32_t>(n); })
        ->type_name("N")
        ->group(group);
    app.add_option("--id", o.id, "Id file, or the text of an id")->type_name("FILE|TEXT")->group(group);
}

void add_after_ready(CLI::App& app, RunOptions& o) {
    std::string const group = "After ready";
    add_value<std::uint64_t>(
        app, "--all-gather", "Gather so many bytes of each rank, check them, print the time",
        [](std::string_view text) { return parse_bytes(text, 1, kMaxSliceBytes); },
        [&o](std::uint64_t bytes) { o.all_gather_bytes = bytes; })
        ->type_name("BYTES")
        ->group(group);
    add_value<std::uint64_t>(app, "--repeat", "... K times (1)", count_up_to(1, kMaxRepeats),
                             [&o](std::uint64_t n) { o.repeat = static_cast<std::uint32_t>(n); })
        ->type_name("K")
        ->group(group);
    add_value<std::uint64_t>(app, "--barrier", "K barriers; prints the median time", count_up_to(1, kMaxRepeats),
                             [&o](std::uint64_t n) { o.barriers = static_cast<std::uint32_t>(n); })
        ->type_name("K")
        ->group(group);
}

void add_watching(CLI::App& app, RunOptions& o) {
    std::string const group = "Watch and test";
    add_value<std::size_t>(app, "--format", "text or json (text)", one_of("format", {"text", "json"}),
                           [&o](std::size_t i) { o.json = i == 1; })
        ->type_name("NAME")
        ->group(group);
    app.add_option("--dot", o.dot, "Draw the ring for `neato -n2 -Tsvg`")->type_name("FILE")->group(group);
    add_folder_option(app, o.out);
    add_picture_wish(app, o.pictures);
    app.add_option("--record", o.record, "Record every event of every machine for `ronde replay`")
        ->type_name("DIR")
        ->group(group);
    app.add_option_function<std::vector<std::string>>(
           "--fault",
           [&o](std::vector<std::string> const& texts) {
               for (std::string const& text : texts) {
                   auto fault = parse_fault(text);
                   if (!fault)
                       throw CLI::ValidationError("--fault", fault.error());
                   o.faults.push_back(std::move(*fault));
               }
           },
           "kill:R@PHASE, stop:R@PHASE, never:R, late:R=TIME or kill-root@CHECK-INS; may be given again")
        ->type_name("FAULT")
        ->expected(1)
        ->take_all()
        ->group(group);
    add_value<std::uint64_t>(app, "--max-io-bytes", "Read and write at most so many bytes at once",
                             count_up_to(1, 1U << 30), [&o](std::uint64_t n) { o.max_io_bytes = n; })
        ->type_name("BYTES")
        ->group(group);
    add_value<std::size_t>(app, "--label",
                           "With a program: rank in front of each line; auto (on a terminal), always, never",
                           one_of("label", {"auto", "always", "never"}),
                           [&o](std::size_t i) { o.label = static_cast<RunOptions::Label>(i); })
        ->type_name("WHEN")
        ->group(group);
}

[[noreturn]] void refuse(std::string const& line) { throw UsageError(line); }

void check_faults(RunOptions const& o, bool joins) {
    for (Fault const& fault : o.faults) {
        if (!o.program.empty() || joins)
            refuse(fmt::format("--fault {}: only for ranks that this command starts itself", fault.text));
        bool const needs_process = fault.kind == Fault::Kind::kill || fault.kind == Fault::Kind::stop;
        if (o.in_process && needs_process)
            refuse(
                fmt::format("--fault {}: with --in-process there is no process to send a signal to; expected never:R, "
                            "late:R=TIME or kill-root@CHECK-INS",
                            fault.text));
        if (fault.kind != Fault::Kind::kill_root && fault.ranks.last >= o.ranks)
            refuse(fmt::format("--fault {}: there is no rank {}; expected 0 to {}", fault.text, fault.ranks.last,
                               o.ranks - 1));
    }
}

void check_joining(RunOptions const& o) {
    if (o.rank && !o.world_size)
        refuse(fmt::format("--rank {} was given without --world-size N", *o.rank));
    if (o.world_size && !o.rank)
        refuse(fmt::format("--world-size {} was given without --rank R", *o.world_size));
    if (!o.rank)
        return;
    if (o.id.empty())
        refuse(fmt::format("--rank {} was given without --id FILE|TEXT", *o.rank));
    if (*o.rank >= *o.world_size)
        refuse(
            fmt::format("--rank {}: expected 0 to {} with --world-size {}", *o.rank, *o.world_size - 1, *o.world_size));
    if (o.ranks != 0)
        refuse(fmt::format("--rank joins a job and -n {} starts one; give one of them", o.ranks));
    if (o.in_process)
        refuse("--rank joins a job and --in-process starts one; give one of them");
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
    add_size_and_shape(app, options);
    add_protocol_options(app, options);
    add_value<std::vector<std::uint64_t>>(
        app, "--devices", "Devices that ranks claim: the r-th is rank r's (default: its number)", parse_devices,
        [&options](auto devices) { options.devices = std::move(devices); })
        ->type_name("D,D,...")
        ->group("Protocol");
    add_joining(app, options);
    add_after_ready(app, options);
    add_watching(app, options);
}

void check_run_options(RunOptions const& o, bool joins) {
    check_joining(o);
    if (o.ranks == 0 && !joins)
        refuse(
            "-n N is missing: how many ranks to start here (or --rank R --world-size N --id FILE|TEXT to join a job)");
    if (!o.id.empty() && !o.rank && o.ranks != 0)
        refuse("--id joins a job and -n starts one; give one of them");
    if (o.ranks != 0 && o.roots > o.ranks)
        refuse(fmt::format("--roots {} with {} ranks: expected at most as many roots as ranks", o.roots, o.ranks));
    if (o.repeat != 1 && o.all_gather_bytes == 0)
        refuse(fmt::format("--repeat {} was given without --all-gather BYTES", o.repeat));
    if (o.in_process && !o.program.empty())
        refuse("--in-process and a program behind -- exclude each other");
    if (!o.program.empty() && !o.dot.empty())
        refuse("--dot: the table of a program behind -- is not known here");
    if (!o.program.empty() && (o.all_gather_bytes != 0 || o.barriers != 0))
        refuse("--all-gather and --barrier are for runs without a program behind --");
    if (o.in_process && !joins && o.all_gather_bytes * o.ranks > kMaxBufferBytes / o.ranks)
        refuse(fmt::format("--all-gather {}: {} ranks would need {} of buffers in one process; expected at most {}",
                           sim::about_bytes(o.all_gather_bytes), o.ranks,
                           sim::about_bytes(o.all_gather_bytes * o.ranks * o.ranks),
                           sim::about_bytes(kMaxBufferBytes)));
    check_faults(o, joins);
    if (o.ranks != 0)
        static_cast<void>(o.policies(o.ranks));
}

Policies RunOptions::unresolved_policies() const {
    Policies policies = protocol::policies_of(profile);
    if (gather_given && gather != protocol::Gather::automatic)
        policies.gather = gather;
    if (no_auth && policies.auth == protocol::Auth::keyed)
        policies.auth = protocol::Auth::magic;
    if (no_device_check)
        policies.device_check = protocol::DeviceCheck::off;
    return policies;
}

Policies RunOptions::policies(std::uint32_t nranks) const {
    Policies const resolved = protocol::resolve(unresolved_policies(), nranks, roots);
    if (auto const why = protocol::contradiction_in(resolved, nranks, roots); !why.empty())
        throw UsageError(std::string(why));
    return resolved;
}

std::uint64_t RunOptions::device_of(protocol::RankId of) const {
    if (devices.empty())
        return of;
    return of < devices.size() ? devices[of] : protocol::kNoDevice;
}

Fault const* RunOptions::fault_of(protocol::RankId of, Fault::Kind kind) const {
    for (Fault const& fault : faults) {
        if (fault.kind == kind && fault.ranks.first <= of && of <= fault.ranks.last)
            return &fault;
    }
    return nullptr;
}

Fault const* RunOptions::root_fault() const {
    for (Fault const& fault : faults) {
        if (fault.kind == Fault::Kind::kill_root)
            return &fault;
    }
    return nullptr;
}

}  // namespace ronde::cli
