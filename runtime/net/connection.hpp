/// One TCP connection of one machine: descriptor, frames coming in, frames going out. No decisions.
#pragma once

#include "net/fd.hpp"
#include "net/loop.hpp"
#include "net/out_queue.hpp"
#include "protocol/auth.hpp"
#include "protocol/framer.hpp"

#include <memory>
#include <vector>

namespace ronde::net {

class Driver;

/// A message that nobody asked for yet.
struct Mail {
    protocol::Frame frame;
    std::unique_ptr<std::byte[]> bytes;
};

class Connection final : public Pollable {
public:
    enum class State : std::uint8_t {
        connecting,  ///< asked for, not yet standing
        standing,
        leaving,  ///< closed for the machine; what is queued still goes out
        dead,     ///< waits to be freed; nothing may be done with it
    };
    Connection(Driver& driver, Fd fd_, protocol::Link link_, bool inbound_) noexcept
        : owner(driver), fd(std::move(fd_)), link(link_), inbound(inbound_) {}
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    Connection(Connection&&) = delete;
    Connection& operator=(Connection&&) = delete;
    ~Connection() override = default;

    void on_ready(std::uint32_t ready) override;

    [[nodiscard]] bool dead() const noexcept { return state == State::dead; }

    Driver& owner;
    Fd fd;
    Loop::Watch watch;
    protocol::Link link;
    State state = State::standing;
    bool const inbound;
    protocol::Listener listener = protocol::Listener::ring;  ///< inbound: where it was accepted
    bool proven = false;       ///< keyed: the peer's tag fitted; else: its hello came. Until then reading is rationed
    bool hello_seen = false;   ///< inbound
    bool readable = false;     ///< the kernel may have bytes (or the end) for us
    bool ended = false;        ///< an end was announced by the kernel, so a short read does not mean "nothing more"
    bool paused = false;       ///< the machine asked not to read
    bool held = false;         ///< the machine wants the frame whose header is here later
    bool flush_due = false;    ///< is in the driver's list of connections to flush
    bool wants_write = false;  ///< EPOLLOUT is watched
    bool write_broken = false;
    std::int32_t write_error = 0;
    std::uint32_t rationed_bytes = 0;  ///< read while unproven
    TimeNs leave_by_ns = kNever;       ///< leaving: closed then, whatever is left
    protocol::Handshake handshake;
    protocol::Framer framer;
    OutQueue out;
    std::vector<std::byte> stash;  ///< read beyond a frame that is held
    std::unique_ptr<Mail> mail;    ///< a message under way into our own memory
};

/// What clause 3.3 allows for somebody who has proven nothing: the connection, one queued challenge, no stash.
inline constexpr std::size_t kStrangerMemoryBytes = sizeof(Connection) + sizeof(OutQueue::Item) + 64;
static_assert(kStrangerMemoryBytes <= 1024, "a stranger costs at most 1 KiB");

}  // namespace ronde::net
