#include "program/communicator_state.hpp"

#include "net/host_identity.hpp"
#include "net/interfaces.hpp"
#include "net/limits.hpp"
#include "net/recorder.hpp"
#include "protocol/check.hpp"
#include "protocol/policy.hpp"

#include <sodium.h>

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace ronde {

using net::monotonic_ns;
using protocol::Code;
using protocol::kNever;
using protocol::TimeNs;

namespace {

/// How long the roots of this process may take to tell everyone after this rank has ended.
constexpr TimeNs kRootsPatienceNs = protocol::kSecondNs;

tl::unexpected<Failed> failed(Code code, RankId rank, std::string text) {
    Failed result;
    result.verdict.error.code = code;
    result.verdict.error.about = rank;
    result.verdict.error.reporter = rank;
    result.text = std::move(text);
    return tl::unexpected(std::move(result));
}

/// What the wire has room for; more is no limit at all.
TimeNs budget_ns(std::chrono::nanoseconds deadline) {
    return deadline <= std::chrono::nanoseconds::zero() ? kNever : static_cast<TimeNs>(deadline.count());
}

tl::expected<protocol::Policies, std::string> policies_for(CommunicatorOptions const& options, std::uint32_t nranks,
                                                           std::uint32_t nroots) {
    protocol::Policies policies;
    if (options.policies != nullptr) {
        policies = *options.policies;
    } else {
        auto const profile = protocol::profile_named(options.profile);
        if (!profile) {
            return tl::unexpected("'" + options.profile + "' is no profile; there are ronde, nccl and article");
        }
        policies = protocol::policies_of(*profile);
    }
    policies = protocol::resolve(policies, nranks, nroots);
    std::string_view const contradiction = protocol::contradiction_in(policies, nranks, nroots);
    if (!contradiction.empty())
        return tl::unexpected(std::string(contradiction));
    return policies;
}

std::uint64_t random_number() {
    std::uint64_t number = 0;
    randombytes_buf(&number, sizeof number);
    return number;
}

}  // namespace

Communicator::State::~State() {
    for (auto const& abort_switch : switches_) {
        std::lock_guard const lock(abort_switch->mutex);  // waits for a press that is under way
        std::erase(abort_switch->attached, this);
    }
}

// --- the start ------------------------------------------------------------------------------------------------------

Outcome Communicator::State::start(UniqueId const& id, RankId my_rank, std::uint32_t nranks,
                                   CommunicatorOptions const& options) {
    auto const nroots = static_cast<std::uint32_t>(id.roots().size());
    if (nranks == 0 || nranks > protocol::kMaxRanks || my_rank >= nranks) {
        return failed(Code::bad_argument, my_rank,
                      "rank " + std::to_string(my_rank) + " of " + std::to_string(nranks) +
                          ": ranks are 0 .. nranks-1, nranks is 1 .. " + std::to_string(protocol::kMaxRanks));
    }
    if (nroots > nranks) {
        return failed(Code::bad_argument, my_rank,
                      "the id names " + std::to_string(nroots) + " roots for " + std::to_string(nranks) +
                          " ranks: there can be one per rank at most");
    }
    if (sodium_init() < 0)
        return failed(Code::local_failure, my_rank, "libsodium does not start: no source of random numbers");
    auto const policies = policies_for(options, nranks, nroots);
    if (!policies)
        return failed(Code::bad_argument, my_rank, policies.error());

    config.policies = *policies;
    config.nranks = nranks;
    config.nroots = nroots;
    config.rank = my_rank;
    config.roots_digest = id.roots_digest();
    config.session = id.session();
    config.seed = random_number();
    config.budget_ns = budget_ns(options.deadline);
    config.root_promised = id.promised();
    operation_budget_ns = budget_ns(options.operation_deadline);
    on_progress_ = options.on_progress;
    started_ns = monotonic_ns();

    auto listen = where_to_listen(id, options);
    if (!listen)
        return tl::unexpected(listen.error());
    try {
        loop.emplace();
    } catch (std::system_error const& error) {
        return failed(Code::local_failure, my_rank, error.what());
    }
    if (auto roots_started = start_roots(id, options); !roots_started)
        return roots_started;

    net::RankOptions rank_options;
    rank_options.max_io_bytes = options.max_io_bytes;
    rank_options.listen = *listen;
    rank_options.roots.assign(id.roots().begin(), id.roots().end());
    rank_options.mailbox_bytes = options.mailbox_bytes;
    if (on_progress_)
        rank_options.on_phase = [this](Phase) { tell_progress(); };
    if (!options.record_directory.empty()) {
        auto recorder = net::Recorder::create(options.record_directory, config);
        if (!recorder)
            return failed(Code::local_failure, my_rank, recorder.error());
        rank_options.recorder = std::move(*recorder);
    }
    Entry mine;
    mine.host_id = net::host_id_of(net::this_host());
    mine.device_id = options.device_id;
    mine.incarnation = random_number();
    mine.process_id = static_cast<std::uint32_t>(::getpid());
    rank.emplace(*loop, config, id.secret(), mine, std::move(rank_options));
    rank->start();
    if (options.abort_switch != nullptr)
        attach(*options.abort_switch);
    return {};
}

tl::expected<net::ListenRequest, Failed>
Communicator::State::where_to_listen(UniqueId const& id, CommunicatorOptions const& options) const {
    net::ListenRequest request;
    request.ports = {options.first_port, options.last_port == 0 ? options.first_port : options.last_port};
    request.seed = config.seed;
    protocol::Endpoint const& root = id.roots().front();
    if (options.interface.empty() && net::reach_of(root) == net::Reach::loopback) {
        request.at = net::loopback(root.family);  // a root on the loopback has all its ranks on this host
        return request;
    }
    auto wish = net::interface_request_from(net::environment_variable);
    if (!wish)
        return failed(Code::bad_argument, config.rank, wish.error());
    if (!options.interface.empty()) {
        wish->names = options.interface;
        wish->names_source = "the interface option";
    }
    if (!options.family.empty()) {
        wish->family = options.family;
        wish->family_source = "the family option";
    }
    wish->root = root;
    if (auto const source = net::route_source(root); source)
        wish->route_source = *source;
    auto const choice = net::choose_interface_here(*wish);
    if (!choice)
        return failed(Code::local_failure, config.rank, choice.error());
    request.at = choice->chosen.address;
    return request;
}

Outcome Communicator::State::start_roots(UniqueId const& id, CommunicatorOptions const& options) {
    if (options.root == nullptr)
        return {};
    if (options.root->id() != id)
        return failed(Code::bad_argument, config.rank, "the root given is that of another id");
    // One connection for each rank may be more than this process may have; better said now than noticed by everyone.
    net::DescriptorNeed need = net::descriptors_of_rank(config.policies, config.nranks, config.nroots, config.rank);
    for (std::uint32_t index = 0; index < config.nroots; ++index) {
        need += net::descriptors_of_root(config.policies, config.nranks, config.nroots, index,
                                         protocol::RootConfig{}.pending_limit);
    }
    if (auto const enough = net::check_descriptors(need, net::open_descriptors()); !enough)
        return failed(Code::local_failure, config.rank, enough.error());
    std::vector<net::Fd> listeners = options.root->take_listeners();
    if (listeners.size() != id.roots().size()) {
        return failed(Code::bad_argument, config.rank, "the root's listeners were taken before: an id serves one job");
    }
    for (std::uint32_t index = 0; index < listeners.size(); ++index) {
        // A config lives as long as its driver, which keeps a copy.
        protocol::RootConfig root_config;
        root_config.policies = config.policies;
        root_config.expected_nranks = config.nranks;
        root_config.nroots = config.nroots;
        root_config.root_index = index;
        root_config.roots_digest = config.roots_digest;
        root_config.session = config.session;
        root_config.budget_ns = config.policies.deadlines == protocol::Deadlines::none ? kNever : config.budget_ns;
        net::RootOptions root_options;
        root_options.max_io_bytes = options.max_io_bytes;
        if (on_progress_)
            root_options.on_progress = [this](protocol::Root const&) { tell_progress(); };
        if (!options.record_directory.empty()) {
            auto recorder = net::Recorder::create(options.record_directory, root_config);
            if (!recorder)
                return failed(Code::local_failure, config.rank, recorder.error());
            root_options.recorder = std::move(*recorder);
        }
        roots.push_back(std::make_unique<net::RootDriver>(*loop, root_config, id.secret(), std::move(listeners[index]),
                                                          std::move(root_options)));
        roots.back()->start();
    }
    return {};
}

void Communicator::State::tell_progress() const {
    Progress progress;
    if (rank)
        progress.phase = rank->machine().phase();
    progress.hosts_root = !roots.empty();
    for (auto const& root : roots) {
        protocol::Root const& machine = root->machine();
        progress.checked_in += machine.checked_in();
        progress.expected += machine.expected();
        bool const incomplete = machine.expected() > machine.checked_in();
        if (incomplete && progress.missing.range_count == 0)
            progress.missing = machine.missing();
    }
    on_progress_(progress);
}

bool Communicator::State::roots_settled() const noexcept {
    return std::all_of(roots.begin(), roots.end(), [](auto const& root) { return root->settled(); });
}

Outcome Communicator::State::wait_until_ready() {
    loop->run_until([&] { return rank->was_ready() || rank->finished(); });
    bool const ready = rank->was_ready() && !rank->finished();
    if (ready)
        loop->run_until([&] { return roots_settled() || rank->finished(); });
    if (!ready || rank->finished())
        let_roots_finish();
    roots.clear();  // closes their listeners: whoever comes with this id again is refused at once
    bool const alive = !rank->finished();
    give_loop();
    if (!alive || rank->finished())
        return tl::unexpected(failure());
    return {};
}

/// This rank has failed. Its roots still owe the others the reason.
void Communicator::State::let_roots_finish() {
    TimeNs const until_ns = monotonic_ns() + kRootsPatienceNs;
    if (loop->run_until([&] { return roots_settled(); }, until_ns))
        return;
    for (auto const& root : roots)
        root->abort();
    loop->run_until([&] { return roots_settled(); }, monotonic_ns() + net::kAbortLingerNs);
}

// --- verbs ----------------------------------------------------------------------------------------------------------

/// An abort between verbs has the loop for a moment; its end is waited for. Another verb is the program's mistake.
bool Communicator::State::take_loop_for_verb() noexcept {
    while (!take_loop()) {
        if (!abort_pressed_)
            return false;
        driving_.wait(true);
    }
    return true;
}

Outcome Communicator::State::two_threads() const {
    return failed(Code::bad_argument, config.rank, "two threads are in one communicator: one verb at a time");
}

template <class Begin>
Outcome Communicator::State::run_operation(Begin&& begin) {
    if (!take_loop_for_verb())
        return two_threads();
    if (!rank->finished()) {
        begin();
        loop->run_until([&] { return rank->idle() || rank->finished(); });
    }
    // The end may have come in the same batch as the completion.
    bool const ended = rank->machine().finished();
    if (ended)
        run_to_the_end();
    give_loop();
    if (ended)
        return tl::unexpected(failure());
    return {};
}

Outcome Communicator::State::operate(protocol::Operation operation, std::span<std::byte> buffer) {
    operation.budget_ns = operation_budget_ns;
    return run_operation([&] { rank->operate(operation, buffer); });
}

Outcome Communicator::State::send(protocol::Operation operation, std::span<const std::byte> buffer) {
    operation.budget_ns = operation_budget_ns;
    return run_operation([&] { rank->operate(operation, buffer); });
}

Outcome Communicator::State::close() {
    if (!take_loop_for_verb())
        return two_threads();
    if (!rank->finished()) {
        rank->close();
        loop->run_until([&] { return rank->finished(); });
    }
    give_loop();
    if (rank->machine().error().is_ok())
        return {};
    return tl::unexpected(failure());
}

Failed Communicator::State::failure() const {
    Failed result;
    result.verdict = rank->verdict();
    if (result.verdict.error.is_ok()) {  // a verb after close()
        result.verdict.error.code = Code::bad_argument;
        result.verdict.error.about = config.rank;
        result.verdict.error.reporter = config.rank;
        result.verdict.error.phase = Phase::closed;
        result.text = "the communicator was closed";
    }
    return result;
}

// --- abort ----------------------------------------------------------------------------------------------------------

void Communicator::State::attach(AbortSwitch const& abort_switch) {
    AbortSwitch::State& state = *abort_switch.state_;
    std::lock_guard const lock(state.mutex);
    state.attached.push_back(this);
    switches_.push_back(abort_switch.state_);
    if (!state.pressed)
        return;
    abort_pressed_ = true;
    rank->abort();
}

void Communicator::State::abort() noexcept {
    abort_pressed_ = true;
    rank->abort();
    // Between verbs nobody runs the loop, so whoever presses does: the others are told now and not at the next verb.
    if (!take_loop())
        return;
    run_to_the_end();
    release_loop();
}

/// Gives the loop back. An abort that came in the meantime may have relied on this thread.
void Communicator::State::give_loop() {
    release_loop();
    if (!abort_pressed_ || !take_loop())
        return;
    run_to_the_end();
    release_loop();
}

void Communicator::State::release_loop() noexcept {
    driving_ = false;
    driving_.notify_all();
}

void Communicator::State::run_to_the_end() {
    loop->run_until([&] { return rank->finished(); });
}

}  // namespace ronde
