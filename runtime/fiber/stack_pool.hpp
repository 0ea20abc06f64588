/// Stacks for fibers: cut from large lazily touched slabs, used again last in first out, each with something below it
/// that notices an overflow.
///
///     slab:   | guard |      stack 0      | guard |      stack 1      | ...
///              ^ base        grows  <----- top     one page of stack_bytes is guard or canary
///
/// Memory is only spent on pages that a fiber has touched: 100 000 stacks of 64 KiB are 6.5 GB of address space and,
/// while their fibers stay shallow, 0.4 GB of memory.
#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ronde::fiber {

/// What lies in the lowest page of a stack.
enum class Guard : std::uint8_t {
    light,   ///< a guard marker in the page table (Linux 6.13, MADV_GUARD_INSTALL): faults, costs no memory map
    mapped,  ///< an inaccessible page: faults, but splits the memory map, of which a process has vm.max_map_count
    /// A page that stays zero; whoever writes there is found at the next switch or at the end of the fiber. Looking at
    /// it may cost a page of memory, unless the kernel lends its page of zeros for that.
    canary,
};

/// Which of them a pool may use, best first: a kernel or a budget that has no more leads to the next kind.
enum class GuardPolicy : std::uint8_t { light_mapped_canary, mapped_canary, canary };

struct StackOptions {
    /// Address space of one stack with its guard page; rounded up to pages, 16 KiB at least.
    std::size_t stack_bytes = std::size_t{64} << 10U;
    /// Address space asked from the system at a time; holds one stack at least.
    std::size_t slab_bytes = std::size_t{64} << 20U;
    /// Bound on the stacks of this pool.
    std::size_t max_stacks = std::size_t{1} << 24U;
    GuardPolicy guards = GuardPolicy::light_mapped_canary;
    /// Bound on Guard::mapped in this pool. All pools of the process together never take more than
    /// mapped_guard_budget(), however large this is.
    std::size_t max_mapped_guards = std::numeric_limits<std::size_t>::max();
};

/// Why there is no further stack.
struct StackError {
    std::size_t stack_bytes = 0;
    std::size_t stacks_made = 0;
    std::size_t slab_bytes = 0;  ///< what was asked from the system
    int os_error = 0;            ///< errno of mmap(2); 0: the pool's own bound is reached

    /// One line with the remedy.
    [[nodiscard]] std::string message() const;
};

/// Cheap counts.
struct StackCounts {
    std::size_t made = 0;    ///< stacks that exist, used or free
    std::size_t in_use = 0;  ///< taken and not given back
    std::size_t most_in_use = 0;
    std::size_t reused = 0;  ///< how often a stack was taken that had been used before
    std::size_t light_guards = 0;
    std::size_t mapped_guards = 0;
    std::size_t canaries = 0;
    std::size_t slabs = 0;
    std::size_t address_bytes = 0;  ///< of all slabs
};

/// What the stacks cost in memory.
struct StackMemory {
    std::size_t resident_bytes = 0;  ///< pages in memory now, those of free stacks included
    std::size_t deepest_bytes = 0;   ///< most that one stack was ever seen to use; see StackPool::measure
};

class StackPool;

/// One stack on loan from its pool, which must outlive it. Movable; gives itself back.
class Stack {
public:
    Stack() = default;
    Stack(Stack&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), base_(other.base_), limit_(other.limit_), top_(other.top_),
          index_(other.index_), guard_(other.guard_) {}
    Stack& operator=(Stack&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(base_, other.base_);
        std::swap(limit_, other.limit_);
        std::swap(top_, other.top_);
        std::swap(index_, other.index_);
        std::swap(guard_, other.guard_);
        return *this;
    }
    Stack(Stack const&) = delete;
    Stack& operator=(Stack const&) = delete;
    /// A canary that does not live any more stops the process with a line: see StackPool::release.
    ~Stack() { reset(); }

    /// Gives the stack back now.
    void reset() noexcept;

    [[nodiscard]] bool valid() const noexcept { return pool_ != nullptr; }
    /// Lowest address that may be used; the guard page lies directly below.
    [[nodiscard]] std::byte* limit() const noexcept { return limit_; }
    /// One past the highest address that may be used; 64-byte aligned.
    [[nodiscard]] std::byte* top() const noexcept { return top_; }
    [[nodiscard]] std::size_t usable_bytes() const noexcept { return static_cast<std::size_t>(top() - limit()); }
    /// Number of this stack in its pool, from 0 in the order of making.
    [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
    [[nodiscard]] Guard guard() const noexcept { return guard_; }
    /// Whether `address` lies in the page that nobody may touch.
    [[nodiscard]] bool in_guard(void const* address) const noexcept { return address >= base_ && address < limit_; }
    /// The uppermost bytes of the canary are untouched, or there is a guard that would have noticed. A few
    /// instructions: meant for every switch.
    [[nodiscard]] bool intact() const noexcept { return guard_ != Guard::canary || canary_line_intact(); }
    /// The same for the whole canary page.
    [[nodiscard]] bool wholly_intact() const noexcept;

private:
    friend class StackPool;
    Stack(StackPool& pool, std::uint32_t index) noexcept;
    [[nodiscard]] bool canary_line_intact() const noexcept;

    StackPool* pool_ = nullptr;
    std::byte* base_ = nullptr;   ///< lowest address of the guard page
    std::byte* limit_ = nullptr;  ///< lowest of the stack
    std::byte* top_ = nullptr;
    std::uint32_t index_ = 0;
    Guard guard_ = Guard::canary;
};

/// Not thread-safe: one pool belongs to one thread at a time. Pools of different threads are independent.
class StackPool {
public:
    explicit StackPool(StackOptions const& options = {});
    StackPool(StackPool const&) = delete;
    StackPool& operator=(StackPool const&) = delete;
    StackPool(StackPool&&) = delete;
    StackPool& operator=(StackPool&&) = delete;
    /// All stacks must be back.
    ~StackPool();

    /// The stack given back last (it is warm), or a new one.
    [[nodiscard]] tl::expected<Stack, StackError> take();

    [[nodiscard]] std::size_t stack_bytes() const noexcept { return stack_bytes_; }
    [[nodiscard]] StackCounts const& counts() const noexcept { return counts_; }
    /// Looks at every stack: a system call for each slab, and a read of the lowest page in memory of each stack. The
    /// depth is that of the lowest byte which is not zero, so it is exact but for zeros written last; it covers what
    /// was used since the memory was last given back, and the maximum is kept.
    [[nodiscard]] StackMemory measure();
    /// Hands the memory of all free stacks back to the system; their addresses stay. Returns the bytes given back.
    /// Loses nothing of measure().deepest_bytes.
    std::size_t give_back_memory();

    /// Guards of kind `mapped` that all pools of this process may have together: a quarter of vm.max_map_count, less
    /// when the process had few maps left as the first pool was made. Each costs two maps, so half of the limit
    /// remains for everybody else.
    [[nodiscard]] static std::size_t mapped_guard_budget();

private:
    friend class Stack;
    [[nodiscard]] tl::expected<void, StackError> make_slab();
    [[nodiscard]] StackError error(int os_error) const noexcept;
    [[nodiscard]] std::byte* base_of(std::uint32_t index) const noexcept;
    [[nodiscard]] Guard make_guard(std::byte* base);
    void release(Stack const& stack) noexcept;
    /// Bytes in use above the lowest nonzero one; `resident` has one element for each page of the stack.
    [[nodiscard]] std::size_t depth_of(std::byte const* base, unsigned char const* resident) const noexcept;

    std::size_t stack_bytes_;
    std::size_t stacks_per_slab_;
    StackOptions options_;
    bool light_guards_work_;
    std::size_t deepest_bytes_ = 0;
    StackCounts counts_;
    std::vector<std::byte*> slabs_;
    std::vector<Guard> guards_;        ///< by index
    std::vector<std::uint32_t> free_;  ///< the one given back last is at the end
};

}  // namespace ronde::fiber
