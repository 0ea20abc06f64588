/// Where a picture goes, and as what.
#pragma once

#include "cli/usage.hpp"

#include <CLI/App.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ronde::cli {

enum class PictureFormat : std::uint8_t { dot, svg, png, pdf };

struct PictureOutput {
    std::string file;                     ///< empty: standard output
    std::optional<PictureFormat> format;  ///< not given: what the file's name ends with, or SVG

    /// Throws UsageError when the file's name ends with something else and no format was given.
    [[nodiscard]] PictureFormat chosen() const;
};

/// -o and --format. `dot`: the picture can be had as a DOT graph too. `output` must outlive the parsing.
void add_output_options(CLI::App& command, PictureOutput& output, bool dot);

/// An SVG of ours: as it is, or through rsvg-convert. Throws LauncherError; nothing is left half written.
void deliver_svg(std::string const& svg, PictureOutput const& output);

/// How Graphviz lays a graph out.
enum class GraphLayout : std::uint8_t { pinned, layered };
/// What Graphviz draws of a DOT graph. Throws LauncherError when it is not installed or cannot.
[[nodiscard]] std::string drawn_dot(std::string const& dot, GraphLayout layout, PictureFormat format);
/// A DOT graph: as it is, or drawn by Graphviz. Throws LauncherError; nothing is left half written.
void deliver_dot(std::string const& dot, GraphLayout layout, PictureOutput const& output);

}  // namespace ronde::cli
