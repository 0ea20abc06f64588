/// Command lines that make no sense: status 2 and one line that says what is wrong. And what cannot be done here: 3.
#include "cli/program.hpp"

#include <gtest/gtest.h>

namespace ronde::cli_test {
namespace {

struct Wrong {
    char const* name;
    char const* arguments;
    char const* said;
};

class BadUsage : public testing::TestWithParam<Wrong> {};

TEST_P(BadUsage, IsToldInOneLine) {
    Ended const ended = ronde(GetParam().arguments);
    EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_EQ(ended.err.find("ronde"), 0U) << ended.err;
    EXPECT_NE(ended.err.find(GetParam().said), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadUsage,
    testing::Values(
        Wrong{"nothing", "", "no command given"},
        Wrong{"unknown_command", "rnu -n 4", "unknown command 'rnu'; did you mean run?"},
        Wrong{"unknown_flag", "run -n 4 --profil ronde", "unknown flag '--profil'; did you mean --profile?"},
        Wrong{"program_without_dashes", "run -n 4 ./prog", "a program stands behind --"},
        Wrong{"no_size", "run", "-n N is missing"}, Wrong{"size_zero", "run -n 0", "'0' is not a number of 1 to"},
        Wrong{"size_text", "run -n four", "'four' is not a number of 1 to"},
        Wrong{"no_value", "run -n", "--ranks: its value N is missing"},
        Wrong{"profile", "run -n 4 --profile nccc",
              "--profile: 'nccc' is no profile; expected article, nccl or ronde; did you mean nccl?"},
        Wrong{"gather", "run -n 4 --gather tree", "--gather: 'tree' is no gather"},
        Wrong{"star_needs_one_root", "run -n 4 --gather star --roots 2", "star"},
        Wrong{"more_roots_than_ranks", "run -n 2 --roots 3", "--roots 3 with 2 ranks"},
        Wrong{"too_many_roots", "run -n 8 --roots 5", "--roots: '5' is not a number of 1 to 4"},
        Wrong{"duration", "run -n 4 --deadline 5", "--deadline: '5' is no duration; expected a number and its unit"},
        Wrong{"duration_zero", "run -n 4 --deadline 0s", "'0s' is no duration"},
        Wrong{"format", "run -n 4 --format xml", "--format: 'xml' is no format; expected text or json"},
        Wrong{"fault", "run -n 4 --fault boom", "'boom' is no fault; expected kill:R@PHASE"},
        Wrong{"fault_phase", "run -n 4 --fault kill:1@conecting_ring", "did you mean connecting_ring?"},
        Wrong{"fault_rank", "run -n 4 --fault kill:4@ready", "there is no rank 4; expected 0 to 3"},
        Wrong{"fault_in_process", "run -n 4 --in-process --fault kill:1@ready", "no process to send a signal to"},
        Wrong{"rank_without_size", "run --rank 1 --id x", "--rank 1 was given without --world-size N"},
        Wrong{"size_without_rank", "run --world-size 2 --id x", "--world-size 2 was given without --rank R"},
        Wrong{"rank_without_id", "run --rank 1 --world-size 2", "without --id"},
        Wrong{"rank_too_large", "run --rank 2 --world-size 2 --id x", "--rank 2: expected 0 to 1"},
        Wrong{"id_text", "run --rank 0 --world-size 2 --id ronde1-foo", "not an id"},
        Wrong{"bytes", "run -n 4 --all-gather lots", "--all-gather: 'lots' is no size"},
        Wrong{"repeat_alone", "run -n 4 --repeat 3", "--repeat 3 was given without --all-gather"},
        Wrong{"id_command", "id", "no command given; expected show, new"},
        Wrong{"id_address", "id new --at nowhere", "nowhere"}, Wrong{"replay_nothing", "replay", "path"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(Usage, HalfOfALaunchersVariablesIsAnError) {
    Ended const ended = ronde("run", {{"RONDE_RANK", "1"}});
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_NE(ended.err.find("RONDE_WORLD_SIZE"), std::string::npos) << ended.err;
}

TEST(Usage, WhatThisHostCannotDoHasAStatusOfItsOwn) {
    for (char const* const arguments : {"replay /nonexistent", "id show /nonexistent", "run -n 2 --interface nosuch0",
                                        "run -n 2 --record /proc/nowhere"}) {
        Ended const ended = ronde(arguments);
        EXPECT_EQ(ended.status, 3) << arguments << ": " << ended.out << ended.err;
        EXPECT_EQ(ended.err.find("ronde "), 0U) << ended.err;
    }
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
    EXPECT_EQ(ronde("--version").out, "ronde 0.1.0\n");
    for (char const* const arguments : {"--help", "run --help", "root --help", "id --help", "replay --help"}) {
        Ended const ended = ronde(arguments);
        EXPECT_EQ(ended.status, 0) << arguments;
        EXPECT_NE(ended.out, "") << arguments;
        EXPECT_EQ(ended.err, "") << arguments;
    }
}

}  // namespace
}  // namespace ronde::cli_test
