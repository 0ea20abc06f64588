/// What the payloads of frames say, without their bytes.
///
/// An entry is what one process registered, so a table is a list of processes. Up to kExactRanks ranks every process
/// has a list of its own and every frame with entries carries what it really carries, so that a table with a wrong or
/// an old entry is seen. Beyond that all share one list, who holds the rank, and only how much of it a process knows
/// is kept: N lists of N entries would be 39 GB at 98 304 ranks.
#pragma once

#include "protocol/error.hpp"
#include "world/process.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace ronde::sim {

class Contents {
public:
    static constexpr std::uint32_t kExactRanks = 2'048;

    /// Nothing is known to anybody of `nranks` ranks. Keeps the memory it has.
    void size_for(std::uint32_t nranks) {
        for (auto& table : tables_)
            table.clear();
        lists_used_ = 0;
        free_.clear();
        verdicts_.clear();
        bytes_.clear();
        free_bytes_.clear();
        bytes_kept_ = 0;
        nranks_ = nranks;
        exact_ = nranks <= kExactRanks;
        holders_.resize(nranks);
        for (RankId rank = 0; rank < nranks; ++rank)
            holders_[rank] = rank;
    }
    [[nodiscard]] bool exact() const { return exact_; }

    // --- tables ----------------------------------------------------------------------------------------------------
    /// Whom `reader` believes to be rank `rank`; kNoProcess: it has not learned that.
    [[nodiscard]] ProcessId holder(ProcessId reader, RankId rank) const {
        if (!exact_)
            return holders_[rank];
        return reader < tables_.size() && !tables_[reader].empty() ? tables_[reader][rank] : kNoProcess;
    }
    /// ... of all ranks; empty: it has learned nothing.
    [[nodiscard]] std::span<ProcessId const> table(ProcessId reader) const {
        if (!exact_)
            return holders_;
        return reader < tables_.size() ? std::span<ProcessId const>(tables_[reader]) : std::span<ProcessId const>();
    }
    /// `reader` learns an entry. Only exact tables keep it.
    void learn(ProcessId reader, RankId rank, ProcessId holder) {
        if (!exact_)
            return;
        if (reader >= tables_.size())
            tables_.resize(reader + 1U);
        if (tables_[reader].empty())
            tables_[reader].assign(nranks_, kNoProcess);
        tables_[reader][rank] = holder;
    }
    /// Who checked in as `rank` last, at its own root.
    void check_in(RankId rank, ProcessId holder) { holders_[rank] = holder; }
    [[nodiscard]] ProcessId checked_in(RankId rank) const { return holders_[rank]; }

    // --- lists in flight ---------------------------------------------------------------------------------------------
    /// Makes a list of `count` entries, to be filled by the caller before anything else. It is kept until it was let go
    /// as often as it was kept; this is the first time.
    [[nodiscard]] std::uint32_t keep_list(std::size_t count) {
        std::uint32_t id = lists_used_;
        if (!free_.empty()) {
            id = free_.back();
            free_.pop_back();
        } else if (++lists_used_ > lists_.size()) {
            lists_.emplace_back();
        }
        lists_[id].entries.resize(count);
        lists_[id].uses = 1;
        return id;
    }
    [[nodiscard]] std::span<ProcessId> list_to_fill(std::uint32_t id) { return lists_[id].entries; }
    void keep_again(std::uint32_t id) { ++lists_[id].uses; }
    void let_go(std::uint32_t id) {
        if (--lists_[id].uses > 0)
            return;
        if (lists_[id].entries.capacity() > kShortList)
            lists_[id].entries = {};
        free_.push_back(id);
    }
    [[nodiscard]] std::vector<ProcessId> const& list(std::uint32_t id) const { return lists_[id].entries; }

    // --- bytes of operations -----------------------------------------------------------------------------------------
    /// Keeps what a program sends, for one frame. Never 0.
    [[nodiscard]] std::uint32_t keep_bytes(std::vector<std::byte> bytes) {
        bytes_kept_ += bytes.size();
        if (free_bytes_.empty()) {
            bytes_.push_back(std::move(bytes));
            return static_cast<std::uint32_t>(bytes_.size());
        }
        std::uint32_t const id = free_bytes_.back();
        free_bytes_.pop_back();
        bytes_[id - 1U] = std::move(bytes);
        return id;
    }
    [[nodiscard]] std::vector<std::byte> const& bytes_of(std::uint32_t id) const { return bytes_[id - 1U]; }
    void let_bytes_go(std::uint32_t id) {
        bytes_kept_ -= bytes_[id - 1U].size();
        bytes_[id - 1U] = {};
        free_bytes_.push_back(id);
    }

    // --- verdicts ----------------------------------------------------------------------------------------------------
    /// Verdicts are few and are repeated often: the same one has the same number.
    [[nodiscard]] std::uint32_t keep(protocol::Verdict const& verdict) {
        std::array<std::byte, protocol::kVerdictBytes> bytes{};
        protocol::encode_verdict(verdict, bytes);
        for (std::size_t back = 1; back <= verdicts_.size() && back <= 8; ++back) {
            if (std::ranges::equal(verdicts_[verdicts_.size() - back], bytes))
                return static_cast<std::uint32_t>(verdicts_.size() - back);
        }
        verdicts_.emplace_back(bytes.begin(), bytes.end());
        return static_cast<std::uint32_t>(verdicts_.size() - 1U);
    }
    [[nodiscard]] std::vector<std::byte> const& verdict(std::uint32_t id) const { return verdicts_[id]; }

    [[nodiscard]] std::size_t bytes() const {
        std::size_t total = holders_.capacity() * sizeof(ProcessId);
        for (auto const& table : tables_)
            total += table.capacity() * sizeof(ProcessId);
        for (List const& list : lists_)
            total += list.entries.capacity() * sizeof(ProcessId) + sizeof(List);
        total += bytes_kept_ + bytes_.capacity() * sizeof(std::vector<std::byte>);
        return total + verdicts_.size() * protocol::kVerdictBytes;
    }

private:
    /// Memory of longer lists is given back at once.
    static constexpr std::size_t kShortList = 64;

    struct List {
        std::vector<ProcessId> entries;
        std::uint32_t uses = 0;
    };
    std::uint32_t nranks_ = 0;
    bool exact_ = true;
    std::vector<ProcessId> holders_;
    std::vector<std::vector<ProcessId>> tables_;
    std::vector<List> lists_;
    std::uint32_t lists_used_ = 0;  ///< of lists_, free ones included
    std::vector<std::uint32_t> free_;
    std::vector<std::vector<std::byte>> verdicts_;  ///< each stays where it is: events show it while others come
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<std::uint32_t> free_bytes_;
    std::size_t bytes_kept_ = 0;
};

}  // namespace ronde::sim
