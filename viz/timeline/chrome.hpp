/// A run as a trace in Chrome's JSON: for chrome://tracing, for ui.perfetto.dev, and for whoever reads JSON.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/sink.hpp"

#include <cstddef>

namespace ronde::viz {

/// Viewers of JSON become slow with more.
inline constexpr std::size_t kMostChromeEvents = 500'000;

/// How many events chrome_trace would write, about.
[[nodiscard]] std::size_t chrome_events(Chronicle const& chronicle);

/// A process for each host, a thread for each rank, root and stranger; phases and, in them, steps as slices; messages
/// as flows from the step that sent to the step that received; faults, SYNs sent again and failed calls as instants;
/// the root's listener as counters. Times in us with three decimals, so that no ns is lost.
///
/// Source: "Trace Event Format", the document of the Chromium project.
void chrome_trace(Chronicle const& chronicle, Sink const& sink);

}  // namespace ronde::viz
