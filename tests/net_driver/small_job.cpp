#include "small_job.hpp"

#include "net/socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace ronde::net::test {

using protocol::RankId;

SmallJob::SmallJob(JobPlan plan_) : plan(std::move(plan_)) {
    for (std::size_t i = 0; i < secret.size(); ++i)
        secret[i] = static_cast<std::byte>(i * 7 + 1);
    for (std::uint32_t index = 0; index < plan.nroots; ++index) {
        ListenRequest request;
        request.at = loopback(plan.family);
        auto listening = listen_on(request);
        if (!listening)
            throw std::runtime_error(describe(listening.error()));
        root_endpoints.push_back(listening->endpoint);
        protocol::RootConfig const config = root_config(index);
        RootOptions options;
        options.max_io_bytes = plan.max_io_bytes;
        if (!plan.record_directory.empty()) {
            auto recorder = Recorder::create(plan.record_directory, config);
            if (!recorder)
                throw std::runtime_error(recorder.error());
            options.recorder = std::move(*recorder);
        }
        roots.push_back(
            std::make_unique<RootDriver>(loop, config, secret, std::move(listening->fd), std::move(options)));
    }
    ranks.resize(plan.nranks);
}

protocol::RootConfig SmallJob::root_config(std::uint32_t index) const {
    protocol::RootConfig config;
    config.policies = plan.policies;
    if (plan.root_knows_size) {
        config.policies = protocol::resolve(plan.policies, plan.nranks, plan.nroots);
        config.expected_nranks = plan.nranks;
    }
    config.nroots = plan.nroots;
    config.root_index = index;
    config.roots_digest = 42;
    config.session = 0x5e55'1011;
    config.pending_limit = plan.pending_limit;
    return config;
}

protocol::RankConfig SmallJob::rank_config(RankId rank) const {
    protocol::RankConfig config;
    config.nranks = rank < plan.told.size() ? plan.told[rank] : plan.nranks;
    config.policies = protocol::resolve(plan.policies, config.nranks, plan.nroots);
    config.nroots = plan.nroots;
    config.rank = rank;
    config.roots_digest = 42;
    config.session = 0x5e55'1011;
    config.seed = 1000 + rank;
    config.budget_ns = plan.budget_ns;
    return config;
}

protocol::Entry SmallJob::entry_of(RankId rank) const {
    protocol::Entry entry;
    entry.host_id = 7;
    entry.device_id = rank < plan.devices.size() ? plan.devices[rank] : rank;
    entry.incarnation = 100 + rank;
    entry.process_id = 4000 + rank;
    return entry;
}

std::unique_ptr<RankDriver> SmallJob::make_rank(RankId rank) {
    protocol::RankConfig const config = rank_config(rank);
    RankOptions options;
    options.max_io_bytes = plan.max_io_bytes;
    options.listen.at = loopback(plan.family);
    options.roots = root_endpoints;
    options.mailbox_bytes = plan.mailbox_bytes;
    if (plan.on_phase)
        options.on_phase = [this, rank](protocol::Phase phase) { plan.on_phase(rank, phase); };
    if (!plan.record_directory.empty()) {
        auto recorder = Recorder::create(plan.record_directory, config);
        if (!recorder)
            throw std::runtime_error(recorder.error());
        options.recorder = std::move(*recorder);
    }
    return std::make_unique<RankDriver>(loop, config, secret, entry_of(rank), std::move(options));
}

void SmallJob::start_rank(RankId rank) {
    ranks[rank] = make_rank(rank);
    ranks[rank]->start();
}

void SmallJob::start() {
    for (auto const& root : roots)
        root->start();
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        bool const absent = std::find(plan.absent.begin(), plan.absent.end(), rank) != plan.absent.end();
        if (!absent)
            start_rank(rank);
    }
}

void SmallJob::boot() {
    start();
    run_until([&] {
        return std::all_of(ranks.begin(), ranks.end(),
                           [](auto const& rank) { return !rank || rank->was_ready() || rank->finished(); });
    });
}

bool SmallJob::run_until(std::function<bool()> const& done, TimeNs patience_ns) {
    return loop.run_until(done, monotonic_ns() + patience_ns);
}

bool SmallJob::all_ready() const {
    return std::all_of(ranks.begin(), ranks.end(),
                       [](auto const& rank) { return !rank || (rank->was_ready() && !rank->machine().finished()); });
}

bool SmallJob::all_finished() const {
    return std::all_of(ranks.begin(), ranks.end(), [](auto const& rank) { return !rank || rank->finished(); });
}

bool SmallJob::roots_settled() const {
    return std::all_of(roots.begin(), roots.end(), [](auto const& root) { return root->settled(); });
}

bool SmallJob::tables_are_right() const {
    for (auto const& rank : ranks) {
        if (!rank)
            continue;
        auto const table = rank->table();
        if (table.size() != plan.nranks)
            return false;
        for (RankId other = 0; other < plan.nranks; ++other) {
            protocol::Entry expected = entry_of(other);
            expected.rank = other;
            expected.endpoint = table[other].endpoint;
            expected.callback_port = table[other].callback_port;
            if (table[other] != expected || table[other].endpoint.port == 0)
                return false;
            if (ranks[other] && ranks[other]->table()[other] != table[other])
                return false;
        }
    }
    return true;
}

std::string SmallJob::complaints() const {
    std::string text;
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        if (!ranks[rank])
            continue;
        auto const& machine = ranks[rank]->machine();
        text += fmt::format("rank {}: {}", rank, protocol::name_of(machine.phase()));
        if (!machine.error().is_ok())
            text += ": " + protocol::describe(ranks[rank]->verdict());
        text += "\n";
    }
    for (auto const& root : roots) {
        text += fmt::format("root: phase {}, {} of {} checked in, {} done", static_cast<int>(root->machine().phase()),
                            root->machine().checked_in(), root->machine().expected(), root->machine().done());
        if (!root->machine().verdict().error.is_ok())
            text += ": " + protocol::describe(root->machine().verdict());
        text += "\n";
    }
    return text;
}

void SmallJob::close() {
    for (auto const& rank : ranks) {
        if (rank)
            rank->close();
    }
    run_until([&] { return all_finished(); });
}

void SmallJob::operate_all(std::function<protocol::Operation(RankId)> const& operation,
                           std::vector<std::vector<std::byte>>& buffers) {
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        ranks[rank]->operate(operation(rank), std::span<std::byte>(buffers[rank]));
    }
    run_until([&] {
        return std::all_of(ranks.begin(), ranks.end(),
                           [](auto const& rank) { return rank->idle() || rank->finished(); });
    });
}

std::size_t open_descriptor_count() {
    std::size_t count = 0;
    for ([[maybe_unused]] auto const& item : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

ScratchFolder::ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ronde-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("cannot make a folder for a test");
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace ronde::net::test
