#include "mutants/loopback_job.hpp"

#include <algorithm>
#include <stdexcept>

namespace ronde::mutants {
namespace {

using protocol::RankId;
using protocol::TimeNs;

constexpr std::uint64_t kSession = 0x5e55'1011;
constexpr std::uint64_t kFirstLife = 100;
constexpr std::uint64_t kTwinsLife = 900;
/// How long after its deadline a rank is given to end.
constexpr TimeNs kGraceNs = protocol::kSecondNs;

template <class Config>
std::unique_ptr<net::Recorder> recorder_for(std::string const& directory, Config const& config) {
    if (directory.empty())
        return nullptr;
    auto recorder = net::Recorder::create(directory, config);
    if (!recorder)
        throw std::runtime_error(recorder.error());
    return std::move(*recorder);
}

}  // namespace

LoopbackJob::LoopbackJob(LoopbackPlan plan) : plan_(std::move(plan)) {
    for (std::size_t i = 0; i < secret_.size(); ++i)
        secret_[i] = static_cast<std::byte>(i * 5 + 3);
    for (std::uint32_t index = 0; index < plan_.nroots; ++index) {
        net::ListenRequest request;
        request.at = net::loopback(net::Family::ipv4);
        auto listening = net::listen_on(request);
        if (!listening)
            throw std::runtime_error(net::describe(listening.error()));
        root_endpoints_.push_back(listening->endpoint);
        protocol::RootConfig config;
        config.policies = protocol::resolve(plan_.policies, plan_.nranks, plan_.nroots);
        config.expected_nranks = plan_.nranks;
        config.nroots = plan_.nroots;
        config.root_index = index;
        config.session = kSession;
        net::RootOptions options;
        options.recorder = recorder_for(plan_.record_directory, config);
        roots_.push_back(
            std::make_unique<net::RootDriver>(loop_, config, secret_, std::move(listening->fd), std::move(options)));
    }
    ranks_.resize(plan_.nranks);
}

protocol::Entry LoopbackJob::entry_of(RankId rank, std::uint64_t incarnation) const {
    protocol::Entry entry;
    entry.rank = rank;
    entry.host_id = 1;
    entry.device_id = plan_.one_device && rank + 1 == plan_.nranks ? rank - 1U : rank;
    entry.incarnation = incarnation + rank;
    return entry;
}

std::unique_ptr<net::RankDriver> LoopbackJob::make_rank(RankId rank, std::uint64_t incarnation) {
    protocol::RankConfig config;
    config.nranks = plan_.nranks;
    config.policies = protocol::resolve(plan_.policies, plan_.nranks, plan_.nroots);
    config.nroots = plan_.nroots;
    config.rank = rank;
    config.session = kSession;
    config.seed = incarnation + rank;
    config.budget_ns = plan_.budget_ns;
    net::RankOptions options;
    options.listen.at = net::loopback(net::Family::ipv4);
    options.roots = root_endpoints_;
    if (incarnation == kFirstLife) {
        options.recorder = recorder_for(plan_.record_directory, config);
        options.on_phase = [this, rank](protocol::Phase phase) {
            death_is_due_ = death_is_due_ || (plan_.dies == rank && plan_.dies_in == phase);
        };
    }
    return std::make_unique<net::RankDriver>(loop_, config, secret_, entry_of(rank, incarnation), std::move(options));
}

bool LoopbackJob::over() const {
    return std::all_of(ranks_.begin(), ranks_.end(),
                       [](auto const& rank) { return !rank || rank->was_ready() || rank->finished(); });
}

void LoopbackJob::run() {
    TimeNs const until_ns = net::monotonic_ns() + plan_.budget_ns + kGraceNs;
    for (auto const& root : roots_)
        root->start();
    if (plan_.silent_stranger) {
        auto call = net::start_connect(root_endpoints_.front());
        if (!call)
            throw std::runtime_error(net::describe(call.error()));
        stranger_ = std::move(call->fd);
    }
    for (RankId rank = 0; rank < plan_.nranks; ++rank) {
        if (plan_.absent == rank)
            continue;
        ranks_[rank] = make_rank(rank, kFirstLife);
        ranks_[rank]->start();
    }
    if (plan_.twin_of) {
        twin_ = make_rank(*plan_.twin_of, kTwinsLife);
        twin_->start();
    }
    loop_.run_until([this] { return death_is_due_ || over(); }, until_ns);
    if (death_is_due_ && plan_.dies)
        ranks_[*plan_.dies].reset();
    loop_.run_until([this] { return over(); }, until_ns);
}

std::vector<LoopbackJob::RankEnd> LoopbackJob::ends() const {
    std::vector<RankEnd> ends;
    for (RankId rank = 0; rank < plan_.nranks; ++rank) {
        if (!ranks_[rank])
            continue;
        net::RankDriver const& driver = *ranks_[rank];
        RankEnd end{rank, End::hanging, driver.verdict()};
        if (driver.was_ready())
            end.end = End::ready;
        else if (driver.finished())
            end.end = End::failed;
        ends.push_back(end);
    }
    return ends;
}

bool LoopbackJob::tables_are_right() const {
    for (auto const& driver : ranks_) {
        if (!driver || !driver->was_ready())
            continue;
        auto const table = driver->table();
        if (table.size() != plan_.nranks)
            return false;
        for (RankId rank = 0; rank < plan_.nranks; ++rank) {
            protocol::Entry registered = entry_of(rank, kFirstLife);
            registered.endpoint = table[rank].endpoint;
            registered.callback_port = table[rank].callback_port;
            bool const one_answer = !ranks_[rank] || !ranks_[rank]->was_ready() ||
                                    (rank < ranks_[rank]->table().size() && ranks_[rank]->table()[rank] == table[rank]);
            if (table[rank] != registered || table[rank].endpoint.port == 0 || !one_answer)
                return false;
        }
    }
    return true;
}

}  // namespace ronde::mutants
