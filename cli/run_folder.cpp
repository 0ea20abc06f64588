#include "cli/run_folder.hpp"

#include "cli/draw_input.hpp"
#include "cli/usage.hpp"
#include "page/report_html.hpp"
#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace ronde::cli {
namespace {

/// "20261130T101500Z"
std::string time_of_the_clock() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

/// Several runs may begin within one second.
std::string make_folder(std::string const& below, std::string const& name) {
    constexpr int kMost = 10'000;
    for (int number = 1; number < kMost; ++number) {
        std::string full = number == 1 ? name : fmt::format("{}-{}", name, number);
        std::error_code failed;
        if (std::filesystem::create_directory(fmt::format("{}/{}", below, full), failed))
            return full;
        if (failed)
            throw LauncherError(fmt::format("--out: cannot make the folder {}/{}: {}", below, full, failed.message()));
    }
    throw LauncherError(fmt::format("--out: {}/{} and {} others are there already", below, name, kMost - 2));
}

std::string checked_dir(std::string dir) {
    while (dir.size() > 1 && dir.ends_with('/'))
        dir.pop_back();
    std::error_code failed;
    if (std::filesystem::exists(dir, failed) && !std::filesystem::is_directory(dir, failed))
        throw UsageError(
            fmt::format("--out: {} is a file; expected a folder, below which this run leaves one of its own", dir));
    std::filesystem::create_directories(dir, failed);
    if (failed)
        throw LauncherError(fmt::format("--out: cannot make the folder {}: {}", dir, failed.message()));
    return dir;
}

/// "runs/x.json" is meant for a report: --out took a file once, and other programs' flags of that name do.
std::string checked_name(std::string const& dir) {
    static constexpr std::array<std::string_view, 6> kFiles = {".json", ".csv", ".txt", ".toml", ".svg", ".xml"};
    std::string const ending = std::filesystem::path(dir).extension().string();
    if (std::find(kFiles.begin(), kFiles.end(), ending) != kFiles.end())
        return fmt::format("'{}' looks like a file; expected a folder, below which this run leaves one of its own (-o "
                           "FILE puts the report into a file)",
                           dir);
    return dir.empty() ? "the name of a folder is missing" : "";
}

}  // namespace

RunFolder::RunFolder(std::string const& below, std::string_view name)
    : below_(checked_dir(below)), name_(make_folder(below_, tame_name(name) + "-" + time_of_the_clock())),
      path_(below_ + "/" + name_) {}

void RunFolder::put(std::string_view file, std::string_view text, std::string_view about) {
    if (auto const why = sim::write_file(place(file), text); !why.empty())
        throw LauncherError("--out: " + why);
    list(file, about);
}

void RunFolder::list(std::string_view file, std::string_view about) {
    files_.push_back({std::string(file), std::string(about)});
}

void RunFolder::leave_out(std::string_view file, std::string_view why) {
    left_out_.push_back({std::string(file), std::string(why)});
}

std::string RunFolder::index(std::string_view headline, std::string_view again) const {
    std::string text = fmt::format("{}\n\ncommand   {}\nagain     {}\n\n", headline, command_line(), again);
    std::size_t width = 0;
    for (std::vector<Line> const* const lines : {&files_, &left_out_}) {
        for (Line const& line : *lines)
            width = std::max(width, line.file.size());
    }
    for (Line const& line : files_)
        text += fmt::format("{:<{}}   {}\n", line.file, width, line.text);
    if (!left_out_.empty())
        text += "\nnot here:\n";
    for (Line const& line : left_out_)
        text += fmt::format("{:<{}}   {}\n", line.file, width, line.text);
    return text;
}

/// Made from what lies here by now, for every command. Some leave nothing that could be shown.
void RunFolder::add_page(std::string_view again) {
    std::string why;
    try {
        viz::ReportOptions options;
        options.results_json = results_beside(path_);
        viz::Chronicle chronicle = chronicle_of_input(path_);
        chronicle.source = "the files beside this page";  // which may go anywhere
        chronicle.rerun = again;
        put("report.html", viz::report_html(chronicle, options), "all of it as one page, for a browser");
        return;
    } catch (UsageError const& error) {
        why = error.what();
    } catch (LauncherError const& error) {
        why = error.what();
    }
    leave_out("report.html", why);
}

void RunFolder::finish(std::string_view headline, std::string_view again) {
    if (page_)
        add_page(again);
    if (auto const why = sim::write_file(place("index.txt"), index(headline, again)); !why.empty())
        throw LauncherError("--out: " + why);
    point_latest_here();
    fmt::print(stderr, "folder: {}\n", path_);
}

/// A link that is made beside the old one and takes its place: whoever follows `latest` finds one of the two.
void RunFolder::point_latest_here() const {
    std::string const link = below_ + "/latest";
    std::string const fresh = fmt::format("{}.{}.tmp", link, name_);
    if (::symlink(name_.c_str(), fresh.c_str()) == 0 && std::rename(fresh.c_str(), link.c_str()) == 0)
        return;
    int const error = errno;
    ::unlink(fresh.c_str());
    throw LauncherError(fmt::format("--out: cannot let {} point to {}: {}", link, name_, std::strerror(error)));
}

std::string tame_name(std::string_view name) {
    constexpr std::size_t kLongest = 80;
    std::string tamed;
    for (char const c : name.substr(0, kLongest)) {
        bool const plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
        tamed += plain ? c : '-';
    }
    std::size_t const first = tamed.find_first_not_of("-.");
    return first == std::string::npos ? "run" : tamed.substr(first);
}

std::unique_ptr<RunFolder> folder_for(std::string const& out, std::string_view name) {
    return out.empty() ? nullptr : std::make_unique<RunFolder>(out, name);
}

void add_folder_option(CLI::App& command, std::string& out) {
    command.add_option("--out", out, "Leave a folder of this run in DIR, and the link DIR/latest to it")
        ->type_name("DIR")
        ->check([](std::string const& dir) { return checked_name(dir); });
}

std::string without_costs(std::string const& json, std::vector<std::string_view> const& keys) {
    auto object = nlohmann::ordered_json::parse(json);
    for (std::string_view const key : keys)
        object.erase(std::string(key));
    return object.dump(2) + "\n";
}

}  // namespace ronde::cli
