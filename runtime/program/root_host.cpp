#include "net/interfaces.hpp"
#include "net/limits.hpp"
#include "net/socket.hpp"
#include "program/id_layout.hpp"
#include "protocol/told_backlog.hpp"

#include <ronde/unique_id.hpp>

#include <fmt/format.h>
#include <sodium.h>

namespace ronde {

using protocol::Endpoint;
using protocol::Failure;

struct RootHost::State {
    UniqueId id;
    std::vector<net::Fd> listeners;
    std::string warning;
};

namespace {

std::string why_no_listener(net::ListenRequest const& request, net::OsFailure const& failure) {
    std::string const address = net::address_text(request.at);
    if (failure.failure == Failure::address_in_use) {
        if (!request.ports.any()) {
            return fmt::format("every port of {}-{} at {} is in use: widen the range", request.ports.first,
                               request.ports.last, address);
        }
        return fmt::format("{} is in use by another program or another bootstrap: choose another port, or let the "
                           "system choose (create an id)",
                           net::to_text(request.at));
    }
    if (failure.failure == Failure::bad_address) {
        return fmt::format(
            "{} is no address of this host ({}): the process that runs the root must be on the host that the id names",
            address, net::describe(failure));
    }
    return fmt::format("cannot listen at {}: {}", net::to_text(request.at), net::describe(failure));
}

tl::expected<net::InterfaceChoice, std::string> choose_address(IdOptions const& options) {
    auto request = net::interface_request_from(net::environment_variable);
    if (!request)
        return tl::unexpected(std::move(request.error()));
    if (!options.interface.empty()) {
        request->names = options.interface;
        request->names_source = "interface";
    }
    if (!options.family.empty()) {
        request->family = options.family;
        request->family_source = "family";
    }
    if (!options.loopback)
        return net::choose_interface_here(std::move(*request));

    net::InterfaceChoice choice;
    bool const six = request->family == "AF_INET6";
    choice.chosen.name = "lo";
    choice.chosen.address = net::loopback(six ? protocol::Family::ipv6 : protocol::Family::ipv4);
    return choice;
}

std::string fault_of(IdOptions const& options) {
    if (options.roots < 1 || options.roots > UniqueId::kMaxRoots) {
        return fmt::format("roots is {}, expected 1 to {}", options.roots, UniqueId::kMaxRoots);
    }
    if (options.first_port != 0 && options.last_port < options.first_port) {
        return fmt::format("port range {}-{} is empty", options.first_port, options.last_port);
    }
    if (options.first_port == 0 && options.last_port != 0)
        return "the port range has no beginning";
    if (options.loopback && !options.interface.empty()) {
        return fmt::format("loopback and interface '{}' exclude each other", options.interface);
    }
    return {};
}

}  // namespace

tl::expected<RootHost, std::string> UniqueId::create(IdOptions const& options) {
    if (std::string fault = fault_of(options); !fault.empty())
        return tl::unexpected(std::move(fault));
    if (sodium_init() < 0)
        return tl::unexpected(std::string("libsodium cannot be initialised"));
    auto const choice = choose_address(options);
    if (!choice)
        return tl::unexpected(choice.error());

    UniqueId id;
    randombytes_buf(&id.session_, sizeof id.session_);
    randombytes_buf(id.secret_.data(), id.secret_.size());
    id.promised_ = true;
    id.backlog_code_ = protocol::code_of_backlog(net::somaxconn());

    auto state = std::make_unique<RootHost::State>(RootHost::State{id, {}, choice->warning});
    for (std::uint32_t i = 0; i < options.roots; ++i) {
        net::ListenRequest request;
        request.at = choice->chosen.address;
        request.ports = {options.first_port, options.last_port};
        request.seed = id.session_ + i;
        request.wildcard = options.wildcard;
        auto listener = net::listen_on(request);
        if (!listener)
            return tl::unexpected(why_no_listener(request, listener.error()));
        state->id.roots_[state->id.root_count_++] = listener->endpoint;
        state->listeners.push_back(std::move(listener->fd));
    }
    return RootHost(std::move(state));
}

tl::expected<RootHost, std::string> RootHost::listen_at(UniqueId const& id) {
    auto state = std::make_unique<State>(State{id, {}, {}});
    for (Endpoint const& root : id.roots()) {
        net::ListenRequest request;
        request.at = root;
        auto listener = net::listen_on(request);
        if (!listener)
            return tl::unexpected(why_no_listener(request, listener.error()));
        state->listeners.push_back(std::move(listener->fd));
    }
    return RootHost(std::move(state));
}

RootHost::RootHost(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RootHost::RootHost(RootHost&&) noexcept = default;
RootHost& RootHost::operator=(RootHost&&) noexcept = default;
RootHost::~RootHost() = default;

UniqueId const& RootHost::id() const noexcept { return state_->id; }
std::string const& RootHost::warning() const noexcept { return state_->warning; }

std::vector<int> RootHost::descriptors() const {
    std::vector<int> result;
    for (net::Fd const& listener : state_->listeners)
        result.push_back(listener.get());
    return result;
}

std::vector<net::Fd> RootHost::take_listeners() { return std::exchange(state_->listeners, {}); }

}  // namespace ronde
