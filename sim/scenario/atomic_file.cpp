#include "scenario/atomic_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ronde::sim {
namespace {

/// A temporary that is being written. The name stands here, in memory that is never given back, because a signal may
/// arrive while its owner goes.
struct Unfinished {
    enum State : int { unused, changing, in_use };
    std::atomic<int> state{unused};
    pid_t owner = 0;
    std::array<char, 1'024> name{};
};
/// More files than these at once, or longer names, are written all the same, and a signal leaves their temporaries.
std::array<Unfinished, 64> unfinished;

std::size_t note_unfinished(std::string const& name) {
    for (std::size_t place = 0; place < unfinished.size() && name.size() < Unfinished{}.name.size(); ++place) {
        int unused = Unfinished::unused;
        if (!unfinished[place].state.compare_exchange_strong(unused, Unfinished::changing))
            continue;
        name.copy(unfinished[place].name.data(), name.size());
        unfinished[place].name[name.size()] = '\0';
        unfinished[place].owner = ::getpid();
        unfinished[place].state = Unfinished::in_use;
        return place;
    }
    return unfinished.size();
}

void forget_unfinished(std::size_t place) {
    if (place < unfinished.size())
        unfinished[place].state = Unfinished::unused;
}

std::string temporary_beside(std::string const& path) {
    static std::atomic<std::uint32_t> serial{0};
    return fmt::format("{}.{}-{}.tmp", path, ::getpid(), serial++);
}

}  // namespace

void discard_unfinished_files() noexcept {
    for (Unfinished const& one : unfinished) {
        if (one.state == Unfinished::in_use && one.owner == ::getpid())
            ::unlink(one.name.data());
    }
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(temporary_beside(path_)), place_(note_unfinished(temporary_)) {
    // With the mode that the file would have had, umask applied.
    int const fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        file_ = ::fdopen(fd, "wb");
    if (file_ == nullptr)
        fail("create");
}

AtomicFile::~AtomicFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
        ::unlink(temporary_.c_str());
    }
    forget_unfinished(place_);
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
