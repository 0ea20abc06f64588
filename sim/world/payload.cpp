/// What frames carry, and who knows which entries.
#include "engine/draw.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {

/// What a process registers about itself. A function of its number, so that no table of entries is needed.
protocol::Entry WorldState::entry_of(ProcessId process) const {
    protocol::Entry entry;
    std::uint32_t const host = processes_[process].host;
    RankId const rank = rank_of(process);
    entry.endpoint.family = protocol::Family::ipv4;
    entry.endpoint.address[0] = 10;
    entry.endpoint.address[1] = static_cast<std::uint8_t>(host >> 16U);
    entry.endpoint.address[2] = static_cast<std::uint8_t>(host >> 8U);
    entry.endpoint.address[3] = static_cast<std::uint8_t>(host);
    entry.endpoint.port = static_cast<std::uint16_t>(32'768U + process % 28'232U);
    entry.host_id = draw(plan_.seed, static_cast<std::uint64_t>(Choice::other), host);
    Hardship const* const hard = hardship(process);
    bool const shares = hard != nullptr && hard->device_of != kNoRank;
    RankId const device_of = shares ? hard->device_of : rank;
    if (shares)
        entry.host_id = draw(plan_.seed, static_cast<std::uint64_t>(Choice::other), hosts_.host_of_rank(device_of));
    entry.device_id = device_of;
    entry.incarnation = draw(plan_.seed, static_cast<std::uint64_t>(Choice::nonce), process);
    entry.process_id = process + 1U;
    entry.rank = rank;
    if (policies_.reply == protocol::Reply::callback)
        entry.callback_port = static_cast<std::uint16_t>(entry.endpoint.port + 1U);
    return entry;
}

/// The process that checked in as `rank` at this root.
ProcessId WorldState::holder_at_root(ProcessId id, RankId rank) {
    RootProcess& root = root_of(id);
    protocol::Partition const partition{root.machine.nranks(), plan_.nroots};
    std::uint32_t const place = partition.local_id(id - plan_.nranks, rank);
    RONDE_CHECK(place < root.table.size(), "a root speaks of its own block only");
    return root.table[place];
}

// --- out ------------------------------------------------------------------------------------------------------------

/// What the payload of an outgoing frame is about: a process (one entry), a list of them, or a verdict.
std::uint32_t WorldState::content_of(ProcessId id, Action const& action) {
    using protocol::Source;
    bool const root = processes_[id].kind == ProcessKind::root;
    switch (action.source) {
    case Source::entry: return root ? holder_at_root(id, action.first) : id;
    case Source::table: {
        if (!contents_.exact())
            return 0;
        if (root) {
            RootProcess& mine = root_of(id);
            if (mine.table_content_of == mine.table_version) {
                contents_.keep_again(mine.table_content);
            } else {
                mine.table_content = contents_.keep_list(action.count);
                std::copy_n(mine.table.begin(), action.count, contents_.list_to_fill(mine.table_content).begin());
                mine.table_content_of = mine.table_version;
                contents_.keep_again(mine.table_content);  // for those that follow
            }
            return mine.table_content;
        }
        if (action.count == 1)
            return contents_.holder(id, action.first);
        std::uint32_t const list = contents_.keep_list(action.count);
        std::span<ProcessId> const entries = contents_.list_to_fill(list);
        for (std::uint32_t i = 0; i < action.count; ++i)
            entries[i] = contents_.holder(id, (action.first + i) % plan_.nranks);
        return list;
    }
    case Source::verdict: {
        if (root)
            return contents_.keep(root_of(id).machine.notice());
        protocol::Error const& error = ranks_[id].error();
        // A verdict is passed on in the step that brought it, with the ranges that do not fit into the machine.
        if (arriving_ != kNoSlot && occurrences_[arriving_].frame.kind == FrameKind::verdict) {
            protocol::Verdict const arrived =
                protocol::decode_verdict(contents_.verdict(occurrences_[arriving_].content));
            if (arrived.error == error)
                return contents_.keep(arrived);
        }
        if (auto const heard = heard_.find(id); heard != heard_.end() && heard->second.error == error)
            return contents_.keep(heard->second);
        protocol::Verdict verdict;
        verdict.error = error;
        return contents_.keep(verdict);
    }
    case Source::operation: return bytes_to_send(id, action);
    case Source::none:
    case Source::handshake: break;
    }
    return 0;
}

/// Whether `content` is a list of entries and not one entry. A root always sends lists, a rank only when it is more
/// than one; who came back as a new process is a rank like the others.
bool WorldState::carries_a_list(Occurrence const& frame) const {
    if (frame.frame.kind != FrameKind::slices)
        return false;
    return frame.frame.b > 1 || processes_[sender_of(frame)].kind == ProcessKind::root;
}

void WorldState::forget_content(Occurrence const& occurrence) {
    bool const operation = occurrence.frame.kind == FrameKind::message ||
                           (occurrence.frame.kind == FrameKind::slices && occurrence.frame.d != 0);
    if (operation && occurrence.content != 0)
        return contents_.let_bytes_go(occurrence.content);
    bool const table = occurrence.frame.d == 0 && contents_.exact();
    if (table && carries_a_list(occurrence) && (occurrence.marks & Occurrence::kNonsense) == 0)
        contents_.let_go(occurrence.content);
}

// --- in -------------------------------------------------------------------------------------------------------------

/// The bytes that a machine is shown: entries of check_in and successor, verdicts. Slices stay with the driver.
std::span<const std::byte> WorldState::payload_for(Occurrence const& occurrence) {
    switch (occurrence.frame.kind) {
    case FrameKind::check_in:
    case FrameKind::successor:
        if (occurrence.content >= processes_.size())
            return {};
        payload_.resize(protocol::kEntryBytes);
        protocol::encode_entry(entry_of(occurrence.content), payload_);
        return payload_;
    case FrameKind::verdict: return contents_.verdict(occurrence.content);
    default: return {};
    }
}

void WorldState::perform_learn(ProcessId id, Action const& action) {
    RONDE_CHECK(arriving_ != kNoSlot, "what is learned has just arrived");
    Occurrence const& frame = occurrences_[arriving_];
    if (processes_[id].kind == ProcessKind::root) {
        RootProcess& root = root_of(id);
        protocol::Partition const partition{root.machine.nranks(), plan_.nroots};
        std::uint32_t const index = id - plan_.nranks;
        std::uint32_t const place = partition.local_id(index, action.first);
        root.table[place] = frame.content;
        ++root.table_version;
        if (place < partition.size_of(index) && action.first < plan_.nranks)
            contents_.check_in(action.first, frame.content);
        duplicate_devices_.reset();
        return;
    }
    if (frame.frame.kind == FrameKind::slices && frame.frame.d != 0)
        return;  // of an operation, not of the table
    learn_range(id, action.first, action.count);
    if (!contents_.exact())
        return;
    if (!carries_a_list(frame))
        return contents_.learn(id, action.first, frame.content);
    std::vector<ProcessId> const& entries = contents_.list(frame.content);
    for (std::uint32_t i = 0; i < action.count; ++i) {
        RankId const rank = (action.first + i) % plan_.nranks;
        std::uint32_t const place = (rank + plan_.nranks - frame.frame.a) % plan_.nranks;
        RONDE_CHECK(place < entries.size(), "a machine learns what has arrived");
        contents_.learn(id, rank, entries[place]);
    }
}

/// What a rank knows grows from its own entry, upwards and downwards: the two counts say all of it.
void WorldState::learn_range(ProcessId id, RankId first, std::uint32_t count) {
    Process& process = processes_[id];
    std::uint32_t const n = plan_.nranks;
    if (process.known == 0) {
        process.known = 1;
        contents_.learn(id, rank_of(id), id);
    }
    std::uint32_t const up = (first + n - rank_of(id)) % n;  // distance of the first entry
    if (up <= process.known) {
        process.known = std::max(process.known, std::min(n, up + count));
        return;
    }
    std::uint32_t const down = n - up;  // entries from the first one to my own
    if (down > process.known_below + count)
        return;  // a piece that joins nothing: it counts when somebody has brought what is between
    process.known_below = std::max(process.known_below, down);
    if (count > down)
        process.known = std::max(process.known, std::min(n, count - down));
}

/// A rank says that it is ready: is its table what the roots have seen?
void WorldState::check_table(ProcessId id) {
    Process const& process = processes_[id];
    std::uint32_t const known = std::min(plan_.nranks, std::max(process.known, 1U) + process.known_below);
    if (known < plan_.nranks)
        return broken(fmt::format("rank {} is ready with {} of {} entries", rank_of(id), known, plan_.nranks));
    if (!contents_.exact() || plan_.nranks == 1)
        return;
    for (RankId rank = 0; rank < plan_.nranks; ++rank) {
        if (contents_.holder(id, rank) == contents_.checked_in(rank))
            continue;
        return broken(fmt::format("rank {} is ready, but its entry of rank {} is not the one that checked in",
                                  rank_of(id), rank));
    }
}

void WorldState::broken(std::string what) {
    if (out_.broken.empty())
        out_.broken = std::move(what);
}

void WorldState::perform_inspect() {
    if (!duplicate_devices_) {
        std::vector<protocol::Entry> table(plan_.nranks);
        for (RankId rank = 0; rank < plan_.nranks; ++rank)
            table[rank] = entry_of(contents_.checked_in(rank));
        duplicate_devices_ = protocol::find_duplicate_device(table);
    }
    later_.push_back(Event::inspected(stamp_ns_, *duplicate_devices_));
}

// --- messages -------------------------------------------------------------------------------------------------------

void WorldState::perform_park(ProcessId id) {
    RONDE_CHECK(arriving_ != kNoSlot, "what is parked has just arrived");
    Occurrence& message = occurrences_[arriving_];
    parked_[{id, message.frame.a, message.frame.c}].push_back({message.frame, message.content});
    message.content = 0;  // its bytes are the mailbox's now
}

void WorldState::perform_collect(ProcessId id, Action const& action) {
    auto const found = parked_.find({id, action.rank, action.tag});
    if (found == parked_.end())
        return;
    ParkedMessage const message = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
        parked_.erase(found);
    bool const fits = message.frame.payload_bytes == ranks_[id].state().slice_bytes;
    if (fits)
        place_bytes(id, {Reception::Kind::take, protocol::Source::operation, 0, 1}, message.content);
    if (message.content != 0)
        contents_.let_bytes_go(message.content);
    // The machine says what does not fit when it hears of the message again, as if it came only now.
    later_.push_front(fits ? Event::collected(stamp_ns_)
                           : Event::arrived(stamp_ns_, protocol::mail_in(action.rank), message.frame, {}));
}

}  // namespace ronde::sim
