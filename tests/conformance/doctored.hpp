/// Recordings as lists of events that a test may change. Written again, a recording is sound: each event was fed to a
/// machine and its states were noted, so that a replay finds nothing; only the events are none that a kernel makes.
#pragma once

#include "net/recording_format.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ronde::conformance {

struct Recording {
    net::recording::Reader::Config config;
    std::vector<protocol::Event> events;  ///< payloads point into `bytes`
    std::vector<std::byte> bytes;

    /// The place of the first event that fits, from `from` on; the number of events when none does.
    [[nodiscard]] std::size_t find(std::function<bool(protocol::Event const&)> const& fits, std::size_t from = 0) const;
    /// All events from `from` on happen later.
    void delay(std::size_t from, protocol::TimeNs by_ns);
    void insert(std::size_t at, protocol::Event const& event);
};

[[nodiscard]] Recording load_recording(std::string const& folder, std::string const& name);
/// Into the folder, under the name that belongs to the machine.
void record_again(std::string const& folder, Recording const& recording);

}  // namespace ronde::conformance
