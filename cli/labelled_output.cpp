#include "cli/labelled_output.hpp"

#include "cli/usage.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ronde::cli {
namespace {

/// A line that is longer is printed in pieces, so that a child cannot fill this process's memory.
constexpr std::size_t kLongestLine = std::size_t{64} << 10U;
constexpr std::size_t kReadBytes = std::size_t{16} << 10U;
/// Reads from one rank before the others, signals and the roots have their turn.
constexpr int kTurnReads = 8;

}  // namespace

class LabelledOutput::Stream final : public net::Pollable {
public:
    Stream(std::uint32_t rank, std::FILE* to, int width) : to_(to), label_(fmt::format("[{:>{}}] ", rank, width)) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw LauncherError(fmt::format("no pipe for the output of rank {}: {}", rank, std::strerror(errno)));
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
    }

    /// A rank that prints without end must not keep the loop to itself.
    void on_ready(std::uint32_t) override {
        if (!read_some(kTurnReads))
            loop->call_again(watch);
    }

    void finish() {
        // What the pipe holds, and no more: a grandchild may have outlived its rank and still be writing.
        int const pipe_bytes = ::fcntl(read_end.get(), F_GETPIPE_SZ);
        static_cast<void>(read_some(std::max(pipe_bytes / static_cast<int>(kReadBytes), kTurnReads)));
        if (!partial_.empty())
            print(std::exchange(partial_, {}));
        std::fflush(to_);
    }

    net::Fd read_end;
    net::Fd write_end;
    net::Loop* loop = nullptr;
    net::Loop::Watch watch;

private:
    /// False when there may be more.
    bool read_some(int most_reads) {
        std::array<char, kReadBytes> bytes;
        bool all = false;
        for (int reads = 0; reads < most_reads && !all; ++reads) {
            ssize_t const count = ::read(read_end.get(), bytes.data(), bytes.size());
            if (count > 0)
                take({bytes.data(), static_cast<std::size_t>(count)});
            else
                all = count == 0 || errno != EINTR;
        }
        std::fflush(to_);
        return all;
    }

    void take(std::string_view text) {
        for (;;) {
            auto const end = text.find('\n');
            partial_ += text.substr(0, end);
            if (end == std::string_view::npos) {
                if (partial_.size() >= kLongestLine)
                    print(std::exchange(partial_, {}));
                return;
            }
            print(std::exchange(partial_, {}));
            text.remove_prefix(end + 1);
        }
    }

    void print(std::string const& line) { fmt::print(to_, "{}{}\n", label_, line); }

    std::FILE* const to_;
    std::string const label_;
    std::string partial_;
};

LabelledOutput::LabelledOutput(std::uint32_t ranks) {
    int const width = static_cast<int>(fmt::formatted_size("{}", ranks - 1));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        streams_.push_back(std::make_unique<Stream>(rank, stdout, width));
        streams_.push_back(std::make_unique<Stream>(rank, stderr, width));
    }
}

LabelledOutput::~LabelledOutput() {
    if (loop_ == nullptr)
        return;
    for (auto const& stream : streams_)
        loop_->unwatch(stream->watch);
}

std::vector<int> LabelledOutput::write_ends() const {
    std::vector<int> ends;
    for (auto const& stream : streams_)
        ends.push_back(stream->write_end.get());
    return ends;
}

void LabelledOutput::attach(std::uint32_t rank) const noexcept {
    ::dup2(streams_[std::size_t{2} * rank]->write_end.get(), STDOUT_FILENO);
    ::dup2(streams_[std::size_t{2} * rank + 1]->write_end.get(), STDERR_FILENO);
}

void LabelledOutput::watch(net::Loop& loop) {
    loop_ = &loop;
    for (auto const& stream : streams_) {
        stream->write_end.reset();
        stream->loop = &loop;
        ::fcntl(stream->read_end.get(), F_SETFL, O_NONBLOCK);
        if (int const error = loop.watch(stream->read_end.get(), EPOLLIN, *stream, stream->watch); error != 0)
            throw LauncherError(fmt::format("cannot watch the output of ranks: {}", std::strerror(error)));
    }
}

void LabelledOutput::drain() {
    for (auto const& stream : streams_)
        stream->finish();
}

}  // namespace ronde::cli
