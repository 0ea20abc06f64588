/// A rank over real sockets, as its program sees it.
#pragma once

#include "net/rank_driver.hpp"
#include "program/place.hpp"

namespace ronde {

class NetPort final : public RankPort {
public:
    /// What the arguments mean says net::RankDriver.
    NetPort(net::Loop& loop, protocol::RankConfig const& config, protocol::Secret const& secret, Entry const& mine,
            net::RankOptions options);
    /// Begins to connect.
    void start() { driver_.start(); }

    void operate(protocol::Operation const& operation, std::span<std::byte> buffer) override {
        driver_.operate(operation, buffer);
    }
    void send(protocol::Operation const& operation, std::span<const std::byte> message) override {
        driver_.operate(operation, message);
    }
    void close() override { driver_.close(); }
    void abort() noexcept override { driver_.abort(); }
    void abandon() noexcept override { driver_.abandon(); }

    [[nodiscard]] bool was_ready() const noexcept override { return driver_.was_ready(); }
    [[nodiscard]] bool idle() const noexcept override { return driver_.idle(); }
    [[nodiscard]] bool finished() const noexcept override { return driver_.finished(); }
    [[nodiscard]] protocol::Rank const& machine() const noexcept override { return driver_.machine(); }
    [[nodiscard]] std::span<const Entry> table() const override { return driver_.table(); }
    [[nodiscard]] protocol::Verdict verdict() const override { return driver_.verdict(); }
    [[nodiscard]] CommunicatorStatistics statistics() const override;

private:
    std::int64_t const started_ns_;
    net::RankDriver driver_;
};

}  // namespace ronde
