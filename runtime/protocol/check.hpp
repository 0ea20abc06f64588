/// Invariants that hold in every build: a machine that has lost its mind must not go on talking.
#pragma once

namespace ronde::protocol {

/// Prints "file:line: text" as one line to standard error and aborts the process.
[[noreturn]] void check_failed(char const* file, int line, char const* text) noexcept;

}  // namespace ronde::protocol

/// Stops the process with `text` (a string literal: what was expected) unless `condition` holds, in release
/// builds too. For broken invariants only; what a peer or a caller can cause is answered with an Error.
#define RONDE_CHECK(condition, text)                     \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::ronde::protocol::check_failed(__FILE__, __LINE__, "" text ""))
