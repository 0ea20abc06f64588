/// `ronde replay`: plays a recording, a tape or a trace once more, and compares.
#include "report/replay.hpp"

#include "cli/usage.hpp"
#include "conformance/conformance.hpp"
#include "net/replay.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ronde::cli {
namespace {

/// The first bytes of a file of a flight recording (net/recorder.hpp).
constexpr std::string_view kRecordingMark = "ronderec";

std::string first_bytes_of(std::string const& path) {
    std::array<char, 16> bytes{};
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "rb"), &std::fclose);
    std::size_t const count = file == nullptr ? 0 : std::fread(bytes.data(), 1, bytes.size(), file.get());
    if (file == nullptr || std::ferror(file.get()) != 0)
        throw LauncherError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
    return {bytes.data(), count};
}

Exit told(bool same, std::string const& text) {
    fmt::print("{}", text);
    return same ? Exit::ok : Exit::failed;
}

Exit told(tl::expected<sim::WorldReplay, std::string> const& replay) {
    if (!replay)
        throw LauncherError(replay.error());
    return told(replay->same, replay->text);
}

Exit replay_folder(std::string const& path) {
    conformance::Observer kernel;
    auto const report = net::replay(path, &kernel);
    if (!report)
        throw LauncherError(report.error());
    if (!report->same())
        return told(false, report->text());
    conformance::Report const did = kernel.report();
    return told(did.conforms(), report->text() + did.text());
}

Exit replay(std::string const& path) {
    std::error_code not_there;
    if (std::filesystem::is_directory(path, not_there))
        return replay_folder(path);
    std::string const bytes = first_bytes_of(path);
    if (bytes.starts_with(sim::kTapeMark))
        return told(sim::replay_tape(path));
    if (bytes.starts_with(sim::kTraceMark))
        return told(sim::replay_trace(path));
    if (bytes.starts_with(kRecordingMark))
        throw UsageError(fmt::format("{} is one file of a recording; expected its folder", path));
    throw LauncherError(
        fmt::format("{}: expected a tape (ronde sim --tape), a trace (ronde sim --trace), or the folder "
                    "of a recording (ronde run --record)",
                    path));
}

}  // namespace

void register_replay(CLI::App& app, Outcome& outcome) {
    auto path = std::make_shared<std::string>();
    CLI::App* const command =
        app.add_subcommand("replay", "Play once more what was recorded, and compare: it stops at the first difference");
    command->footer(
        "PATH is one of\n"
        "  a folder of ronde run --record   each event is fed to a fresh machine, every state is compared;\n"
        "                                   then what the kernel did is held to the rules of TCP\n"
        "  a file of ronde sim --trace      its world is made again, every step is compared\n"
        "  a file of ronde sim --tape       its world is made again with the choices of the tape; they and\n"
        "                                   the digest of the run are compared. One that was edited is\n"
        "                                   played as far as it fits, and what comes of it is told.\n"
        "Exit status: 0 the same, 1 a difference, 2 bad usage, 3 nothing could be read: no such file, cut\n"
        "off, damaged.");
    command->add_option("path", *path, "What to replay; its kind is known by its content")
        ->required()
        ->type_name("PATH");
    command->callback([path, &outcome] { outcome = replay(*path); });
}

}  // namespace ronde::cli
