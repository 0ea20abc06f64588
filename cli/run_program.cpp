/// `ronde run -n 8 -- ./prog`: a user's program as the ranks, the roots here.
#include "cli/job.hpp"
#include "cli/labelled_output.hpp"
#include "cli/progress.hpp"
#include "cli/run_modes.hpp"
#include "launch/local.hpp"
#include "net/limits.hpp"

#include <fmt/format.h>

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ronde::cli {

using launch::LocalEvent;

namespace {

/// What shells answer for a program that cannot be started, and the number above which they tell of a signal.
constexpr int kCannotStart = 127;
constexpr int kSignalBase = 128;

/// A folder for the id file that goes when this object goes.
class IdFolder {
public:
    IdFolder() {
        char const* const base = std::getenv("TMPDIR");
        path_ = fmt::format("{}/ronde-run-XXXXXX", base == nullptr || *base == '\0' ? "/tmp" : base);
        if (::mkdtemp(path_.data()) == nullptr)
            throw LauncherError(
                fmt::format("cannot make a folder for the id file, {}: {}", path_, std::strerror(errno)));
    }
    ~IdFolder() {
        ::unlink(file().c_str());
        ::rmdir(path_.c_str());
    }
    IdFolder(IdFolder const&) = delete;
    IdFolder& operator=(IdFolder const&) = delete;

    [[nodiscard]] std::string file() const { return path_ + "/id"; }

private:
    std::string path_;
};

/// In a forked child with labelled output: becomes the program.
int become(RunOptions const& options, LabelledOutput const& output, std::string const& id_file,
           launch::Child const& child) {
    output.attach(child.rank());
    auto const rank = std::to_string(child.rank());
    auto const count = std::to_string(child.count());
    std::array<std::pair<char const*, std::string>, 5> const variables{{{"RONDE_RANK", rank},
                                                                        {"RONDE_LOCAL_RANK", rank},
                                                                        {"RONDE_WORLD_SIZE", count},
                                                                        {"RONDE_LOCAL_SIZE", count},
                                                                        {"RONDE_ID_FILE", id_file}}};
    for (auto const& [name, value] : variables)
        ::setenv(name, value.c_str(), 1);
    ::unsetenv("RONDE_ID");
    std::signal(SIGPIPE, SIG_DFL);
    std::vector<char*> arguments;
    for (std::string const& argument : options.program)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    fmt::print(stderr, "cannot start {}: {}\n", options.program.front(), std::strerror(errno));
    return kCannotStart;
}

int status_of(launch::ChildEnd const& end) {
    if (end.exec_error != 0)
        return kCannotStart;
    return end.signal != 0 ? kSignalBase + end.signal : end.exit_status;
}

/// Waits for the children and remembers the first that went wrong.
class ProgramRun final : public net::Pollable {
public:
    ProgramRun(launch::LocalJob& children, std::string program) : children_(children), program_(std::move(program)) {}

    int run(net::Loop& loop) {
        net::Loop::Watch watch;
        if (int const error = loop.watch_level(children_.poll_fd(), EPOLLIN, *this, watch); error != 0)
            throw LauncherError(fmt::format("cannot watch the ranks: {}", net::describe_errno(error)));
        on_ready(0);
        while (children_.running() > 0)
            loop.run_once();
        on_ready(0);
        loop.unwatch(watch);
        return status_;
    }

    /// Lines about ranks that did not end by themselves, to be printed after their own last words.
    void explain() const {
        for (std::string const& line : lines_)
            fmt::print(stderr, "ronde: {}\n", line);
    }

private:
    void on_ready(std::uint32_t) override {
        for (LocalEvent const& event : children_.handle_ready()) {
            if (event.kind != LocalEvent::Kind::ended || event.end.ok())
                continue;
            if (status_ == 0)
                status_ = status_of(event.end);
            note(event);
        }
    }

    void note(LocalEvent const& event) {
        if (event.end.exec_error == 0)
            lines_.push_back(fmt::format("rank {}: {}", event.rank, describe(event.end)));
        else if (!std::exchange(cannot_start_, true))
            lines_.push_back(fmt::format("cannot start {}: {}", program_, net::describe_errno(event.end.exec_error)));
    }

    launch::LocalJob& children_;
    std::string const program_;
    int status_ = 0;
    bool cannot_start_ = false;
    std::vector<std::string> lines_;
};

bool wants_labels(RunOptions const& options) {
    if (options.label == RunOptions::Label::automatic)
        return ::isatty(STDOUT_FILENO) == 1;
    return options.label == RunOptions::Label::always;
}

}  // namespace

int run_program(RunOptions const& options) {
    RootHost host = create_host(options);
    Job const job = root_job(options, host.id(), options.ranks);
    IdFolder const folder;
    if (auto const written = job.id.write_file(folder.file()); !written)
        throw LauncherError(written.error());

    launch::LocalOptions local;
    local.count = options.ranks;
    std::optional<LabelledOutput> output;
    if (wants_labels(options)) {
        net::raise_descriptor_limit();
        output.emplace(options.ranks);
        local.keep = output->write_ends();
        local.body = [&](launch::Child const& child) { return become(options, *output, folder.file(), child); };
    } else {
        local.program = options.program;
        local.environment = {{"RONDE_ID_FILE", folder.file()}, {"RONDE_ID", std::nullopt}};
    }
    auto children = launch::LocalJob::start(local);
    if (!children)
        throw LauncherError(children.error());

    net::Loop loop;
    RootSet roots(loop, job, host.take_listeners());
    roots.start();
    ProgramRun run(*children, options.program.front());
    if (output)
        output->watch(loop);
    int const status = run.run(loop);
    if (output)
        output->drain();
    run.explain();
    return status;
}

}  // namespace ronde::cli
