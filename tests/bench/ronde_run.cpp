#include "ronde_run.hpp"

#include "net/fd.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ronde::bench {

tl::expected<std::string, std::string> output_of(std::vector<std::string> const& command, bool may_fail) {
    std::string const words = fmt::format("{}", fmt::join(command, " "));
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return tl::unexpected(words + ": " + std::strerror(errno));
    net::Fd const read_end(ends[0]);
    net::Fd write_end(ends[1]);
    std::vector<std::string> copies = command;
    std::vector<char*> argv;
    for (std::string& word : copies)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, read_end.get());
    pid_t child = 0;
    int const failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return tl::unexpected(words + ": " + std::strerror(failed));
    write_end = net::Fd();
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(read_end.get(), piece.data(), piece.size())) != 0;) {
        if (n > 0)
            text.append(piece.data(), static_cast<std::size_t>(n));
        else if (errno != EINTR)
            break;
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0 && !may_fail)
        return tl::unexpected(fmt::format("{}: ended with {} {}\n{}", words, WIFEXITED(status) ? "status" : "signal",
                                          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), text));
    return text;
}

tl::expected<RunFigures, std::string> ronde_run(std::vector<std::string> const& arguments) {
    std::vector<std::string> command = {RONDE_PROGRAM, "run"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--format", "json"});
    auto const text = output_of(command);
    if (!text)
        return tl::unexpected(text.error());
    auto const json = nlohmann::json::parse(*text, nullptr, false);
    if (json.is_discarded())
        return tl::unexpected(fmt::format("{}: no JSON:\n{}", fmt::join(command, " "), *text));
    RunFigures figures;
    figures.table_ns = json.value("time_to_table_ns", std::int64_t{0});
    figures.ready_ns = json.value("time_to_ready_ns", std::int64_t{0});
    figures.all_gather_ns = json.value("all_gather_ns", std::int64_t{0});
    figures.messages = json.value("messages", std::uint64_t{0});
    figures.bytes = json.value("bytes", std::uint64_t{0});
    figures.cpu_s = json.value("cpu_s", 0.0);
    figures.peak_rss_bytes = json.value("peak_rss_bytes", std::uint64_t{0});
    return figures;
}

}  // namespace ronde::bench
