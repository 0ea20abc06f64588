/// The folder that a run leaves below the DIR of --out: what was played, what came of it, and pictures.
///
///     DIR/storm-4k-20261130T101500Z/    its name has the time of the clock; nothing in it has
///     DIR/latest                        a link to the newest one that is complete
///
/// Every file is there whole or not at all. index.txt is written last: a folder without one was interrupted.
#pragma once

#include <CLI/App.hpp>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::cli {

class RunFolder {
public:
    /// Makes DIR (`below`) where it is missing, and in it a folder of its own, called after `name`. Throws UsageError
    /// when DIR is no folder, and LauncherError.
    RunFolder(std::string const& below, std::string_view name);
    ~RunFolder() = default;
    RunFolder(RunFolder const&) = delete;
    RunFolder& operator=(RunFolder const&) = delete;

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] std::string place(std::string_view file) const { return path_ + "/" + std::string(file); }

    /// Puts a file into the folder; `about` is its line of the index. Throws LauncherError.
    void put(std::string_view file, std::string_view text, std::string_view about);
    /// A file that somebody else has put there, or a folder with files.
    void list(std::string_view file, std::string_view about);
    /// What is not there, and why.
    void leave_out(std::string_view file, std::string_view why);

    /// There is no one run that a page could show.
    void without_page() { page_ = false; }

    /// Adds the page of the run, writes index.txt, lets `latest` point here, and says so on standard error ("folder:
    /// PATH"). `headline` says what came of it, `again` is the command that does it once more from what lies here.
    /// Throws LauncherError.
    void finish(std::string_view headline, std::string_view again);

private:
    struct Line {
        std::string file;
        std::string text;
    };
    void add_page(std::string_view again);
    [[nodiscard]] std::string index(std::string_view headline, std::string_view again) const;
    void point_latest_here() const;

    std::string below_;
    std::string name_;
    std::string path_;
    std::vector<Line> files_;
    std::vector<Line> left_out_;
    bool page_ = true;
};

/// Before the work, so that a folder that cannot be made is told at once; nullptr where `out` (of --out) is empty.
[[nodiscard]] std::unique_ptr<RunFolder> folder_for(std::string const& out, std::string_view name);

/// What cannot be kept is told after the report: a folder that cannot be written takes no result away.
class Keeping {
public:
    /// Calls `keep`, and holds back what it throws.
    template <class Keep>
    void attempt(Keep const& keep) {
        try {
            keep();
        } catch (...) {
            trouble_ = std::current_exception();
        }
    }
    /// Throws what was held back.
    void tell() const {
        if (trouble_)
            std::rethrow_exception(trouble_);
    }

private:
    std::exception_ptr trouble_;
};

/// What of a name may be part of a file's name, and cannot be taken for a hidden file, a flag or a path.
[[nodiscard]] std::string tame_name(std::string_view name);

/// --out DIR. `out` must outlive the parsing.
void add_folder_option(CLI::App& command, std::string& out);

/// JSON without the given keys of its outermost object: those that say what a run cost here.
[[nodiscard]] std::string without_costs(std::string const& json, std::vector<std::string_view> const& keys);

}  // namespace ronde::cli
