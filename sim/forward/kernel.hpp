/// The recurrence itself, once, for every instruction set: `Lanes` says how several neighbouring ranks are added and
/// compared at a time.
///
/// Each kernel_*.cpp includes this with a Lanes of its own in an unnamed namespace and is compiled for its instruction
/// set. Everything here is a template over that type, so no function of one set can be linked into another's place;
/// nothing of the standard library that is more than a name, either.
///
/// A Lanes has: Word, width, Vec (Words) and Key (32-bit numbers); load, store, all (the same in each lane), add,
/// larger for Vec; after(left, x), x with every lane moved up by one and the last of `left` in the first, and
/// before(x, right), the same the other way; load_key, store_key, all_keys, plus, times, exclusive_or, right<n> for
/// Key; and look_up(table, at), the Words at as many indices. That is done number by number: where processors gather
/// at all, they are no faster at it, and some are much slower.
///
/// Looking up delays is most of the work, and the number of loads limits it. So all else stays in registers: a pass
/// over the cells takes several turns, and each vector goes through all of them before the next is read. A turn is a
/// *stage* of the pass. From the side that the pass comes from, it needs the vector before; for what comes from the
/// other side it waits for the next vector, and works one vector behind the stage before it.
#pragma once

#include "forward/frame_hash.hpp"
#include "forward/tile.hpp"

#include <cstddef>
#include <tuple>
#include <utility>

namespace ronde::sim::kernel {

/// A pass's last stage works at most so many vectors behind its first.
inline constexpr std::size_t kMostLag = 4;

/// Which ways a turn sends.
enum class Ways : std::uint8_t { forward = 1, backward = 2, both = 3 };

/// Turns that are taken in one pass, by the ways that each of them sends. Of a Lanes only so that its functions are.
template <class Lanes, Ways... kTurns>
struct Pass {
    static constexpr std::size_t turns = sizeof...(kTurns);
    static constexpr Ways ways[turns] = {kTurns...};
    /// From the cells with high numbers to those with low ones: then nobody waits for the vector ahead.
    static constexpr bool descends = ((kTurns == Ways::backward) && ...);

    [[nodiscard]] static constexpr bool forward(std::size_t turn) { return ways[turn] != Ways::backward; }
    [[nodiscard]] static constexpr bool backward(std::size_t turn) { return ways[turn] != Ways::forward; }
    [[nodiscard]] static constexpr bool waits(std::size_t turn) { return !descends && backward(turn); }
    /// How many of the turns before `turn` send that way.
    [[nodiscard]] static constexpr std::size_t forward_before(std::size_t turn) {
        return turn == 0 ? 0U : forward_before(turn - 1U) + (forward(turn - 1U) ? 1U : 0U);
    }
    [[nodiscard]] static constexpr std::size_t backward_before(std::size_t turn) {
        return turn == 0 ? 0U : backward_before(turn - 1U) + (backward(turn - 1U) ? 1U : 0U);
    }
    /// How many vectors turn number `turn` works behind the one that is read.
    [[nodiscard]] static constexpr std::size_t vectors_behind(std::size_t turn) {
        return descends ? 0U : backward_before(turn + 1U);
    }
    static constexpr std::size_t lag = descends ? 0U : ((kTurns != Ways::forward ? 1U : 0U) + ...);
    static constexpr std::size_t forward_frames = ((kTurns != Ways::backward ? 1U : 0U) + ...);
    static constexpr std::size_t backward_frames = ((kTurns != Ways::forward ? 1U : 0U) + ...);
    static_assert(forward_frames <= kChoiceRows && backward_frames <= kChoiceRows && lag <= kMostLag);
};

/// frame_quantile(), many links at a time: where in delays_ns the delays of each link's `kFrames` frames stand.
template <class Lanes, std::size_t kFrames>
void choose_delays(WayRows<typename Lanes::Word> const rows, std::uint32_t const* frames, std::uint32_t* chosen,
                   std::uint32_t begin, std::uint32_t end) {
    using Key = typename Lanes::Key;
    Key strides[kFrames];
    for (std::size_t i = 0; i < kFrames; ++i)
        strides[i] = Lanes::all_keys(frames[i] * kFrameStride);
    Key const first_factor = Lanes::all_keys(kFrameFirstFactor);
    Key const second_factor = Lanes::all_keys(kFrameSecondFactor);
    for (std::uint32_t at = begin; at < end; at += Lanes::width) {
        Key const first = Lanes::load_key(rows.first + at);
        Key const second = Lanes::load_key(rows.second + at);
        Key const slot = Lanes::load_key(rows.slot + at);
        for (std::size_t i = 0; i < kFrames; ++i) {
            Key x = Lanes::times(Lanes::exclusive_or(strides[i], first), first_factor);
            x = Lanes::exclusive_or(x, Lanes::template right<kFrameShift>(x));
            x = Lanes::times(Lanes::plus(x, second), second_factor);
            x = Lanes::plus(Lanes::template right<kQuantileShift>(x), slot);
            Lanes::store_key(chosen + i * kRowCells + at, x);
        }
    }
}

/// A vector of neighbouring ranks between two turns.
template <class Lanes>
struct Cells {
    typename Lanes::Vec begun_ns;
    typename Lanes::Vec sent_forward_ns;  ///< where links are busy: when what they carry has left
    typename Lanes::Vec sent_backward_ns;
};

/// One turn of a pass.
template <class Lanes, class ThisPass, std::size_t kTurn, bool kVary, bool kBusy>
class Stage {
    using Word = typename Lanes::Word;
    using Vec = typename Lanes::Vec;
    static constexpr bool kForward = ThisPass::forward(kTurn);
    static constexpr bool kBackward = ThisPass::backward(kTurn);

public:
    Stage(Tile<Word> const& tile, Turn const* turns)
        : tile_(tile), busy_ns_(Lanes::all(static_cast<Word>(turns[kTurn].busy_ns))) {}

    /// Takes the cells ahead; what comes out are those from `at` on, and for them the turn is over.
    [[gnu::always_inline]] inline Cells<Lanes> take(Cells<Lanes> ahead, std::ptrdiff_t at) {
        if constexpr (kBusy && kForward)  // D = max(D, E) + b
            ahead.sent_forward_ns = Lanes::add(Lanes::larger(ahead.sent_forward_ns, ahead.begun_ns), busy_ns_);
        if constexpr (kBusy && kBackward)
            ahead.sent_backward_ns = Lanes::add(Lanes::larger(ahead.sent_backward_ns, ahead.begun_ns), busy_ns_);
        Cells<Lanes> here = ahead;
        if constexpr (ThisPass::waits(kTurn)) {
            here = here_;
            here_ = ahead;
        }
        Cells<Lanes> const& left = ThisPass::descends ? ahead : behind_;
        Cells<Lanes> const& right = ThisPass::descends ? behind_ : ahead;
        Vec time = here.begun_ns;
        if constexpr (!(kForward && kBackward))
            time = Lanes::add(time, Lanes::load(tile_.hold_ns + at));
        if constexpr (kForward) {
            Vec const sent_ns = kBusy ? Lanes::after(left.sent_forward_ns, here.sent_forward_ns)
                                      : Lanes::after(left.begun_ns, here.begun_ns);
            time = Lanes::larger(time, arrive(sent_ns, tile_.forward, ThisPass::forward_before(kTurn), at));
        }
        if constexpr (kBackward) {
            Vec const sent_ns = kBusy ? Lanes::before(here.sent_backward_ns, right.sent_backward_ns)
                                      : Lanes::before(here.begun_ns, right.begun_ns);
            time = Lanes::larger(time,
                                 arrive(sent_ns, tile_.backward, kChoiceRows + ThisPass::backward_before(kTurn), at));
        }
        behind_ = here;
        here.begun_ns = time;
        return here;
    }

private:
    /// When frames that neighbours sent at `sent_ns` have been served.
    [[gnu::always_inline]] inline Vec arrive(Vec sent_ns, WayRows<Word> const& rows, std::size_t row,
                                             std::ptrdiff_t at) const {
        Vec time = Lanes::add(sent_ns, Lanes::load(rows.reach_ns + at));
        if constexpr (kVary)
            time = Lanes::add(time, Lanes::look_up(rows.delays_ns, tile_.chosen + row * kRowCells + at));
        return time;
    }

    Tile<Word> const& tile_;
    Vec const busy_ns_;
    Cells<Lanes> here_{};    ///< read, but the cells ahead of it were not
    Cells<Lanes> behind_{};  ///< the vector before that
};

template <class Lanes, class ThisPass, bool kVary, bool kBusy, std::size_t... kTurn>
void pass_over(Tile<typename Lanes::Word> const& original, Turn const* turns, std::uint32_t begin, std::uint32_t end,
               std::index_sequence<kTurn...>) {
    // A copy that no store can reach, so that the compiler need not read it again after each.
    Tile<typename Lanes::Word> const tile = original;
    constexpr auto kWidth = static_cast<std::ptrdiff_t>(Lanes::width);
    constexpr std::ptrdiff_t kStep = ThisPass::descends ? -kWidth : kWidth;
    constexpr auto kLag = static_cast<std::ptrdiff_t>(ThisPass::lag) * kStep;
    std::tuple<Stage<Lanes, ThisPass, kTurn, kVary, kBusy>...> stages{
        Stage<Lanes, ThisPass, kTurn, kVary, kBusy>(tile, turns)...};
    std::ptrdiff_t vectors = (std::ptrdiff_t{end} - std::ptrdiff_t{begin} + kWidth - 1) / kWidth;
    std::ptrdiff_t at = ThisPass::descends ? begin + (vectors - 1) * kWidth : begin;
    for (vectors += static_cast<std::ptrdiff_t>(ThisPass::lag); vectors > 0; --vectors, at += kStep) {
        Cells<Lanes> cells{Lanes::load(tile.begun_ns + at), {}, {}};
        if constexpr (kBusy) {
            cells.sent_forward_ns = Lanes::load(tile.carried_forward_ns + at);
            cells.sent_backward_ns = Lanes::load(tile.carried_backward_ns + at);
        }
        ((cells = std::get<kTurn>(stages).take(
              cells, at - static_cast<std::ptrdiff_t>(ThisPass::vectors_behind(kTurn)) * kStep)),
         ...);
        Lanes::store(tile.begun_ns + at - kLag, cells.begun_ns);
        if constexpr (kBusy) {
            Lanes::store(tile.carried_forward_ns + at - kLag, cells.sent_forward_ns);
            Lanes::store(tile.carried_backward_ns + at - kLag, cells.sent_backward_ns);
        }
    }
}

/// Takes the next turns of a tile in one pass if they send the ways that ThisPass says.
template <class Lanes, class ThisPass, bool kVary, bool kBusy>
bool take_pass(Tile<typename Lanes::Word>& tile) {
    if (tile.turn_count < ThisPass::turns)
        return false;
    std::uint32_t forward_frames[kChoiceRows];
    std::uint32_t backward_frames[kChoiceRows];
    std::size_t forward = 0;
    std::size_t backward = 0;
    for (std::size_t i = 0; i < ThisPass::turns; ++i) {
        Turn const& turn = tile.turns[i];
        if (turn.forward != ThisPass::forward(i) || turn.backward != ThisPass::backward(i))
            return false;
        if (turn.forward)
            forward_frames[forward++] = turn.forward_frame;
        if (turn.backward)
            backward_frames[backward++] = turn.backward_frame;
    }
    std::uint32_t const begin = tile.low & ~(Lanes::width - 1U);
    if constexpr (kVary) {
        if constexpr (ThisPass::forward_frames > 0)
            choose_delays<Lanes, ThisPass::forward_frames>(tile.forward, forward_frames, tile.chosen, begin, tile.high);
        if constexpr (ThisPass::backward_frames > 0)
            choose_delays<Lanes, ThisPass::backward_frames>(tile.backward, backward_frames,
                                                            tile.chosen + kChoiceRows * kRowCells, begin, tile.high);
    }
    pass_over<Lanes, ThisPass, kVary, kBusy>(tile, tile.turns, begin, tile.high,
                                             std::make_index_sequence<ThisPass::turns>());
    tile.low += static_cast<std::uint32_t>(forward);
    tile.high -= static_cast<std::uint32_t>(backward);
    tile.turns += ThisPass::turns;
    tile.turn_count -= static_cast<std::uint32_t>(ThisPass::turns);
    return true;
}

template <class Lanes, bool kVary, bool kBusy>
void take_turns(Tile<typename Lanes::Word>& tile) {
    constexpr Ways F = Ways::forward;
    constexpr Ways B = Ways::backward;
    constexpr Ways FB = Ways::both;
    while (tile.turn_count > 0) {
        bool taken = false;
        if constexpr (!kBusy) {  // one way around; both ways, with lengths and without
            taken = take_pass<Lanes, Pass<Lanes, F, F, F, F>, kVary, kBusy>(tile) ||
                    take_pass<Lanes, Pass<Lanes, B, B, B, B>, kVary, kBusy>(tile) ||
                    take_pass<Lanes, Pass<Lanes, F, B, FB, F, B, FB>, kVary, kBusy>(tile) ||
                    take_pass<Lanes, Pass<Lanes, FB, FB, FB, FB>, kVary, kBusy>(tile);
        }
        taken = taken || take_pass<Lanes, Pass<Lanes, F>, kVary, kBusy>(tile) ||
                take_pass<Lanes, Pass<Lanes, B>, kVary, kBusy>(tile) ||
                take_pass<Lanes, Pass<Lanes, FB>, kVary, kBusy>(tile);
        if (!taken)
            return;  // a turn that sends nothing: there is none
    }
}

template <class Lanes>
void run_turns(Tile<typename Lanes::Word>& tile) {
    static_assert((kMostLag + 1) * Lanes::width <= kPad && (Lanes::width & (Lanes::width - 1U)) == 0);
    if (tile.delays_vary && tile.links_busy)
        take_turns<Lanes, true, true>(tile);
    else if (tile.delays_vary)
        take_turns<Lanes, true, false>(tile);
    else if (tile.links_busy)
        take_turns<Lanes, false, true>(tile);
    else
        take_turns<Lanes, false, false>(tile);
}

}  // namespace ronde::sim::kernel
