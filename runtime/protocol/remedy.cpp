/// What to do about an error, in one line [clause 6.1].
#include "protocol/error.hpp"

namespace ronde::protocol {
namespace {

/// For connections that could not be made, whoever they were meant for.
std::string_view remedy_for_obstacle(Failure failure) noexcept {
    switch (failure) {
    case Failure::refused:
        return "look for the log of that process: it ended, or another process now runs where it was";
    case Failure::timed_out:
        return "a firewall drops packets or the host is down: allow the ranks' ports between all hosts, "
               "or name another interface";
    case Failure::unreachable: return "the chosen interface does not lead there: name one that all hosts share";
    case Failure::reset:
    case Failure::end_of_stream:
        return "something between the hosts ends connections: look for a proxy, sidecar or connection "
               "limit, then for a crash of that process";
    case Failure::no_descriptors: return "raise the limit of open files (ulimit -n), or run fewer ranks per process";
    case Failure::no_ports: return "widen net.ipv4.ip_local_port_range, or run fewer jobs per host";
    case Failure::address_in_use: return "stop the process that holds the port, or choose another port or port range";
    case Failure::not_permitted:
        return "the system forbids it: look at local firewall rules, at the sandbox, and at ports below 1024";
    case Failure::bad_address:
        return "look at the root's address and the interface: family, scope and port must exist on this host";
    case Failure::self_connection:
        return "nothing listens there but the caller itself: start the root on a fixed port outside "
               "net.ipv4.ip_local_port_range";
    case Failure::malformed:
        return "another service answers at that address, or another version of this one: look at the port "
               "and the versions";
    case Failure::none:
    case Failure::other: break;
    }
    return "look up the errno on that host, and at the host's own log around this time";
}

std::string_view remedy_for_mismatch(Field field) noexcept {
    switch (field) {
    case Field::none: return "start all ranks with the same settings";
    case Field::nranks: return "start all ranks with the same world size";
    case Field::roots: return "give all ranks the same id, made once for this job";
    case Field::profile: return "start all ranks with the same profile and policy options";
    case Field::version: return "install the same version on all hosts";
    case Field::root_index: return "give all ranks the same list of roots in the same order";
    case Field::rank: return "give each rank its own number from 0 to nranks-1";
    case Field::operation: return "make all ranks call the same operations in the same order";
    }
    return "start all ranks with the same settings";
}

}  // namespace

std::string_view remedy_for(Error const& error) noexcept {
    switch (error.code) {
    case Code::ok: return "nothing to do";
    case Code::deadline:
        return error.about == kNoRank
                   ? "look at the root's process and at the slowest ranks; if they are only slow, give a "
                     "longer deadline"
                   : "see what the named rank was doing then; if it was only slow, give a longer deadline";
    case Code::ranks_missing:
        return "look at the launcher's log for these ranks: not started, still starting (give a longer "
               "deadline), or unable to reach the root";
    case Code::rank_lost:
        if (error.failure == Failure::timed_out) {
            return "look whether its host is up and reachable, and whether its process still runs or was stopped";
        }
        return "look for the log and the exit status of that rank: crash, out of memory, or killed";
    case Code::root_lost:
        if (error.failure == Failure::refused) {
            return "start the root before the ranks and keep its process alive; an id of a former run "
                   "does not work";
        }
        if (error.failure == Failure::end_of_stream || error.failure == Failure::reset) {
            return "look for the log and the exit status of the process that holds the root";
        }
        return remedy_for_obstacle(error.failure);
    case Code::root_silent:
        return "the root's process hangs or is overloaded, or a proxy accepts in its place: look at that "
               "process, and switch sidecars off for this port";
    case Code::duplicate_rank:
        return "give each process its own rank, and make sure that the former process of a restarted rank "
               "is gone";
    case Code::mismatch: return remedy_for_mismatch(error.field);
    case Code::duplicate_device:
        return "give each rank of a host its own device (by local rank), or switch the device check off";
    case Code::id_consumed: return "make a new id for every job and every restart";
    case Code::peer_unreachable: return remedy_for_obstacle(error.failure);
    case Code::protocol_violation:
        return "install the same build on all hosts; if they are the same, this is a bug worth a report";
    case Code::aborted: return "look at the log of the rank that called abort: its reason is there";
    case Code::local_failure: return remedy_for_obstacle(error.failure);
    case Code::peer_closed: return "close communicators only after the last operation of all ranks";
    case Code::bad_argument: return "correct the arguments of this call";
    }
    return "install the same version on all hosts";
}

}  // namespace ronde::protocol
