#include "wire.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace ronde::conformance {
namespace {

constexpr std::size_t kLongestPacketBytes = 2'048;
/// Of an interface: a storm of calls must not be thinned out before it is on the wire.
constexpr int kInterfaceQueuePackets = 8'192;

[[noreturn]] void throw_errno(std::string const& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void write_file(std::string const& path, std::string const& text) {
    net::Fd const file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw_errno(path);
}

/// As root that is enough; everybody else becomes root of a namespace of users first, once.
void leave_for_new_network() {
    if (::unshare(CLONE_NEWNET) == 0)
        return;
    std::string const user = std::to_string(::getuid());
    std::string const group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        throw_errno("unshare");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", "0 " + user + " 1");
    write_file("/proc/self/gid_map", "0 " + group + " 1");
}

/// Whether packets were handed to the kernel that it has not looked at yet: what comes in while a processor is busy
/// with packets is left to a thread that runs when it may (process_backlog). The counts are of all networks together.
bool kernel_is_behind() {
    constexpr std::size_t kWaitingColumn = 11;  // softnet_seq_show, since 5.10
    std::ifstream file("/proc/net/softnet_stat");
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream columns(line);
        std::string word;
        for (std::size_t column = 0; column <= kWaitingColumn && columns >> word; ++column) {
            if (column == kWaitingColumn && std::stoul(word, nullptr, 16) != 0)
                return true;
        }
    }
    return false;
}

void ask_kernel(int socket, unsigned long request, ifreq& what, char const* name) {
    if (::ioctl(socket, request, &what) != 0)
        throw_errno(name);
}

void put_address(ifreq& request, std::uint32_t address) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = address;
    std::memcpy(&request.ifr_addr, &in, sizeof in);
}

void raise(int socket, char const* interface) {
    ifreq request{};
    std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
    ask_kernel(socket, SIOCGIFFLAGS, request, "SIOCGIFFLAGS");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    ask_kernel(socket, SIOCSIFFLAGS, request, "SIOCSIFFLAGS");
}

std::uint32_t big_endian(std::byte const* at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        value = value << 8U | std::to_integer<std::uint32_t>(at[i]);
    return value;
}

/// The value of the timestamp option among `options`, or 0.
std::uint32_t timestamp_in(std::byte const* options, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
        auto const kind = std::to_integer<unsigned>(options[at]);
        if (kind == 1) {  // padding
            ++at;
            continue;
        }
        if (kind == 0 || at + 2 > bytes)
            break;
        auto const length = std::to_integer<std::size_t>(options[at + 1]);
        if (kind == 8 && at + 6 <= bytes)
            return big_endian(options + at + 2, 4);
        at += length < 2 ? 2 : length;
    }
    return 0;
}

/// What a packet says, if it is TCP over IPv4.
std::optional<Segment> segment_in(std::vector<std::byte> const& packet, Host from) {
    constexpr std::size_t least_ip = 20;
    constexpr std::size_t least_tcp = 20;
    if (packet.size() < least_ip || std::to_integer<unsigned>(packet[0]) >> 4U != 4U ||
        std::to_integer<unsigned>(packet[9]) != IPPROTO_TCP)
        return std::nullopt;
    std::size_t const ip_bytes = 4U * (std::to_integer<std::size_t>(packet[0]) & 15U);
    if (packet.size() < ip_bytes + least_tcp)
        return std::nullopt;
    std::byte const* const tcp = packet.data() + ip_bytes;
    std::size_t const tcp_bytes = 4U * (std::to_integer<std::size_t>(tcp[12]) >> 4U);
    if (packet.size() < ip_bytes + tcp_bytes || tcp_bytes < least_tcp)
        return std::nullopt;
    auto const flags = std::to_integer<unsigned>(tcp[13]);
    auto const source = static_cast<std::uint16_t>(big_endian(tcp, 2));
    auto const destination = static_cast<std::uint16_t>(big_endian(tcp + 2, 2));
    Segment segment;
    segment.from = from;
    segment.caller_port = from == Host::caller ? source : destination;
    segment.listener_port = from == Host::caller ? destination : source;
    segment.fin = (flags & 1U) != 0;
    segment.syn = (flags & 2U) != 0;
    segment.rst = (flags & 4U) != 0;
    segment.ack = (flags & 16U) != 0;
    segment.payload_bytes = static_cast<std::uint32_t>(packet.size() - ip_bytes - tcp_bytes);
    segment.sent_ms = timestamp_in(tcp + least_tcp, tcp_bytes - least_tcp);
    return segment;
}

}  // namespace

Wire::Wire() {
    try {
        for (Host const host : {Host::listener, Host::caller})
            ends_[static_cast<std::size_t>(host)] = make_end(host);
    } catch (std::system_error const& refused) {
        throw Unavailable(
            std::string("no network of its own for this story (namespaces and /dev/net/tun are needed, ") +
            "as root or with user namespaces allowed): " + refused.what());
    }
}

std::uint32_t Wire::address_of(Host host) { return htonl(host == Host::caller ? 0x0a00'0001U : 0x0a00'0002U); }

Wire::End Wire::make_end(Host host) {
    leave_for_new_network();
    End end;
    end.network.reset(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    end.interface.reset(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!end.network || !end.interface)
        throw_errno(end.network ? "/dev/net/tun" : "/proc/thread-self/ns/net");
    ifreq request{};
    std::strncpy(request.ifr_name, "wire", IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    ask_kernel(end.interface.get(), TUNSETIFF, request, "TUNSETIFF");

    net::Fd const socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket)
        throw_errno("socket");
    request.ifr_qlen = kInterfaceQueuePackets;
    ask_kernel(socket.get(), SIOCSIFTXQLEN, request, "SIOCSIFTXQLEN");
    put_address(request, address_of(host));
    ask_kernel(socket.get(), SIOCSIFADDR, request, "SIOCSIFADDR");
    put_address(request, htonl(0xffff'ff00U));
    ask_kernel(socket.get(), SIOCSIFNETMASK, request, "SIOCSIFNETMASK");
    raise(socket.get(), "lo");
    raise(socket.get(), "wire");
    return end;
}

void Wire::enter(Host host) const {
    if (::setns(end(host).network.get(), CLONE_NEWNET) != 0)
        throw_errno("setns");
}

void Wire::set(Host host, std::string const& setting, std::uint32_t value) const {
    enter(host);
    write_file("/proc/sys/" + setting, std::to_string(value));
}

bool Wire::has(Host host, std::string const& setting) const {
    enter(host);
    return ::access(("/proc/sys/" + setting).c_str(), W_OK) == 0;
}

std::uint64_t Wire::counter(Host host, std::string_view name) const {
    enter(host);
    for (char const* const path : {"/proc/thread-self/net/netstat", "/proc/thread-self/net/snmp"}) {
        std::ifstream file(path);
        std::string names_line;
        std::string values_line;
        while (std::getline(file, names_line) && std::getline(file, values_line)) {
            std::istringstream names(names_line);
            std::istringstream values(values_line);
            std::string key;
            std::string value;
            while (names >> key && values >> value) {
                if (key == name)
                    return std::stoull(value);
            }
        }
    }
    return 0;
}

std::vector<std::vector<std::byte>> Wire::take_all(Host from) const {
    std::vector<std::vector<std::byte>> packets;
    std::array<std::byte, kLongestPacketBytes> packet{};
    for (;;) {
        ssize_t const bytes = ::read(end(from).interface.get(), packet.data(), packet.size());
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes <= 0)
            return packets;
        packets.emplace_back(packet.begin(), packet.begin() + bytes);
    }
}

void Wire::hand_over(Host from, std::vector<std::vector<std::byte>> const& packets) {
    Host const to = from == Host::caller ? Host::listener : Host::caller;
    for (std::vector<std::byte> const& packet : packets) {
        std::optional<Segment> const segment = segment_in(packet, from);
        if (!segment)
            continue;  // the neighbourhood discovery of IPv6
        sent_.push_back(*segment);
        if (passes && !passes(*segment))
            continue;
        if (::write(end(to).interface.get(), packet.data(), packet.size()) != static_cast<ssize_t>(packet.size()))
            throw_errno("write to the wire");
        if (to == Host::listener && on_arrival)
            on_arrival();
    }
}

bool Wire::exchange() {
    auto const from_caller = take_all(Host::caller);
    auto const from_listener = take_all(Host::listener);
    hand_over(Host::caller, from_caller);
    hand_over(Host::listener, from_listener);
    return !from_caller.empty() || !from_listener.empty();
}

void Wire::carry() {
    for (;;) {
        if (exchange())
            continue;
        if (!kernel_is_behind() && !exchange())
            return;
        ::sched_yield();
    }
}

bool Wire::carry_until(std::function<bool()> const& done, std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point const end_of_patience = Clock::now() + patience;
    for (;;) {
        bool const moved = exchange();
        if (done())
            return true;
        if (moved)
            continue;
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end_of_patience - Clock::now());
        if (left.count() <= 0)
            return false;
        std::array<pollfd, 2> ends{
            {{end(Host::caller).interface.get(), POLLIN, 0}, {end(Host::listener).interface.get(), POLLIN, 0}}};
        if (::poll(ends.data(), ends.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
            throw_errno("poll");
    }
}

}  // namespace ronde::conformance
