#include "program/net_start.hpp"

#include "net/host_identity.hpp"
#include "net/interfaces.hpp"
#include "net/limits.hpp"
#include "net/recorder.hpp"
#include "program/place.hpp"
#include "protocol/policy.hpp"

#include <sodium.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ronde {

using protocol::Code;
using protocol::kNever;

namespace {

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

tl::unexpected<Failed> not_started(Code code, RankId rank, std::string text) {
    Failed result;
    result.verdict.error.code = code;
    result.verdict.error.about = rank;
    result.verdict.error.reporter = rank;
    result.text = std::move(text);
    return tl::unexpected(std::move(result));
}

// --- a rank ---------------------------------------------------------------------------------------------------------

tl::expected<protocol::RankConfig, Failed> rank_config_for(UniqueId const& id, RankId rank, std::uint32_t nranks,
                                                           CommunicatorOptions const& options) {
    auto const nroots = static_cast<std::uint32_t>(id.roots().size());
    if (nranks == 0 || nranks > protocol::kMaxRanks || rank >= nranks) {
        return not_started(Code::bad_argument, rank,
                           "rank " + std::to_string(rank) + " of " + std::to_string(nranks) +
                               ": ranks are 0 .. nranks-1, nranks is 1 .. " + std::to_string(protocol::kMaxRanks));
    }
    if (nroots > nranks) {
        return not_started(Code::bad_argument, rank,
                           "the id names " + std::to_string(nroots) + " roots for " + std::to_string(nranks) +
                               " ranks: there can be one per rank at most");
    }
    if (sodium_init() < 0)
        return not_started(Code::local_failure, rank, "libsodium does not start: no source of random numbers");
    auto const policies = policies_for(options, nranks, nroots);
    if (!policies)
        return not_started(Code::bad_argument, rank, policies.error());

    protocol::RankConfig config;
    config.policies = *policies;
    config.nranks = nranks;
    config.nroots = nroots;
    config.rank = rank;
    config.roots_digest = id.roots_digest();
    config.session = id.session();
    config.seed = random_number();
    config.budget_ns = budget_ns(options.deadline);
    config.root_promised = id.promised();
    config.root_backlog = id.root_backlog();
    return config;
}

static tl::expected<net::ListenRequest, Failed> where_to_listen(UniqueId const& id, protocol::RankConfig const& config,
                                                                CommunicatorOptions const& options) {
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
        return not_started(Code::bad_argument, config.rank, wish.error());
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
        return not_started(Code::local_failure, config.rank, choice.error());
    request.at = choice->chosen.address;
    return request;
}

tl::expected<net::RankOptions, Failed> rank_options_for(UniqueId const& id, protocol::RankConfig const& config,
                                                        CommunicatorOptions const& options) {
    auto listen = where_to_listen(id, config, options);
    if (!listen)
        return tl::unexpected(listen.error());
    net::RankOptions result;
    result.max_io_bytes = options.max_io_bytes;
    result.listen = *listen;
    result.roots.assign(id.roots().begin(), id.roots().end());
    result.mailbox_bytes = options.mailbox_bytes;
    if (!options.record_directory.empty()) {
        auto recorder = net::Recorder::create(options.record_directory, config);
        if (!recorder)
            return not_started(Code::local_failure, config.rank, recorder.error());
        result.recorder = std::move(*recorder);
    }
    return result;
}

Entry own_entry(CommunicatorOptions const& options) {
    Entry mine;
    mine.host_id = net::host_id_of(net::this_host());
    mine.device_id = options.device_id;
    mine.incarnation = random_number();
    mine.process_id = static_cast<std::uint32_t>(::getpid());
    return mine;
}

// --- roots ----------------------------------------------------------------------------------------------------------

Outcome start_roots(net::Loop& loop, UniqueId const& id, protocol::RankConfig const& config,
                    CommunicatorOptions const& options, std::function<void(protocol::Root const&)> const& on_progress,
                    Roots& roots) {
    if (options.root == nullptr)
        return {};
    if (options.root->id() != id)
        return not_started(Code::bad_argument, config.rank, "the root given is that of another id");
    // One connection for each rank may be more than this process may have; better said now than noticed by everyone.
    net::DescriptorNeed need = net::descriptors_of_rank(config.policies, config.nranks, config.nroots, config.rank);
    for (std::uint32_t index = 0; index < config.nroots; ++index) {
        need += net::descriptors_of_root(config.policies, config.nranks, config.nroots, index,
                                         protocol::RootConfig{}.pending_limit);
    }
    if (auto const enough = net::check_descriptors(need, net::open_descriptors()); !enough)
        return not_started(Code::local_failure, config.rank, enough.error());
    std::vector<net::Fd> listeners = options.root->take_listeners();
    if (listeners.size() != id.roots().size()) {
        return not_started(Code::bad_argument, config.rank,
                           "the root's listeners were taken before: an id serves one job");
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
        root_options.on_progress = on_progress;
        if (!options.record_directory.empty()) {
            auto recorder = net::Recorder::create(options.record_directory, root_config);
            if (!recorder)
                return not_started(Code::local_failure, config.rank, recorder.error());
            root_options.recorder = std::move(*recorder);
        }
        roots.push_back(std::make_unique<net::RootDriver>(loop, root_config, id.secret(), std::move(listeners[index]),
                                                          std::move(root_options)));
        roots.back()->start();
    }
    return {};
}

bool all_settled(Roots const& roots) noexcept {
    return std::all_of(roots.begin(), roots.end(), [](auto const& root) { return root->settled(); });
}

}  // namespace ronde
