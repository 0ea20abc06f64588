#include "protocol/policy.hpp"

#include "protocol/bytes.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace ronde::protocol {
namespace {

/// FNV-1a, 64 bits: small, well known, and easy to write again in any language.
std::uint64_t fnv1a(std::span<const std::byte> bytes) noexcept {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
    for (std::byte const byte : bytes) {
        hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x0000'0100'0000'01b3U;
    }
    return hash;
}

Policies article() noexcept {
    Policies policies;
    policies.profile = Profile::article;
    policies.auth = Auth::none;
    policies.reply = Reply::callback;
    policies.hand_out = HandOut::after_all;
    policies.accepting = Accepting::serial;
    policies.gather = Gather::ring;
    // 2.20 and older send before they receive, and deadlock once slices outgrow the socket buffers. Whoever
    // wants to see that sets send_then_receive; the profile takes the form that came after.
    policies.turns = Turns::lock_step;
    policies.commit = Commit::none;
    policies.retry = Retry::article;
    policies.stagger = Stagger::rank_ms;
    policies.verdicts = Verdicts::silent;
    policies.deadlines = Deadlines::none;
    policies.device_check = DeviceCheck::in_table;
    return policies;
}

Policies nccl() noexcept {
    Policies policies = article();
    policies.profile = Profile::nccl;
    policies.auth = Auth::magic;
    policies.hand_out = HandOut::as_known;
    policies.gather = Gather::ring2;
    policies.turns = Turns::lock_step_lengths;
    policies.retry = Retry::nccl;
    policies.stagger = Stagger::rate_per_root;
    return policies;
}

}  // namespace

Policies policies_of(Profile profile) noexcept {
    switch (profile) {
    case Profile::article: return article();
    case Profile::nccl: return nccl();
    case Profile::ronde:
    case Profile::custom: break;
    }
    Policies policies;
    policies.profile = profile;
    return policies;
}

std::optional<Profile> profile_named(std::string_view name) noexcept {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        if (name == name_of(profile))
            return profile;
    }
    return std::nullopt;
}

Policies resolve(Policies policies, std::uint32_t nranks, std::uint32_t nroots) noexcept {
    bool const one_root = nroots == 1;
    if (policies.gather == Gather::automatic) {
        bool const answered_on_the_spot = policies.reply == Reply::same_connection;
        policies.gather = one_root && answered_on_the_spot && nranks <= kStarRanks ? Gather::star : Gather::doubling;
    }
    if (policies.gather == Gather::star) {
        // The table travels on the check-in connections, which are then there for done and commit as well.
        policies.hand_out = HandOut::table;
        policies.commit = Commit::root;
    } else if (policies.hand_out == HandOut::table) {
        policies.hand_out = HandOut::as_known;
    }
    if (policies.commit == Commit::automatic)
        policies.commit = Commit::chords;
    // A device may be claimed in two blocks, and no root sees both.
    if (!one_root && policies.device_check == DeviceCheck::at_root)
        policies.device_check = DeviceCheck::in_table;
    return policies;
}

std::string_view contradiction_in(Policies const& policies, std::uint32_t nranks, std::uint32_t nroots) noexcept {
    if (nranks == 0)
        return "a job needs at least one rank";
    if (nranks > kMaxRanks)
        return "a job has at most 1048576 ranks";
    if (nroots == 0)
        return "a job needs at least one root";
    if (nroots > nranks)
        return "a job cannot have more roots than ranks";
    if (nroots > kMaxRoots)
        return "a job has at most 4096 roots";

    bool const calls_back = policies.reply == Reply::callback;
    if (policies.gather == Gather::automatic)
        return "gather is still automatic: resolve the policies first";
    if (policies.commit == Commit::automatic)
        return "commit is still automatic: resolve the policies first";
    if (policies.gather == Gather::star) {
        if (nroots > 1)
            return "gather star needs exactly one root";
        if (calls_back)
            return "gather star needs reply same_connection: the table comes on the check-in connection";
        if (policies.hand_out != HandOut::table)
            return "gather star needs hand-out table";
        if (policies.commit != Commit::root)
            return "gather star needs commit root";
    }
    if (policies.hand_out == HandOut::table && policies.gather != Gather::star) {
        return "hand-out table needs gather star";
    }
    if (policies.commit == Commit::root) {
        if (nroots > 1)
            return "commit root needs exactly one root: no root hears from all ranks";
        if (calls_back)
            return "commit root needs reply same_connection: done and commit travel on it";
    }
    if (calls_back) {
        if (policies.accepting == Accepting::concurrent)
            return "reply callback needs accepting serial: the root does one thing at a time";
        if (policies.auth == Auth::keyed)
            return "reply callback cannot have auth keyed: the call-back carries its answer at once";
    }
    // A rank opens its door when its own call is through, and a proof needs an answer from behind the next door: with
    // one after the other nobody around the ring ever gets it [5.5].
    if (policies.accepting == Accepting::serial && policies.auth == Auth::keyed && nranks > 1)
        return "accepting serial cannot have auth keyed: all ranks would wait for the door of their successor";
    if (policies.turns == Turns::send_then_receive && policies.gather == Gather::ring2) {
        return "turns send_then_receive needs gather ring: two ways around cannot take turns";
    }
    if (policies.device_check == DeviceCheck::at_root && nroots > 1) {
        return "device check at_root needs exactly one root: no root sees all ranks";
    }
    if (policies.auth != Auth::none && policies.handshake_patience_ms == 0) {
        return "a handshake needs patience: handshake_patience_ms must not be 0";
    }
    if (policies.retry == Retry::backoff && policies.answer_patience_ms == 0) {
        return "an answer needs patience: answer_patience_ms must not be 0";
    }
    return {};
}

std::uint32_t digest_of(Policies const& policies) noexcept {
    std::array<std::byte, 29> text;
    ByteWriter writer(text.data());
    writer.put(static_cast<std::uint8_t>(policies.profile));
    writer.put(static_cast<std::uint8_t>(policies.auth));
    writer.put(static_cast<std::uint8_t>(policies.reply));
    writer.put(static_cast<std::uint8_t>(policies.hand_out));
    writer.put(static_cast<std::uint8_t>(policies.accepting));
    writer.put(static_cast<std::uint8_t>(policies.gather));
    writer.put(static_cast<std::uint8_t>(policies.turns));
    writer.put(static_cast<std::uint8_t>(policies.commit));
    writer.put(static_cast<std::uint8_t>(policies.retry));
    writer.put(static_cast<std::uint8_t>(policies.stagger));
    writer.put(static_cast<std::uint8_t>(policies.verdicts));
    writer.put(static_cast<std::uint8_t>(policies.deadlines));
    writer.put(static_cast<std::uint8_t>(policies.device_check));
    writer.put(policies.handshake_patience_ms);
    writer.put(policies.answer_patience_ms);
    writer.put(policies.refused_patience_ms);
    writer.put(policies.return_patience_ms);
    static_assert(sizeof(Policies) == 32, "a choice that is added is added to the digest");

    // Every bit of the 64 has a say in the 24 that are left.
    std::uint64_t const hash = fnv1a(text);
    std::uint64_t const folded = (hash ^ (hash >> 24U) ^ (hash >> 48U)) & 0x00ff'ffffU;
    return (static_cast<std::uint32_t>(policies.profile) << 24U) | static_cast<std::uint32_t>(folded);
}

std::string_view name_of(Profile profile) noexcept {
    switch (profile) {
    case Profile::article: return "article";
    case Profile::nccl: return "nccl";
    case Profile::ronde: return "ronde";
    case Profile::custom: return "custom";
    }
    return "unknown";
}

std::string_view name_of(Gather gather) noexcept {
    switch (gather) {
    case Gather::automatic: return "automatic";
    case Gather::star: return "star";
    case Gather::doubling: return "doubling";
    case Gather::ring: return "ring";
    case Gather::ring2: return "ring2";
    }
    return "unknown";
}

std::string_view name_of(Auth auth) noexcept {
    switch (auth) {
    case Auth::none: return "none";
    case Auth::magic: return "magic";
    case Auth::keyed: return "keyed";
    }
    return "unknown";
}

std::string_view name_of(Turns turns) noexcept {
    switch (turns) {
    case Turns::pipelined: return "pipelined";
    case Turns::lock_step: return "lock_step";
    case Turns::lock_step_lengths: return "lock_step_lengths";
    case Turns::send_then_receive: return "send_then_receive";
    }
    return "unknown";
}

}  // namespace ronde::protocol
