#include "net/recording_format.hpp"

#include "protocol/bytes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace ronde::net::recording {

using protocol::Event;
using protocol::EventKind;
using protocol::Policies;
using protocol::RankConfig;
using protocol::RootConfig;

namespace {

constexpr std::array<char, 8> kMagic{'r', 'o', 'n', 'd', 'e', 'r', 'e', 'c'};
constexpr std::uint8_t kRank = 1;
constexpr std::uint8_t kRoot = 2;
constexpr std::size_t kHeadBytes = 16;

template <class Integer>
void put(std::vector<std::byte>& out, Integer value) {
    using Unsigned = std::make_unsigned_t<Integer>;
    std::array<std::byte, sizeof(Integer)> bytes{};
    protocol::store(bytes.data(), static_cast<Unsigned>(value));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template <class Enum>
void put_enum(std::vector<std::byte>& out, Enum value) {
    put(out, static_cast<std::uint8_t>(value));
}

void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U)
        put(out, static_cast<std::uint8_t>(value | 0x80U));
    put(out, static_cast<std::uint8_t>(value));
}

/// The one-byte choices of a set of policies, in the order of the file.
template <class Set, class Visit>
void each_choice(Set& policies, Visit&& visit) {
    visit(policies.profile);
    visit(policies.auth);
    visit(policies.reply);
    visit(policies.hand_out);
    visit(policies.accepting);
    visit(policies.gather);
    visit(policies.turns);
    visit(policies.commit);
    visit(policies.retry);
    visit(policies.stagger);
    visit(policies.verdicts);
    visit(policies.deadlines);
    visit(policies.device_check);
}

template <class Set, class Visit>
void each_patience(Set& policies, Visit&& visit) {
    visit(policies.handshake_patience_ms);
    visit(policies.answer_patience_ms);
    visit(policies.refused_patience_ms);
    visit(policies.return_patience_ms);
}

/// What follows the policies, in the order of the file.
template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RankConfig>
void each_number(Config& config, Visit&& visit) {
    visit(config.nranks);
    visit(config.nroots);
    visit(config.rank);
    visit(config.roots_digest);
    visit(config.session);
    visit(config.seed);
    visit(config.budget_ns);
    visit(config.root_promised);
    visit(config.root_backlog);
    visit(config.version);
}
template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RootConfig>
void each_number(Config& config, Visit&& visit) {
    visit(config.expected_nranks);
    visit(config.nroots);
    visit(config.root_index);
    visit(config.roots_digest);
    visit(config.session);
    visit(config.pending_limit);
    visit(config.budget_ns);
    visit(config.version);
}

template <class Config>
std::vector<std::byte> head_of_machine(std::uint8_t machine, Config const& config) {
    std::vector<std::byte> fields;
    each_choice(config.policies, [&](auto choice) { put_enum(fields, choice); });
    each_patience(config.policies, [&](std::uint32_t patience_ms) { put(fields, patience_ms); });
    each_number(config, [&](auto number) {
        if constexpr (std::is_same_v<decltype(number), bool>)
            put(fields, static_cast<std::uint8_t>(number));
        else
            put(fields, number);
    });
    std::vector<std::byte> out;
    for (char const letter : kMagic)
        put(out, static_cast<std::uint8_t>(letter));
    put(out, kFormat);
    put(out, machine);
    put(out, std::uint8_t{0});
    put(out, static_cast<std::uint32_t>(fields.size()));
    out.insert(out.end(), fields.begin(), fields.end());
    return out;
}

tl::unexpected<std::string> damaged(char const* text) { return tl::unexpected(std::string(text)); }

}  // namespace

std::vector<std::byte> head_of(RankConfig const& config) { return head_of_machine(kRank, config); }
std::vector<std::byte> head_of(RootConfig const& config) { return head_of_machine(kRoot, config); }

void append_event(std::vector<std::byte>& out, Event const& event, protocol::TimeNs last_now) {
    put_enum(out, event.kind);
    put_varint(out, static_cast<std::uint64_t>(event.now - last_now));
    auto const put_link = [&] { put(out, event.link.value); };
    auto const put_failure = [&] {
        put_enum(out, event.failure);
        put(out, event.os_error);
    };
    switch (event.kind) {
    case EventKind::listening:
    case EventKind::queued: put_enum(out, event.listener); return;
    case EventKind::listen_failed:
    case EventKind::accept_failed: put_enum(out, event.listener); return put_failure();
    case EventKind::connected: put_link(); return put(out, static_cast<std::uint8_t>(event.authentic));
    case EventKind::connect_failed:
    case EventKind::closed: put_link(); return put_failure();
    case EventKind::accepted: put_enum(out, event.listener); return put_link();
    case EventKind::sent: return put_link();
    case EventKind::frame: {
        put_link();
        put(out, static_cast<std::uint8_t>(event.authentic));
        std::array<std::byte, protocol::kHeaderBytes> header{};
        protocol::encode_header(event.frame, header);
        out.insert(out.end(), header.begin(), header.end());
        put_varint(out, event.payload.size());
        out.insert(out.end(), event.payload.begin(), event.payload.end());
        return;
    }
    case EventKind::inspected: put(out, event.devices.first); return put(out, event.devices.second);
    case EventKind::operate:
        put_enum(out, event.operation.kind);
        put(out, event.operation.peer);
        put(out, event.operation.tag);
        put(out, event.operation.slice_bytes);
        return put(out, event.operation.budget_ns);
    case EventKind::start:
    case EventKind::timer:
    case EventKind::collected:
    case EventKind::abort:
    case EventKind::close:
    case EventKind::resume: return;
    }
}

void append_check(std::vector<std::byte>& out, std::uint64_t hash, StateDigest const& digest) {
    put(out, kCheckTag);
    put(out, hash);
    put(out, digest.low);
    put(out, digest.high);
}

void append_end(std::vector<std::byte>& out) { put(out, kEndTag); }

// --- reading ------------------------------------------------------------------------------------------------------

template <class Integer>
Integer Reader::get() noexcept {
    if (bytes_.size() - at_ < sizeof(Integer)) {
        short_ = true;
        at_ = bytes_.size();
        return 0;
    }
    auto const value = protocol::load<std::make_unsigned_t<Integer>>(bytes_.data() + at_);
    at_ += sizeof(Integer);
    return static_cast<Integer>(value);
}

std::uint64_t Reader::get_varint() noexcept {
    std::uint64_t value = 0;
    for (std::uint32_t shift = 0; shift < 64; shift += 7) {
        auto const byte = get<std::uint8_t>();
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if ((byte & 0x80U) == 0)
            return value;
    }
    garbage_ = true;
    return value;
}

template <class Config>
Config Reader::get_config() noexcept {
    Config config;
    each_choice(config.policies, [&](auto& choice) {
        choice = static_cast<std::remove_reference_t<decltype(choice)>>(get<std::uint8_t>());
    });
    each_patience(config.policies, [&](std::uint32_t& patience_ms) { patience_ms = get<std::uint32_t>(); });
    each_number(config, [&](auto& number) {
        using Number = std::remove_reference_t<decltype(number)>;
        if constexpr (std::is_same_v<Number, bool>)
            number = get<std::uint8_t>() != 0;
        else
            number = get<Number>();
    });
    return config;
}

tl::expected<Reader::Config, std::string> Reader::head() {
    bool const magic = bytes_.size() >= kHeadBytes && std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) == 0;
    if (!magic)
        return damaged("is no recording: it does not begin with \"ronderec\"");
    at_ = kMagic.size();
    auto const format = get<std::uint16_t>();
    auto const machine = get<std::uint8_t>();
    ++at_;  // reserved
    auto const config_bytes = get<std::uint32_t>();
    if (format != kFormat) {
        return tl::unexpected("has format " + std::to_string(format) + ", this program reads format " +
                              std::to_string(kFormat));
    }
    Config result;
    std::size_t const begin = at_;
    if (machine == kRank) {
        auto const config = get_config<RankConfig>();
        bool const sound = config.nranks >= 1 && config.nranks <= protocol::kMaxRanks && config.rank < config.nranks &&
                           config.nroots >= 1 && config.nroots <= config.nranks;
        if (!sound)
            return damaged("is damaged: its configuration cannot be");
        result = config;
    } else if (machine == kRoot) {
        auto const config = get_config<RootConfig>();
        bool const sound = config.nroots >= 1 && config.nroots <= protocol::kMaxRoots &&
                           config.root_index < config.nroots && config.expected_nranks <= protocol::kMaxRanks;
        if (!sound)
            return damaged("is damaged: its configuration cannot be");
        result = config;
    } else {
        return tl::unexpected("is damaged: it is of machine " + std::to_string(machine) + ", expected 1 or 2");
    }
    if (short_ || at_ - begin != config_bytes)
        return damaged("is damaged: its configuration has another length");
    return result;
}

Record Reader::next() {
    if (at_ == bytes_.size())
        return CutOff{};
    auto const tag = get<std::uint8_t>();
    Record record = Garbage{};
    if (tag == kEndTag) {
        record = End{};
    } else if (tag == kCheckTag) {
        Check check;
        check.from = checked_;
        check.to = at_ - 1;
        check.hash = get<std::uint64_t>();
        check.digest.low = get<std::uint64_t>();
        check.digest.high = get<std::uint64_t>();
        checked_ = at_;
        record = check;
    } else if (tag < protocol::kEventKindCount) {
        record = get_event(static_cast<EventKind>(tag));
    }
    if (short_)
        return CutOff{};
    if (garbage_)
        return Garbage{};
    return record;
}

Event Reader::get_event(EventKind kind) {
    Event event;
    event.kind = kind;
    last_now_ += static_cast<protocol::TimeNs>(get_varint());
    event.now = last_now_;
    auto const get_enum = [&](auto& value, std::uint32_t count) {
        auto const number = get<std::uint8_t>();
        if (number >= count)
            garbage_ = true;
        value = static_cast<std::remove_reference_t<decltype(value)>>(number);
    };
    auto const get_link = [&] { event.link.value = get<std::uint32_t>(); };
    auto const get_failure = [&] {
        get_enum(event.failure, static_cast<std::uint32_t>(protocol::Failure::other) + 1U);
        event.os_error = get<std::int32_t>();
    };
    switch (kind) {
    case EventKind::listening:
    case EventKind::queued: get_enum(event.listener, 3); break;
    case EventKind::listen_failed:
    case EventKind::accept_failed:
        get_enum(event.listener, 3);
        get_failure();
        break;
    case EventKind::connected:
        get_link();
        event.authentic = get<std::uint8_t>() != 0;
        break;
    case EventKind::connect_failed:
    case EventKind::closed:
        get_link();
        get_failure();
        break;
    case EventKind::accepted:
        get_enum(event.listener, 3);
        get_link();
        break;
    case EventKind::sent: get_link(); break;
    case EventKind::frame: {
        get_link();
        event.authentic = get<std::uint8_t>() != 0;
        if (bytes_.size() - at_ < protocol::kHeaderBytes) {
            short_ = true;
            break;
        }
        auto const header = protocol::decode_header(bytes_.subspan(at_).first<protocol::kHeaderBytes>());
        garbage_ = garbage_ || header.fault != protocol::HeaderFault::none;
        event.frame = header.frame;
        at_ += protocol::kHeaderBytes;
        std::uint64_t const payload_bytes = get_varint();
        if (payload_bytes > bytes_.size() - at_) {
            short_ = true;
            break;
        }
        event.payload = bytes_.subspan(at_, payload_bytes);
        at_ += payload_bytes;
        break;
    }
    case EventKind::inspected:
        event.devices.first = get<std::uint32_t>();
        event.devices.second = get<std::uint32_t>();
        break;
    case EventKind::operate:
        get_enum(event.operation.kind, static_cast<std::uint32_t>(protocol::OperationKind::receive) + 1U);
        event.operation.peer = get<std::uint32_t>();
        event.operation.tag = get<std::uint64_t>();
        event.operation.slice_bytes = get<std::uint64_t>();
        event.operation.budget_ns = get<std::int64_t>();
        break;
    case EventKind::start:
    case EventKind::timer:
    case EventKind::collected:
    case EventKind::abort:
    case EventKind::close:
    case EventKind::resume: break;
    }
    return event;
}

}  // namespace ronde::net::recording
