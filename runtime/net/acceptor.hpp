/// One listener of one machine, with the credit that the machine granted.
#pragma once

#include "net/endpoint.hpp"
#include "net/fd.hpp"
#include "net/loop.hpp"

namespace ronde::net {

class Driver;

class Acceptor final : public Pollable {
public:
    Acceptor(Driver& driver, protocol::Listener name_) noexcept : owner(driver), name(name_) {}
    Acceptor(Acceptor const&) = delete;
    Acceptor& operator=(Acceptor const&) = delete;
    Acceptor(Acceptor&&) = delete;
    Acceptor& operator=(Acceptor&&) = delete;
    ~Acceptor() override = default;

    void on_ready(std::uint32_t ready) override;

    /// Puts the next try off, 10 ms at first, doubling up to 200 ms: out of descriptors is a passing state.
    void back_off(TimeNs now) noexcept;

    Driver& owner;
    protocol::Listener const name;
    Fd fd;
    Endpoint endpoint;
    Loop::Watch watch;
    std::uint32_t credits = 0;
    std::uint32_t pending = 0;  ///< unproven connections that came from here
    bool readable = false;      ///< somebody may be waiting
    bool yielded = false;       ///< has taken its turn's share; the loop calls again
    bool queue_told = false;    ///< the machine knows that somebody waits beyond its credit
    TimeNs retry_ns = kNever;   ///< backing off: when to accept again
    TimeNs pause_ns = 0;        ///< length of the last pause, 0 after a success
};

}  // namespace ronde::net
