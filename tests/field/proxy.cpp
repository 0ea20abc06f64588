#include "proxy.hpp"

#include "net/loop.hpp"
#include "net/socket.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace ronde::net::test {
namespace {

constexpr TimeNs kLateNs = 300 * protocol::kMillisecondNs;

/// Carries what is there from one to the other. False when one of them is gone.
bool carry(Fd const& from, Fd const& to) {
    std::array<std::byte, 4096> bytes{};
    ssize_t const count = ::recv(from.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0)
        return true;
    // The job is small: what it says fits into the socket at once.
    return count > 0 && ::send(to.get(), bytes.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
}

}  // namespace

Proxy::Proxy(Manner manner, Endpoint const& target) : manner_(manner), target_(target) {
    ListenRequest request;
    request.at = loopback(Family::ipv4);
    auto listening = listen_on(request);
    if (!listening)
        throw std::runtime_error(describe(listening.error()));
    endpoint_ = listening->endpoint;
    listener_ = std::move(listening->fd);
    stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
    thread_ = std::thread([this] { work(); });
}

Proxy::~Proxy() {
    std::uint64_t const one = 1;
    [[maybe_unused]] ssize_t const told = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
}

std::string_view Proxy::name_of(Manner manner) noexcept {
    switch (manner) {
    case Manner::closes: return "closes";
    case Manner::holds: return "holds";
    case Manner::forwards_late: return "forwards_late";
    case Manner::forwards_as_another: return "forwards_as_another";
    }
    return "?";
}

void Proxy::work() {
    constexpr int kPatienceMs = 20;  // how late it may be with a call that is due
    for (;;) {
        std::vector<pollfd> polled{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
        for (Pair const& pair : pairs_) {
            if (!pair.target)
                continue;
            polled.push_back({pair.caller.get(), POLLIN, 0});
            polled.push_back({pair.target.get(), POLLIN, 0});
        }
        ::poll(polled.data(), polled.size(), kPatienceMs);
        if (polled[0].revents != 0)
            return;
        if (polled[1].revents != 0)
            take_call();
        for (Pair& pair : pairs_) {
            if (pair.target)
                pair.ended = !carry(pair.caller, pair.target) || !carry(pair.target, pair.caller);
            else if (manner_ != Manner::holds && monotonic_ns() >= pair.call_ns)
                call_target(pair);
        }
        std::erase_if(pairs_, [](Pair const& pair) { return pair.ended; });
    }
}

void Proxy::take_call() {
    Accepted accepted = accept_one(listener_.get());
    if (accepted.outcome != AcceptOutcome::accepted || manner_ == Manner::closes)
        return;
    Pair pair;
    pair.caller = std::move(accepted.fd);
    pair.call_ns = monotonic_ns() + (manner_ == Manner::forwards_late ? kLateNs : 0);
    pairs_.push_back(std::move(pair));
}

void Proxy::call_target(Pair& pair) const {
    Endpoint const another = *parse_address("127.0.0.9");
    auto connecting = start_connect(target_, manner_ == Manner::forwards_as_another ? &another : nullptr);
    if (connecting)
        pair.target = std::move(connecting->fd);
    else
        pair.ended = true;
}

}  // namespace ronde::net::test
