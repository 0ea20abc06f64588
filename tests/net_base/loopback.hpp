/// Containers often run without IPv6.
#pragma once

#include "net/socket.hpp"

namespace ronde::test {

inline bool has_loopback(net::Family family) {
    net::ListenRequest request;
    request.at = net::loopback(family);
    return net::listen_on(request).has_value();
}

}  // namespace ronde::test
