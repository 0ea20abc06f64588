#include "protocol/policy.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace ronde::protocol {
namespace {

constexpr Profile kProfiles[] = {Profile::article, Profile::nccl, Profile::ronde};

TEST(Profiles, ArticleIsTheClassicBootstrap) {
    Policies const policies = policies_of(Profile::article);
    EXPECT_EQ(policies.profile, Profile::article);
    EXPECT_EQ(policies.auth, Auth::none);
    EXPECT_EQ(policies.reply, Reply::callback);
    EXPECT_EQ(policies.hand_out, HandOut::after_all);
    EXPECT_EQ(policies.accepting, Accepting::serial);
    EXPECT_EQ(policies.gather, Gather::ring);
    EXPECT_EQ(policies.turns, Turns::lock_step);
    EXPECT_EQ(policies.commit, Commit::none);
    EXPECT_EQ(policies.retry, Retry::article);
    EXPECT_EQ(policies.stagger, Stagger::rank_ms);
    EXPECT_EQ(policies.verdicts, Verdicts::silent);
    EXPECT_EQ(policies.deadlines, Deadlines::none);
    EXPECT_EQ(policies.device_check, DeviceCheck::in_table);
}

TEST(Profiles, NcclIsTheNewestOne) {
    Policies const policies = policies_of(Profile::nccl);
    EXPECT_EQ(policies.profile, Profile::nccl);
    EXPECT_EQ(policies.auth, Auth::magic);
    EXPECT_EQ(policies.reply, Reply::callback);
    EXPECT_EQ(policies.hand_out, HandOut::as_known);
    EXPECT_EQ(policies.accepting, Accepting::serial);
    EXPECT_EQ(policies.gather, Gather::ring2);
    EXPECT_EQ(policies.turns, Turns::lock_step_lengths);
    EXPECT_EQ(policies.commit, Commit::none);
    EXPECT_EQ(policies.retry, Retry::nccl);
    EXPECT_EQ(policies.stagger, Stagger::rate_per_root);
    EXPECT_EQ(policies.verdicts, Verdicts::silent);
    EXPECT_EQ(policies.deadlines, Deadlines::none);
    EXPECT_EQ(policies.device_check, DeviceCheck::in_table);
}

TEST(Profiles, RondeIsTheDefault) {
    EXPECT_EQ(policies_of(Profile::ronde), Policies{});
    Policies custom = policies_of(Profile::custom);
    EXPECT_EQ(custom.profile, Profile::custom);
    custom.profile = Profile::ronde;
    EXPECT_EQ(custom, Policies{});
}

TEST(Profiles, AreFoundByName) {
    for (Profile const profile : kProfiles)
        EXPECT_EQ(profile_named(name_of(profile)), profile);
    for (std::string_view const name : {"", "custom", "Ronde", "ronde ", "unknown", "2"})
        EXPECT_EQ(profile_named(name), std::nullopt) << name;
}

struct Row {
    std::string_view what;
    Policies given;
    std::uint32_t nranks;
    std::uint32_t nroots;
    Gather gather;
    HandOut hand_out;
    Commit commit;
    DeviceCheck device_check;
};

Policies ronde_with(std::function<void(Policies&)> const& change) {
    Policies policies;
    change(policies);
    return policies;
}

TEST(Resolve, ChoosesForEachSize) {
    auto const with = ronde_with;
    Policies const plain;
    Policies const same = with([](Policies& p) { p.hand_out = HandOut::after_all; });
    Policies const star = with([](Policies& p) { p.gather = Gather::star; });
    Policies const star_alone = with([](Policies& p) {
        p.gather = Gather::star;
        p.commit = Commit::none;
        p.hand_out = HandOut::as_known;
    });
    Policies const table = with([](Policies& p) { p.hand_out = HandOut::table; });
    Policies const ring_table = with([](Policies& p) {
        p.gather = Gather::ring;
        p.hand_out = HandOut::table;
    });
    Policies const callback = with([](Policies& p) {
        p.reply = Reply::callback;
        p.accepting = Accepting::serial;
        p.auth = Auth::magic;
    });
    Policies const root_commit = with([](Policies& p) {
        p.gather = Gather::doubling;
        p.commit = Commit::root;
    });
    Policies const unchecked = with([](Policies& p) { p.device_check = DeviceCheck::off; });
    using G = Gather;
    using H = HandOut;
    using C = Commit;
    using D = DeviceCheck;
    Row const rows[] = {
        {"a ring of one", plain, 1, 1, G::star, H::table, C::root, D::at_root},
        {"few ranks", plain, 8, 1, G::star, H::table, C::root, D::at_root},
        {"the most for a star", plain, kStarRanks, 1, G::star, H::table, C::root, D::at_root},
        {"one more", plain, kStarRanks + 1, 1, G::doubling, H::as_known, C::chords, D::at_root},
        {"the most of all", plain, kMaxRanks, 1, G::doubling, H::as_known, C::chords, D::at_root},
        {"two roots", plain, 8, 2, G::doubling, H::as_known, C::chords, D::in_table},
        {"late hand-out, few ranks", same, 8, 1, G::star, H::table, C::root, D::at_root},
        {"late hand-out, two roots", same, 8, 2, G::doubling, H::after_all, C::chords, D::in_table},
        {"star asked for, many ranks", star, kMaxRanks, 1, G::star, H::table, C::root, D::at_root},
        {"star pulls the others along", star_alone, 8, 1, G::star, H::table, C::root, D::at_root},
        {"table without star", ring_table, 8, 1, G::ring, H::as_known, C::chords, D::at_root},
        {"table, many ranks", table, 2000, 1, G::doubling, H::as_known, C::chords, D::at_root},
        {"call-back rules a star out", callback, 8, 1, G::doubling, H::as_known, C::chords, D::at_root},
        {"commit at the root stays", root_commit, 8, 1, G::doubling, H::as_known, C::root, D::at_root},
        {"no check stays none", unchecked, 8, 2, G::doubling, H::as_known, C::chords, D::off},
        {"article", policies_of(Profile::article), 8, 1, G::ring, H::after_all, C::none, D::in_table},
        {"article, a ring of one", policies_of(Profile::article), 1, 1, G::ring, H::after_all, C::none, D::in_table},
        {"nccl, three roots", policies_of(Profile::nccl), 8, 3, G::ring2, H::as_known, C::none, D::in_table},
    };
    for (Row const& row : rows) {
        SCOPED_TRACE(row.what);
        Policies const resolved = resolve(row.given, row.nranks, row.nroots);
        EXPECT_EQ(resolved.gather, row.gather);
        EXPECT_EQ(resolved.hand_out, row.hand_out);
        EXPECT_EQ(resolved.commit, row.commit);
        EXPECT_EQ(resolved.device_check, row.device_check);
        EXPECT_EQ(contradiction_in(resolved, row.nranks, row.nroots), "");
    }
}

TEST(Resolve, EveryProfileWorksAtEverySizeAndResolvingTwiceChangesNothing) {
    for (Profile const profile : kProfiles) {
        for (std::uint32_t const nranks : {1U, 2U, 3U, 7U, 8U, 64U, 1024U, 1025U, 4096U, kMaxRanks}) {
            for (std::uint32_t const nroots : {1U, 2U, 3U, nranks}) {
                if (nroots > nranks || nroots > kMaxRoots)
                    continue;
                Policies const resolved = resolve(policies_of(profile), nranks, nroots);
                EXPECT_EQ(contradiction_in(resolved, nranks, nroots), "")
                    << name_of(profile) << ", " << nranks << " ranks, " << nroots << " roots";
                EXPECT_EQ(resolve(resolved, nranks, nroots), resolved);
            }
        }
    }
}

TEST(Contradiction, IsNamed) {
    Policies const star = resolve(Policies{}, 8, 1);
    auto const changed = [&](std::function<void(Policies&)> const& change) {
        Policies policies = star;
        change(policies);
        return policies;
    };
    Policies const doubling = changed([](Policies& p) {
        p.gather = Gather::doubling;
        p.hand_out = HandOut::as_known;
    });
    auto const text = [](Policies const& policies, std::uint32_t nranks, std::uint32_t nroots) {
        return std::string(contradiction_in(policies, nranks, nroots));
    };
    EXPECT_EQ(text(star, 8, 1), "");
    EXPECT_EQ(text(star, 0, 1), "a job needs at least one rank");
    EXPECT_EQ(text(star, kMaxRanks + 1, 1), "a job has at most 1048576 ranks");
    EXPECT_EQ(text(star, 0xffff'ffffU, 1), "a job has at most 1048576 ranks");
    EXPECT_EQ(text(star, 8, 0), "a job needs at least one root");
    EXPECT_EQ(text(star, 8, 9), "a job cannot have more roots than ranks");
    EXPECT_EQ(text(star, kMaxRanks, kMaxRoots + 1), "a job has at most 4096 roots");
    EXPECT_EQ(text(Policies{}, 8, 1), "gather is still automatic: resolve the policies first");
    EXPECT_EQ(text(changed([](Policies& p) { p.commit = Commit::automatic; }), 8, 1),
              "commit is still automatic: resolve the policies first");
    EXPECT_EQ(text(star, 8, 3), "gather star needs exactly one root");
    EXPECT_EQ(text(changed([](Policies& p) { p.reply = Reply::callback; }), 8, 1),
              "gather star needs reply same_connection: the table comes on the check-in connection");
    EXPECT_EQ(text(changed([](Policies& p) { p.hand_out = HandOut::as_known; }), 8, 1),
              "gather star needs hand-out table");
    EXPECT_EQ(text(changed([](Policies& p) { p.commit = Commit::chords; }), 8, 1), "gather star needs commit root");
    EXPECT_EQ(text(changed([](Policies& p) { p.gather = Gather::ring; }), 8, 1), "hand-out table needs gather star");
    EXPECT_EQ(text(doubling, 8, 1), "");
    EXPECT_EQ(text(doubling, 8, 2), "commit root needs exactly one root: no root hears from all ranks");
    EXPECT_EQ(text(changed([](Policies& p) {
                       p.gather = Gather::ring2;
                       p.hand_out = HandOut::as_known;
                       p.turns = Turns::send_then_receive;
                   }),
                   8, 1),
              "turns send_then_receive needs gather ring: two ways around cannot take turns");
    Policies policies = doubling;
    policies.reply = Reply::callback;
    EXPECT_EQ(text(policies, 8, 1), "commit root needs reply same_connection: done and commit travel on it");
    policies.commit = Commit::chords;
    EXPECT_EQ(text(policies, 8, 1), "reply callback needs accepting serial: the root does one thing at a time");
    policies.accepting = Accepting::serial;
    EXPECT_EQ(text(policies, 8, 1), "reply callback cannot have auth keyed: the call-back carries its answer at once");
    policies.auth = Auth::magic;
    EXPECT_EQ(text(policies, 8, 1), "");
    policies = resolve(ronde_with([](Policies& p) { p.accepting = Accepting::serial; }), 8, 1);
    EXPECT_EQ(text(policies, 8, 1),
              "accepting serial cannot have auth keyed: all ranks would wait for the door of their successor");
    EXPECT_EQ(text(policies, 1, 1), "") << "nobody waits for anybody";
    policies.auth = Auth::magic;
    EXPECT_EQ(text(policies, 8, 1), "");
    policies = doubling;
    policies.commit = Commit::chords;
    EXPECT_EQ(text(policies, 8, 2), "device check at_root needs exactly one root: no root sees all ranks");
    EXPECT_EQ(text(changed([](Policies& p) { p.handshake_patience_ms = 0; }), 8, 1),
              "a handshake needs patience: handshake_patience_ms must not be 0");
    EXPECT_EQ(text(changed([](Policies& p) { p.answer_patience_ms = 0; }), 8, 1),
              "an answer needs patience: answer_patience_ms must not be 0");
}

// Computed once with another implementation of FNV-1a, from the byte string that clause 4.5 describes.
TEST(Digest, IsTheSameEverywhere) {
    EXPECT_EQ(digest_of(policies_of(Profile::article)), 0x00e2'0dd6U);
    EXPECT_EQ(digest_of(policies_of(Profile::nccl)), 0x011a'ddceU);
    EXPECT_EQ(digest_of(resolve(policies_of(Profile::ronde), 8, 1)), 0x0281'9404U);
}

TEST(Digest, TellsTheProfile) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde, Profile::custom})
        EXPECT_EQ(profile_in_digest(digest_of(policies_of(profile))), profile);
}

TEST(Digest, ChangesWithEveryChoiceAndWithNothingElse) {
    std::function<void(Policies&)> const changes[] = {
        [](Policies& p) { p.profile = Profile::custom; },
        [](Policies& p) { p.auth = Auth::magic; },
        [](Policies& p) { p.reply = Reply::callback; },
        [](Policies& p) { p.hand_out = HandOut::after_all; },
        [](Policies& p) { p.accepting = Accepting::serial; },
        [](Policies& p) { p.gather = Gather::ring2; },
        [](Policies& p) { p.turns = Turns::send_then_receive; },
        [](Policies& p) { p.commit = Commit::none; },
        [](Policies& p) { p.retry = Retry::nccl; },
        [](Policies& p) { p.stagger = Stagger::rank_ms; },
        [](Policies& p) { p.verdicts = Verdicts::silent; },
        [](Policies& p) { p.deadlines = Deadlines::none; },
        [](Policies& p) { p.device_check = DeviceCheck::off; },
        [](Policies& p) { ++p.handshake_patience_ms; },
        [](Policies& p) { ++p.answer_patience_ms; },
        [](Policies& p) { ++p.refused_patience_ms; },
        [](Policies& p) { ++p.return_patience_ms; },
    };
    std::set<std::uint32_t> digests{digest_of(Policies{})};
    for (auto const& change : changes)
        digests.insert(digest_of(ronde_with(change)));
    EXPECT_EQ(digests.size(), std::size(changes) + 1);
    EXPECT_EQ(digest_of(ronde_with([](Policies& p) { p.reserved[1] = 7; })), digest_of(Policies{}));
}

}  // namespace
}  // namespace ronde::protocol
