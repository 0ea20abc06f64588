#include "protocol/error.hpp"

#include "protocol/bytes.hpp"
#include "protocol/check.hpp"

#include <algorithm>

namespace ronde::protocol {
namespace {

// The last enumerators, so that a byte from the wire can be told from one of them.
constexpr auto kLastFailure = static_cast<std::uint8_t>(Failure::other);
constexpr auto kLastField = static_cast<std::uint8_t>(Field::operation);

// What is left of a verdict that no healthy rank could have sent. None of its claims is passed on: a damaged
// frame must not accuse anyone. Whoever received it knows who sent it, and says so in `about`.
Verdict nonsense() noexcept {
    Verdict verdict;
    verdict.error.code = Code::protocol_violation;
    verdict.error.failure = Failure::malformed;
    return verdict;
}

bool decode_error(ByteReader& reader, Error& error) noexcept {
    auto const code = reader.get<std::uint8_t>();
    auto const phase = reader.get<std::uint8_t>();
    auto const failure = reader.get<std::uint8_t>();
    auto const field = reader.get<std::uint8_t>();
    error.code = static_cast<Code>(code);
    error.phase = static_cast<Phase>(phase);
    error.failure = static_cast<Failure>(failure);
    error.field = static_cast<Field>(field);
    error.os_error = static_cast<std::int32_t>(reader.get<std::uint32_t>());
    error.about = reader.get<std::uint32_t>();
    error.other = reader.get<std::uint32_t>();
    error.reporter = reader.get<std::uint32_t>();
    error.about_phase = reader.get<std::uint32_t>();
    error.expected = reader.get<std::uint64_t>();
    error.got = reader.get<std::uint64_t>();
    return code < kCodeCount && phase < kPhaseCount && failure <= kLastFailure && field <= kLastField &&
           error.about_phase < kPhaseCount;
}

}  // namespace

void encode_verdict(Verdict const& verdict, std::span<std::byte> out) noexcept {
    RONDE_CHECK(out.size() >= kVerdictBytes, "a verdict needs kVerdictBytes");
    Error const& error = verdict.error;
    std::uint32_t const range_count = std::min(verdict.range_count, kMaxRanges);
    ByteWriter writer(out.data());
    writer.put(static_cast<std::uint8_t>(error.code));
    writer.put(static_cast<std::uint8_t>(error.phase));
    writer.put(static_cast<std::uint8_t>(error.failure));
    writer.put(static_cast<std::uint8_t>(error.field));
    writer.put(static_cast<std::uint32_t>(error.os_error));
    writer.put(error.about);
    writer.put(error.other);
    writer.put(error.reporter);
    writer.put(error.about_phase);
    writer.put(error.expected);
    writer.put(error.got);
    writer.put(range_count);
    writer.put(verdict.more_ranks);
    for (std::uint32_t i = 0; i < kMaxRanges; ++i) {
        RankRange const range = i < range_count ? verdict.ranges[i] : RankRange{};
        writer.put(range.first);
        writer.put(range.last);
    }
}

Verdict decode_verdict(std::span<const std::byte> in) noexcept {
    RONDE_CHECK(in.size() >= kVerdictBytes, "a verdict is kVerdictBytes long");
    ByteReader reader(in.data());
    Verdict verdict;
    if (!decode_error(reader, verdict.error))
        return nonsense();
    verdict.range_count = std::min(reader.get<std::uint32_t>(), kMaxRanges);
    verdict.more_ranks = std::min(reader.get<std::uint32_t>(), kMaxRanks);
    for (std::uint32_t i = 0; i < verdict.range_count; ++i) {
        verdict.ranges[i].first = reader.get<std::uint32_t>();
        verdict.ranges[i].last = reader.get<std::uint32_t>();
    }
    return verdict;
}

std::string_view name_of(Code code) noexcept {
    switch (code) {
    case Code::ok: return "ok";
    case Code::deadline: return "deadline";
    case Code::ranks_missing: return "ranks_missing";
    case Code::rank_lost: return "rank_lost";
    case Code::root_lost: return "root_lost";
    case Code::root_silent: return "root_silent";
    case Code::duplicate_rank: return "duplicate_rank";
    case Code::mismatch: return "mismatch";
    case Code::duplicate_device: return "duplicate_device";
    case Code::id_consumed: return "id_consumed";
    case Code::peer_unreachable: return "peer_unreachable";
    case Code::protocol_violation: return "protocol_violation";
    case Code::aborted: return "aborted";
    case Code::local_failure: return "local_failure";
    case Code::peer_closed: return "peer_closed";
    case Code::bad_argument: return "bad_argument";
    }
    return "unknown";
}

std::string_view name_of(Field field) noexcept {
    switch (field) {
    case Field::none: return "none";
    case Field::nranks: return "nranks";
    case Field::roots: return "roots";
    case Field::profile: return "profile";
    case Field::version: return "version";
    case Field::root_index: return "root_index";
    case Field::rank: return "rank";
    case Field::operation: return "operation";
    }
    return "unknown";
}

}  // namespace ronde::protocol
