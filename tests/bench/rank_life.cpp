#include "rank_life.hpp"

#include "protocol/check.hpp"
#include "protocol/rank_step.hpp"

namespace ronde::bench {

using namespace protocol;

namespace {

constexpr std::uint32_t kSliceBytes = 64;

class LifeWriter {
public:
    explicit LifeWriter(RankLife& life) : life_(life), nranks_(life.config.nranks) {}

    void bootstrap(Gather gather) {
        add(Event::start(now()));
        add(Event::listening(now(), Listener::ring));
        open(kRootLink);
        Frame successor;
        successor.kind = FrameKind::successor;
        successor.a = 1;
        add(Event::arrived(now(), kRootLink, successor, {}));
        open(chord_out(0));
        let_in(0);
        gather_slices(gather, 0, kEntryBytes);
        gather_slices(Gather::doubling, 1, 0);
    }

    void all_gather(std::uint32_t operation, Gather gather) {
        Operation wanted;
        wanted.kind = OperationKind::all_gather;
        wanted.slice_bytes = kSliceBytes;
        add(Event::operate(now(), wanted));
        gather_slices(gather, operation, kSliceBytes);
    }

private:
    TimeNs now() { return now_ns_ += kMicrosecondNs; }
    void add(Event const& event) { life_.events.push_back(event); }

    /// A connection of ours: made, challenged, proven.
    void open(Link link) {
        add(Event::connected(now(), link));
        Frame challenge;
        challenge.kind = FrameKind::challenge;
        add(Event::arrived(now(), link, challenge, {}));
    }

    /// A connection of the predecessor at 2^k: accepted, greeted, proven.
    void let_in(std::uint32_t k) {
        Frame hello;
        hello.kind = FrameKind::hello;
        hello.aux = purpose_of(LinkClass::chord_out, k);
        hello.a = predecessor_of(0, nranks_, std::uint64_t{1} << k);
        hello.b = 0;
        hello.c = life_.config.session;
        add(Event::accepted(now(), Listener::ring, pending(0)));
        add(Event::arrived(now(), pending(0), hello, {}));
        hello.kind = FrameKind::proof;
        add(Event::arrived(now(), pending(0), hello, {}));
        in_open_ |= 1U << k;
    }

    void gather_slices(Gather gather, std::uint32_t operation, std::uint32_t slice_bytes) {
        if (gather == Gather::ring) {
            for (std::uint32_t i = 1; i < nranks_; ++i)
                slices(chord_in(0), 0, predecessor_of(0, nranks_, i), 1, slice_bytes, operation);
            return;
        }
        for (std::uint32_t k = 0; k < doubling_rounds(nranks_, operation); ++k) {
            if ((in_open_ >> k & 1U) == 0) {
                let_in(k);
                open(chord_out(k));
            }
            slices(chord_out(k), k, successor_of(0, nranks_, std::uint64_t{1} << k), window_sent(nranks_, operation, k),
                   slice_bytes, operation);
        }
    }

    void slices(Link link, std::uint32_t chord, RankId first, std::uint32_t count, std::uint32_t slice_bytes,
                std::uint32_t operation) {
        Frame frame;
        frame.kind = FrameKind::slices;
        frame.payload_bytes = count * slice_bytes;
        frame.aux = static_cast<std::uint16_t>(chord);
        frame.a = first;
        frame.b = count;
        frame.c = slice_bytes;
        frame.d = operation;
        add(Event::arrived(now(), link, frame, {}));
    }

    RankLife& life_;
    std::uint32_t nranks_;
    std::uint32_t in_open_ = 0;
    TimeNs now_ns_ = 0;
};

}  // namespace

RankLife make_life(std::uint32_t nranks, Gather gather, std::uint32_t all_gathers) {
    RankLife life;
    Policies policies = policies_of(Profile::ronde);
    policies.gather = gather;
    policies.commit = Commit::chords;
    life.config.policies = resolve(policies, nranks, 1);
    life.config.nranks = nranks;
    life.config.session = 7;
    LifeWriter writer(life);
    writer.bootstrap(gather);
    for (std::uint32_t i = 0; i < all_gathers; ++i)
        writer.all_gather(2 + i, gather);
    return life;
}

std::uint64_t live(RankLife const& life, Actions& actions) {
    Rank rank(life.config);
    for (Event const& event : life.events)
        rank.step(event, actions.clear());
    RONDE_CHECK(rank.phase() == Phase::ready, "a healthy life must end ready");
    return life.events.size();
}

}  // namespace ronde::bench
