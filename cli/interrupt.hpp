/// What a signal that ends this process leaves behind: no half-written file, and a terminal as it was.
#pragma once

namespace ronde::cli {

/// From here on SIGINT, SIGTERM and SIGHUP remove unfinished files before they end the process as they would have.
/// Signals that are ignored stay ignored.
void clean_up_on_signals();

/// Called first when such a signal arrives; may do nothing that a signal handler may not. nullptr: nobody.
void on_ending_signal(void (*restore)() noexcept) noexcept;

}  // namespace ronde::cli
