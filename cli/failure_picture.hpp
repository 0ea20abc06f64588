/// The picture that a failure leaves, so that one look says what happened.
#pragma once

#include "chronicle/chronicle.hpp"
#include "sequence/scene.hpp"

#include <CLI/App.hpp>
#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::cli {

/// Whether failures are drawn: --no-picture, or else RONDE_PICTURES=off in the environment, says no.
struct PictureWish {
    bool no_picture = false;
    [[nodiscard]] bool granted() const;
};
/// --no-picture. `wish` must outlive the parsing.
void add_picture_wish(CLI::App& command, PictureWish& wish);

/// A picture as it will be written: "sequence.svg" and its text.
struct Picture {
    std::string file;
    std::string text;
    std::string about;  ///< one line
};

/// The ring when all was over: a mark for each rank, or cells for hosts where there are many.
[[nodiscard]] Picture ring_picture(viz::Chronicle const& chronicle);
/// Ranks that a sequence of a failure shows: those that others blame, who failed first, and the neighbours of both.
[[nodiscard]] std::vector<viz::RankId> guilty_part(viz::Chronicle const& chronicle);
/// Who said what to whom: everybody, or of a failure with more ranks than one can follow the guilty part. An error when
/// messages were not kept.
[[nodiscard]] tl::expected<Picture, std::string> sequence_picture(viz::Chronicle const& chronicle);
/// The one picture of a failure: the sequence of a small job, the ring of any other.
[[nodiscard]] Picture picture_of_failure(viz::Chronicle const& chronicle);

/// Draws a picture and puts it at `stem` and the ending of its file, "failures/s1-1-42" and ".svg"; says where on
/// standard error ("picture: PATH"), and returns that path. What goes wrong on the way is one line of warning, and an
/// empty path: no failure turns into another one because it could not be drawn.
std::string leave_picture(std::function<Picture()> const& draw, std::function<std::string()> const& stem);
/// Where a picture goes if there is no better place: "$TMPDIR/ronde-UID/NAME", in a folder that is this user's alone.
/// Throws LauncherError.
[[nodiscard]] std::string temporary_stem(std::string_view name);
/// "picture: PATH" on standard error.
void tell_picture(std::string const& path);
/// One line of warning on standard error: there is no picture, and why.
void tell_no_picture(std::string_view why);

/// JSON with the key `picture` at the end of its outermost object; without it when there is none.
[[nodiscard]] std::string with_picture(std::string const& json, std::string const& path, int indent = 2);

}  // namespace ronde::cli
