/// One page that tells all of a run: a single file of HTML that asks nothing of the network and of nobody.
#pragma once

#include "chronicle/chronicle.hpp"

#include <string>

namespace ronde::viz {

struct ReportOptions {
    std::string results_json;  ///< what a run has left in numbers, shown as it is; empty: there are none
};

/// The page. Equal chronicles and options give equal bytes. What stands in the chronicle is text in it, whatever it
/// spells: a content security policy admits the page's own script and style by their hashes, and nothing else.
///
/// Without scripts all of it can be read; with them, runs of up to kMostStageRanks ranks can be walked through, event
/// by event.
[[nodiscard]] std::string report_html(Chronicle const& chronicle, ReportOptions const& options = {});

}  // namespace ronde::viz
