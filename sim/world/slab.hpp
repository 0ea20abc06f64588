/// Records in chunks, named by index; freed slots are used again, last in first out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ronde::sim {

/// `Record` is a plain value. Indices and references stay valid until `free`.
template <class Record>
class Slab {
public:
    [[nodiscard]] std::uint32_t make() {
        ++in_use_;
        if (!free_.empty()) {
            std::uint32_t const index = free_.back();
            free_.pop_back();
            (*this)[index] = Record{};
            return index;
        }
        if (made_ % kChunk == 0)
            chunks_.push_back(std::make_unique<std::array<Record, kChunk>>());
        return made_++;
    }
    void free(std::uint32_t index) {
        --in_use_;
        free_.push_back(index);
    }
    [[nodiscard]] Record& operator[](std::uint32_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }
    [[nodiscard]] Record const& operator[](std::uint32_t index) const {
        return (*chunks_[index / kChunk])[index % kChunk];
    }
    [[nodiscard]] std::size_t in_use() const { return in_use_; }
    [[nodiscard]] std::size_t bytes() const {
        return chunks_.size() * kChunk * sizeof(Record) + free_.capacity() * sizeof(std::uint32_t);
    }

private:
    static constexpr std::uint32_t kChunk = 1024;

    std::vector<std::unique_ptr<std::array<Record, kChunk>>> chunks_;
    std::vector<std::uint32_t> free_;
    std::uint32_t made_ = 0;
    std::size_t in_use_ = 0;
};

}  // namespace ronde::sim
