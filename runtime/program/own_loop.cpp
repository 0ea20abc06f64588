#include "program/own_loop.hpp"

#include <system_error>

namespace ronde {

using net::monotonic_ns;
using protocol::Code;
using protocol::TimeNs;

namespace {

/// How long the roots of this process may take to tell everyone after this rank has ended.
constexpr TimeNs kRootsPatienceNs = protocol::kSecondNs;

}  // namespace

tl::expected<Joining, Failed> start_on_own_thread(UniqueId const& id, RankId rank, std::uint32_t nranks,
                                                  CommunicatorOptions const& options) {
    auto config = rank_config_for(id, rank, nranks, options);
    if (!config)
        return tl::unexpected(config.error());
    auto rank_options = rank_options_for(id, *config, options);
    if (!rank_options)
        return tl::unexpected(rank_options.error());
    std::unique_ptr<OwnLoop> own;
    try {
        own = std::make_unique<OwnLoop>(options.on_progress);
    } catch (std::system_error const& error) {
        return not_started(Code::local_failure, rank, error.what());
    }
    if (auto roots_started = own->start_roots(id, *config, options); !roots_started)
        return tl::unexpected(roots_started.error());
    own->watch(*rank_options);
    Joining joining;
    joining.rank = rank;
    joining.nranks = nranks;
    joining.operation_budget_ns = budget_ns(options.operation_deadline);
    joining.abort_switch = options.abort_switch;
    auto port =
        std::make_unique<NetPort>(own->loop(), *config, id.secret(), own_entry(options), std::move(*rank_options));
    own->watch(*port);
    port->start();
    joining.port = std::move(port);
    joining.waiting = std::move(own);
    return joining;
}

Outcome OwnLoop::start_roots(UniqueId const& id, protocol::RankConfig const& config,
                             CommunicatorOptions const& options) {
    std::function<void(protocol::Root const&)> on_change;
    if (on_progress_)
        on_change = [this](protocol::Root const&) { tell_progress(); };
    return ronde::start_roots(loop_, id, config, options, on_change, roots_);
}

// --- how the start goes ---------------------------------------------------------------------------------------------

void OwnLoop::watch(net::RankOptions& options) {
    if (on_progress_)
        options.on_phase = [this](Phase) { tell_progress(); };
}

void OwnLoop::tell_progress() const {
    Progress progress;
    if (watched_ != nullptr)
        progress.phase = watched_->machine().phase();
    progress.hosts_root = !roots_.empty();
    for (auto const& root : roots_) {
        protocol::Root const& machine = root->machine();
        progress.checked_in += machine.checked_in();
        progress.expected += machine.expected();
        bool const incomplete = machine.expected() > machine.checked_in();
        if (incomplete && progress.missing.range_count == 0)
            progress.missing = machine.missing();
    }
    on_progress_(progress);
}

// --- waiting --------------------------------------------------------------------------------------------------------

void OwnLoop::until(RankPort& port, Milestone milestone) {
    if (milestone == Milestone::ready)
        return until_ready(port);
    loop_.run_until([&] { return port.reached(milestone); });
}

/// The ring stands, and the roots of this process have told everyone; or everything has ended.
void OwnLoop::until_ready(RankPort const& port) {
    loop_.run_until([&] { return port.reached(Milestone::ready); });
    if (!port.finished())
        loop_.run_until([&] { return all_settled(roots_) || port.finished(); });
    if (port.finished())
        let_roots_finish();
    roots_.clear();  // closes their listeners: whoever comes with this id again is refused at once
}

/// This rank has failed. Its roots still owe the others the reason.
void OwnLoop::let_roots_finish() {
    TimeNs const until_ns = monotonic_ns() + kRootsPatienceNs;
    if (loop_.run_until([&] { return all_settled(roots_); }, until_ns))
        return;
    for (auto const& root : roots_)
        root->abort();
    loop_.run_until([&] { return all_settled(roots_); }, monotonic_ns() + net::kAbortLingerNs);
}

// --- whose loop it is -----------------------------------------------------------------------------------------------

/// An abort between verbs has the loop for a moment; its end is waited for. Another verb is the program's mistake.
bool OwnLoop::enter() noexcept {
    while (!take_loop()) {
        if (!abort_pressed_)
            return false;
        driving_.wait(true);
    }
    return true;
}

/// Gives the loop back. An abort that came in the meantime may have relied on this thread.
void OwnLoop::leave(RankPort& port) {
    release_loop();
    if (!abort_pressed_ || !take_loop())
        return;
    until(port, Milestone::finished);
    release_loop();
}

void OwnLoop::abort(RankPort& port) noexcept {
    abort_pressed_ = true;
    port.abort();
    // Between verbs nobody runs the loop, so whoever presses does: the others are told now and not at the next verb.
    if (!take_loop())
        return;
    until(port, Milestone::finished);
    release_loop();
}

void OwnLoop::release_loop() noexcept {
    driving_ = false;
    driving_.notify_all();
}

}  // namespace ronde
