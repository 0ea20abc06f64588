#include "forward/recurrence.hpp"

#include "forward/isa.hpp"
#include "forward/ring_rows.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace ronde::sim {

using protocol::TimeNs;

namespace {

static_assert(kTileTurns + 2U * kPad <= kRowMargin && kTileRanks >= kPad);

/// Where all ranks stand between two blocks of turns.
struct Standing {
    std::vector<TimeNs> begun_ns;
    std::vector<TimeNs> carried_forward_ns;  ///< where links are busy
    std::vector<TimeNs> carried_backward_ns;
};

/// The cells of one tile, reused from tile to tile.
template <class Word>
struct Room {
    alignas(kLineBytes) Word begun_ns[kRowCells] = {};
    alignas(kLineBytes) Word carried_forward_ns[kRowCells] = {};
    alignas(kLineBytes) Word carried_backward_ns[kRowCells] = {};
    alignas(kLineBytes) std::uint32_t chosen[2U * kChoiceRows * kRowCells] = {};
};

/// One thread's part.
struct Worker {
    Room<std::uint32_t> narrow;
    std::optional<Room<std::uint64_t>> wide;
};

class Recurrence {
public:
    Recurrence(RingForward const& ring, RingTurns const& turns, ForwardOptions const& options)
        : ring_(ring), turns_(turns), narrow_(ring), kernel_(kernel_of(options.isa)),
          threads_(std::max(1U, options.threads)),
          tile_ranks_(std::min({std::max(1U, options.tile_ranks), kTileRanks, ring.nranks})),
          tile_turns_(std::clamp(tile_ranks_ / 8U, 1U, kTileTurns)), links_busy_(turns.longest_busy_ns() > 0),
          growth_ns_((longest_turn_ns(ring) + turns.longest_busy_ns()) * (tile_turns_ + 1U)) {
        now_.begun_ns = ring.start_ns.empty() ? std::vector<TimeNs>(ring.nranks, 0) : ring.start_ns;
        if (links_busy_) {
            now_.carried_forward_ns = now_.begun_ns;
            now_.carried_backward_ns = now_.begun_ns;
        }
        next_ = now_;
    }

    [[nodiscard]] Recurred run() {
        open_block();
        std::barrier barrier(static_cast<std::ptrdiff_t>(threads_), [this]() noexcept { close_block(); });
        auto const work = [this, &barrier] {
            auto const worker = std::make_unique<Worker>();
            while (!block_.empty()) {
                std::uint32_t const tiles = (ring_.nranks + tile_ranks_ - 1U) / tile_ranks_;
                for (std::uint32_t tile = next_tile_++; tile < tiles; tile = next_tile_++)
                    take(*worker, tile * tile_ranks_);
                barrier.arrive_and_wait();
            }
        };
        {
            std::vector<std::jthread> others;
            for (std::uint32_t i = 1; i < threads_; ++i)
                others.emplace_back(work);
            work();
        }
        return {std::move(now_.begun_ns), cells_};
    }

private:
    /// The next turns that all tiles take. A turn in which nobody sends takes no time and is left out.
    void open_block() {
        block_.clear();
        to_left_ = 0;
        to_right_ = 0;
        while (block_.size() < tile_turns_ && turn_ < turns_.count()) {
            Turn const turn = turns_.at(turn_++);
            if (!turn.forward && !turn.backward)
                continue;
            to_left_ += turn.forward ? 1U : 0U;
            to_right_ += turn.backward ? 1U : 0U;
            block_.push_back(turn);
        }
        next_tile_ = 0;
        cells_ += std::uint64_t{block_.size()} * ring_.nranks;
    }

    void close_block() {
        std::swap(now_, next_);
        open_block();
    }

    void take(Worker& worker, std::uint32_t first) {
        std::uint32_t const ranks = std::min(tile_ranks_, ring_.nranks - first);
        TimeNs const near_ns = std::max(now_.begun_ns[first], kHalfWindowNs) - kHalfWindowNs;
        if (!links_busy_ && growth_ns_ <= kNarrowNs - 2U * kHalfWindowNs &&
            load_near(worker.narrow.begun_ns, first, ranks, near_ns))
            return take_as(worker.narrow, narrow_, kernel_, first, ranks, near_ns);
        Span const span = span_of(first, ranks);
        if (growth_ns_ <= kNarrowNs && span.spread_ns <= kNarrowNs - growth_ns_) {
            load(worker.narrow, first, ranks, span.base_ns);
            return take_as(worker.narrow, narrow_, kernel_, first, ranks, span.base_ns);
        }
        if (!worker.wide)
            worker.wide.emplace();
        load(*worker.wide, first, ranks, span.base_ns);
        take_as(*worker.wide, wide(), run_turns_wide, first, ranks, span.base_ns);
    }

    static constexpr std::uint64_t kNarrowNs = std::numeric_limits<std::uint32_t>::max();
    static constexpr TimeNs kHalfWindowNs = TimeNs{1} << 30;

    /// Loads a tile whose ranks all begin their turn in the 2 s after `base_ns`, as they nearly always do; false where
    /// they do not. A vector of any machine can do this, while finding the earliest and the latest goes rank by rank.
    [[nodiscard]] bool load_near(std::uint32_t* cells, std::uint32_t first, std::uint32_t ranks, TimeNs base_ns) const {
        std::uint64_t bits = 0;
        along(first, ranks, [&](std::size_t rank, std::size_t cell, std::size_t count) {
            TimeNs const* const from_ns = now_.begun_ns.data() + rank;
            std::uint32_t* const to_ns = cells + cell;
            std::uint64_t seen = 0;
            for (std::size_t i = 0; i < count; ++i) {
                auto const offset_ns = static_cast<std::uint64_t>(from_ns[i] - base_ns);
                seen |= offset_ns;
                to_ns[i] = static_cast<std::uint32_t>(offset_ns);
            }
            bits |= seen;
        });
        return bits < 2U * std::uint64_t{kHalfWindowNs};
    }

    struct Span {
        TimeNs base_ns = 0;
        std::uint64_t spread_ns = 0;
    };
    /// The earliest time of the ranks that a tile loads, and how far the latest is from it.
    [[nodiscard]] Span span_of(std::uint32_t first, std::uint32_t ranks) const {
        TimeNs earliest = protocol::kNever;
        TimeNs latest = 0;
        along(first, ranks, [&](std::size_t rank, std::size_t, std::size_t count) {
            for (std::size_t i = rank; i < rank + count; ++i) {
                earliest = std::min(earliest, now_.begun_ns[i]);
                latest = std::max(latest, now_.begun_ns[i]);
                if (links_busy_)
                    latest = std::max({latest, now_.carried_forward_ns[i], now_.carried_backward_ns[i]});
            }
        });
        return {earliest, static_cast<std::uint64_t>(latest - earliest)};
    }

    /// Calls `piece(rank, cell, count)` for each stretch of ranks that lies under a tile, seam after seam.
    template <class Piece>
    void along(std::uint32_t first, std::uint32_t ranks, Piece piece) const {
        std::size_t const nranks = ring_.nranks;
        std::size_t rank = (first + nranks - to_left_ % nranks) % nranks;
        std::size_t cell = kPad;
        std::size_t left = std::size_t{to_left_} + ranks + to_right_;
        while (left > 0) {
            std::size_t const count = std::min(left, nranks - rank);
            piece(rank, cell, count);
            cell += count;
            left -= count;
            rank = 0;
        }
    }

    template <class Word>
    void load(Room<Word>& room, std::uint32_t first, std::uint32_t ranks, TimeNs base_ns) const {
        // What a link has carried before the base cannot delay a frame that is sent later: it counts as the base.
        auto const word = [base_ns](TimeNs time_ns) { return static_cast<Word>(std::max(time_ns, base_ns) - base_ns); };
        along(first, ranks, [&](std::size_t rank, std::size_t cell, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                room.begun_ns[cell + i] = word(now_.begun_ns[rank + i]);
            for (std::size_t i = 0; links_busy_ && i < count; ++i) {
                room.carried_forward_ns[cell + i] = word(now_.carried_forward_ns[rank + i]);
                room.carried_backward_ns[cell + i] = word(now_.carried_backward_ns[rank + i]);
            }
        });
    }

    /// Takes the turns of a block with a tile that is loaded.
    template <class Word>
    void take_as(Room<Word>& room, RingRows<Word> const& rows, Kernel<Word> kernel, std::uint32_t first,
                 std::uint32_t ranks, TimeNs base_ns) {
        Tile<Word> tile;
        tile.begun_ns = room.begun_ns;
        tile.carried_forward_ns = room.carried_forward_ns;
        tile.carried_backward_ns = room.carried_backward_ns;
        tile.chosen = room.chosen;
        tile.low = kPad;
        tile.high = kPad + to_left_ + ranks + to_right_;
        tile.turns = block_.data();
        tile.turn_count = static_cast<std::uint32_t>(block_.size());
        tile.links_busy = links_busy_;
        rows.lay_under(tile, std::int64_t{first} - to_left_ - kPad);
        kernel(tile);

        std::size_t const cell = kPad + to_left_;
        Word const* const begun_ns = room.begun_ns + cell;
        TimeNs* const next_ns = next_.begun_ns.data() + first;
        for (std::size_t i = 0; i < ranks; ++i)
            next_ns[i] = base_ns + static_cast<TimeNs>(begun_ns[i]);
        for (std::size_t i = 0; links_busy_ && i < ranks; ++i) {
            next_.carried_forward_ns[first + i] = base_ns + static_cast<TimeNs>(room.carried_forward_ns[cell + i]);
            next_.carried_backward_ns[first + i] = base_ns + static_cast<TimeNs>(room.carried_backward_ns[cell + i]);
        }
    }

    /// Rows of 64 bits, made when the first tile needs them.
    [[nodiscard]] RingRows<std::uint64_t> const& wide() {
        std::call_once(wide_once_, [this] { wide_.emplace(ring_); });
        return *wide_;
    }

    RingForward const& ring_;
    RingTurns const turns_;
    RingRows<std::uint32_t> const narrow_;
    std::once_flag wide_once_;
    std::optional<RingRows<std::uint64_t>> wide_;
    Kernel<std::uint32_t> const kernel_;
    std::uint32_t const threads_;
    std::uint32_t const tile_ranks_;
    std::uint32_t const tile_turns_;
    bool const links_busy_;
    std::uint64_t const growth_ns_;  ///< no cell of a tile advances by more

    // Of the block of turns under way; written between blocks only.
    Standing now_;
    Standing next_;
    std::vector<Turn> block_;
    std::uint32_t turn_ = 0;
    std::uint32_t to_left_ = 0;   ///< ranks that a tile loads before its first
    std::uint32_t to_right_ = 0;  ///< ... and after its last
    std::uint64_t cells_ = 0;
    std::atomic<std::uint32_t> next_tile_ = 0;
};

}  // namespace

Recurred recur(RingForward const& ring, RingTurns const& turns, ForwardOptions const& options) {
    return Recurrence(ring, turns, options).run();
}

}  // namespace ronde::sim
