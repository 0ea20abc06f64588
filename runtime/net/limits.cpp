#include "net/limits.hpp"

#include "protocol/partition.hpp"
#include "protocol/rank.hpp"

#include <fmt/format.h>

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace ronde::net {

namespace {

/// Linux 5.4 and later.
constexpr std::uint32_t kDefaultSomaxconn = 4096;

std::string text_of(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit); }

}  // namespace

tl::expected<DescriptorLimit, OsFailure> descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return tl::unexpected(os_failure(OsCall::system, errno));
    return DescriptorLimit{limit.rlim_cur, limit.rlim_max};
}

tl::expected<DescriptorLimit, OsFailure> raise_descriptor_limit() {
    auto limit = descriptor_limit();
    if (!limit || limit->soft == limit->hard)
        return limit;
    rlimit const raised{limit->hard, limit->hard};
    if (::setrlimit(RLIMIT_NOFILE, &raised) != 0)
        return tl::unexpected(os_failure(OsCall::system, errno));
    limit->soft = limit->hard;
    return limit;
}

std::uint64_t open_descriptors() {
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr)
        return 0;
    std::uint64_t entries = 0;
    while (::readdir(folder) != nullptr)
        ++entries;
    ::closedir(folder);
    constexpr std::uint64_t kDotsAndTheFolderItself = 3;
    return entries - std::min(entries, kDotsAndTheFolderItself);
}

DescriptorNeed& DescriptorNeed::operator+=(DescriptorNeed const& other) noexcept {
    listeners += other.listeners;
    root_links += other.root_links;
    doors += other.doors;
    chords += other.chords;
    members += other.members;
    return *this;
}

DescriptorNeed descriptors_of_rank(protocol::Policies const& policies, std::uint32_t nranks, std::uint32_t nroots,
                                   protocol::RankId rank) noexcept {
    DescriptorNeed need;
    bool const callback = policies.reply == protocol::Reply::callback;
    need.listeners = callback ? 2 : 1;
    need.root_links = protocol::Partition{nranks, nroots}.is_boundary(rank) ? 2 : 1;
    need.doors = protocol::RankState::kDoors;
    if (nranks > 1)
        need.chords = 2ULL * protocol::log2_ceil(nranks);
    return need;
}

DescriptorNeed descriptors_of_root(protocol::Policies const& policies, std::uint32_t nranks, std::uint32_t nroots,
                                   std::uint32_t root_index, std::uint32_t pending_limit) noexcept {
    DescriptorNeed need;
    bool const callback = policies.reply == protocol::Reply::callback;
    std::uint32_t const expected = protocol::Partition{nranks, nroots}.expected_check_ins(root_index);
    need.listeners = 1;
    need.doors = policies.accepting == protocol::Accepting::serial ? 1 : std::min(pending_limit, expected);
    need.members = callback ? 1 : expected;
    return need;
}

std::optional<std::string> descriptor_shortage(DescriptorNeed const& need, std::uint64_t already_open,
                                               DescriptorLimit const& limit) {
    std::uint64_t const total = need.total() + already_open + kLoopDescriptors;
    if (total <= limit.hard)
        return std::nullopt;
    return fmt::format(
        "descriptor limit {}, need {} ({} links to ranks, {} links to roots, {} listeners, {} unproven, {} others), "
        "hard limit {}: raise it (ulimit -Hn {}) or hold fewer ranks in one process",
        text_of(limit.soft), total, need.members + need.chords, need.root_links, need.listeners, need.doors,
        already_open + kLoopDescriptors, text_of(limit.hard), total);
}

tl::expected<void, std::string> check_descriptors(DescriptorNeed const& need, std::uint64_t already_open) {
    auto const limit = descriptor_limit();
    if (!limit)
        return tl::unexpected("cannot read the descriptor limit: " + describe(limit.error()));
    if (auto shortage = descriptor_shortage(need, already_open, *limit))
        return tl::unexpected(std::move(*shortage));
    if (need.total() + already_open + kLoopDescriptors <= limit->soft)
        return {};
    if (auto const raised = raise_descriptor_limit(); !raised) {
        return tl::unexpected(fmt::format("cannot raise the descriptor limit from {} to {}: {}", text_of(limit->soft),
                                          text_of(limit->hard), describe(raised.error())));
    }
    return {};
}

std::uint32_t somaxconn() {
    std::uint32_t value = 0;
    std::ifstream file("/proc/sys/net/core/somaxconn");
    return file >> value ? value : kDefaultSomaxconn;
}

std::string backlog_warning(std::uint32_t expected_check_ins, std::uint32_t somaxconn) {
    // The kernel lets one more connection wait than the backlog says.
    if (expected_check_ins <= somaxconn || expected_check_ins - somaxconn <= 1)
        return {};
    return fmt::format(
        "{} ranks may check in at once but the accept queue of this host holds {}: some will have to try "
        "again after a second or more; raise it (sysctl -w net.core.somaxconn={})",
        expected_check_ins, somaxconn, expected_check_ins);
}

PortRange ephemeral_ports() {
    PortRange range;
    std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
    return file >> range.first >> range.last ? range : PortRange{};
}

}  // namespace ronde::net
