#include "net/acceptor.hpp"

#include "net/driver.hpp"
#include "net/socket.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace ronde::net {
namespace {

/// Without descriptors the next tries follow after 10, 20, 40, 80, 160 and then always 200 ms. From the seventh failure
/// in a row on, after half a second, the machine hears of it.
constexpr TimeNs kFirstPauseNs = 10 * protocol::kMillisecondNs;
constexpr TimeNs kLongestPauseNs = 200 * protocol::kMillisecondNs;
/// Connections taken from one listener before others have their turn.
constexpr std::uint32_t kTurnAccepts = 64;

bool somebody_waits(int listener) noexcept {
    pollfd probe{listener, POLLIN, 0};
    return ::poll(&probe, 1, 0) > 0 && (probe.revents & POLLIN) != 0;
}

}  // namespace

void Acceptor::on_ready(std::uint32_t ready) { owner.on_acceptor(*this, ready); }

void Acceptor::back_off(TimeNs now) noexcept {
    pause_ns = pause_ns == 0 ? kFirstPauseNs : std::min(2 * pause_ns, kLongestPauseNs);
    retry_ns = now + pause_ns;
}

/// An edge at the listener is handled after the batch it came in: who is inside and has spoken comes before who knocks.
void Driver::on_acceptor(Acceptor& acceptor, std::uint32_t ready) {
    now_ = monotonic_ns();
    acceptor.readable = true;
    if (ready != 0) {
        acceptor.queue_told = false;
        return yield(acceptor);
    }
    acceptor.yielded = false;
    settle();
}

void Driver::yield(Acceptor& acceptor) {
    if (acceptor.yielded)
        return;
    acceptor.yielded = true;
    loop().call_again(acceptor.watch);
}

/// Whether there is something to do about a listener now; settle() asks until there is not.
bool Driver::may_accept(Acceptor const& acceptor) const noexcept {
    if (!acceptor.fd || !acceptor.readable || acceptor.retry_ns != kNever || acceptor.yielded)
        return false;
    return !acceptor.queue_told || (acceptor.pending < acceptor.credits && free_slot() != kNoSlot);
}

void Driver::accept_some(Acceptor& acceptor) {
    for (std::uint32_t taken = 0; taken < kTurnAccepts; ++taken) {
        if (!acceptor.fd || !acceptor.readable)
            return;
        if (acceptor.pending >= acceptor.credits || free_slot() == kNoSlot)
            return tell_queue(acceptor);
        if (!accept_next(acceptor))
            return;
    }
    yield(acceptor);
}

/// Takes one connection. False when there is none, or none can be taken now.
bool Driver::accept_next(Acceptor& acceptor) {
    Accepted accepted = accept_one(acceptor.fd.get());
    switch (accepted.outcome) {
    case AcceptOutcome::accepted: break;
    case AcceptOutcome::again: acceptor.readable = false; return false;
    case AcceptOutcome::skip: return true;
    case AcceptOutcome::no_descriptors:
        ++statistics_.accept_pauses;
        if (acceptor.pause_ns == kLongestPauseNs)
            later(Event::accept_failed(now_, acceptor.name, accepted.failure.failure, accepted.failure.os_error));
        acceptor.back_off(now_);
        return false;
    case AcceptOutcome::fatal:
        acceptor.readable = false;
        later(Event::listen_failed(now_, acceptor.name, accepted.failure.failure, accepted.failure.os_error));
        return false;
    }
    acceptor.pause_ns = 0;
    acceptor.queue_told = false;
    std::uint32_t const slot = free_slot();
    auto connection = std::make_unique<Connection>(*this, std::move(accepted.fd), protocol::pending(slot), true);
    connection->listener = acceptor.name;
    if (stand(std::move(connection), EPOLLIN | EPOLLRDHUP) == nullptr)
        return true;  // out of memory: it is dropped
    ++statistics_.accepts;
    ++acceptor.pending;
    pending_slots_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    feed(Event::accepted(now_, acceptor.name, protocol::pending(slot)));
    return true;
}

/// The credit is used up. The machine hears it once, if somebody does wait.
void Driver::tell_queue(Acceptor& acceptor) {
    if (acceptor.queue_told)
        return;
    acceptor.queue_told = true;
    if (acceptor.credits == 0 && acceptor.pending == 0)
        return;  // it does not want to know yet
    if (somebody_waits(acceptor.fd.get()))
        feed(Event::queued(now_, acceptor.name));
}

/// The lowest slot that is free, within the largest credit of any listener.
std::uint32_t Driver::free_slot() const noexcept {
    std::uint32_t most = 0;
    for (auto const& acceptor : acceptors_) {
        if (acceptor)
            most = std::max(most, acceptor->credits);
    }
    for (std::uint32_t word = 0; word < std::size(pending_slots_); ++word) {
        if (pending_slots_[word] == ~std::uint64_t{0})
            continue;
        std::uint32_t const slot = word * 64 + static_cast<std::uint32_t>(std::countr_one(pending_slots_[word]));
        return slot < most ? slot : kNoSlot;
    }
    return kNoSlot;
}

void Driver::free_door(Connection const& connection) noexcept {
    std::uint32_t const slot = connection.link.index();
    pending_slots_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    Acceptor* const acceptor = acceptors_[static_cast<std::size_t>(connection.listener)].get();
    --acceptor->pending;
}

}  // namespace ronde::net
