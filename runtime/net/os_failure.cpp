#include "net/os_failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace ronde::net {

using protocol::Failure;

namespace {

/// What means the same in every call. Failure::other: not one of these.
Failure common_failure(int os_error) noexcept {
    switch (os_error) {
    case 0: return Failure::none;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: return Failure::no_descriptors;
    case EACCES:
    case EPERM: return Failure::not_permitted;  // connect: a local firewall rule answers EPERM
    case EINVAL:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT: return Failure::bad_address;
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTUNREACH:  // also what ICMP "administratively prohibited" becomes
    case EHOSTDOWN: return Failure::unreachable;
    case ETIMEDOUT: return Failure::timed_out;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE: return Failure::reset;
    case ECONNREFUSED: return Failure::refused;
    default: return Failure::other;
    }
}

}  // namespace

Failure failure_of(OsCall call, int os_error) noexcept {
    switch (call) {
    case OsCall::bind:
        // ip(7): the address is not of this host; or it is IPv6 and not (or no longer) assigned.
        if (os_error == EADDRNOTAVAIL)
            return Failure::bad_address;
        if (os_error == EADDRINUSE)
            return Failure::address_in_use;
        break;
    case OsCall::connect:
        // connect(2): all ephemeral ports towards this destination are taken. Linux answers EADDRINUSE instead when the
        // socket was bound to a port whose pair with the destination exists already.
        if (os_error == EADDRNOTAVAIL || os_error == EADDRINUSE)
            return Failure::no_ports;
        // connect(2): "insufficient entries in the routing cache", a shortage of kernel memory that passes.
        if (os_error == EAGAIN)
            return Failure::no_descriptors;
        break;
    default: break;
    }
    return common_failure(os_error);
}

OsFailure os_failure(OsCall call, int os_error) noexcept { return {failure_of(call, os_error), os_error, call}; }

AcceptOutcome accept_outcome_of(int os_error) noexcept {
    switch (os_error) {
    case 0: return AcceptOutcome::accepted;
    // Linux uses one number for both names; POSIX allows two.
    case EAGAIN:
#if EAGAIN != EWOULDBLOCK
    case EWOULDBLOCK:
#endif
        return AcceptOutcome::again;
    // The listener is fine, a signal came.
    case EINTR:
    // The connection was reset while it waited in the queue.
    case ECONNABORTED:
    // accept(2), "Error handling": Linux passes errors that are pending on the new connection through accept; a
    // reliable server treats each of them as a connection that did not come.
    case ENETDOWN:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case ETIMEDOUT:
    case ENOSR:
    case ESOCKTNOSUPPORT:
    case EPROTONOSUPPORT:
    // A firewall rule forbade this connection.
    case EPERM: return AcceptOutcome::skip;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: return AcceptOutcome::no_descriptors;
    default: return AcceptOutcome::fatal;
    }
}

std::string describe_errno(int os_error) {
    if (os_error == 0)
        return "no error";
    char const* const text = strerrordesc_np(os_error);
    char const* const name = strerrorname_np(os_error);
    if (text == nullptr || name == nullptr)
        return fmt::format("error {}", os_error);
    return fmt::format("{} ({})", text, name);
}

std::string describe(OsFailure const& failure) {
    return fmt::format("{}: {}", name_of(failure.call), describe_errno(failure.os_error));
}

std::string_view name_of(OsCall call) noexcept {
    switch (call) {
    case OsCall::socket: return "socket";
    case OsCall::bind: return "bind";
    case OsCall::connect: return "connect";
    case OsCall::accept: return "accept";
    case OsCall::transfer: return "transfer";
    case OsCall::system: return "system";
    }
    return "?";
}

}  // namespace ronde::net
