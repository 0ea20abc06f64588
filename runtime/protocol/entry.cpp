#include "protocol/entry.hpp"

#include "protocol/bytes.hpp"
#include "protocol/check.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ronde::protocol {

void encode_entry(Entry const& entry, std::span<std::byte> out) noexcept {
    RONDE_CHECK(out.size() >= kEntryBytes, "an entry needs kEntryBytes");
    ByteWriter writer(out.data());
    Endpoint const& endpoint = entry.endpoint;
    writer.put(static_cast<std::uint8_t>(endpoint.family));
    writer.put(endpoint.reserved);
    writer.put(endpoint.port);
    writer.put(endpoint.scope_id);
    for (std::uint8_t const byte : endpoint.address)
        writer.put(byte);
    writer.put(entry.host_id);
    writer.put(entry.device_id);
    writer.put(entry.incarnation);
    writer.put(entry.process_id);
    writer.put(entry.flags);
    writer.put(entry.rank);
    writer.put(entry.callback_port);
    writer.put(entry.reserved);
}

Entry decode_entry(std::span<const std::byte> in) noexcept {
    RONDE_CHECK(in.size() >= kEntryBytes, "an entry is kEntryBytes long");
    ByteReader reader(in.data());
    Entry entry;
    entry.endpoint.family = static_cast<Family>(reader.get<std::uint8_t>());
    entry.endpoint.reserved = reader.get<std::uint8_t>();
    entry.endpoint.port = reader.get<std::uint16_t>();
    entry.endpoint.scope_id = reader.get<std::uint32_t>();
    for (std::uint8_t& byte : entry.endpoint.address)
        byte = reader.get<std::uint8_t>();
    entry.host_id = reader.get<std::uint64_t>();
    entry.device_id = reader.get<std::uint64_t>();
    entry.incarnation = reader.get<std::uint64_t>();
    entry.process_id = reader.get<std::uint32_t>();
    entry.flags = reader.get<std::uint32_t>();
    entry.rank = reader.get<std::uint32_t>();
    entry.callback_port = reader.get<std::uint16_t>();
    entry.reserved = reader.get<std::uint16_t>();
    return entry;
}

namespace {

// The three numbers that matter, side by side: sorting these touches a third of what sorting entries would.
struct Claim {
    std::uint64_t host_id = 0;
    std::uint64_t device_id = 0;
    RankId rank = kNoRank;

    friend bool operator<(Claim const& left, Claim const& right) {
        return std::tie(left.host_id, left.device_id, left.rank) < std::tie(right.host_id, right.device_id, right.rank);
    }
    [[nodiscard]] bool same_device(Claim const& other) const {
        return host_id == other.host_id && device_id == other.device_id;
    }
};

}  // namespace

DevicePair find_duplicate_device(std::span<const Entry> table) {
    std::vector<Claim> claims;
    claims.reserve(table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        // The place in the table is the rank that the root agreed to; the entry's own field is only a claim.
        if (table[i].device_id != kNoDevice) {
            claims.push_back({table[i].host_id, table[i].device_id, static_cast<RankId>(i)});
        }
    }
    std::sort(claims.begin(), claims.end());

    // Ranks of one device now stand in ascending order, so its lowest pair is the first two of them: exactly
    // where a claim meets its like and the one before was another device or the group's first.
    DevicePair found;
    for (std::size_t i = 1; i < claims.size(); ++i) {
        if (claims[i].same_device(claims[i - 1]) && claims[i].rank < found.second) {
            found = {claims[i - 1].rank, claims[i].rank};
        }
    }
    return found;
}

}  // namespace ronde::protocol
