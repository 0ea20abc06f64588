/// The recurrence itself, once, for every instruction set: `Lanes` says how several neighbouring ranks are added and
/// compared at a time.
///
/// Each kernel_*.cpp includes this with a Lanes of its own in an unnamed namespace and is compiled for its instruction
/// set. Everything here is a template over that type, so no function of one set can be linked into another's place.
///
/// A Lanes has: Word, width, Vec (Words) and Key (32-bit numbers); load, store, all (the same in each lane), add,
/// larger for Vec; load_key, store_key, all_keys, plus, times, exclusive_or, right<n> for Key; and look_up(table, at),
/// the Words at as many indices. That is done number by number: where processors gather at all, they are no faster at
/// it, and some are much slower.
#pragma once

#include "forward/frame_hash.hpp"
#include "forward/tile.hpp"

namespace ronde::sim::kernel {

/// frame_quantile(), many links at a time: where in delays_ns the delay of each link's frame number `frame` stands.
template <class Lanes>
void choose_delays(Tile<typename Lanes::Word> const& tile, WayRows<typename Lanes::Word> const rows,
                   std::uint32_t frame, std::uint32_t* chosen) {
    std::uint32_t const high = tile.high;
    using Key = typename Lanes::Key;
    Key const stride = Lanes::all_keys(frame * kFrameStride);
    Key const first_factor = Lanes::all_keys(kFrameFirstFactor);
    Key const second_factor = Lanes::all_keys(kFrameSecondFactor);
    for (std::uint32_t at = tile.low & ~(Lanes::width - 1U); at < high; at += Lanes::width) {
        Key x = Lanes::times(Lanes::exclusive_or(stride, Lanes::load_key(rows.first + at)), first_factor);
        x = Lanes::exclusive_or(x, Lanes::template right<kFrameShift>(x));
        x = Lanes::times(Lanes::plus(x, Lanes::load_key(rows.second + at)), second_factor);
        x = Lanes::plus(Lanes::template right<kQuantileShift>(x), Lanes::load_key(rows.slot + at));
        Lanes::store_key(chosen + at, x);
    }
}

/// When frames reach the cells from `at` on and have been served, for neighbours that sent at `sent_ns`.
template <class Lanes, bool kVary>
inline typename Lanes::Vec arrive(WayRows<typename Lanes::Word> const& rows, typename Lanes::Word const* sent_ns,
                                  std::uint32_t const* chosen, std::uint32_t at) {
    typename Lanes::Vec time = Lanes::add(Lanes::load(sent_ns + at), Lanes::load(rows.reach_ns + at));
    if constexpr (kVary)
        time = Lanes::add(time, Lanes::look_up(rows.delays_ns, chosen + at));
    return time;
}

/// The maximum of the recurrence, for all cells.
template <class Lanes, bool kVary, bool kForward, bool kBackward>
void wait_for_frames(Tile<typename Lanes::Word> const& tile, typename Lanes::Word const* sent_forward_ns,
                     typename Lanes::Word const* sent_backward_ns) {
    // A copy that no store can reach, so that the compiler need not read it again after each.
    Tile<typename Lanes::Word> const t = tile;
    for (std::uint32_t at = t.low & ~(Lanes::width - 1U); at < t.high; at += Lanes::width) {
        typename Lanes::Vec time = Lanes::add(Lanes::load(t.begun_ns + at), Lanes::load(t.hold_ns + at));
        if constexpr (kForward)
            time = Lanes::larger(time, arrive<Lanes, kVary>(t.forward, sent_forward_ns - 1, t.chosen_forward, at));
        if constexpr (kBackward)
            time = Lanes::larger(time, arrive<Lanes, kVary>(t.backward, sent_backward_ns + 1, t.chosen_backward, at));
        Lanes::store(t.next_ns + at, time);
    }
}

/// D = max(D, E) + b.
template <class Lanes>
void put_on_link(Tile<typename Lanes::Word> const& tile, typename Lanes::Word* carried_ns, std::uint64_t busy_ns) {
    typename Lanes::Vec const busy = Lanes::all(static_cast<typename Lanes::Word>(busy_ns));
    for (std::uint32_t at = tile.low & ~(Lanes::width - 1U); at < tile.high; at += Lanes::width) {
        typename Lanes::Vec const free = Lanes::larger(Lanes::load(carried_ns + at), Lanes::load(tile.begun_ns + at));
        Lanes::store(carried_ns + at, Lanes::add(free, busy));
    }
}

template <class Lanes, bool kVary>
void take_turns(Tile<typename Lanes::Word>& tile) {
    for (Turn const* turn = tile.turns; turn != tile.turns + tile.turn_count; ++turn) {
        typename Lanes::Word const* sent_forward_ns = tile.begun_ns;
        typename Lanes::Word const* sent_backward_ns = tile.begun_ns;
        if (tile.links_busy) {
            sent_forward_ns = tile.carried_forward_ns;
            sent_backward_ns = tile.carried_backward_ns;
            if (turn->forward)
                put_on_link<Lanes>(tile, tile.carried_forward_ns, turn->busy_ns);
            if (turn->backward)
                put_on_link<Lanes>(tile, tile.carried_backward_ns, turn->busy_ns);
        }
        tile.low += turn->forward ? 1U : 0U;
        tile.high -= turn->backward ? 1U : 0U;
        if (kVary && turn->forward)
            choose_delays<Lanes>(tile, tile.forward, turn->forward_frame, tile.chosen_forward);
        if (kVary && turn->backward)
            choose_delays<Lanes>(tile, tile.backward, turn->backward_frame, tile.chosen_backward);
        if (turn->forward && turn->backward)
            wait_for_frames<Lanes, kVary, true, true>(tile, sent_forward_ns, sent_backward_ns);
        else if (turn->forward)
            wait_for_frames<Lanes, kVary, true, false>(tile, sent_forward_ns, sent_backward_ns);
        else
            wait_for_frames<Lanes, kVary, false, true>(tile, sent_forward_ns, sent_backward_ns);
        typename Lanes::Word* const begun_ns = tile.begun_ns;
        tile.begun_ns = tile.next_ns;
        tile.next_ns = begun_ns;
    }
}

template <class Lanes>
void run_turns(Tile<typename Lanes::Word>& tile) {
    static_assert(Lanes::width < kPad && (Lanes::width & (Lanes::width - 1U)) == 0);
    if (tile.delays_vary)
        take_turns<Lanes, true>(tile);
    else
        take_turns<Lanes, false>(tile);
}

}  // namespace ronde::sim::kernel
