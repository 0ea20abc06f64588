/// Records in chunks, named by index; freed slots are used again, last in first out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace ronde::sim {

/// `Record` is a plain value. Indices and references stay valid until `free`. A freed record holds the index of the one
/// that was freed before it. What was never handed out was never written: small worlds pay for what they use.
template <class Record>
class Slab {
public:
    [[nodiscard]] std::uint32_t make() {
        ++in_use_;
        if (free_ != kNone) {
            std::uint32_t const index = free_;
            Record& record = (*this)[index];
            std::memcpy(&free_, &record, sizeof free_);
            record = Record{};
            return index;
        }
        if (made_ % kChunk == 0 && made_ / kChunk == chunks_.size())
            grow();
        std::construct_at(&(*this)[made_]);
        return made_++;
    }
    void free(std::uint32_t index) {
        --in_use_;
        std::memcpy(static_cast<void*>(&(*this)[index]), &free_, sizeof free_);
        free_ = index;
    }
    /// Empty, as if new, but keeps the memory it has.
    void clear() {
        free_ = kNone;
        made_ = 0;
        in_use_ = 0;
    }
    [[nodiscard]] Record& operator[](std::uint32_t index) {
        return chunks_[index / kChunk]->cells[index % kChunk].record;
    }
    [[nodiscard]] Record const& operator[](std::uint32_t index) const {
        return chunks_[index / kChunk]->cells[index % kChunk].record;
    }
    [[nodiscard]] std::size_t in_use() const { return in_use_; }
    [[nodiscard]] std::size_t bytes() const {
        return chunks_.size() * kChunk * sizeof(Record) + chunks_.capacity() * sizeof chunks_[0];
    }

private:
    static constexpr std::uint32_t kChunk = 1024;
    static constexpr std::uint32_t kNone = 0xffff'ffffU;
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) >= sizeof kNone);
    union Cell {
        Cell() {}  // NOLINT(modernize-use-equals-default): that one would be deleted
        Record record;
    };
    struct alignas(64) Chunk {
        std::array<Cell, kChunk> cells;
    };

    [[gnu::noinline]] void grow() { chunks_.push_back(std::make_unique_for_overwrite<Chunk>()); }

    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::uint32_t free_ = kNone;  ///< the last freed
    std::uint32_t made_ = 0;
    std::size_t in_use_ = 0;
};

}  // namespace ronde::sim
