#include "mutants/matrix.hpp"

#include "mutants/active.hpp"
#include "mutants/recordings.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): more than C has
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <sstream>
#include <system_error>

namespace ronde::mutants {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::kSecondNs;
using protocol::TimeNs;

constexpr TimeNs kFastPatienceNs = 20 * kSecondNs;
constexpr TimeNs kPatienceNs = 120 * kSecondNs;

TimeNs since(Clock::time_point begun) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count();
}

std::system_error failure(char const* what) { return {errno, std::generic_category(), what}; }

// --- the child: one mutant, one layer -----------------------------------------------------------------------------

void say(int pipe, std::string const& line) {
    for (std::size_t done = 0; done < line.size();) {
        ssize_t const written = write(pipe, line.data() + done, line.size() - done);
        if (written <= 0)
            _exit(3);
        done += static_cast<std::size_t>(written);
    }
}

[[noreturn]] void be_the_mutant(std::uint32_t number, Layer layer, Terms const& terms, int pipe) {
    dup2(pipe, STDERR_FILENO);  // what a failed check of the machine says
    active_mutant = number;
    auto const note = [](std::uint32_t nranks, std::string_view trial, void* context) {
        say(*static_cast<int*>(context), fmt::format("trial\t{}\t{}\n", nranks, trial));
    };
    auto const kill = put_through(layer, terms, note, &pipe);
    if (kill)
        say(pipe, fmt::format("kill\t{}\t{}\t{}\t{}\n", kill->property, kill->nranks, kill->trial, kill->why));
    else
        say(pipe, "stood\n");
    _exit(0);
}

// --- the parent -----------------------------------------------------------------------------------------------------

struct Heard {
    std::string text;
    bool in_time = true;
};

/// Everything that comes through the pipe until its end, or until the patience is used up.
Heard listen_to(int pipe, TimeNs patience_ns) {
    Heard heard;
    auto const begun = Clock::now();
    std::array<char, 4096> bytes{};
    for (;;) {
        TimeNs const left_ns = patience_ns - since(begun);
        pollfd waits{pipe, POLLIN, 0};
        int const came = left_ns <= 0 ? 0 : poll(&waits, 1, static_cast<int>(left_ns / protocol::kMillisecondNs) + 1);
        if (came < 0 && errno == EINTR)
            continue;
        if (came <= 0) {
            heard.in_time = false;
            return heard;
        }
        ssize_t const count = ::read(pipe, bytes.data(), bytes.size());
        if (count <= 0)
            return heard;
        heard.text.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

std::vector<std::string> words_of(std::string const& line) {
    std::vector<std::string> words;
    std::istringstream stream(line);
    for (std::string word; std::getline(stream, word, '\t');)
        words.push_back(word);
    return words;
}

/// What the child said, and how it ended, as a kill.
std::optional<Kill> kill_from(Heard const& heard, int status) {
    Kill last;
    std::istringstream lines(heard.text);
    for (std::string line; std::getline(lines, line);) {
        auto const words = words_of(line);
        if (words.size() == 3 && words[0] == "trial") {
            last.nranks = static_cast<std::uint32_t>(std::stoul(words[1]));
            last.trial = words[2];
        } else if (words.size() == 5 && words[0] == "kill") {
            return Kill{words[1], static_cast<std::uint32_t>(std::stoul(words[2])), words[3], words[4]};
        } else if (line == "stood") {
            return std::nullopt;
        } else {
            last.why = line;
        }
    }
    last.property = heard.in_time ? "check" : "time";
    if (last.why.empty())
        last.why = heard.in_time ? fmt::format("the process ended with status {}", status) : "it does not end";
    return last;
}

Cell run_cell(std::uint32_t number, Layer layer, Terms const& terms) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw failure("pipe2");
    auto const begun = Clock::now();
    pid_t const child = fork();
    if (child < 0)
        throw failure("fork");
    if (child == 0) {
        close(ends[0]);
        be_the_mutant(number, layer, terms, ends[1]);
    }
    close(ends[1]);
    Heard const heard = listen_to(ends[0], terms.fast ? kFastPatienceNs : kPatienceNs);
    if (!heard.in_time)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    close(ends[0]);
    Cell cell;
    cell.ran = true;
    cell.elapsed_ns = since(begun);
    cell.kill = kill_from(heard, status);
    return cell;
}

bool is_named(Mutant const& mutant, std::string_view property) {
    if (property == "promise" || property == "D4")
        return true;
    std::istringstream words{std::string(mutant.killed_by)};
    for (std::string word; words >> word;) {
        if (word == property)
            return true;
    }
    return false;
}

bool is_wanted(Layer layer, MatrixSettings const& settings) {
    if (settings.layers.empty())
        return layer != Layer::sockets || !settings.fast;
    return std::find(settings.layers.begin(), settings.layers.end(), layer) != settings.layers.end();
}

}  // namespace

bool Row::killed() const {
    return std::any_of(cells.begin(), cells.end(), [](Cell const& cell) { return cell.kill.has_value(); });
}

bool Row::as_expected() const {
    return std::all_of(cells.begin(), cells.end(), [this](Cell const& cell) {
        return !cell.kill || (mutant != nullptr && is_named(*mutant, cell.kill->property));
    });
}

bool Matrix::good() const {
    return std::all_of(rows.begin(), rows.end(), [](Row const& row) {
        return row.mutant == nullptr ? !row.killed() : !row.lost && row.killed() && row.as_expected();
    });
}

std::uint32_t Matrix::mutants() const {
    return static_cast<std::uint32_t>(
        std::count_if(rows.begin(), rows.end(), [](Row const& row) { return row.mutant != nullptr; }));
}

std::uint32_t Matrix::killed() const {
    return static_cast<std::uint32_t>(
        std::count_if(rows.begin(), rows.end(), [](Row const& row) { return row.mutant != nullptr && row.killed(); }));
}

Matrix run_matrix(MatrixSettings const& settings, std::function<void(Row const&)> const& progress) {
    auto const begun = Clock::now();
    std::optional<Recordings> recordings;
    if (is_wanted(Layer::recordings, settings))
        recordings.emplace();
    Terms const terms{settings.fast, recordings ? recordings->path() : ""};
    Matrix matrix;
    auto const wanted = [&](Mutant const& mutant) {
        return (settings.names.empty() && !mutant.killed_by.empty()) ||
               std::find(settings.names.begin(), settings.names.end(), mutant.name) != settings.names.end();
    };
    auto const run_row = [&](std::uint32_t number, Row row) {
        for (Layer const layer : kLayers) {
            if (!row.lost && is_wanted(layer, settings))
                row.cells[static_cast<std::size_t>(layer)] = run_cell(number, layer, terms);
        }
        if (progress)
            progress(row);
        matrix.rows.push_back(std::move(row));
    };
    run_row(0, Row{"(none)", nullptr, false, {}});
    for (std::uint32_t index = 0; index < catalogue().size(); ++index) {
        Mutant const& mutant = catalogue()[index];
        if (wanted(mutant))
            run_row(index + 1U, Row{std::string(mutant.name), &mutant, is_lost(mutant.name), {}});
    }
    matrix.elapsed_ns = since(begun);
    return matrix;
}

}  // namespace ronde::mutants
