/// Which connection a process means by a link.
#pragma once

#include "world/occurrence.hpp"
#include "world/slab.hpp"

#include <algorithm>
#include <vector>

namespace ronde::sim {

/// One end of one connection.
struct EndOf {
    ConnectionId connection = kNoConnection;
    std::uint8_t side = 0;
    [[nodiscard]] bool exists() const { return connection != kNoConnection; }
};

/// (process, link) -> end. Open addressing with linear probing; never iterated, so its layout reaches no result. A cell
/// is the end and a hash: the rest is read in the connection itself, which keeps its end's process and link as they are
/// while they are in here, and which nobody reads in vain, but for one in 2^32.
class LinkIndex {
public:
    explicit LinkIndex(Slab<Connection> const& connections) : connections_(connections) {}

    [[nodiscard]] EndOf find(ProcessId process, protocol::Link link) const {
        if (process == in_hand_.process && link == in_hand_.link)
            return in_hand_.end;
        if (used_ == 0)
            return {};
        std::uint32_t const end = cells_[place_of(process, link)].end;
        return end == kFree ? EndOf{} : EndOf{end >> 1U, static_cast<std::uint8_t>(end & 1U)};
    }

    /// `end`, which is in here, will probably be asked for next: who hears something answers to it.
    void take_in_hand(EndOf end) {
        Side const& side = connections_[end.connection].sides[end.side];
        in_hand_ = {side.process, side.link, end};
    }

    /// Enters an end, whose process does not use its link yet.
    void put(EndOf end) {
        if ((used_ + 1U) * 4U > cells_.size() * 3U)
            grow();
        Side const& side = connections_[end.connection].sides[end.side];
        enter({hash_of(side.process, side.link), end.connection << 1U | end.side});
        ++used_;
    }

    /// Nothing happens when it is not there.
    void remove(ProcessId process, protocol::Link link) {
        if (process == in_hand_.process && link == in_hand_.link)
            in_hand_ = {};
        if (used_ == 0)
            return;
        std::size_t hole = place_of(process, link);
        if (cells_[hole].end == kFree)
            return;
        --used_;
        // What follows in the run moves up, so that no search meets a hole before its end.
        for (std::size_t at = (hole + 1U) & mask_; cells_[at].end != kFree; at = (at + 1U) & mask_) {
            std::size_t const distance = (at - cells_[at].hash) & mask_;
            if (distance < ((at - hole) & mask_))
                continue;
            cells_[hole] = cells_[at];
            hole = at;
        }
        cells_[hole] = {};
    }

    /// Empty, but keeps some of the memory it has.
    void clear() {
        cells_.assign(std::min(cells_.size(), kKeptCells), {});
        mask_ = cells_.empty() ? 0 : cells_.size() - 1U;
        used_ = 0;
        in_hand_ = {};
    }

    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return cells_.size() * sizeof(Cell); }

private:
    static constexpr std::uint32_t kFree = ~0U;
    /// As many as it is cheap to write to before a small world begins.
    static constexpr std::size_t kKeptCells = 512;

    /// The answer to one question, known without a search.
    struct InHand {
        ProcessId process = kNoProcess;
        protocol::Link link;
        EndOf end;
    };
    struct Cell {
        std::uint32_t hash = 0;  ///< its low bits are the place where the search begins
        std::uint32_t end = kFree;
    };

    [[nodiscard]] static std::uint32_t hash_of(ProcessId process, protocol::Link link) {
        std::uint64_t key = std::uint64_t{process} << 32U | link.value;
        key ^= key >> 29U;
        return static_cast<std::uint32_t>((key * 0x9fb2'1c65'1e98'df25ULL) >> 32U);
    }
    /// Where it is, or the free cell that says that it is not there.
    [[nodiscard]] std::size_t place_of(ProcessId process, protocol::Link link) const {
        std::uint32_t const hash = hash_of(process, link);
        std::size_t at = hash & mask_;
        for (; cells_[at].end != kFree; at = (at + 1U) & mask_) {
            if (cells_[at].hash != hash)
                continue;
            Side const& side = connections_[cells_[at].end >> 1U].sides[cells_[at].end & 1U];
            if (side.process == process && side.link == link)
                break;
        }
        return at;
    }
    void enter(Cell cell) {
        std::size_t at = cell.hash & mask_;
        while (cells_[at].end != kFree)
            at = (at + 1U) & mask_;
        cells_[at] = cell;
    }
    void grow() {
        std::vector<Cell> const cells = std::move(cells_);
        std::size_t const size = cells.empty() ? 64U : cells.size() * 2U;
        cells_.assign(size, {});
        mask_ = size - 1U;
        for (Cell const& cell : cells) {
            if (cell.end != kFree)
                enter(cell);
        }
    }

    Slab<Connection> const& connections_;
    std::vector<Cell> cells_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
    InHand in_hand_;
};

}  // namespace ronde::sim
