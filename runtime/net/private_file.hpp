/// Small files that nobody else may read: ids, and what ranks of one host tell each other.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <string_view>

namespace ronde::net {

/// Replaces `path` in one step: readers see the old content or the new one, never a part. Mode 0600 from the first
/// byte on (temporary file created O_EXCL with 0600, fsync, rename). The error names path and cause.
[[nodiscard]] tl::expected<void, std::string> write_private_file(std::string const& path, std::string_view content);

struct PrivateContent {
    std::string content;
    std::string warning;  ///< one line when others may read or change the file, else empty
};
/// Reads at most `limit_bytes`; a longer file is an error, and so is anything but a regular file.
[[nodiscard]] tl::expected<PrivateContent, std::string> read_private_file(std::string const& path,
                                                                          std::size_t limit_bytes);

}  // namespace ronde::net
