/// A file that is there whole or not at all: whoever opens its name finds the former content or all of the new one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace ronde::sim {

/// Written beside its place and moved there by commit(). A file that was not committed leaves nothing behind.
class AtomicFile {
public:
    /// Check error() before anything is written.
    explicit AtomicFile(std::string path);
    AtomicFile(AtomicFile const&) = delete;
    AtomicFile& operator=(AtomicFile const&) = delete;
    ~AtomicFile();

    /// After a failure nothing more is written; error() tells.
    void write(std::string_view text);
    /// Makes the content durable and puts it in its place. False: error() says why.
    [[nodiscard]] bool commit();
    /// "out.json: cannot write: No space left on device", or an empty text.
    [[nodiscard]] std::string const& error() const noexcept { return error_; }

private:
    void fail(char const* verb);

    std::string path_;
    std::string temporary_;
    std::string error_;
    std::FILE* file_ = nullptr;
    std::size_t place_ = 0;  ///< among those that discard_unfinished_files() knows
};

/// Removes what files that were not committed have written so far: for a signal that ends the process. Calls nothing
/// that a signal handler may not. Files of another process, as a forked child knows them, are left alone.
void discard_unfinished_files() noexcept;

/// All of it at once. An error of one line, or an empty text.
[[nodiscard]] std::string write_file(std::string const& path, std::string_view text);

}  // namespace ronde::sim
