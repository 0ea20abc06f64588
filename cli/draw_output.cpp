#include "cli/draw_output.hpp"

#include "cli/sim_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace ronde::cli {
namespace {

constexpr std::array<std::string_view, 4> kFormats = {"dot", "svg", "png", "pdf"};

/// A folder of our own for what another program reads and writes; gone with this object.
class Workshop {
public:
    Workshop() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ronde-draw-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw LauncherError(
                fmt::format("cannot make a folder for the picture ({}): {}", pattern, std::strerror(errno)));
        folder_ = pattern;
    }
    Workshop(Workshop const&) = delete;
    Workshop& operator=(Workshop const&) = delete;
    ~Workshop() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string place(std::string_view name) const { return folder_ + "/" + std::string(name); }
    void put(std::string_view name, std::string const& text) const {
        std::ofstream file(place(name), std::ios::binary);
        file << text;
        if (!file.flush())
            throw LauncherError(fmt::format("{}: cannot write: {}", place(name), std::strerror(errno)));
    }
    [[nodiscard]] std::string get(std::string_view name) const {
        std::ifstream file(place(name), std::ios::binary);
        std::ostringstream bytes;
        bytes << file.rdbuf();
        return std::move(bytes).str();
    }

private:
    std::string folder_;
};

/// What another program reports goes to a file of the workshop, so that its one line can be ours.
int exit_status_of(std::vector<std::string> const& words, Workshop const& workshop, std::string_view package) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string const& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, workshop.place("said").c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    int const failed = posix_spawnp(&child, words.front().c_str(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed == ENOENT)
        throw LauncherError(fmt::format(
            "{} is not installed, which draws this format; install {}, or ask for a format that needs no other program",
            words.front(), package));
    if (failed != 0)
        throw LauncherError(fmt::format("{}: cannot start: {}", words.front(), std::strerror(failed)));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string converted(std::string const& input, std::vector<std::string> words, std::string_view package,
                      std::string_view output_flag) {
    Workshop const workshop;
    workshop.put("in", input);
    words.insert(words.end(), {std::string(output_flag), workshop.place("out"), workshop.place("in")});
    int const status = exit_status_of(words, workshop, package);
    std::string picture = workshop.get("out");
    if (status == 0 && !picture.empty())
        return picture;
    std::string said = workshop.get("said");
    said.resize(std::min(said.size(), said.find('\n')));
    throw LauncherError(fmt::format("{} could not draw the picture (status {}): {}", words.front(), status,
                                    said.empty() ? "it said nothing" : said));
}

std::string name_of(PictureFormat format) { return std::string(kFormats[static_cast<std::size_t>(format)]); }

}  // namespace

PictureFormat PictureOutput::chosen() const {
    if (format)
        return *format;
    std::string const ending = std::filesystem::path(file).extension().string();
    if (ending.empty())
        return PictureFormat::svg;
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
        if (ending.substr(1) == kFormats[i])
            return static_cast<PictureFormat>(i);
    }
    throw UsageError(fmt::format("-o: '{}' ends with no format of a picture; expected .dot, .svg, .png or .pdf, or "
                                 "--format",
                                 file));
}

void add_output_options(CLI::App& command, PictureOutput& output, bool dot) {
    command.add_option("-o", output.file, "Put the picture into FILE, in one step (standard output)")
        ->type_name("FILE");
    command
        .add_option_function<std::string>(
            "--format",
            [&output, dot](std::string const& name) {
                std::vector<std::string_view> names(kFormats.begin() + (dot ? 0 : 1), kFormats.end());
                output.format = static_cast<PictureFormat>(parse_format(name, names) + (dot ? 0 : 1));
            },
            dot ? "dot, svg, png or pdf (what FILE ends with, or svg)"
                : "svg, png or pdf (what FILE ends with, or svg)")
        ->type_name("NAME");
}

void deliver_svg(std::string const& svg, PictureOutput const& output) {
    switch (output.chosen()) {
    case PictureFormat::svg: return deliver(svg, output.file);
    case PictureFormat::dot: throw UsageError("--format: this picture is no graph; expected svg, png or pdf");
    case PictureFormat::png:
    case PictureFormat::pdf: break;
    }
    deliver(converted(svg, {"rsvg-convert", "--format=" + name_of(output.chosen())}, "librsvg2-bin", "-o"),
            output.file);
}

std::string drawn_dot(std::string const& dot, GraphLayout layout, PictureFormat format) {
    std::vector<std::string> words =
        layout == GraphLayout::pinned ? std::vector<std::string>{"neato", "-n2"} : std::vector<std::string>{"dot"};
    words.push_back("-T" + name_of(format));
    return converted(dot, std::move(words), "graphviz", "-o");
}

void deliver_dot(std::string const& dot, GraphLayout layout, PictureOutput const& output) {
    PictureFormat const format = output.chosen();
    deliver(format == PictureFormat::dot ? dot : drawn_dot(dot, layout, format), output.file);
}

}  // namespace ronde::cli
