#include "launch/id_exchange.hpp"

#include "launch/clock.hpp"
#include "net/fd.hpp"
#include "net/host_identity.hpp"
#include "net/os_failure.hpp"
#include "net/private_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::launch {

using protocol::TimeNs;

namespace {

constexpr std::size_t kOfferLimitBytes = 4096;
constexpr std::string_view kFirstLine = "ronde-exchange 1";
/// Some file systems report no changes to inotify, so a look now and then has to do.
constexpr TimeNs kLongestNapNs = protocol::kSecondNs;
constexpr TimeNs kFirstNapNs = 5 * protocol::kMillisecondNs;
constexpr TimeNs kLongestBlindNapNs = 100 * protocol::kMillisecondNs;

struct Offer {
    std::string boot_id;
    ProcessMark writer;
    std::string id_text;
};

std::string text_of(Offer const& offer) {
    return fmt::format("{}\nboot {}\nwriter {} {} {}\nid {}\n", kFirstLine, offer.boot_id, offer.writer.process_id,
                       offer.writer.start_ticks, offer.writer.pid_namespace, offer.id_text);
}

std::optional<Offer> parse_offer(std::string const& content) {
    std::istringstream stream(content);
    std::string first;
    std::string boot_word;
    std::string writer_word;
    std::string id_word;
    Offer offer;
    std::getline(stream, first);
    stream >> boot_word >> offer.boot_id >> writer_word >> offer.writer.process_id >> offer.writer.start_ticks >>
        offer.writer.pid_namespace >> id_word >> offer.id_text;
    bool const words = boot_word == "boot" && writer_word == "writer" && id_word == "id";
    return stream && words && first == kFirstLine ? std::optional(std::move(offer)) : std::nullopt;
}

std::string boot_id_here() {
    std::string const boot_id = net::this_host().boot_id;
    return boot_id.empty() ? "unknown" : boot_id;
}

/// An offer counts as long as its writer runs: with the writer its root is gone, too.
bool is_alive(Offer const& offer) {
    if (offer.boot_id != boot_id_here())
        return false;
    auto const me = mark_of(static_cast<std::uint32_t>(::getpid()));
    // Processes of another pid namespace (another container of this host) cannot be looked at from here.
    if (me && me->pid_namespace != offer.writer.pid_namespace)
        return true;
    return mark_of(offer.writer.process_id) == offer.writer;
}

enum class Found : std::uint8_t { nothing, stale, unwanted, good };

struct Look {
    Found found = Found::nothing;
    Offer offer;
};

Look look_at(std::string const& path, std::string_view not_this) {
    auto file = net::read_private_file(path, kOfferLimitBytes);
    // Not there (yet); or damaged beyond reading, which the next offer mends.
    if (!file)
        return {};
    auto offer = parse_offer(file->content);
    if (!offer || !is_alive(*offer))
        return {Found::stale, {}};
    Found const found = offer->id_text == not_this ? Found::unwanted : Found::good;
    return {found, std::move(*offer)};
}

std::uint64_t inode_of(std::string const& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string path_of(std::string const& folder, std::string const& key) { return folder + '/' + key; }

/// Sleeps until something in the folder changed or `until_ns`.
class FolderWatch {
public:
    explicit FolderWatch(std::string const& folder) : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        if (fd_ && ::inotify_add_watch(fd_.get(), folder.c_str(), IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE) < 0)
            fd_.reset();
    }

    void sleep(TimeNs until_ns) {
        TimeNs const longest = fd_ ? kLongestNapNs : blind_nap_ns_;
        blind_nap_ns_ = std::min(2 * blind_nap_ns_, kLongestBlindNapNs);
        pollfd item{fd_.get(), POLLIN, 0};  // poll(2) ignores a negative descriptor
        ::poll(&item, 1, poll_timeout_ms(std::min(until_ns, deadline_in(longest))));
        char buffer[4096];
        while (fd_ && ::read(fd_.get(), buffer, sizeof buffer) > 0) {
        }
    }

private:
    net::Fd fd_;
    TimeNs blind_nap_ns_ = kFirstNapNs;
};

}  // namespace

std::optional<ProcessMark> mark_of(std::uint32_t process_id) {
    std::string const folder = fmt::format("/proc/{}", process_id);
    std::ifstream file(folder + "/stat");
    std::string content;
    if (!std::getline(file, content))
        return std::nullopt;
    // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
    std::size_t const name_end = content.rfind(')');
    if (name_end == std::string::npos)
        return std::nullopt;
    std::istringstream rest(content.substr(name_end + 1));
    constexpr int kFieldsBeforeStart = 19;  // fields 3 to 21 of proc(5)
    std::string skipped;
    for (int i = 0; i < kFieldsBeforeStart; ++i)
        rest >> skipped;
    ProcessMark mark;
    mark.process_id = process_id;
    if (!(rest >> mark.start_ticks))
        return std::nullopt;
    // Of a process of another user the namespace cannot be read; 0 then, for writer and reader alike.
    struct stat space {};
    if (::stat((folder + "/ns/pid").c_str(), &space) == 0)
        mark.pid_namespace = space.st_ino;
    return mark;
}

std::string exchange_key(JobPlace const& place, std::uint32_t round) {
    std::string job = place.job;
    if (job.empty()) {
        auto const parent = mark_of(static_cast<std::uint32_t>(::getppid()));
        job = parent ? fmt::format("parent {} {} {}", parent->process_id, parent->start_ticks, parent->pid_namespace)
                     : fmt::format("parent {}", ::getppid());
    }
    std::string const whole = fmt::format("{}|{}|{}|{}", name_of(place.launcher), job, place.world_size, round);
    return fmt::format("job-{:016x}", XXH64(whole.data(), whole.size(), ::geteuid()));
}

tl::expected<std::string, std::string> exchange_folder(Variables const& variables) {
    auto const variable = [&](char const* name) {
        auto const found = variables.find(name);
        return found == variables.end() ? std::string() : found->second;
    };
    std::string folder;
    struct stat status {};
    std::string const runtime = variable("XDG_RUNTIME_DIR");
    // After su the variable may still name the folder of somebody else's session.
    if (!runtime.empty() && ::stat(runtime.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid()) {
        folder = runtime + "/ronde";
    } else {
        std::string const temporary = variable("TMPDIR");
        folder = fmt::format("{}/ronde-{}", temporary.empty() ? "/tmp" : temporary, ::geteuid());
    }
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return tl::unexpected(fmt::format("cannot create {}: {}", folder, net::describe_errno(errno)));
    }
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return tl::unexpected(fmt::format("{} is not a folder: remove it, or set TMPDIR", folder));
    }
    if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return tl::unexpected(
            fmt::format("{} belongs to somebody else or can be written by others (owner {}, mode {:04o}): remove it, "
                        "or set TMPDIR",
                        folder, status.st_uid, status.st_mode & 07777U));
    }
    return folder;
}

tl::expected<IdOffer, std::string> IdOffer::make(std::string const& folder, std::string const& key,
                                                 std::string_view id_text) {
    std::string const path = path_of(folder, key);
    auto const me = mark_of(static_cast<std::uint32_t>(::getpid()));
    if (!me)
        return tl::unexpected(std::string("cannot read /proc/self/stat: is /proc mounted?"));
    Look const look = look_at(path, {});
    if (look.found == Found::good && look.offer.writer != *me) {
        return tl::unexpected(
            fmt::format("another process ({}) is rank 0 of this job already (its offer is {}): if these are two jobs, "
                        "give each its own id with --id",
                        look.offer.writer.process_id, path));
    }
    auto written = net::write_private_file(path, text_of({boot_id_here(), *me, std::string(id_text)}));
    if (!written)
        return tl::unexpected(std::move(written.error()));
    return IdOffer(path, inode_of(path), ::getpid());
}

IdOffer::IdOffer(IdOffer&& other) noexcept
    : path_(std::move(other.path_)), inode_(std::exchange(other.inode_, 0)), owner_(other.owner_) {}

IdOffer& IdOffer::operator=(IdOffer&& other) noexcept {
    if (this != &other) {
        withdraw();
        path_ = std::move(other.path_);
        inode_ = std::exchange(other.inode_, 0);
        owner_ = other.owner_;
    }
    return *this;
}

IdOffer::~IdOffer() { withdraw(); }

void IdOffer::withdraw() noexcept {
    std::uint64_t const mine = std::exchange(inode_, 0);
    // A child forked meanwhile has a copy of this object but made no offer.
    if (mine != 0 && owner_ == ::getpid() && inode_of(path_) == mine)
        ::unlink(path_.c_str());
}

tl::expected<std::string, std::string> await_id(std::string const& folder, std::string const& key, TimeNs budget_ns,
                                                std::string_view not_this) {
    std::string const path = path_of(folder, key);
    TimeNs const deadline_ns = deadline_in(budget_ns);
    FolderWatch watch(folder);
    Found last = Found::nothing;
    for (;;) {
        Look look = look_at(path, not_this);
        if (look.found == Found::good)
            return std::move(look.offer.id_text);
        if (look.found != Found::nothing)
            last = look.found;
        if (monotonic_ns() >= deadline_ns)
            break;
        watch.sleep(deadline_ns);
    }
    char const* const seen = last == Found::stale      ? "only what a process that has ended left behind"
                             : last == Found::unwanted ? "only the id of the round before"
                                                       : "nothing";
    return tl::unexpected(fmt::format(
        "rank 0 has not offered an id at {} within {} ms ({} was there): is rank 0 of this job on this host, "
        "and did it start?",
        path, budget_ns / protocol::kMillisecondNs, seen));
}

bool await_file(std::string const& path, TimeNs budget_ns, std::function<void()> const& on_wait) {
    auto const is_there = [&] {
        struct stat status {};
        // Any other fault than "not there" will not go by waiting.
        return ::stat(path.c_str(), &status) == 0 ? status.st_size > 0 || !S_ISREG(status.st_mode) : errno != ENOENT;
    };
    if (is_there())
        return true;
    if (on_wait)
        on_wait();
    TimeNs const deadline_ns = deadline_in(budget_ns);
    std::string const folder = std::filesystem::path(path).parent_path();
    FolderWatch watch(folder.empty() ? "." : folder);
    while (!is_there()) {
        if (monotonic_ns() >= deadline_ns)
            return false;
        watch.sleep(deadline_ns);
    }
    return true;
}

}  // namespace ronde::launch
