/// Values kept once and named by small numbers. Numbers are given in the order of first sight, so that the same search
/// gives the same numbers every time.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace ronde::explore {

/// A hash table from 64-bit fingerprints to numbers. Open addressing, at most 5/8 full, 12 bytes a slot.
class FingerprintIndex {
public:
    static constexpr std::uint32_t kNone = 0xffff'ffffU;

    FingerprintIndex() : slots_(kSmallest) {}

    /// The number under this fingerprint for which `is_it` says yes; else `fresh`, which is entered.
    template <class IsIt>
    std::uint32_t find_or_add(std::uint64_t fingerprint, std::uint32_t fresh, IsIt const& is_it) {
        if ((used_ + 1U) * 8U > slots_.size() * 5U)
            grow();
        for (std::size_t i = fingerprint & mask();; i = (i + 1U) & mask()) {
            Slot& slot = slots_[i];
            if (slot.number == kNone) {
                slot = Slot::of(fingerprint, fresh);
                ++used_;
                return fresh;
            }
            if (slot.fingerprint() == fingerprint && is_it(slot.number))
                return slot.number;
        }
    }
    void prefetch(std::uint64_t fingerprint) const { __builtin_prefetch(&slots_[fingerprint & mask()]); }
    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
    void clear() {
        used_ = 0;
        slots_.assign(kSmallest, Slot{});
    }

private:
    static constexpr std::size_t kSmallest = 1024;
    struct Slot {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        std::uint32_t number = kNone;
        static Slot of(std::uint64_t fingerprint, std::uint32_t number) {
            return {static_cast<std::uint32_t>(fingerprint), static_cast<std::uint32_t>(fingerprint >> 32U), number};
        }
        [[nodiscard]] std::uint64_t fingerprint() const { return low | std::uint64_t{high} << 32U; }
    };

    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1U; }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2U);
        old.swap(slots_);
        for (Slot const& slot : old) {
            if (slot.number == kNone)
                continue;
            std::size_t i = slot.fingerprint() & mask();
            while (slots_[i].number != kNone)
                i = (i + 1U) & mask();
            slots_[i] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

/// Numbers for values without padding. References stay valid.
template <class Value>
class Interner {
    static_assert(std::has_unique_object_representations_v<Value> && std::is_trivially_copyable_v<Value>);

public:
    std::uint32_t number_of(Value const& value) {
        std::uint64_t const fingerprint = XXH3_64bits(&value, sizeof(Value));
        std::uint32_t const number = index_.find_or_add(fingerprint, size_, [&](std::uint32_t known) {
            return std::memcmp(&(*this)[known], &value, sizeof(Value)) == 0;
        });
        if (number == size_) {
            if (size_ % kChunk == 0)
                chunks_.push_back(std::make_unique<Value[]>(kChunk));
            chunks_.back()[size_ % kChunk] = value;
            ++size_;
        }
        return number;
    }
    [[nodiscard]] Value const& operator[](std::uint32_t number) const {
        return chunks_[number / kChunk][number % kChunk];
    }
    [[nodiscard]] std::uint32_t size() const { return size_; }

private:
    static constexpr std::uint32_t kChunk = 256;
    std::vector<std::unique_ptr<Value[]>> chunks_;
    std::uint32_t size_ = 0;
    FingerprintIndex index_;
};

}  // namespace ronde::explore
