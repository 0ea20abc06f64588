// The tape as a value and as a file.
#include "engine/tape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ronde::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Tape some_tape() {
    return {
        42,
        "8 ranks, one late",
        {{Choice::delay, 4096, 17, 0x2'0000'0003}, {Choice::loss, 2, 0, 3}, {Choice::nonce, 0xffff'ffff, 9, ~0ULL}}};
}

constexpr std::string_view kText = "ronde-tape 1\n"
                                   "plan-seed 42\n"
                                   "note 8 ranks, one late\n"
                                   "delay 4096 17 0x200000003\n"
                                   "loss 2 0 0x3\n"
                                   "nonce 4294967295 9 0xffffffffffffffff\n"
                                   "end 3\n";

std::string error_of(std::string_view text) {
    auto const tape = tape_from(text);
    return tape ? "no error" : tape.error();
}

TEST(Tape, IsReadAsItIsWritten) {
    EXPECT_EQ(to_text(some_tape()), kText);
    EXPECT_EQ(tape_from(kText), some_tape());
    EXPECT_EQ(tape_from(to_text(Tape{})), Tape{});
    for (std::uint32_t kind = 0; kind < kChoices; ++kind) {
        Tape const tape{1, "", {{static_cast<Choice>(kind), 3, 2, kind}}};
        EXPECT_EQ(tape_from(to_text(tape)), tape);
    }
}

TEST(Tape, HoldsThePlanAndWhatCameOfIt) {
    Tape tape = some_tape();
    tape.plan = "name = \"late\"\n\nranks = 8\n";
    tape.outcome = TapeOutcome{{1, 2}, choices_digest(tape)};
    std::string const text = to_text(tape);
    EXPECT_THAT(text, HasSubstr("note 8 ranks, one late\nplan name = \"late\"\nplan \nplan ranks = 8\ndelay "));
    EXPECT_EQ(tape_from(text), tape);
    EXPECT_EQ(error_of("ronde-tape 1\noutcome 1 of 2\nend 0\n"),
              "line 2: expected 'outcome DIGEST of DIGEST', each of 32 hexadecimal digits");
}

TEST(Tape, ItsDigestNoticesEveryChange) {
    Digest128 const before = choices_digest(some_tape());
    std::vector<Tape> changed(6, some_tape());
    changed[0].seed = 43;
    changed[1].plan = "ranks = 8\n";
    changed[2].entries[1].picked = 1;
    changed[3].entries[1].kind = Choice::delay;
    changed[4].entries[1].key = 4;
    changed[5].entries.pop_back();
    for (Tape const& tape : changed)
        EXPECT_NE(choices_digest(tape), before) << to_text(tape);
}

TEST(Tape, ANoteOfTwoLinesBecomesOne) {
    Tape tape;
    tape.note = "two\nlines";
    EXPECT_EQ(tape_from(to_text(tape))->note, "two lines");
}

TEST(Tape, APersonMayWriteInIt) {
    auto const tape = tape_from("ronde-tape 1\n# this one hangs\n\norder 3 1 7\nend 1\n");
    ASSERT_TRUE(tape) << tape.error();
    EXPECT_EQ(tape->entries, (std::vector<TapeEntry>{{Choice::order, 3, 1, 7}}));
}

TEST(Tape, DamageIsRefusedWithTheLine) {
    EXPECT_EQ(error_of(""), "line 1: the file is cut off: expected 'end' and the number of choices");
    EXPECT_EQ(error_of("ronde-tape 2\nend 0\n"), "line 1: expected 'ronde-tape 1'");
    EXPECT_EQ(error_of("ronde-tape 1\nplan-seed x\nend 0\n"), "line 2: 'x' is no seed; expected a number");
    EXPECT_EQ(error_of("ronde-tape 1\n\ncolour 3 1 7\nend 1\n"), "line 3: 'colour' is no kind of choice");
    EXPECT_EQ(error_of("ronde-tape 1\ndelay 4 17 0x3\nend 1\n"), "line 2: picked 17 is not below n = 4");
    EXPECT_EQ(error_of("ronde-tape 1\ndelay 1 0 0x3\nend 1\n"),
              "line 2: a choice among 1 is none; expected n of at least 2");
    for (std::string_view const line : {"delay 4 1", "delay 4 1 0x3 5", "delay 4 -1 3", "delay 4 1 0x", "delay 4  1 3",
                                        "delay 4294967296 1 3", "delay"}) {
        EXPECT_EQ(error_of("ronde-tape 1\n" + std::string{line} + "\nend 1\n"),
                  "line 2: expected 'delay N PICKED KEY', three numbers");
    }
    EXPECT_THAT(error_of("ronde-tape 1\nloss 2 0 1\nend 2\n"), StartsWith("line 3: 'end 2', but 1 choices"));
    EXPECT_EQ(error_of("ronde-tape 1\nend 0\nloss 2 0 1\n"), "line 3: expected nothing behind 'end'");
}

TEST(Tape, EveryTruncationIsNoticed) {
    for (std::size_t length = 0; length < kText.size(); ++length)
        EXPECT_FALSE(tape_from(kText.substr(0, length))) << "cut to " << length << " bytes";
}

class TapeFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path{::testing::TempDir()} /
                  ("ronde_tape_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(std::string const& name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

TEST_F(TapeFile, IsThereWholeAndLeavesNothingBeside) {
    ASSERT_TRUE(save_tape(some_tape(), path("run.tape")));
    ASSERT_TRUE(save_tape(Tape{}, path("run.tape")));
    EXPECT_EQ(load_tape(path("run.tape")), Tape{});
    ASSERT_TRUE(save_tape(some_tape(), path("run.tape")));
    EXPECT_EQ(load_tape(path("run.tape")), some_tape());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder_}, {}), 1);
}

TEST_F(TapeFile, WhatCannotBeReadOrWrittenIsNamed) {
    EXPECT_THAT(load_tape(path("none.tape")).error(), StartsWith(path("none.tape") + ": cannot read the tape: "));
    EXPECT_THAT(save_tape(Tape{}, path("no/such.tape")).error(), HasSubstr(": cannot write the tape: "));
    std::filesystem::create_directories(path("folder/inside"));
    EXPECT_THAT(save_tape(Tape{}, path("folder")).error(),
                StartsWith(path("folder") + ": cannot put the tape there: "));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder_}, {}), 1);

    std::ofstream{path("torn.tape")} << "ronde-tape 1\ndelay 4 17 3\n";
    EXPECT_EQ(load_tape(path("torn.tape")).error(), path("torn.tape") + ": line 2: picked 17 is not below n = 4");
}

}  // namespace
}  // namespace ronde::sim
