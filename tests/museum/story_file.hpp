/// A story of the museum: the fewest moves by which a profile of old breaks a promise.
///
/// `stories/NAME.toml` is the question, with what it is about as its comment:
///
///     property = "L2"                       # what is broken
///     ranks    = 2
///     profile  = "nccl"
///     turns    = "send_then_receive"        # left out: as the profile says
///     narrow   = true                       # no buffer holds a slice
///     twin     = 1                          # a second process claims this rank ...
///     late     = true                       # ... and begins when its neighbours are served
///     told     = [1, 3]                     # rank 1 was told that there are 3 ranks
///     given    = ["stranger:root0=nothing"] # what may go wrong, once
///     fewer    = "holds"                    # what comes of it with one rank less; left out: a job of two has no fewer
///
///     [ronde]                               # the same job and faults under profile ronde, by how the table travels
///     star     = "holds"
///     ring     = "L3"                       # not yet: when it holds, the test fails until this says so
///
/// `stories/NAME.txt` is the answer as the explorer gives it: the command line, the property, why, and the moves.
#pragma once

#include "explore/explore.hpp"

#include <tl/expected.hpp>

#include <map>
#include <string>
#include <vector>

namespace ronde::explore::museum {

struct StoryFile {
    std::string name;
    std::string property;
    ExploreSettings settings;
    std::string fewer;                              ///< "holds", or "L2: why"
    std::map<protocol::Gather, std::string> ronde;  ///< "holds", or the property that is broken
};

/// The names of all stories of a folder, sorted.
[[nodiscard]] std::vector<std::string> stories_in(std::string const& folder);
/// An error is one line that begins with the file.
[[nodiscard]] tl::expected<StoryFile, std::string> load_story(std::string const& folder, std::string const& name);

/// The same job and the same faults under profile ronde.
[[nodiscard]] ExploreSettings under_ronde(StoryFile const& story, protocol::Gather gather);

/// What NAME.txt holds of an exploration that found something.
[[nodiscard]] std::string answer_text(Exploration const& exploration);
/// The moves of such a text, as retrace() takes them.
[[nodiscard]] std::vector<std::string> moves_in(std::string const& answer);

}  // namespace ronde::explore::museum
