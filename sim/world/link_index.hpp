/// Which connection a process means by a link.
#pragma once

#include "world/occurrence.hpp"
#include "world/slab.hpp"

#include <vector>

namespace ronde::sim {

/// One end of one connection.
struct EndOf {
    ConnectionId connection = kNoConnection;
    std::uint8_t side = 0;
    [[nodiscard]] bool exists() const { return connection != kNoConnection; }
};

/// (process, link) -> end. Open addressing with linear probing; never iterated, so its layout reaches no result. A cell
/// is one number: what it stands for is read in the connection itself, which keeps its end's process and link as they
/// are while they are in here.
class LinkIndex {
public:
    explicit LinkIndex(Slab<Connection> const& connections) : connections_(connections) {}

    [[nodiscard]] EndOf find(ProcessId process, protocol::Link link) const {
        if (used_ == 0)
            return {};
        for (std::size_t at = home_of(process, link); cells_[at] != kFree; at = (at + 1U) & mask_) {
            Side const& side = side_in(cells_[at]);
            if (side.process == process && side.link == link)
                return {cells_[at] >> 1U, static_cast<std::uint8_t>(cells_[at] & 1U)};
        }
        return {};
    }

    /// Enters an end, whose process does not use its link yet.
    void put(EndOf end) {
        if ((used_ + 1U) * 4U > cells_.size() * 3U)
            grow();
        enter(end.connection << 1U | end.side);
        ++used_;
    }

    /// Nothing happens when it is not there.
    void remove(ProcessId process, protocol::Link link) {
        if (used_ == 0)
            return;
        std::size_t hole = home_of(process, link);
        for (;; hole = (hole + 1U) & mask_) {
            if (cells_[hole] == kFree)
                return;
            Side const& side = side_in(cells_[hole]);
            if (side.process == process && side.link == link)
                break;
        }
        --used_;
        // What follows in the run moves up, so that no search meets a hole before its end.
        for (std::size_t at = (hole + 1U) & mask_; cells_[at] != kFree; at = (at + 1U) & mask_) {
            std::size_t const distance = (at - home_of_cell(cells_[at])) & mask_;
            if (distance < ((at - hole) & mask_))
                continue;
            cells_[hole] = cells_[at];
            hole = at;
        }
        cells_[hole] = kFree;
    }

    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return cells_.size() * sizeof(std::uint32_t); }

private:
    static constexpr std::uint32_t kFree = ~0U;

    [[nodiscard]] Side const& side_in(std::uint32_t cell) const { return connections_[cell >> 1U].sides[cell & 1U]; }
    [[nodiscard]] std::size_t home_of(ProcessId process, protocol::Link link) const {
        std::uint64_t key = std::uint64_t{process} << 32U | link.value;
        key ^= key >> 29U;
        return static_cast<std::size_t>((key * 0x9fb2'1c65'1e98'df25ULL) >> 32U) & mask_;
    }
    [[nodiscard]] std::size_t home_of_cell(std::uint32_t cell) const {
        Side const& side = side_in(cell);
        return home_of(side.process, side.link);
    }
    void enter(std::uint32_t cell) {
        std::size_t at = home_of_cell(cell);
        while (cells_[at] != kFree)
            at = (at + 1U) & mask_;
        cells_[at] = cell;
    }
    void grow() {
        std::vector<std::uint32_t> const cells = std::move(cells_);
        std::size_t const size = cells.empty() ? 64U : cells.size() * 2U;
        cells_.assign(size, kFree);
        mask_ = size - 1U;
        for (std::uint32_t const cell : cells) {
            if (cell != kFree)
                enter(cell);
        }
    }

    Slab<Connection> const& connections_;
    std::vector<std::uint32_t> cells_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
};

}  // namespace ronde::sim
