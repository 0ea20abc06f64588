#include "prove/cut.hpp"

#include "prove/actor.hpp"
#include "prove/needs.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>

namespace ronde::prove {
namespace {

struct Fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
};
struct FingerprintHash {
    std::size_t operator()(Fingerprint const& print) const { return print.low; }
};

/// Breadth first, so that the first broken promise is reached by the shortest story.
class Search {
public:
    Search(Shape const& shape, std::vector<Conversation> const& all, Node node, CutSettings const& settings)
        : shape_(shape), settings_(settings), parts_(parts_of(all, node)), actor_(shape, parts_, node),
          record_(shape, parts_) {
        findings_.node = node;
    }

    Findings run() {
        Moment first = actor_.first();
        enter(std::move(first), 0, {});
        while (findings_.broken.empty() && !waiting_.empty()) {
            Moment const here = std::move(waiting_.front());
            waiting_.pop_front();
            expand(here, next_++);
        }
        findings_.states = arrivals_.size();
        if (findings_.broken.empty())
            findings_.broken = record_.conclude(findings_);
        return std::move(findings_);
    }

private:
    struct Arrival {
        std::uint32_t from;
        Move move;
    };

    void enter(Moment&& moment, std::uint32_t from, Move move) {
        if (!actor_.broken().empty())
            return fail(from, arrivals_.empty() ? std::nullopt : std::optional(move));
        std::string const bytes = moment.bytes();
        XXH128_hash_t const hash = XXH3_128bits(bytes.data(), bytes.size());
        if (!seen_.insert({hash.low64, hash.high64}).second)
            return;
        if (arrivals_.size() >= settings_.limit_states) {
            findings_.broken = fmt::format("gave up after {} states", arrivals_.size());
            return;
        }
        arrivals_.push_back({from, move});
        note(moment);
        waiting_.push_back(std::move(moment));
    }

    void expand(Moment const& here, std::uint32_t number) {
        std::vector<Move> const moves = actor_.moves(here);
        for (Move const move : moves) {
            if (!findings_.broken.empty())
                return;
            ++findings_.moves;
            Moment after = here;
            advance(actor_, after, move, [&](Moment const& between) { record_.note_between(between); });
            enter(std::move(after), number, move);
        }
        if (!moves.empty() || !findings_.broken.empty())
            return;
        actor_.judge_rest(here);
        if (!actor_.broken().empty())
            fail(number, {});
    }

    void note(Moment const& moment) {
        std::vector<bool> takes = actor_.takes(moment);
        for (std::uint32_t part = 0; part < parts_.size(); ++part)
            takes[part] = takes[part] || actor_.has_ended(moment, part);  // then it need not
        record_.note(moment, takes);
    }

    /// Makes the move; a greeting is finished in one breath where that is asked for.
    template <class Between>
    void advance(Actor& actor, Moment& moment, Move move, Between const& between) const {
        actor.make(moment, move);
        while (settings_.greet_at_once && move.kind == Move::Kind::hear && actor.broken().empty() &&
               actor.is_greeting(moment, move.part)) {
            between(moment);
            actor.make(moment, move);
        }
    }

    /// The moves that led to state `number`, and the one that broke the promise, in words.
    void fail(std::uint32_t number, std::optional<Move> last) {
        findings_.broken = actor_.broken();
        std::vector<Move> moves;
        for (; number != 0; number = arrivals_[number].from)
            moves.push_back(arrivals_[number].move);
        std::reverse(moves.begin(), moves.end());
        if (last)
            moves.push_back(*last);
        Actor again(shape_, parts_, findings_.node);
        Moment moment = again.first();
        for (Move const move : moves) {
            findings_.story.push_back(again.words_for(moment, move));
            advance(again, moment, move,
                    [&](Moment const& between) { findings_.story.push_back(again.words_for(between, move)); });
        }
    }

    Shape const& shape_;
    CutSettings const& settings_;
    std::vector<Part> parts_;
    Actor actor_;
    NeedsRecord record_;
    Findings findings_;
    std::deque<Moment> waiting_;
    std::uint32_t next_ = 0;
    std::vector<Arrival> arrivals_;
    std::unordered_set<Fingerprint, FingerprintHash> seen_;
};

}  // namespace

Findings explore_node(Shape const& shape, std::vector<Conversation> const& all, Node node,
                      CutSettings const& settings) {
    return Search(shape, all, node, settings).run();
}

}  // namespace ronde::prove
