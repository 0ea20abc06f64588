#include "cli/interrupt.hpp"

#include "scenario/atomic_file.hpp"

#include <atomic>
#include <csignal>

namespace ronde::cli {
namespace {

using Restore = void (*)() noexcept;
std::atomic<Restore> restore_first{nullptr};

/// The disposition is the default one again by now, and the signal is delivered once more when this returns.
void end_cleanly(int signal) {
    if (Restore const restore = restore_first; restore != nullptr)
        restore();
    sim::discard_unfinished_files();
    static_cast<void>(std::raise(signal));
}

}  // namespace

void clean_up_on_signals() {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        struct sigaction ours {};
        ours.sa_handler = end_cleanly;
        ours.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigemptyset(&ours.sa_mask);
        ::sigaction(signal, &ours, nullptr);
    }
}

void on_ending_signal(void (*restore)() noexcept) noexcept { restore_first = restore; }

}  // namespace ronde::cli
