#include "explore/world.hpp"

namespace ronde::explore {
namespace {

using namespace protocol;
using Stage = Connection::Stage;

bool same_numbers(Frame const& hello, Frame const& proof) {
    return hello.aux == proof.aux && hello.a == proof.a && hello.b == proof.b && hello.c == proof.c;
}

}  // namespace

Input next_input(MachineRoom const& room, Connection const& connection, unsigned end) {
    Input input;
    input.link = connection.ends[end].link();
    if (connection.inbox[end] == 0) {
        input.kind = EventKind::closed;
        input.failure = connection.ends[end].ending;
        return input;
    }
    std::uint32_t const number = room.mail().front(connection.inbox[end]);
    Message const& message = room.mail()[number];
    if (message.garbage != 0) {
        input.kind = EventKind::closed;
        input.failure = Failure::malformed;
        return input;
    }
    input.kind = EventKind::frame;
    input.message = number;
    if (message.frame.kind == FrameKind::challenge)
        input.authentic = connection.hello != 0 && message.forged == 0;
    if (message.frame.kind == FrameKind::proof) {
        input.authentic = message.forged == 0 && connection.hello != 0 &&
                          same_numbers(room.mail()[connection.hello - 1U].frame, message.frame);
    }
    return input;
}

Prospect prospect_of(MachineRoom const& room, Connection const& connection) {
    Prospect prospect;
    auto const add = [&](unsigned steps) { prospect.steps = static_cast<std::uint16_t>(prospect.steps | steps); };
    switch (connection.stage) {
    case Stage::calling: add(Prospect::kArrive); return prospect;
    case Stage::refused: add(Prospect::kRefused); return prospect;
    case Stage::lost: return prospect;
    case Stage::queued: add(Prospect::kAccept); break;
    case Stage::standing: break;
    }
    if (!connection.ends[0].told() && !connection.ends[0].over())
        add(Prospect::kConnected);
    for (unsigned const end : {0U, 1U}) {
        if (connection.drained(end))
            add(unsigned{Prospect::kSent} << end);
        if (room.job().is_stranger(connection.owner(end)) || !connection.readable(end))
            continue;
        if (connection.inbox[end] == 0) {
            add(unsigned{Prospect::kEnding} << end);
            continue;
        }
        add(unsigned{Prospect::kDeliver} << end);
        Input const input = next_input(room, connection, end);
        if (input.kind == EventKind::frame)
            prospect.inputs[end] = room.packed(connection.owner(end), input);
    }
    return prospect;
}

}  // namespace ronde::explore
