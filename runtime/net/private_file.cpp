#include "net/private_file.hpp"

#include "net/fd.hpp"
#include "net/os_failure.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ronde::net {

namespace {

tl::unexpected<std::string> cannot(char const* what, std::string const& path, int os_error = errno) {
    return tl::unexpected(fmt::format("cannot {} {}: {}", what, path, describe_errno(os_error)));
}

/// A name beside `path` that no other thread or process uses at the same time.
std::string temporary_beside(std::string const& path) {
    static std::atomic<std::uint32_t> serial{0};
    return fmt::format("{}.{}-{}.tmp", path, ::getpid(), serial++);
}

bool write_all(int fd, std::string_view content) noexcept {
    while (!content.empty()) {
        ssize_t const written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Makes the rename itself durable. Some file systems cannot fsync a folder; the content is safe all the same.
void sync_folder_of(std::string const& path) noexcept {
    std::size_t const slash = path.rfind('/');
    std::string const folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    if (Fd const fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); fd)
        ::fsync(fd.get());
}

}  // namespace

tl::expected<void, std::string> write_private_file(std::string const& path, std::string_view content) {
    std::string const temporary = temporary_beside(path);
    // What a former process with our process id left behind.
    ::unlink(temporary.c_str());
    Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        return cannot("create", temporary);
    if (!write_all(fd.get(), content) || ::fsync(fd.get()) != 0) {
        int const os_error = errno;
        ::unlink(temporary.c_str());
        return cannot("write", temporary, os_error);
    }
    fd.reset();
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        int const os_error = errno;
        ::unlink(temporary.c_str());
        return cannot("replace", path, os_error);
    }
    sync_folder_of(path);
    return {};
}

tl::expected<PrivateContent, std::string> read_private_file(std::string const& path, std::size_t limit_bytes) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer before it can be refused.
    Fd const fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return cannot("open", path);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        return cannot("look at", path);
    if (!S_ISREG(status.st_mode))
        return tl::unexpected(fmt::format("{} is not a regular file", path));

    PrivateContent result;
    result.content.resize(limit_bytes + 1);
    std::size_t filled = 0;
    while (filled < result.content.size()) {
        ssize_t const got = ::read(fd.get(), result.content.data() + filled, result.content.size() - filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot("read", path);
        if (got == 0)
            break;
        filled += static_cast<std::size_t>(got);
    }
    if (filled > limit_bytes) {
        return tl::unexpected(fmt::format("{} is longer than the {} bytes expected of it", path, limit_bytes));
    }
    result.content.resize(filled);
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        result.warning = fmt::format("{} can be read or changed by others (mode {:04o}): chmod 600 it", path,
                                     status.st_mode & 07777U);
    }
    return result;
}

}  // namespace ronde::net
