/// Values kept once and named by small numbers. Numbers are given in the order of first sight, so that the same search
/// gives the same numbers every time.
#pragma once

#include "explore/pages.hpp"

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace ronde::explore {

/// A hash table from 64-bit fingerprints to numbers. Buckets of a cache line, at most 3/4 full: a look-up is one line
/// of memory, rarely two.
class FingerprintIndex {
public:
    FingerprintIndex() : pages_(kSmallest * sizeof(Bucket), Pages::Content::zeros), mask_(kSmallest - 1U) {}

    /// The number under this fingerprint for which `is_it` says yes; else `fresh`, which is entered.
    template <class IsIt>
    std::uint32_t find_or_add(std::uint64_t fingerprint, std::uint32_t fresh, IsIt const& is_it) {
        for (std::size_t at = fingerprint & mask_;; at = (at + 1U) & mask_) {
            Bucket& bucket = buckets()[at];
            for (std::uint32_t i = 0; i < bucket.used; ++i) {
                if (bucket.fingerprints[i] == fingerprint && is_it(bucket.numbers[i]))
                    return bucket.numbers[i];
            }
            if (bucket.used == kSlots)
                continue;
            bucket.fingerprints[bucket.used] = fingerprint;
            bucket.numbers[bucket.used] = fresh;
            ++bucket.used;
            if (++used_ * 4U > (mask_ + 1U) * kSlots * 3U)
                grow();
            return fresh;
        }
    }
    void prefetch(std::uint64_t fingerprint) const { __builtin_prefetch(&buckets()[fingerprint & mask_], 1); }
    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return pages_.bytes(); }

private:
    static constexpr std::size_t kSmallest = 64;
    static constexpr std::uint32_t kSlots = 5;
    struct Bucket {
        std::uint64_t fingerprints[kSlots];
        std::uint32_t numbers[kSlots];
        std::uint32_t used;
    };
    static_assert(sizeof(Bucket) == 64);

    [[nodiscard]] Bucket* buckets() const { return static_cast<Bucket*>(pages_.data()); }
    void grow() {
        Pages const old = std::exchange(pages_, Pages(pages_.bytes() * 2U, Pages::Content::zeros));
        std::size_t const count = mask_ + 1U;
        mask_ = mask_ * 2U + 1U;
        for (std::size_t from = 0; from < count; ++from) {
            Bucket const& bucket = static_cast<Bucket const*>(old.data())[from];
            for (std::uint32_t i = 0; i < bucket.used; ++i) {
                std::size_t at = bucket.fingerprints[i] & mask_;
                while (buckets()[at].used == kSlots)
                    at = (at + 1U) & mask_;
                Bucket& into = buckets()[at];
                into.fingerprints[into.used] = bucket.fingerprints[i];
                into.numbers[into.used] = bucket.numbers[i];
                ++into.used;
            }
        }
    }

    Pages pages_;
    std::size_t mask_;
    std::size_t used_ = 0;
};

/// Bits with nothing linear left in them.
[[nodiscard]] inline std::uint64_t scramble(std::uint64_t bits) {
    bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
    return bits ^ bits >> 31U;
}

/// A hash table from keys of 96 bits, which are in it, to numbers: a look-up is a quarter of a cache line.
class KeyIndex {
public:
    KeyIndex() : slots_(kSmallest) {}

    /// The number of this key; else `fresh`, which is entered.
    std::uint32_t find_or_add(std::uint64_t high, std::uint32_t low, std::uint32_t fresh) {
        for (std::size_t at = place_of(high, low);; at = (at + 1U) & (slots_.size() - 1U)) {
            Slot& slot = slots_[at];
            if (slot.number == 0) {
                slot = {high, low, fresh + 1U};
                if (++used_ * 2U > slots_.size())
                    grow();
                return fresh;
            }
            if (slot.high == high && slot.low == low)
                return slot.number - 1U;
        }
    }

    /// All keys and their numbers, in no order.
    template <class Visit>
    void for_each(Visit const& visit) const {
        for (Slot const& slot : slots_) {
            if (slot.number != 0)
                visit(slot.high, slot.low, slot.number - 1U);
        }
    }

private:
    static constexpr std::size_t kSmallest = 64;
    struct Slot {
        std::uint64_t high = 0;
        std::uint32_t low = 0;
        std::uint32_t number = 0;  ///< plus one; 0: free
    };

    [[nodiscard]] std::size_t place_of(std::uint64_t high, std::uint32_t low) const {
        return scramble(high * 0x9e3779b97f4a7c15U + low) & (slots_.size() - 1U);
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2U);
        old.swap(slots_);
        for (Slot const& slot : old) {
            if (slot.number == 0)
                continue;
            std::size_t at = place_of(slot.high, slot.low);
            while (slots_[at].number != 0)
                at = (at + 1U) & (slots_.size() - 1U);
            slots_[at] = slot;
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
    std::uint32_t number_of(Value const& value) { return number_of(value, XXH3_64bits(&value, sizeof(Value))); }
    /// ... of which the caller knows a fingerprint of its own, always the same for the same value.
    std::uint32_t number_of(Value const& value, std::uint64_t fingerprint) {
        std::uint32_t const number = index_.find_or_add(fingerprint, size(), [&](std::uint32_t known) {
            return std::memcmp(&(*this)[known], &value, sizeof(Value)) == 0;
        });
        if (number == values_.size())
            values_.push_back(value);
        return number;
    }
    [[nodiscard]] Value const& operator[](std::uint32_t number) const { return values_[number]; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

private:
    Column<Value, 4> values_;
    FingerprintIndex index_;
};

}  // namespace ronde::explore
