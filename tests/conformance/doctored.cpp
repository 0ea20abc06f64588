#include "doctored.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ronde::conformance {
namespace {

using protocol::Actions;
using protocol::Event;

/// Feeds a machine and notes its states, as a driver does. `room`: memory, for a root that asks for it.
template <class Machine, class Config, class Digest, class Room>
void feed_all(std::string const& folder, Config const& config, std::vector<Event> const& events, Digest const& digest,
              Room const& room) {
    Machine machine(config);
    auto recorder = net::Recorder::create(folder, config, 1);
    if (!recorder)
        throw std::runtime_error(recorder.error());
    Actions actions;
    for (Event const& event : events) {
        (*recorder)->event(event);
        do
            machine.step(event, actions.clear());
        while (room(machine, actions));
        while (actions.more())
            machine.step(Event::resume(event.now), actions.clear());
        (*recorder)->check(digest(machine));
    }
    (*recorder)->end(digest(machine));
}

void record_root(std::string const& folder, protocol::RootConfig const& config, std::vector<Event> const& events) {
    std::vector<protocol::RootRecord> records;
    std::vector<std::uint32_t> index;
    auto const room = [&](protocol::Root& root, Actions const& actions) {
        for (protocol::Action const& action : actions) {
            if (action.kind != protocol::ActionKind::reserve || action.count <= records.size())
                continue;
            records.resize(action.count);
            index.resize(protocol::RootRoom::index_size(action.count));
            root.provide({records, index});
            return true;
        }
        return false;
    };
    feed_all<protocol::Root>(
        folder, config, events, [&](protocol::Root const& root) { return net::state_digest_of(root, records); }, room);
}

}  // namespace

std::size_t Recording::find(std::function<bool(Event const&)> const& fits, std::size_t from) const {
    std::size_t at = from;
    while (at < events.size() && !fits(events[at]))
        ++at;
    return at;
}

void Recording::delay(std::size_t from, protocol::TimeNs by_ns) {
    for (std::size_t at = from; at < events.size(); ++at)
        events[at].now += by_ns;
}

void Recording::insert(std::size_t at, Event const& event) {
    events.insert(events.begin() + static_cast<std::ptrdiff_t>(at), event);
}

Recording load_recording(std::string const& folder, std::string const& name) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    std::string const content{std::istreambuf_iterator<char>(file), {}};
    Recording recording;
    for (char const c : content)
        recording.bytes.push_back(static_cast<std::byte>(c));
    net::recording::Reader reader(recording.bytes);
    auto const config = reader.head();
    if (!config)
        throw std::runtime_error(name + " " + config.error());
    recording.config = *config;
    for (;;) {
        auto const record = reader.next();
        if (auto const* const event = std::get_if<Event>(&record))
            recording.events.push_back(*event);
        else if (!std::holds_alternative<net::recording::Check>(record))
            return recording;
    }
}

void record_again(std::string const& folder, Recording const& recording) {
    if (auto const* const rank = std::get_if<protocol::RankConfig>(&recording.config)) {
        feed_all<protocol::Rank>(
            folder, *rank, recording.events,
            [](protocol::Rank const& machine) { return net::state_digest_of(machine); },
            [](protocol::Rank&, Actions const&) { return false; });
        return;
    }
    record_root(folder, std::get<protocol::RootConfig>(recording.config), recording.events);
}

}  // namespace ronde::conformance
