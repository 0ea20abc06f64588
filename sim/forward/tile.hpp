/// A piece of the recurrence that fits into the cache: some neighbouring ranks, some turns, and the rows they read.
///
/// Cell i of every row is the same rank; its predecessor is cell i - 1. A cell needs its neighbours of the turn before,
/// so a tile is loaded with as many ranks more than it is to deliver as it has turns, on the sides that frames come
/// from, and what is exact shrinks by one cell per turn, as a trapezoid does. Ranks computed twice are the price of
/// tiles that need nothing from each other. Cells outside of that, and up to kPad of them, hold numbers that nobody
/// reads.
///
/// Times are unsigned offsets from the tile's own base. `Word` is 32 bits wide wherever the latest time that the tile
/// can reach is proven to fit, else 64.
#pragma once

#include "forward/turn.hpp"

#include <cstddef>
#include <cstdint>

namespace ronde::sim {

/// Cells on either side of a tile that a kernel may read and write: more than the four vectors that a pass may lag and
/// the one that it ends in.
inline constexpr std::uint32_t kPad = 80;

/// Ranks that a tile delivers and turns that it takes, at most. What a pass over such a tile reads stays in a
/// second-level cache, only the quantiles have to stay in the first; one cell of eighty-five is computed twice. Turns
/// are a multiple of what any pass takes, and of a vector, so that loads do not straddle lines.
inline constexpr std::uint32_t kTileRanks = 4096;
inline constexpr std::uint32_t kTileTurns = 96;
inline constexpr std::uint32_t kRowCells = kTileRanks + 2U * kTileTurns + 2U * kPad;

/// Frames of each link whose delays are chosen at a time, and with that the most of each way in a pass.
inline constexpr std::size_t kChoiceRows = 4;

/// The links of one way around, cell by cell, seen from the receiver.
template <class Word>
struct WayRows {
    Word const* reach_ns = nullptr;        ///< shortest delay of the link, and the receiver's service
    std::uint32_t const* first = nullptr;  ///< FrameStream of the link
    std::uint32_t const* second = nullptr;
    std::uint32_t const* slot = nullptr;  ///< where in `delays_ns` its quantiles begin
    Word const* delays_ns = nullptr;      ///< kQuantiles for each kind of link: by how much a delay is longer
};

template <class Word>
struct Tile {
    WayRows<Word> forward;
    WayRows<Word> backward;
    Word const* hold_ns = nullptr;       ///< service of the rank; none where turns go both ways
    Word* begun_ns = nullptr;            ///< E: when the turn began; afterwards, the turn after the last
    Word* carried_forward_ns = nullptr;  ///< D: when the link forward is free again
    Word* carried_backward_ns = nullptr;
    std::uint32_t* chosen = nullptr;  ///< room for choices of delays: kChoiceRows of kRowCells for each way
    std::uint32_t low = 0;            ///< cells low .. high-1 are exact; kPad <= low
    std::uint32_t high = 0;
    Turn const* turns = nullptr;
    std::uint32_t turn_count = 0;
    bool delays_vary = false;
    bool links_busy = false;  ///< a frame keeps its link for some time
};

/// Takes all turns of a tile.
template <class Word>
using Kernel = void (*)(Tile<Word>&);

void run_turns_portable(Tile<std::uint32_t>& tile);
void run_turns_wide(Tile<std::uint64_t>& tile);
#ifdef RONDE_FORWARD_X86
void run_turns_avx2(Tile<std::uint32_t>& tile);
void run_turns_avx512(Tile<std::uint32_t>& tile);
#endif

}  // namespace ronde::sim
