/// The protocol as policies. One machine, three named sets of choices; each choice can also be made alone.
///
/// `article`: the classic bootstrap (2.4 - 2.22), `nccl`: the newest one (2.23 and later), `ronde`: ours.
/// docs/protocol.md clause 4.3 has the table and says which weak spots the first two keep on purpose.
#pragma once

#include "protocol/units.hpp"

#include <optional>
#include <type_traits>

namespace ronde::protocol {

enum class Profile : std::uint8_t { article, nccl, ronde, custom };

/// How a connection proves that it belongs to this job [clause 3].
enum class Auth : std::uint8_t {
    none,   ///< the first connection is believed
    magic,  ///< the session id in clear
    keyed,  ///< mutual challenge-response with the secret of the id
};
/// On which connection the root answers a check-in.
enum class Reply : std::uint8_t { callback, same_connection };
/// When and what the root hands out.
enum class HandOut : std::uint8_t {
    after_all,  ///< successors, once every rank has checked in, in rank order
    as_known,   ///< a successor as soon as the pair is known
    table,      ///< nothing but the whole table, once every rank has checked in (gather `star`)
};
enum class Accepting : std::uint8_t { serial, concurrent };
enum class Gather : std::uint8_t {
    automatic,  ///< resolved by resolve(): `star` for one root and up to kStarRanks ranks, else `doubling`
    star,       ///< the root sends the table on the check-in connections
    doubling,   ///< windows of 2^k entries over chord k, ceil(log2 N) rounds
    ring,       ///< N-1 rounds around the ring
    ring2,      ///< both ways around, floor(N/2) rounds
};
/// How a round of a ring gather proceeds.
enum class Turns : std::uint8_t {
    pipelined,          ///< forward what arrives, at once
    lock_step,          ///< a round starts when the one before is complete
    lock_step_lengths,  ///< as lock_step, and each round exchanges lengths first
    send_then_receive,  ///< reads nothing until its own slice is written (2.20 and older): can deadlock
};
/// Who says that everyone is ready.
enum class Commit : std::uint8_t {
    automatic,  ///< resolved by resolve(): `root` with gather `star`, else `chords`
    none,       ///< nobody: ready is a local belief
    root,       ///< the root, when all ranks reported
    chords,     ///< a dissemination barrier among the ranks
};
enum class Retry : std::uint8_t {
    article,  ///< refused 20 000 times, 1 ms apart; timed out 3 times
    nccl,     ///< 34 times, the k-th pause k * 100 ms
    backoff,  ///< jittered, doubling, within the overall deadline
};
enum class Stagger : std::uint8_t {
    none,
    rank_ms,        ///< more than 128 ranks: rank milliseconds
    rate_per_root,  ///< more than 256 ranks at a root: local id / 7000 s
    paced,          ///< more ranks at a root than its accept queue holds: half a queue at once, then 20 us apart
};
enum class Verdicts : std::uint8_t {
    silent,    ///< whoever fails leaves without a word
    everyone,  ///< whoever learns of a failure tells everyone it can reach
};
enum class Deadlines : std::uint8_t { none, everywhere };
enum class DeviceCheck : std::uint8_t { off, in_table, at_root };

/// Ranks up to which `Gather::automatic` lets the root send the whole table.
inline constexpr std::uint32_t kStarRanks = 1024;

/// A complete set of choices. Plain bytes; equal sets have equal digests [clause 4.5].
struct Policies {
    Profile profile = Profile::ronde;
    Auth auth = Auth::keyed;
    Reply reply = Reply::same_connection;
    HandOut hand_out = HandOut::as_known;
    Accepting accepting = Accepting::concurrent;
    Gather gather = Gather::automatic;
    Turns turns = Turns::pipelined;
    Commit commit = Commit::automatic;
    Retry retry = Retry::backoff;
    Stagger stagger = Stagger::paced;
    Verdicts verdicts = Verdicts::everyone;
    Deadlines deadlines = Deadlines::everywhere;
    DeviceCheck device_check = DeviceCheck::at_root;
    std::uint8_t reserved[3] = {};
    /// Longest that an accepted connection may stay unproven [clause 3.4].
    std::uint32_t handshake_patience_ms = 2'000;
    /// First patience with a connection that was made but not answered; doubles per try [clause 3.5].
    std::uint32_t answer_patience_ms = 1'000;
    /// How long "refused" is believed to be a passing state where the listener was promised [clause 5.6].
    std::uint32_t refused_patience_ms = 800;
    /// How long the root waits for a reset check-in connection to be made again [clause 6.3].
    std::uint32_t return_patience_ms = 250;

    friend bool operator==(Policies const&, Policies const&) = default;
};
static_assert(std::is_trivially_copyable_v<Policies> && std::has_unique_object_representations_v<Policies>);

[[nodiscard]] Policies policies_of(Profile profile) noexcept;
/// `article`, `nccl` or `ronde`; nothing for any other text.
[[nodiscard]] std::optional<Profile> profile_named(std::string_view name) noexcept;

/// Replaces every `automatic` by the choice for this size, and makes dependent choices agree
/// (gather `star` needs hand-out `table`, and so on). The machine only ever sees resolved sets.
[[nodiscard]] Policies resolve(Policies policies, std::uint32_t nranks, std::uint32_t nroots) noexcept;

/// Why a resolved set cannot work, in one line ("gather star needs one root, not 3"), or an empty text.
[[nodiscard]] std::string_view contradiction_in(Policies const& policies, std::uint32_t nranks,
                                                std::uint32_t nroots) noexcept;

/// 32 bits that every rank compares at check-in: the profile in the top byte, a hash of all choices below it.
[[nodiscard]] std::uint32_t digest_of(Policies const& policies) noexcept;
[[nodiscard]] constexpr Profile profile_in_digest(std::uint32_t policy_digest) {
    return static_cast<Profile>(policy_digest >> 24);
}

[[nodiscard]] std::string_view name_of(Profile) noexcept;
[[nodiscard]] std::string_view name_of(Gather) noexcept;
[[nodiscard]] std::string_view name_of(Auth) noexcept;
[[nodiscard]] std::string_view name_of(Turns) noexcept;

}  // namespace ronde::protocol
