#include "fiber/stack_pool.hpp"

#include "fiber/sanitizer.hpp"
#include "protocol/check.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

namespace ronde::fiber {

namespace {

/// Linux 6.13; the C library of many systems does not know it yet.
constexpr int kMadviseGuardInstall = 102;
constexpr std::size_t kSmallestStackBytes = std::size_t{16} << 10U;
/// The default of vm.max_map_count, for a system that does not tell.
constexpr std::size_t kUsualMapLimit = 65530;
/// What is read of a canary at each switch: the first bytes that an overflow reaches, one cache line.
constexpr std::size_t kCanaryLineBytes = 64;

/// Stacks begin at different lines of their page. If all began at the same one, the hot ends of all stacks would fall
/// into the same set of the first-level cache, and a switch would cost a miss from a dozen fibers on.
constexpr std::uint32_t kColours = 32;
constexpr std::size_t kColourBytes = 64;

std::size_t page_bytes() noexcept {
    static std::size_t const bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

std::size_t map_limit() {
    std::ifstream file("/proc/sys/vm/max_map_count");
    std::size_t limit = 0;
    return file >> limit ? limit : kUsualMapLimit;
}

std::size_t maps_in_use() {
    std::ifstream file("/proc/self/maps");
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

/// Over all pools: they share the maps of the process.
std::atomic<std::size_t> mapped_guards_of_process{0};

bool reserve_mapped_guard() {
    if (mapped_guards_of_process.fetch_add(1) < StackPool::mapped_guard_budget())
        return true;
    mapped_guards_of_process.fetch_sub(1);
    return false;
}

std::byte* map_slab(std::size_t bytes) noexcept {
    int const flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void* const slab = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (slab == MAP_FAILED)
        return nullptr;
    // A huge page would make the first touch of a stack pay for 2 MiB. A kernel without huge pages says EINVAL.
    ::madvise(slab, bytes, MADV_NOHUGEPAGE);
    return static_cast<std::byte*>(slab);
}

/// The kernel answers for the first page of a mapping of its own, so a try touches nothing that anybody uses.
bool kernel_has_light_guards() noexcept {
    std::byte* const page = map_slab(page_bytes());
    if (page == nullptr)
        return false;
    bool const works = ::madvise(page, page_bytes(), kMadviseGuardInstall) == 0;
    ::munmap(page, page_bytes());
    return works;
}

RONDE_FIBER_RAW_MEMORY bool all_zero(std::byte const* begin, std::byte const* end) noexcept {
    std::uint64_t seen = 0;
    for (; begin != end; begin += sizeof seen)
        seen |= *reinterpret_cast<std::uint64_t const*>(begin);  // both ends are multiples of a cache line
    return seen == 0;
}

/// `end` when all is zero. Both are multiples of 8.
RONDE_FIBER_RAW_MEMORY std::byte const* first_nonzero(std::byte const* begin, std::byte const* end) noexcept {
    while (begin != end && *reinterpret_cast<std::uint64_t const*>(begin) == 0)
        begin += sizeof(std::uint64_t);
    return begin;
}

}  // namespace

std::string StackError::message() const {
    std::string const stand = fmt::format("{} stacks of {} bytes exist", stacks_made, stack_bytes);
    if (os_error == 0)
        return fmt::format("no stack for another fiber: {}, which is the pool's bound; raise max_stacks", stand);
    return fmt::format("no stack for another fiber: mmap of {} bytes: {}; {}; use smaller stacks, or raise ulimit -v "
                       "and vm.max_map_count",
                       slab_bytes, std::generic_category().message(os_error), stand);
}

// --- one stack ------------------------------------------------------------------------------------------------------

void Stack::reset() noexcept {
    if (pool_ != nullptr)
        std::exchange(pool_, nullptr)->release(*this);
}

Stack::Stack(StackPool& pool, std::uint32_t index) noexcept
    : pool_(&pool), base_(pool.base_of(index)), limit_(base_ + page_bytes()),
      top_(base_ + pool.stack_bytes() - (index % kColours) * kColourBytes), index_(index), guard_(pool.guards_[index]) {
}

bool Stack::canary_line_intact() const noexcept { return all_zero(limit_ - kCanaryLineBytes, limit_); }

bool Stack::wholly_intact() const noexcept { return guard_ != Guard::canary || all_zero(base_, limit_); }

// --- the pool -------------------------------------------------------------------------------------------------------

StackPool::StackPool(StackOptions const& options)
    : stack_bytes_(round_up(std::max(options.stack_bytes, kSmallestStackBytes), page_bytes())),
      stacks_per_slab_(std::max<std::size_t>(options.slab_bytes / stack_bytes_, 1)), options_(options),
      light_guards_work_(options.guards == GuardPolicy::light_mapped_canary && kernel_has_light_guards()) {
    options_.max_stacks = std::min<std::size_t>(options.max_stacks, std::numeric_limits<std::uint32_t>::max());
}

StackPool::~StackPool() {
    RONDE_CHECK(counts_.in_use == 0, "a stack pool ends after the fibers that stand on its stacks");
    for (std::byte* const slab : slabs_) {
        allow_access(slab, stacks_per_slab_ * stack_bytes_);  // the addresses go to somebody else
        ::munmap(slab, stacks_per_slab_ * stack_bytes_);
    }
    mapped_guards_of_process.fetch_sub(counts_.mapped_guards);
}

std::size_t StackPool::mapped_guard_budget() {
    static std::size_t const budget = [] {
        std::size_t const limit = map_limit();
        std::size_t const left = limit - std::min(maps_in_use(), limit);
        return std::min(limit, left) / 4;
    }();
    return budget;
}

tl::expected<Stack, StackError> StackPool::take() {
    std::uint32_t index = 0;
    if (!free_.empty()) {
        index = free_.back();
        free_.pop_back();
        ++counts_.reused;
    } else {
        if (counts_.made >= options_.max_stacks)
            return tl::unexpected(error(0));
        if (counts_.made == slabs_.size() * stacks_per_slab_) {
            if (auto const slab = make_slab(); !slab)
                return tl::unexpected(slab.error());
        }
        index = static_cast<std::uint32_t>(counts_.made++);
        guards_.push_back(make_guard(base_of(index)));
        free_.reserve(guards_.capacity());  // so that release() needs no memory
    }
    counts_.most_in_use = std::max(counts_.most_in_use, ++counts_.in_use);
    allow_access(base_of(index), stack_bytes_);
    return Stack(*this, index);
}

tl::expected<void, StackError> StackPool::make_slab() {
    std::size_t const bytes = stacks_per_slab_ * stack_bytes_;
    slabs_.reserve(slabs_.size() + 1);
    std::byte* const slab = map_slab(bytes);
    if (slab == nullptr)
        return tl::unexpected(error(errno));
    slabs_.push_back(slab);
    ++counts_.slabs;
    counts_.address_bytes += bytes;
    return {};
}

StackError StackPool::error(int os_error) const noexcept {
    return {stack_bytes_, counts_.made, stacks_per_slab_ * stack_bytes_, os_error};
}

std::byte* StackPool::base_of(std::uint32_t index) const noexcept {
    return slabs_[index / stacks_per_slab_] + index % stacks_per_slab_ * stack_bytes_;
}

Guard StackPool::make_guard(std::byte* base) {
    if (light_guards_work_ && ::madvise(base, page_bytes(), kMadviseGuardInstall) == 0) {
        ++counts_.light_guards;
        return Guard::light;
    }
    bool const may_map = options_.guards != GuardPolicy::canary && counts_.mapped_guards < options_.max_mapped_guards;
    if (may_map && reserve_mapped_guard()) {
        if (::mprotect(base, page_bytes(), PROT_NONE) == 0) {
            ++counts_.mapped_guards;
            return Guard::mapped;
        }
        mapped_guards_of_process.fetch_sub(1);  // somebody else has used up the maps; a canary needs none
    }
    ++counts_.canaries;
    return Guard::canary;
}

void StackPool::release(Stack const& stack) noexcept {
    RONDE_CHECK(stack.wholly_intact(), "a stack comes back with its canary untouched; make stack_bytes larger");
    forbid_access(stack.base_, stack_bytes_);
    free_.push_back(stack.index_);
    --counts_.in_use;
}

// --- memory ---------------------------------------------------------------------------------------------------------

StackMemory StackPool::measure() {
    std::size_t const page = page_bytes();
    std::size_t const pages_per_stack = stack_bytes_ / page;
    std::vector<unsigned char> resident(stacks_per_slab_ * pages_per_stack);
    StackMemory memory;
    for (std::size_t index = 0; index < counts_.made; ++index) {
        std::size_t const place = index % stacks_per_slab_;
        if (place == 0)
            ::mincore(slabs_[index / stacks_per_slab_], stacks_per_slab_ * stack_bytes_, resident.data());
        unsigned char const* const mine = resident.data() + place * pages_per_stack;
        // The lowest page is no memory: inaccessible, or the system's one page of zeros.
        memory.resident_bytes +=
            page * static_cast<std::size_t>(std::count_if(mine + 1, mine + pages_per_stack,
                                                          [](unsigned char state) { return (state & 1U) != 0; }));
        deepest_bytes_ = std::max(deepest_bytes_, depth_of(base_of(static_cast<std::uint32_t>(index)), mine));
    }
    memory.deepest_bytes = deepest_bytes_;
    return memory;
}

std::size_t StackPool::depth_of(std::byte const* base, unsigned char const* resident) const noexcept {
    std::size_t const page = page_bytes();
    for (std::size_t at = page; at < stack_bytes_; at += page) {
        if ((resident[at / page] & 1U) == 0)
            continue;  // reading it would make it resident
        std::byte const* const used = first_nonzero(base + at, base + at + page);
        if (used != base + at + page)
            return static_cast<std::size_t>(base + stack_bytes_ - used);
    }
    return 0;
}

std::size_t StackPool::give_back_memory() {
    std::size_t const before_bytes = measure().resident_bytes;
    std::size_t const page = page_bytes();
    for (std::uint32_t const index : free_)
        ::madvise(base_of(index) + page, stack_bytes_ - page, MADV_DONTNEED);
    return before_bytes - measure().resident_bytes;
}

}  // namespace ronde::fiber
