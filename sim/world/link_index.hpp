/// Which connection a process means by a link.
#pragma once

#include "world/occurrence.hpp"

#include <vector>

namespace ronde::sim {

/// One end of one connection.
struct EndOf {
    ConnectionId connection = kNoConnection;
    std::uint8_t side = 0;
    [[nodiscard]] bool exists() const { return connection != kNoConnection; }
};

/// (process, link) -> end. Open addressing with linear probing; never iterated, so its layout reaches no result.
class LinkIndex {
public:
    [[nodiscard]] EndOf find(ProcessId process, protocol::Link link) const {
        if (used_ == 0)
            return {};
        std::uint64_t const key = key_of(process, link);
        for (std::size_t at = home_of(key);; at = (at + 1U) & mask_) {
            if (keys_[at] == key)
                return {values_[at] >> 1U, static_cast<std::uint8_t>(values_[at] & 1U)};
            if (keys_[at] == kFree)
                return {};
        }
    }

    /// `process` does not use `link` yet.
    void put(ProcessId process, protocol::Link link, EndOf end) {
        if ((used_ + 1U) * 4U > keys_.size() * 3U)
            grow();
        std::uint64_t const key = key_of(process, link);
        std::size_t at = home_of(key);
        while (keys_[at] != kFree)
            at = (at + 1U) & mask_;
        keys_[at] = key;
        values_[at] = end.connection << 1U | end.side;
        ++used_;
    }

    /// Nothing happens when it is not there.
    void remove(ProcessId process, protocol::Link link) {
        if (used_ == 0)
            return;
        std::uint64_t const key = key_of(process, link);
        std::size_t hole = home_of(key);
        while (keys_[hole] != key) {
            if (keys_[hole] == kFree)
                return;
            hole = (hole + 1U) & mask_;
        }
        --used_;
        // What follows in the run moves up, so that no search meets a hole before its end.
        for (std::size_t at = (hole + 1U) & mask_; keys_[at] != kFree; at = (at + 1U) & mask_) {
            std::size_t const distance = (at - home_of(keys_[at])) & mask_;
            if (distance < ((at - hole) & mask_))
                continue;
            keys_[hole] = keys_[at];
            values_[hole] = values_[at];
            hole = at;
        }
        keys_[hole] = kFree;
    }

    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return keys_.size() * 8U + values_.size() * 4U; }

private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};

    [[nodiscard]] static std::uint64_t key_of(ProcessId process, protocol::Link link) {
        return std::uint64_t{process} << 32U | link.value;
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t key) const {
        key ^= key >> 29U;
        return static_cast<std::size_t>((key * 0x9fb2'1c65'1e98'df25ULL) >> 32U) & mask_;
    }
    void grow() {
        std::vector<std::uint64_t> const keys = std::move(keys_);
        std::vector<std::uint32_t> const values = std::move(values_);
        std::size_t const size = keys.empty() ? 64U : keys.size() * 2U;
        keys_.assign(size, kFree);
        values_.assign(size, 0);
        mask_ = size - 1U;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (keys[i] == kFree)
                continue;
            std::size_t at = home_of(keys[i]);
            while (keys_[at] != kFree)
                at = (at + 1U) & mask_;
            keys_[at] = keys[i];
            values_[at] = values[i];
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> values_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
};

}  // namespace ronde::sim
