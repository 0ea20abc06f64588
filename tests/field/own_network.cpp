#include "own_network.hpp"

#include "net/fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace ronde::net::test {
namespace {

void write_file(std::string const& path, std::string const& text) {
    Fd const file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::system_error(errno, std::generic_category(), path);
}

Fd datagram_socket() {
    Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd)
        throw std::system_error(errno, std::generic_category(), "socket");
    return fd;
}

void ask_kernel(unsigned long request, void* argument, char const* what) {
    if (::ioctl(datagram_socket().get(), request, argument) != 0)
        throw std::system_error(errno, std::generic_category(), what);
}

sockaddr address_of(Endpoint endpoint) {
    endpoint.port = 0;
    SocketAddress const address = to_sockaddr(endpoint);
    sockaddr any{};
    std::memcpy(&any, &address.storage, sizeof any);
    return any;
}

sockaddr whole_address_mask() { return address_of(*parse_address("255.255.255.255")); }

void raise_loopback() {
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
    ask_kernel(SIOCGIFFLAGS, &request, "flags of lo");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    ask_kernel(SIOCSIFFLAGS, &request, "lo up");
}

/// As root that is enough; everybody else becomes root of a namespace of users first.
void leave_for_own_network() {
    if (::unshare(CLONE_NEWNET) != 0) {
        std::string const user = std::to_string(::getuid());
        std::string const group = std::to_string(::getgid());
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
            throw std::system_error(errno, std::generic_category(), "no network of its own: unshare");
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", "0 " + user + " 1");
        write_file("/proc/self/gid_map", "0 " + group + " 1");
    }
    raise_loopback();
}

[[noreturn]] void live_in_own_network(std::function<void()> const& body, int reasons) {
    try {
        leave_for_own_network();
    } catch (std::system_error const& refused) {
        std::string const why = refused.what();
        [[maybe_unused]] ssize_t const told = ::write(reasons, why.data(), why.size());
        ::_exit(0);
    }
    bool good = false;
    try {
        body();
        good = !testing::Test::HasFailure();
    } catch (std::exception const& error) {
        std::fprintf(stderr, "in a network of its own: %s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(good ? 0 : 1);
}

}  // namespace

std::string in_own_network(std::function<void()> const& body) {
    std::array<int, 2> reasons{};
    if (::pipe2(reasons.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    Fd const reading(reasons[0]);
    Fd writing(reasons[1]);
    std::fflush(nullptr);
    pid_t const child = ::fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0)
        live_in_own_network(body, writing.get());
    writing.reset();
    std::array<char, 512> text{};
    ssize_t const count = ::read(reading.get(), text.data(), text.size());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the story in its own network failed, see above";
    return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : std::string();
}

void set_kernel(std::string const& setting, std::string const& value) { write_file("/proc/sys/" + setting, value); }

void add_address(Endpoint const& address) {
    ifreq request{};
    std::strncpy(request.ifr_name, "lo:1", IFNAMSIZ - 1);
    request.ifr_addr = address_of(address);
    ask_kernel(SIOCSIFADDR, &request, "an address for lo");
    request.ifr_netmask = whole_address_mask();
    ask_kernel(SIOCSIFNETMASK, &request, "a mask for lo");
}

void add_unreachable_route(Endpoint const& address) {
    rtentry route{};
    route.rt_dst = address_of(address);
    route.rt_genmask = whole_address_mask();
    route.rt_flags = RTF_UP | RTF_HOST | RTF_REJECT;
    ask_kernel(SIOCADDRT, &route, "an unreachable route");
}

}  // namespace ronde::net::test
