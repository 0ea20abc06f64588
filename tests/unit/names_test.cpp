#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ronde::protocol {
namespace {

/// Words that other programs may read: lower case, no blanks, each for one enumerator; "unknown" for all the
/// rest.
template <class Enum>
void expect_names(std::uint32_t first, std::uint32_t count) {
    std::set<std::string> names;
    for (std::uint32_t value = 0; value < 256; ++value) {
        std::string const name(name_of(static_cast<Enum>(value)));
        if (value < first || value >= first + count) {
            EXPECT_EQ(name, "unknown") << value;
            continue;
        }
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_2"), std::string::npos) << name;
        EXPECT_NE(name, "unknown") << value;
        EXPECT_TRUE(names.insert(name).second) << name << " is used twice";
    }
}

TEST(Names, EveryEnumeratorHasItsOwn) {
    expect_names<Phase>(0, kPhaseCount);
    expect_names<LinkClass>(0, static_cast<std::uint32_t>(LinkClass::none) + 1);
    expect_names<Failure>(0, static_cast<std::uint32_t>(Failure::other) + 1);
    expect_names<Listener>(0, 3);
    expect_names<Code>(0, kCodeCount);
    expect_names<Field>(0, static_cast<std::uint32_t>(Field::operation) + 1);
    expect_names<FrameKind>(1, kFrameKindCount - 1);
    expect_names<EventKind>(0, kEventKindCount);
    expect_names<ActionKind>(0, kActionKindCount);
    expect_names<OperationKind>(0, static_cast<std::uint32_t>(OperationKind::receive) + 1);
    expect_names<Profile>(0, 4);
    expect_names<Gather>(0, 5);
    expect_names<Auth>(0, 3);
    expect_names<Turns>(0, 4);
}

TEST(Names, AreTheEnumeratorsAsWrittenInTheCode) {
    EXPECT_EQ(name_of(Phase::awaiting_successor), "awaiting_successor");
    EXPECT_EQ(name_of(LinkClass::previous_root), "previous_root");
    EXPECT_EQ(name_of(Failure::end_of_stream), "end_of_stream");
    EXPECT_EQ(name_of(Listener::callback), "callback");
    EXPECT_EQ(name_of(Code::ranks_missing), "ranks_missing");
    EXPECT_EQ(name_of(Field::root_index), "root_index");
    EXPECT_EQ(name_of(FrameKind::check_in), "check_in");
    EXPECT_EQ(name_of(EventKind::connect_failed), "connect_failed");
    EXPECT_EQ(name_of(ActionKind::unpause), "unpause");
    EXPECT_EQ(name_of(OperationKind::all_gather), "all_gather");
    EXPECT_EQ(name_of(Profile::nccl), "nccl");
    EXPECT_EQ(name_of(Gather::ring2), "ring2");
    EXPECT_EQ(name_of(Auth::keyed), "keyed");
    EXPECT_EQ(name_of(Turns::send_then_receive), "send_then_receive");
}

}  // namespace
}  // namespace ronde::protocol
