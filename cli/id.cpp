/// `ronde id`: looking at ids and making ones for addresses that are agreed on beforehand.
#include "cli/id.hpp"

#include "cli/usage.hpp"
#include "net/endpoint.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <cstdio>
#include <memory>

namespace ronde::cli {
namespace {

constexpr std::string_view kTextPrefix = "ronde1-";

UniqueId read_id(std::string const& file_or_text) {
    if (file_or_text.rfind(kTextPrefix, 0) == 0) {
        auto id = UniqueId::parse(file_or_text);
        if (!id)
            throw UsageError(id.error());
        return *id;
    }
    auto read = UniqueId::read_file(file_or_text);
    if (!read)
        throw LauncherError(read.error());
    if (!read->warning.empty())
        fmt::print(stderr, "ronde: warning: {}\n", read->warning);
    return read->id;
}

/// What may be shown to everybody.
void show(UniqueId const& id) {
    fmt::print("session   {:016x}\n", id.session());
    for (protocol::Endpoint const& root : id.roots())
        fmt::print("root      {}\n", net::to_text(root));
    fmt::print("promised  {}\n", id.promised() ? "yes: the roots listen since the id was made; it serves one job"
                                               : "no: the roots may start to listen later");
    fmt::print("backlog   {}{}\n", id.root_backlog(), id.promised() ? "" : " (assumed)");
}

}  // namespace

UniqueId id_at(std::string const& addresses) {
    if (sodium_init() < 0)
        throw LauncherError("libsodium cannot be initialised");
    std::array<char, 32> secret;
    randombytes_buf(secret.data(), secret.size());
    auto id = UniqueId::at_address(addresses, std::string_view(secret.data(), secret.size()));
    if (!id)
        throw UsageError(id.error());
    return *id;
}

void register_id(CLI::App& app, Outcome& outcome) {
    struct Options {
        std::string shown;
        std::string at;
        std::string file;
    };
    auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("id", "Look at an id, or make one for an address");
    command->footer("Whoever has an id can join its job: keep files private, and show others `ronde id show` only.");
    command->require_subcommand(1);

    CLI::App* const shown = command->add_subcommand("show", "Print the public parts of an id, never its secret");
    shown->add_option("id", options->shown, "Id file, or the text of an id")->required()->type_name("FILE|TEXT");
    shown->callback([options, &outcome] {
        show(read_id(options->shown));
        outcome = Exit::ok;
    });

    CLI::App* const made = command->add_subcommand(
        "new", "Make an id for a root that will listen at a known address; serve it with ronde root --id FILE");
    made->add_option("--at", options->at, "Where the root will listen; up to four with commas between")
        ->required()
        ->type_name("HOST:PORT");
    made->add_option("file", options->file, "Write it here, readable by you only; without: print it")
        ->type_name("FILE");
    made->callback([options, &outcome] {
        UniqueId const id = id_at(options->at);
        if (options->file.empty()) {
            fmt::print("{}\n", id.text());
        } else if (auto const written = id.write_file(options->file); !written) {
            throw LauncherError(written.error());
        } else {
            fmt::print("{}\n", id.public_text());
        }
        outcome = Exit::ok;
    });
}

}  // namespace ronde::cli
