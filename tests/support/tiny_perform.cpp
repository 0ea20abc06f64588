/// What the tiny world does when a machine asks for something, and which askings it does not let pass.
#include "support/tiny_world.hpp"
#include "support/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint64_t kMessageNumber = 1000;  ///< keeps the patterns of messages apart from those of collectives

NodeId node_at_port(std::uint16_t port) { return (port - 1U) / 2U; }

}  // namespace

EndId TinyWorld::end_of(Node const& node, Link link) const {
    auto const found = node.links.find(link.value);
    return found == node.links.end() ? kNoEnd : found->second;
}

void TinyWorld::perform(NodeId id, Action const& action, Event const& event) {
    Node& node = *nodes_[id];
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{}: \"{}\": {}", name_of_node(id), words(action), why));
    };
    if (node.ended || node.finishing)
        return broken("asked for after finish");
    switch (action.kind) {
    case ActionKind::listen: {
        ListenerState& listener = node.listeners[static_cast<std::size_t>(action.listener)];
        listener.asked = true;
        Failure const failure = node.is_root ? node.root_plan.listen_failure : node.plan.listen_failure;
        listener.bound = failure == Failure::none;
        node.mailbox.push_back(failure == Failure::none ? Event::listening(now_, action.listener)
                                                        : Event::listen_failed(now_, action.listener, failure));
        return refresh_listener(id, action.listener);
    }
    case ActionKind::accept: {
        ListenerState& listener = node.listeners[static_cast<std::size_t>(action.listener)];
        if (!listener.asked)
            return broken("no such listener");
        listener.credits = action.count;
        return refresh_listener(id, action.listener);
    }
    case ActionKind::deafen:
        if (!node.listeners[static_cast<std::size_t>(action.listener)].bound)
            return broken("no such listener");
        return drop_listener(id, action.listener, true);
    case ActionKind::admit: return perform_admit(id, action);
    case ActionKind::connect: return perform_connect(id, action);
    case ActionKind::send: return perform_send(id, action);
    case ActionKind::learn: return perform_learn(node, action, event);
    case ActionKind::pause:
    case ActionKind::unpause:
    case ActionKind::close: {
        EndId const end = end_of(node, action.link);
        if (end == kNoEnd)
            return broken("no such link");
        if (action.kind == ActionKind::close)
            return close_end(end, Failure::end_of_stream);
        ends_[end].paused = action.kind == ActionKind::pause;
        return refresh_end(end);
    }
    case ActionKind::inspect:
        if (std::find(node.known.begin(), node.known.end(), false) != node.known.end())
            return broken("table has holes");
        node.mailbox.push_back(Event::inspected(now_, find_duplicate_device(node.table)));
        return;
    case ActionKind::collect: return perform_collect(id, action);
    case ActionKind::park:
        if (event.kind != EventKind::frame || arriving_ == nullptr)
            return broken("no message to park");
        if (arriving_as_.kind != Reception::Kind::mail)
            return broken("this message was not read as mail");
        parked_ = true;
        node.parked.push_back({arriving_->frame.a, arriving_->frame.c, arriving_->payload});
        return;
    case ActionKind::complete:
        if (!node.operating)
            return broken("no operation is under way");
        check_operation(id);
        node.operating = false;
        ++node.operations_done;
        return;
    case ActionKind::ready: return perform_ready(id);
    case ActionKind::finish: return perform_finish(id);
    case ActionKind::reserve: return broken("reserve is no rank's business");
    }
}

void TinyWorld::perform_admit(NodeId id, Action const& action) {
    Node& node = *nodes_[id];
    EndId const end = end_of(node, action.link);
    if (end == kNoEnd || action.link.link_class() != LinkClass::pending) {
        return break_rule(fmt::format("{} admits {}, which is not pending", name_of_node(id), words(action.link)));
    }
    if (node.links.find(action.to.value) != node.links.end()) {
        return break_rule(fmt::format("{} admits a second {}", name_of_node(id), words(action.to)));
    }
    free_slot(node, end);
    node.links.erase(action.link.value);
    node.links[action.to.value] = end;
    ends_[end].link = action.to;
}

void TinyWorld::perform_connect(NodeId id, Action const& action) {
    Node& node = *nodes_[id];
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{}: \"{}\": {}", name_of_node(id), words(action), why));
    };
    LinkClass const link_class = action.link.link_class();
    if (node.links.find(action.link.value) != node.links.end()) {
        if (link_class != LinkClass::mail_out)
            return broken("this link exists already");
        node.mailbox.push_back(Event::connected(now_, action.link, true));
        return;
    }
    NodeId target = kNobody;
    Listener listener = Listener::ring;
    switch (link_class) {
    case LinkClass::root:
    case LinkClass::previous_root:
        if (action.rank >= plan_.nroots)
            return broken("no such root");
        target = node_of_root(action.rank);
        listener = Listener::root;
        break;
    case LinkClass::chord_out:
    case LinkClass::mail_out:
    case LinkClass::callback: {
        if (action.rank >= node.table.size() || !node.known[action.rank])
            return broken("its address is not known");
        Entry const& entry = node.table[action.rank];
        bool const back = link_class == LinkClass::callback;
        target = node_at_port(back ? static_cast<std::uint16_t>(entry.callback_port - 1U) : entry.endpoint.port);
        listener = back ? Listener::callback : Listener::ring;
        break;
    }
    default: return broken("nobody calls on such a link");
    }
    EndId const caller = open_connection();
    End& end = ends_[caller];
    end.node = id;
    end.link = action.link;
    end.attached = true;
    end.dial = End::Dial::syn;
    end.target = target;
    end.listener = listener;
    Call call;
    call.from_root = node.is_root;
    call.from = node.number;
    call.link = action.link;
    call.to = action.rank;
    call.number = node.calls[action.link.value]++;
    call.now = now_;
    if (plan_.fate)
        end.fate = plan_.fate(call);
    node.links[action.link.value] = caller;
    refresh_end(caller);
}

void TinyWorld::perform_send(NodeId id, Action const& action) {
    Node& node = *nodes_[id];
    EndId const id_of_end = end_of(node, action.link);
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{}: \"{}\": {}", name_of_node(id), words(action), why));
    };
    if (id_of_end == kNoEnd)
        return broken("no such link");
    End& end = ends_[id_of_end];
    if (end.dial != End::Dial::told)
        return broken("this link does not stand yet");
    Message message;
    message.frame = action.frame;
    message.payload = payload_of(node, action);
    if (!broken_.empty())
        return;
    if (message.payload.size() != action.frame.payload_bytes) {
        return broken(
            fmt::format("payload_bytes is {}, the source has {}", action.frame.payload_bytes, message.payload.size()));
    }
    if (plan_.latency_ns) {
        message.due_ns = now_ + plan_.latency_ns(action.frame);
        travelling_.emplace(message.due_ns, other_end(id_of_end));
    }
    if (action.frame.kind == FrameKind::hello) {
        end.hello = action.frame;
        end.said_hello = true;
    }
    ++frames_sent_;
    ++node.frames_out[static_cast<std::uint32_t>(action.frame.kind)];
    End& peer = ends_[other_end(id_of_end)];
    if (!peer.over && peer.ending == Failure::none)
        peer.inbox.push(std::move(message));
    if (action.notify)
        end.notify = true;
    refresh_end(id_of_end);
    refresh_end(other_end(id_of_end));
}

std::vector<std::byte> TinyWorld::payload_of(Node& node, Action const& action) {
    std::vector<std::byte> bytes;
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{} {}: \"{}\": {}", node.is_root ? "root" : "rank", node.number, words(action), why));
    };
    switch (action.source) {
    case Source::none: break;
    case Source::handshake: bytes.resize(action.frame.payload_bytes); break;
    case Source::entry: {
        if (node.is_root && (action.first >= node.table.size() || !node.known[action.first])) {
            broken("the root does not know this entry");
            break;
        }
        bytes.resize(kEntryBytes);
        encode_entry(node.is_root ? node.table[action.first] : node.entry, bytes);
        break;
    }
    case Source::table: {
        std::uint32_t const size = static_cast<std::uint32_t>(node.table.size());
        if (action.count > size) {
            broken("more entries than there are");
            break;
        }
        bytes.resize(std::size_t{action.count} * kEntryBytes);
        for (std::uint32_t i = 0; i < action.count; ++i) {
            std::uint32_t const r = (action.first + i) % size;
            if (!node.known[r])
                broken(fmt::format("entry {} is not known", r));
            encode_entry(node.table[r], std::span(bytes).subspan(std::size_t{i} * kEntryBytes));
        }
        break;
    }
    case Source::operation: {
        if (!node.operating) {
            broken("no operation is under way");
            break;
        }
        std::uint64_t const slice = node.operation.slice_bytes;
        std::uint32_t const slices = static_cast<std::uint32_t>(node.filled.size());
        for (std::uint32_t i = 0; i < action.count; ++i) {
            std::uint32_t const s = (action.first + i) % slices;
            if (!node.filled[s])
                broken(fmt::format("slice {} has not arrived", s));
            auto const from = node.buffer.begin() + static_cast<std::ptrdiff_t>(s * slice);
            bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(slice));
        }
        break;
    }
    case Source::verdict: {
        Verdict verdict;
        if (node.is_root) {
            verdict = node.root.notice();
        } else if (node.verdict.error == node.rank.error()) {
            verdict = node.verdict;
        } else {
            verdict.error = node.rank.error();
            // A verdict is passed on in the step that brought it, before the driver could look at the outcome.
            if (arriving_ != nullptr && arriving_->frame.kind == FrameKind::verdict) {
                Verdict const arrived = decode_verdict(arriving_->payload);
                if (arrived.error == verdict.error)
                    verdict = arrived;
            }
        }
        bytes.resize(kVerdictBytes);
        encode_verdict(verdict, bytes);
        break;
    }
    }
    return bytes;
}

void TinyWorld::place_payload(Node& node, Reception const& reception, Message const& message) {
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{} {} takes \"{}\" as \"{}\": {}", node.is_root ? "root" : "rank", node.number,
                               words(message.frame), words(reception), why));
    };
    if (reception.source == Source::none)
        return;
    bool const to_table = reception.source == Source::table;
    if (!to_table && reception.source != Source::operation)
        return broken("payloads go to the table or to an operation");
    if (!to_table && !node.operating)
        return broken("no operation is under way");
    std::uint64_t const slice = to_table ? kEntryBytes : node.operation.slice_bytes;
    std::uint32_t const slices = static_cast<std::uint32_t>(to_table ? node.table.size() : node.filled.size());
    if (reception.count > slices || reception.first >= slices)
        return broken("slices beyond the buffer");
    if (message.payload.size() != slice * reception.count)
        return broken("the payload has another size");
    for (std::uint32_t i = 0; i < reception.count; ++i) {
        std::uint32_t const s = (reception.first + i) % slices;
        auto const bytes =
            std::span(message.payload).subspan(static_cast<std::size_t>(i * slice), static_cast<std::size_t>(slice));
        if (to_table) {
            node.table[s] = decode_entry(bytes);
        } else {
            std::copy(bytes.begin(), bytes.end(), node.buffer.begin() + static_cast<std::ptrdiff_t>(s * slice));
            node.filled[s] = true;
        }
    }
}

void TinyWorld::perform_learn(Node& node, Action const& action, Event const& event) {
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{} {}: \"{}\": {}", node.is_root ? "root" : "rank", node.number, words(action), why));
    };
    if (event.kind != EventKind::frame || arriving_ == nullptr)
        return broken("there is no frame to learn from");
    if (arriving_->frame.kind == FrameKind::slices) {
        if (arriving_as_.source == Source::operation)
            return;
        if (arriving_as_.source != Source::table)
            return broken("these slices were not placed");
        for (std::uint32_t i = 0; i < action.count; ++i) {
            std::uint32_t const r = (action.first + i) % static_cast<std::uint32_t>(node.table.size());
            std::uint32_t const offset = (r + static_cast<std::uint32_t>(node.table.size()) - arriving_as_.first) %
                                         static_cast<std::uint32_t>(node.table.size());
            if (offset >= arriving_as_.count)
                return broken("learns what did not arrive");
            node.known[r] = true;
        }
        return;
    }
    if (action.count != 1 || arriving_->payload.size() != kEntryBytes || action.first >= node.table.size()) {
        return broken("the frame carries one entry");
    }
    node.table[action.first] = decode_entry(arriving_->payload);
    node.known[action.first] = true;
}

// --- operations -----------------------------------------------------------------------------------------------------

void TinyWorld::begin_operation(NodeId id) {
    Node& node = *nodes_[id];
    if (node.rank.phase() != Phase::ready)
        return refresh_node(id);
    Operation const operation = node.plan.program[node.next_operation++];
    node.operation = operation;
    node.operating = true;
    bool const gather = operation.kind == OperationKind::all_gather;
    bool const collective =
        gather || operation.kind == OperationKind::broadcast || operation.kind == OperationKind::barrier;
    std::uint32_t const slices = gather ? plan_.nranks : 1U;
    node.buffer.assign(static_cast<std::size_t>(slices * operation.slice_bytes), std::byte{0xee});
    node.filled.assign(slices, false);
    bool const mine = gather || operation.kind == OperationKind::send ||
                      (operation.kind == OperationKind::broadcast && operation.peer == node.number);
    if (mine) {
        std::uint32_t const slot = gather ? node.number : 0U;
        std::uint64_t const number = collective ? node.collectives : kMessageNumber + operation.tag;
        node.filled[slot] = true;
        for (std::uint64_t i = 0; i < operation.slice_bytes; ++i) {
            node.buffer[static_cast<std::size_t>(slot * operation.slice_bytes + i)] = pattern(node.number, number, i);
        }
    }
    feed(id, Event::operate(now_, operation));
}

void TinyWorld::check_operation(NodeId id) {
    Node& node = *nodes_[id];
    Operation const& operation = node.operation;
    bool const gather = operation.kind == OperationKind::all_gather;
    bool const message = operation.kind == OperationKind::send || operation.kind == OperationKind::receive;
    std::uint64_t const number = message ? kMessageNumber + operation.tag : node.collectives;
    if (!message)
        ++node.collectives;
    for (std::uint32_t s = 0; s < node.filled.size(); ++s) {
        RankId const from = gather ? s : operation.kind == OperationKind::send ? node.number : operation.peer;
        for (std::uint64_t i = 0; i < operation.slice_bytes; ++i) {
            if (node.buffer[static_cast<std::size_t>(s * operation.slice_bytes + i)] == pattern(from, number, i))
                continue;
            return break_rule(
                fmt::format("{} completes \"{}\" with wrong bytes in slice {}", name_of_node(id), words(operation), s));
        }
    }
}

void TinyWorld::perform_collect(NodeId id, Action const& action) {
    Node& node = *nodes_[id];
    if (!node.operating)
        return break_rule(fmt::format("{} collects outside of an operation", name_of_node(id)));
    auto const found = std::find_if(node.parked.begin(), node.parked.end(), [&](ParkedMail const& mail) {
        return mail.from == action.rank && mail.tag == action.tag;
    });
    if (found == node.parked.end())
        return;
    if (found->payload.size() != node.buffer.size()) {
        return break_rule(fmt::format("{} collects {} bytes into a buffer of {}", name_of_node(id),
                                      found->payload.size(), node.buffer.size()));
    }
    node.buffer = found->payload;
    node.filled.assign(1, true);
    node.parked.erase(found);
    node.collected = true;
}

void TinyWorld::perform_ready(NodeId id) {
    Node& node = *nodes_[id];
    auto const broken = [&](std::string_view why) {
        break_rule(fmt::format("{} is ready, but {}", name_of_node(id), why));
    };
    if (node.is_root || node.was_ready)
        return broken("that is not for it to say");
    if (node.rank.phase() != Phase::ready)
        return broken("its phase is another");
    if (std::find(node.known.begin(), node.known.end(), false) != node.known.end())
        return broken("its table has holes");
    // A neighbour that was ready first may already have left in order.
    RankState const& state = node.rank.state();
    bool const hands = (end_of(node, chord_out(0)) != kNoEnd || (state.gone_out & 1U) != 0) &&
                       (end_of(node, chord_in(0)) != kNoEnd || (state.gone_in & 1U) != 0);
    if (node.table.size() > 1 && !hands)
        return broken("it does not hold both hands");
    node.was_ready = true;
}

void TinyWorld::perform_finish(NodeId id) {
    Node& node = *nodes_[id];
    bool const over = node.is_root ? node.root.finished() : node.rank.finished();
    if (!over)
        return break_rule(fmt::format("{} finishes in the middle", name_of_node(id)));
    // A root that still listens goes on, to tell late comers how the round ended.
    bool const lingers = node.is_root && node.listeners[static_cast<std::size_t>(Listener::root)].bound;
    node.finishing = true;
    node.ended = !lingers;
    node.mailbox.clear();
    std::vector<EndId> mine;
    for (auto const& [link, end] : node.links) {
        if (!lingers || ends_[end].link.link_class() != LinkClass::pending)
            mine.push_back(end);
    }
    for (EndId const end : mine)
        close_end(end, Failure::end_of_stream);
    if (lingers)
        return;
    for (Listener const listener : {Listener::ring, Listener::callback, Listener::root})
        drop_listener(id, listener, true);
    refresh_node(id);
}

}  // namespace ronde::protocol::tiny
