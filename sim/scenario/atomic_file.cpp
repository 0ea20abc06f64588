#include "scenario/atomic_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ronde::sim {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    static std::atomic<std::uint32_t> serial{0};
    temporary_ = fmt::format("{}.{}-{}.tmp", path_, ::getpid(), serial++);
    // With the mode that the file would have had, umask applied.
    int const fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        file_ = ::fdopen(fd, "wb");
    if (file_ == nullptr)
        fail("create");
}

AtomicFile::~AtomicFile() {
    if (file_ == nullptr)
        return;
    std::fclose(file_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::fail(char const* verb) {
    if (error_.empty())
        error_ = fmt::format("{}: cannot {}: {}", path_, verb, std::strerror(errno));
}

void AtomicFile::write(std::string_view text) {
    if (error_.empty() && std::fwrite(text.data(), 1, text.size(), file_) != text.size())
        fail("write");
}

bool AtomicFile::commit() {
    if (error_.empty() && (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0))
        fail("write");
    if (!error_.empty())
        return false;
    bool const closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail("replace");
        ::unlink(temporary_.c_str());
        return false;
    }
    return true;
}

std::string write_file(std::string const& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    return file.commit() ? std::string() : file.error();
}

}  // namespace ronde::sim
