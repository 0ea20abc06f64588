#include "protocol/units.hpp"

namespace ronde::protocol {

// A name is the enumerator as it stands in the code. Values from outside the enumeration are called
// "unknown".

std::string_view name_of(Phase phase) noexcept {
    switch (phase) {
    case Phase::created: return "created";
    case Phase::listening: return "listening";
    case Phase::delayed: return "delayed";
    case Phase::checking_in: return "checking_in";
    case Phase::awaiting_successor: return "awaiting_successor";
    case Phase::connecting_ring: return "connecting_ring";
    case Phase::gathering: return "gathering";
    case Phase::committing: return "committing";
    case Phase::ready: return "ready";
    case Phase::failed: return "failed";
    case Phase::closed: return "closed";
    }
    return "unknown";
}

std::string_view name_of(LinkClass link_class) noexcept {
    switch (link_class) {
    case LinkClass::root: return "root";
    case LinkClass::previous_root: return "previous_root";
    case LinkClass::callback: return "callback";
    case LinkClass::chord_out: return "chord_out";
    case LinkClass::chord_in: return "chord_in";
    case LinkClass::mail_out: return "mail_out";
    case LinkClass::mail_in: return "mail_in";
    case LinkClass::pending: return "pending";
    case LinkClass::member: return "member";
    case LinkClass::none: return "none";
    }
    return "unknown";
}

std::string_view name_of(Failure failure) noexcept {
    switch (failure) {
    case Failure::none: return "none";
    case Failure::refused: return "refused";
    case Failure::timed_out: return "timed_out";
    case Failure::unreachable: return "unreachable";
    case Failure::reset: return "reset";
    case Failure::end_of_stream: return "end_of_stream";
    case Failure::no_descriptors: return "no_descriptors";
    case Failure::no_ports: return "no_ports";
    case Failure::address_in_use: return "address_in_use";
    case Failure::not_permitted: return "not_permitted";
    case Failure::bad_address: return "bad_address";
    case Failure::self_connection: return "self_connection";
    case Failure::malformed: return "malformed";
    case Failure::other: return "other";
    }
    return "unknown";
}

std::string_view name_of(Listener listener) noexcept {
    switch (listener) {
    case Listener::ring: return "ring";
    case Listener::callback: return "callback";
    case Listener::root: return "root";
    }
    return "unknown";
}

}  // namespace ronde::protocol
