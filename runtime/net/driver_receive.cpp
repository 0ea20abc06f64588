/// Bytes in: from the kernel through the framer to the machine, and payloads straight to their place.
#include "net/driver.hpp"
#include "net/socket.hpp"
#include "protocol/bytes.hpp"

#include <sys/epoll.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace ronde::net {

using protocol::FrameKind;
using protocol::Framer;

namespace {

/// Read in one go where a header is awaited. Small, because what stands behind a frame that has to wait is kept.
constexpr std::size_t kHeaderReadBytes = 4096;
/// Read from one connection before the others have their turn.
constexpr std::size_t kTurnBytes = std::size_t{512} << 10U;

/// How the first frame from somebody unproven begins, whatever its version: length of its payload, and its kind.
using Beginning = std::array<std::byte, 5>;
constexpr Beginning beginning_of(std::uint32_t payload_bytes, FrameKind kind) {
    return {static_cast<std::byte>(payload_bytes), std::byte{0}, std::byte{0}, std::byte{0},
            static_cast<std::byte>(kind)};
}
constexpr Beginning kHelloBegins = beginning_of(protocol::kNonceBytes, FrameKind::hello);
constexpr Beginning kChallengeBegins = beginning_of(protocol::kNonceBytes + protocol::kTagBytes, FrameKind::challenge);

/// Whether `bytes`, which stand at `offset` of the stream, can still become that frame. Whoever speaks another protocol
/// is told apart by its first byte, and not waited for.
bool fits(Beginning const& beginning, std::span<const std::byte> bytes, std::size_t offset) noexcept {
    for (std::size_t i = 0; i < bytes.size() && offset + i < beginning.size(); ++i) {
        if (bytes[i] != beginning[offset + i])
            return false;
    }
    return true;
}

bool is_handshake(FrameKind kind) noexcept {
    return kind == FrameKind::hello || kind == FrameKind::challenge || kind == FrameKind::proof;
}

/// Before a peer is proven nothing but the next word of the handshake is listened to.
bool frame_allowed(Connection const& connection, FrameKind kind) noexcept {
    if (connection.proven)
        return true;
    if (!connection.inbound)
        return kind == FrameKind::challenge;
    return kind == (connection.hello_seen ? FrameKind::proof : FrameKind::hello);
}

/// What may still be read from an unproven connector. Whom we call ourselves is no stranger yet, only unproven.
std::size_t ration_bytes(Connection const& connection) noexcept {
    if (!connection.inbound)
        return kHeaderReadBytes;
    return protocol::kStrangerBytes - std::min(protocol::kStrangerBytes, connection.rationed_bytes);
}

}  // namespace

void Connection::on_ready(std::uint32_t ready) { owner.on_connection(*this, ready); }

void Driver::on_connection(Connection& connection, std::uint32_t ready) {
    now_ = monotonic_ns();
    if (connection.state == Connection::State::connecting)
        on_connect_result(connection);
    if ((ready & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)) != 0)
        connection.readable = true;
    if ((ready & (EPOLLRDHUP | EPOLLERR | EPOLLHUP)) != 0)
        connection.ended = true;
    if (connection.state == Connection::State::standing) {
        if ((ready & EPOLLOUT) != 0 && !connection.out.empty())
            flush_soon(connection);
        to_receive_.push_back(&connection);  // after what waits already: `connected` comes before the first frame
    } else if (connection.state == Connection::State::leaving) {
        go_on_leaving(connection);
    }
    settle();
}

void Driver::on_connect_result(Connection& connection) {
    OsFailure const outcome = finish_connect(connection.fd.get());
    if (outcome.failure != Failure::none)
        return lose(connection, outcome.failure, outcome.os_error);
    connection.state = Connection::State::standing;
    later(Event::connected(now_, connection.link));
}

/// Reads and feeds until nothing is left, the machine wants to wait, or it is somebody else's turn.
void Driver::receive(Connection& connection) {
    auto const may_read = [&] {
        return connection.state == Connection::State::standing && !connection.paused && !connection.held;
    };
    if (!may_read())
        return;
    // First what was read before: a header that was held, and the bytes behind it.
    std::vector<std::byte> const stash = std::exchange(connection.stash, {});
    if (!digest(connection, stash))
        return;

    std::size_t budget_bytes = kTurnBytes;
    while (may_read() && connection.readable) {
        if (budget_bytes == 0)
            return loop().call_again(connection.watch);
        if (!read_and_digest(connection, budget_bytes))
            return;
    }
}

/// One system call and what follows from it. False when nothing more is to be read now.
bool Driver::read_and_digest(Connection& connection, std::size_t& budget_bytes) {
    std::span<std::byte> place = connection.proven ? connection.framer.rest_of_payload() : std::span<std::byte>();
    std::size_t beyond_bytes = kHeaderReadBytes;
    if (!connection.proven) {
        beyond_bytes = std::min(beyond_bytes, ration_bytes(connection));
        if (beyond_bytes == 0) {
            lose(connection, Failure::malformed, 0);
            return false;
        }
    }
    std::size_t const most_bytes = max_io_bytes_ == 0 ? budget_bytes : std::min(budget_bytes, max_io_bytes_);
    place = place.first(std::min(place.size(), most_bytes));
    std::span<std::byte> const beyond = loop().scratch().first(std::min(beyond_bytes, most_bytes - place.size()));
    std::size_t const asked_bytes = place.size() + beyond.size();

    iovec const runs[2] = {{place.data(), place.size()}, {beyond.data(), beyond.size()}};
    ssize_t const result = place.empty() ? ::read(connection.fd.get(), beyond.data(), beyond.size())
                                         : ::readv(connection.fd.get(), runs, 2);
    if (result <= 0) {
        if (result < 0 && errno == EINTR)
            return true;
        if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && !connection.write_broken) {
            connection.readable = false;
            return false;
        }
        int const os_error = result < 0 ? errno : connection.write_error;
        bool const reset = result < 0 || connection.write_broken;
        lose(connection, reset ? failure_of(OsCall::transfer, os_error) : Failure::end_of_stream, reset ? os_error : 0);
        return false;
    }
    auto const bytes = static_cast<std::size_t>(result);
    budget_bytes -= std::min(budget_bytes, bytes);
    statistics_.bytes_received += bytes;
    // With edges, less than asked for means that the next bytes will be told, unless the end was told already.
    if (bytes < asked_bytes && !connection.ended && !connection.write_broken)
        connection.readable = false;

    std::size_t const placed = std::min(bytes, place.size());
    if (placed > 0)
        connection.framer.advance(placed);
    std::span<const std::byte> const rest = beyond.first(bytes - placed);
    if (!connection.proven) {
        Beginning const& beginning = connection.inbound ? kHelloBegins : kChallengeBegins;
        bool const nonsense = !fits(beginning, rest, connection.rationed_bytes);
        connection.rationed_bytes += static_cast<std::uint32_t>(rest.size());
        if (nonsense) {
            lose(connection, Failure::malformed, 0);
            return false;
        }
    }
    return digest(connection, rest);
}

/// Feeds bytes to the framer and frames to the machine. False when the rest has to wait (and is kept) or nobody is
/// left to hear it.
bool Driver::digest(Connection& connection, std::span<const std::byte> bytes) {
    for (;;) {
        if (connection.state != Connection::State::standing)
            return false;
        if (connection.paused || connection.held) {
            connection.stash.assign(bytes.begin(), bytes.end());
            return false;
        }
        switch (connection.framer.feed(bytes)) {
        case Framer::Status::hungry: return true;
        case Framer::Status::header:
            if (!receive_header(connection) && !connection.held)
                return false;
            break;
        case Framer::Status::frame: deliver(connection); break;
        case Framer::Status::malformed: lose(connection, Failure::malformed, 0); return false;
        }
    }
}

/// Finds the place for a payload. False: not now, or never.
bool Driver::receive_header(Connection& connection) {
    Framer& framer = connection.framer;
    Frame const frame = framer.frame();
    auto const refuse = [&] {
        lose(connection, Failure::malformed, 0);
        return false;
    };
    if (!frame_allowed(connection, frame.kind))
        return refuse();
    if (is_handshake(frame.kind)) {
        framer.take_inline();
        return true;
    }
    Reception const reception_now = reception(connection.link, frame);
    switch (reception_now.kind) {
    case Reception::Kind::hold: hold(connection); return false;
    case Reception::Kind::refuse:
        feed(Event::arrived(now_, connection.link, frame, {}));
        if (connection.state == Connection::State::standing)
            return refuse();
        return false;
    case Reception::Kind::mail: {
        if (!mailbox_has_room(frame.payload_bytes)) {
            hold(connection);
            return false;
        }
        mailbox_reserve(frame.payload_bytes);
        connection.mail = std::make_unique<Mail>();
        connection.mail->frame = frame;
        connection.mail->bytes.reset(new std::byte[frame.payload_bytes]);
        framer.place({connection.mail->bytes.get(), frame.payload_bytes});
        return true;
    }
    case Reception::Kind::take: break;
    }
    if (reception_now.source == Source::none) {
        if (frame.payload_bytes > Framer::kInlineBytes)
            return refuse();
        framer.take_inline();
        return true;
    }
    Runs<std::byte> const place = place_of(reception_now);
    if (place.size_bytes() != frame.payload_bytes)
        return refuse();
    framer.place(place.first, place.second);
    return true;
}

void Driver::hold(Connection& connection) {
    connection.held = true;
    held_.push_back(&connection);
}

/// A frame is complete: tags are checked, the machine is told.
void Driver::deliver(Connection& connection) {
    Frame const frame = connection.framer.frame();
    std::span<const std::byte> payload = connection.framer.payload();
    bool authentic = true;
    if (is_handshake(frame.kind)) {
        // What was admitted before is not asked again: a word of the handshake out of turn is the machine's to judge.
        if (!connection.proven) {
            bool const keyed = auth_ == protocol::Auth::keyed;
            authentic = !keyed || connection.handshake.check(secret_, frame, payload);
            connection.hello_seen = true;
            connection.proven = authentic && (!keyed || frame.kind != FrameKind::hello);
        }
        payload = {};  // nonces and tags are no business of machines and recordings
    }
    ++statistics_.frames_received;
    std::unique_ptr<Mail> mail = std::move(connection.mail);
    std::uint64_t const mail_bytes = mail ? frame.payload_bytes : 0U;
    current_mail_ = mail ? &mail : nullptr;
    feed(Event::arrived(now_, connection.link, frame, payload, authentic));
    current_mail_ = nullptr;
    if (mail)
        mailbox_release(mail_bytes);
    if (!connection.dead())
        connection.framer.next();
}

}  // namespace ronde::net
