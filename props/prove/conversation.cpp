#include "prove/conversation.hpp"

#include "protocol/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::prove {
namespace {

using namespace protocol;

Line frame_line(FrameKind kind, std::uint32_t after) {
    Line line;
    line.after = after;
    line.frame.kind = kind;
    if (std::uint32_t const fixed = fixed_payload_bytes(kind); fixed != kVariable)
        line.frame.payload_bytes = fixed;
    return line;
}

Line end_line(std::uint32_t after) {
    Line line;
    line.kind = Line::Kind::end;
    line.after = after;
    return line;
}

/// `count` slices from `first`; with `slice_bytes` 0 a token.
Line slices_line(std::uint32_t chord, RankId first, std::uint32_t count, std::uint64_t slice_bytes,
                 std::uint64_t operation, std::uint32_t after) {
    Line line = frame_line(FrameKind::slices, after);
    line.frame.aux = static_cast<std::uint16_t>(chord);
    line.frame.a = first;
    line.frame.b = count;
    line.frame.c = slice_bytes;
    line.frame.d = operation;
    line.frame.payload_bytes = static_cast<std::uint32_t>(count * slice_bytes);
    line.vouches = operation == 1;
    return line;
}

class Writer {
public:
    explicit Writer(Shape const& shape) : shape_(shape), partition_{shape.nranks, shape.nroots} {}

    std::vector<Conversation> all() {
        for (RankId rank = 0; rank < shape_.nranks; ++rank) {
            std::uint32_t const own_root = partition_.root_of(rank);
            check_in(rank, kRootLink, own_root);
            if (partition_.is_boundary(rank))
                check_in(rank, kPreviousRootLink, partition_.previous_root(own_root));
            for (std::uint32_t k = 0; k < chords(); ++k)
                chord(rank, k);
        }
        if (calls_back()) {
            for (RankId rank = 0; rank < shape_.nranks; ++rank)
                call_back(rank);
        }
        return std::move(all_);
    }

private:
    [[nodiscard]] bool keyed() const { return shape_.policies.auth == Auth::keyed; }
    [[nodiscard]] bool calls_back() const { return shape_.policies.reply == Reply::callback; }
    [[nodiscard]] bool tokens() const { return shape_.policies.commit == Commit::chords; }
    /// Rounds of a doubling gather that begins with `head` slices [5.7].
    [[nodiscard]] std::uint32_t rounds(std::uint32_t head) const {
        return shape_.nranks <= head ? 0U : log2_ceil(shape_.nranks - head + 1U);
    }
    [[nodiscard]] std::uint32_t table_rounds() const {
        return shape_.policies.gather == Gather::doubling ? rounds(2) : 0U;
    }
    [[nodiscard]] std::uint32_t token_rounds() const { return tokens() ? rounds(1) : 0U; }
    [[nodiscard]] std::uint32_t chords() const {
        return shape_.nranks == 1 ? 0U : std::max({1U, table_rounds(), token_rounds()});
    }
    /// What round k of a doubling gather carries: all that the sender knows, less what the hearer has itself [5.7].
    [[nodiscard]] std::uint32_t carried(std::uint32_t k, std::uint32_t head) const {
        return std::min((1U << k) + head - 1U, shape_.nranks - (1U << k));
    }
    [[nodiscard]] RankId after(RankId rank, std::uint32_t hops) const {
        return successor_of(rank, shape_.nranks, hops);
    }
    [[nodiscard]] RankId before(RankId rank, std::uint32_t hops) const {
        return predecessor_of(rank, shape_.nranks, hops);
    }

    /// The call, hello and, with a key, challenge and proof [3].
    void greet(Conversation& talk, std::uint16_t purpose, std::uint32_t from, std::uint32_t to) const {
        Line call;
        call.kind = Line::Kind::call;
        talk.caller_says.push_back(call);
        for (FrameKind const kind : {FrameKind::hello, FrameKind::challenge, FrameKind::proof}) {
            if (kind != FrameKind::hello && !keyed())
                break;
            std::uint32_t const after = kind == FrameKind::hello ? 0U : kind == FrameKind::challenge ? 2U : 1U;
            Line line = frame_line(kind, after);
            line.frame.aux = purpose;
            line.frame.a = from;
            line.frame.b = to;
            line.frame.c = kSession;
            (kind == FrameKind::challenge ? talk.callee_says : talk.caller_says).push_back(line);
        }
    }

    /// A rank registers at a root [5.2], is answered there unless the root calls back [5.4], and leaves when it is
    /// ready [5.8].
    void check_in(RankId rank, Link link, std::uint32_t root) {
        bool const own = link == kRootLink;
        Conversation talk;
        talk.caller = rank;
        talk.callee = shape_.root_node(root);
        talk.caller_link = link;
        talk.callee_link = member(partition_.local_id(root, rank));
        talk.listener = Listener::root;
        greet(talk, purpose_of(link.link_class()), rank, root);
        Line line = frame_line(FrameKind::check_in, keyed() ? 1U : 0U);
        line.frame.aux = static_cast<std::uint16_t>(root);
        line.frame.a = rank;
        line.frame.b = shape_.nranks;
        line.frame.c = std::uint64_t{digest_of(shape_.policies)} << 32U | kRootsDigest;
        talk.caller_says.push_back(line);
        auto const checked_in = static_cast<std::uint32_t>(talk.caller_says.size());
        if (!calls_back()) {
            if (own)
                talk.callee_says.push_back(answer(rank, checked_in));
            Line done = frame_line(FrameKind::done, own ? static_cast<std::uint32_t>(talk.callee_says.size()) : 0U);
            done.frame.a = rank;
            done.vouches = true;
            talk.caller_says.push_back(done);
            if (shape_.policies.commit == Commit::root)
                talk.callee_says.push_back(frame_line(FrameKind::commit, checked_in + 1U));
        }
        bool const commits = shape_.policies.commit == Commit::root;
        auto const answered = static_cast<std::uint32_t>(talk.callee_says.size());
        talk.caller_says.push_back(end_line(calls_back() ? 0U : answered));
        if (calls_back() || commits)  // either end may be the first
            talk.callee_says.push_back(end_line(checked_in + (commits ? 1U : 0U)));
        check_ins_.push_back({rank, static_cast<std::uint32_t>(all_.size()), checked_in});
        all_.push_back(std::move(talk));
    }

    [[nodiscard]] Line answer(RankId rank, std::uint32_t after_lines) const {
        if (shape_.policies.hand_out == HandOut::table)
            return slices_line(0, 0, shape_.nranks, kEntryBytes, 0, after_lines);
        Line line = frame_line(FrameKind::successor, after_lines);
        line.frame.a = after(rank, 1);
        return line;
    }

    /// The root tells a rank its successor by a call [5.3].
    void call_back(RankId rank) {
        std::uint32_t const root = partition_.root_of(rank);
        Conversation talk;
        talk.caller = shape_.root_node(root);
        talk.callee = rank;
        talk.caller_link = talk.callee_link = kCallbackLink;
        talk.listener = Listener::callback;
        greet(talk, purpose_of(LinkClass::callback), root, rank);
        talk.caller_says.push_back(answer(rank, 0));
        talk.caller_says.push_back(end_line(0));
        talk.callee_says.push_back(end_line(static_cast<std::uint32_t>(talk.caller_says.size()) - 1U));
        for (CheckIn const& here : check_ins_) {
            if (here.rank == rank && all_[here.conversation].caller_link == kRootLink)
                talk.opens_after = Conversation::Opening{here.conversation, here.lines};
        }
        all_.push_back(std::move(talk));
    }

    /// `rank` takes the hand of the rank 2^k further on [5.5], hears windows and tokens on it, and around a ring sends
    /// its slices along it [5.7].
    void chord(RankId rank, std::uint32_t k) {
        RankId const peer = after(rank, 1U << k);
        Conversation talk;
        talk.caller = rank;
        talk.callee = peer;
        talk.caller_link = chord_out(k);
        talk.callee_link = chord_in(k);
        greet(talk, purpose_of(LinkClass::chord_out, k), rank, peer);
        auto const greeted = static_cast<std::uint32_t>(talk.caller_says.size());
        if (k < table_rounds())
            talk.callee_says.push_back(slices_line(k, peer, carried(k, 2), kEntryBytes, 0, greeted));
        if (k == 0)
            around_the_ring(talk, greeted);
        if (k < token_rounds())
            talk.callee_says.push_back(slices_line(k, peer, carried(k, 1), 0, 1, greeted));
        all_.push_back(std::move(talk));
    }

    void around_the_ring(Conversation& talk, std::uint32_t greeted) const {
        bool const both_ways = shape_.policies.gather == Gather::ring2;
        if (!both_ways && shape_.policies.gather != Gather::ring)
            return;
        std::uint32_t const all = shape_.nranks - 1U;
        std::uint32_t const forward = both_ways ? shape_.nranks / 2U : all;
        for (std::uint32_t step = 0; step < forward; ++step) {
            length(talk.caller_says, 0, step, 0);
            talk.caller_says.push_back(slices_line(0, before(talk.caller, step), 1, kEntryBytes, 0, 0));
        }
        for (std::uint32_t step = 0; step < all - forward; ++step) {
            length(talk.callee_says, 1, step, greeted);
            talk.callee_says.push_back(slices_line(0, after(talk.callee, step), 1, kEntryBytes, 0, greeted));
        }
    }

    void length(std::vector<Line>& lines, std::uint16_t direction, std::uint32_t round,
                std::uint32_t after_lines) const {
        if (shape_.policies.turns != Turns::lock_step_lengths)
            return;
        Line line = frame_line(FrameKind::length, after_lines);
        line.frame.aux = direction;
        line.frame.a = round;
        line.frame.c = kEntryBytes;
        lines.push_back(line);
    }

    struct CheckIn {
        RankId rank;
        std::uint32_t conversation;
        std::uint32_t lines;
    };
    Shape const& shape_;
    Partition partition_;
    std::vector<CheckIn> check_ins_;
    std::vector<Conversation> all_;
};

}  // namespace

std::string Shape::name_of(Node node) const {
    if (!is_root(node))
        return fmt::format("rank {}", node);
    return nroots == 1 ? "the root" : fmt::format("root {}", node - nranks);
}

std::vector<Conversation> conversations_of(Shape const& shape) { return Writer(shape).all(); }

std::string words_for(Line const& line) {
    switch (line.kind) {
    case Line::Kind::call: return "the call";
    case Line::Kind::end: return "the end";
    case Line::Kind::frame: break;
    }
    Frame const& frame = line.frame;
    switch (frame.kind) {
    case FrameKind::slices:
        if (frame.c == 0)
            return fmt::format("token of round {}", frame.aux);
        return frame.b == 1 ? fmt::format("slice {}", frame.a) : fmt::format("{} slices from {}", frame.b, frame.a);
    case FrameKind::length: return fmt::format("length of round {}", frame.a);
    case FrameKind::successor: return fmt::format("successor {}", frame.a);
    default: return std::string(name_of(frame.kind));
    }
}

}  // namespace ronde::prove
