/// Output of children, line by line with the rank in front.
#pragma once

#include "net/fd.hpp"
#include "net/loop.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ronde::cli {

/// Two pipes for each child. Children call `attach` after the fork; the parent calls `watch` and later `drain`.
class LabelledOutput {
public:
    /// Throws LauncherError when there are no descriptors left.
    explicit LabelledOutput(std::uint32_t ranks);
    ~LabelledOutput();
    LabelledOutput(LabelledOutput const&) = delete;
    LabelledOutput& operator=(LabelledOutput const&) = delete;

    /// Write ends, for LocalOptions::keep.
    [[nodiscard]] std::vector<int> write_ends() const;
    /// In the child: standard output and error of this process go to the pipes of `rank` from now on.
    void attach(std::uint32_t rank) const noexcept;

    /// In the parent, after all children exist: closes the write ends and prints lines as they come.
    void watch(net::Loop& loop);
    /// Prints what is left, unfinished lines included, and stops watching.
    void drain();

private:
    class Stream;
    std::vector<std::unique_ptr<Stream>> streams_;  ///< rank r: 2r is its output, 2r + 1 its errors
    net::Loop* loop_ = nullptr;
};

}  // namespace ronde::cli
