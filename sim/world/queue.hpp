/// The queue that worlds run on. RONDE_WORLD_ON_HEAP builds them on the plain heap instead, which never forgets early
/// what was replaced: the same worlds, which the benchmark holds against these.
#pragma once

#ifdef RONDE_WORLD_ON_HEAP
#include "engine/heap_queue.hpp"
#else
#include "engine/event_queue.hpp"
#endif

namespace ronde::sim {

#ifdef RONDE_WORLD_ON_HEAP
using WorldQueue = HeapQueue;
inline constexpr bool kSweeps = false;
#else
using WorldQueue = EventQueue;
inline constexpr bool kSweeps = true;
#endif

}  // namespace ronde::sim
