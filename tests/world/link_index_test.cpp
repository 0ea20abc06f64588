#include "world/link_index.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

/// Connections whose callers are processes 0, 1, 2, ... and whose listener is process 1000.
class Ends {
public:
    EndOf make(ProcessId caller, protocol::Link link) {
        ConnectionId const id = connections.make();
        connections[id].sides[0].process = caller;
        connections[id].sides[0].link = link;
        connections[id].sides[1].process = 1000;
        connections[id].sides[1].link = protocol::member(caller);
        index.put({id, 0});
        index.put({id, 1});
        return {id, 0};
    }
    Slab<Connection> connections;
    LinkIndex index{connections};
};

TEST(LinkIndex, AnEndInHandIsFoundAsLongAsItIsThere) {
    Ends ends;
    EndOf const mine = ends.make(7, protocol::chord_out(3));
    ends.index.take_in_hand(mine);
    EXPECT_EQ(ends.index.find(7, protocol::chord_out(3)).connection, mine.connection);
    EXPECT_FALSE(ends.index.find(7, protocol::chord_out(4)).exists()) << "another link of the same process";
    EXPECT_FALSE(ends.index.find(8, protocol::chord_out(3)).exists()) << "the same link of another process";

    ends.index.remove(7, protocol::chord_out(3));
    EXPECT_FALSE(ends.index.find(7, protocol::chord_out(3)).exists()) << "it left the hand with the index";
}

TEST(LinkIndex, WhoIsAdmittedIsFoundUnderTheNewNameAlone) {
    Ends ends;
    EndOf const door = ends.make(7, protocol::pending(0));
    ends.index.take_in_hand(door);
    ends.index.remove(7, protocol::pending(0));
    ends.connections[door.connection].sides[0].link = protocol::chord_in(2);
    ends.index.put(door);
    ends.index.take_in_hand(door);

    EXPECT_FALSE(ends.index.find(7, protocol::pending(0)).exists());
    EXPECT_EQ(ends.index.find(7, protocol::chord_in(2)).connection, door.connection);
}

TEST(LinkIndex, AWorldThatBeginsAgainHasEmptyHands) {
    Ends ends;
    ends.index.take_in_hand(ends.make(7, protocol::chord_out(3)));
    ends.index.clear();
    EXPECT_FALSE(ends.index.find(7, protocol::chord_out(3)).exists());
    EXPECT_EQ(ends.index.size(), 0U);
}

TEST(LinkIndex, WhatIsInNobodysHandIsFoundAmongThousands) {
    Ends ends;
    for (ProcessId caller = 0; caller < 5'000; ++caller)
        ends.make(caller, protocol::chord_out(caller % 17));
    for (ProcessId caller = 0; caller < 5'000; caller += 3)
        ends.index.remove(caller, protocol::chord_out(caller % 17));
    for (ProcessId caller = 0; caller < 5'000; ++caller) {
        EndOf const end = ends.index.find(caller, protocol::chord_out(caller % 17));
        ASSERT_EQ(end.exists(), caller % 3 != 0) << "caller " << caller;
        if (end.exists()) {
            ASSERT_EQ(ends.connections[end.connection].sides[0].process, caller);
        }
        ASSERT_TRUE(ends.index.find(1000, protocol::member(caller)).exists()) << "caller " << caller;
    }
}

}  // namespace
}  // namespace ronde::sim
