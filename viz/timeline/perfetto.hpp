/// A run as a native trace of Perfetto, for ui.perfetto.dev and trace_processor: small, and quick to read at any size.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/sink.hpp"

#include <cstddef>

namespace ronde::viz {

/// Steps bring their text along in runs of up to so many.
inline constexpr std::size_t kMostStepTexts = 100'000;

/// The same content as chrome_trace: tracks for hosts and processes, phases as slices, steps as instants with flows for
/// what they sent and received, the root's listener as counters. Written packet by packet, in the order of time.
void perfetto_trace(Chronicle const& chronicle, Sink const& sink);

}  // namespace ronde::viz
