#include "stranger.hpp"

#include "protocol/check.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ronde::net::test {

using protocol::Frame;
using protocol::FrameKind;

std::vector<Stranger> all_strangers() {
    return {Stranger::silent, Stranger::garbage,   Stranger::http,         Stranger::half_hello, Stranger::reset,
            Stranger::fin,    Stranger::other_job, Stranger::forged_proof, Stranger::one_byte};
}

char const* name_of(Stranger stranger) {
    switch (stranger) {
    case Stranger::silent: return "silent";
    case Stranger::garbage: return "garbage";
    case Stranger::http: return "http";
    case Stranger::half_hello: return "half_hello";
    case Stranger::reset: return "reset";
    case Stranger::fin: return "fin";
    case Stranger::other_job: return "other_job";
    case Stranger::forged_proof: return "forged_proof";
    case Stranger::one_byte: return "one_byte";
    }
    return "?";
}

Fd call(Endpoint const& door) {
    SocketAddress const address = to_sockaddr(door);
    Fd fd(::socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    RONDE_CHECK(fd && ::connect(fd.get(), address.get(), address.length) == 0, "a stranger can connect");
    return fd;
}

std::vector<std::byte> bytes_of(Frame const& frame, std::size_t payload_bytes) {
    std::vector<std::byte> bytes(protocol::kHeaderBytes + payload_bytes);
    protocol::encode_header(frame, std::span(bytes).first<protocol::kHeaderBytes>());
    return bytes;
}

namespace {

void say(Fd const& fd, std::span<const std::byte> bytes) {
    // The door may have been closed in the middle, which is no concern of a stranger's.
    [[maybe_unused]] ssize_t const sent = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void say_first(Fd const& fd, std::size_t bytes, Frame const& hello) {
    auto const whole = bytes_of(hello, protocol::kNonceBytes);
    say(fd, std::span(whole).first(bytes));
}

void say(Fd const& fd, std::string_view text) { say(fd, std::as_bytes(std::span(text.data(), text.size()))); }

}  // namespace

Fd knock(Endpoint const& door, Stranger stranger, Frame const& hello) {
    Fd fd = call(door);
    switch (stranger) {
    case Stranger::silent: break;
    case Stranger::garbage: say(fd, "\x93\x01\xff\x00garbage that goes on for a while, longer than a hello is"); break;
    case Stranger::http: say(fd, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"); break;
    case Stranger::half_hello: say_first(fd, 20, hello); break;
    case Stranger::one_byte: say_first(fd, 1, hello); break;
    case Stranger::reset: {
        linger const at_once{1, 0};
        ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        fd.reset();
        break;
    }
    case Stranger::fin: fd.reset(); break;
    case Stranger::other_job: {
        Frame other = hello;
        other.c ^= 0x1234'5678U;
        say(fd, bytes_of(other, protocol::kNonceBytes));
        break;
    }
    case Stranger::forged_proof: {
        Frame proof = hello;
        proof.kind = FrameKind::proof;
        proof.payload_bytes = protocol::kTagBytes;
        auto bytes = bytes_of(hello, protocol::kNonceBytes);
        auto const forged = bytes_of(proof, protocol::kTagBytes);
        bytes.insert(bytes.end(), forged.begin(), forged.end());
        say(fd, bytes);
        break;
    }
    }
    return fd;
}

std::size_t read_until_end(Fd const& fd) {
    std::array<std::byte, 4096> buffer{};
    std::size_t total = 0;
    for (;;) {
        ssize_t const count = ::read(fd.get(), buffer.data(), buffer.size());
        if (count <= 0)
            return total;
        total += static_cast<std::size_t>(count);
    }
}

}  // namespace ronde::net::test
