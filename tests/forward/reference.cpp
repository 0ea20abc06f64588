#include "forward/reference.hpp"

#include "protocol/frame.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kHeaderBytes;
using protocol::RankId;
using protocol::TimeNs;
using protocol::Turns;

struct Event {
    enum class Kind : std::uint8_t { begin, arrive, handled };
    TimeNs at_ns = 0;
    std::uint64_t order = 0;  ///< events of one time come in the order in which they were caused
    Kind kind = Kind::begin;
    RankId rank = 0;
    Way way = Way::forward;  ///< in which the frame travels
    friend bool operator>(Event const& a, Event const& b) {
        return std::tie(a.at_ns, a.order) > std::tie(b.at_ns, b.order);
    }
};

struct Frame {
    Way way = Way::forward;
    std::uint64_t bytes = 0;
};

struct Link {
    TimeNs free_ns = 0;
    TimeNs arrival_ns = 0;  ///< of the last frame
    std::uint32_t frames = 0;
};

struct Rank {
    bool begun = false;
    std::size_t turn = 0;            ///< turns whose frames are out
    std::uint32_t received[2] = {};  ///< by way of travel
    TimeNs cpu_free_ns = 0;
    std::deque<Way> held;  ///< arrived before the gather began
    Link links[2];         ///< on which this rank sends
    TimeNs done_ns = -1;
};

class Play {
public:
    explicit Play(RingForward const& ring) : ring_(ring), ranks_(ring.nranks) {
        bool const both = ring.gather == Gather::ring2;
        shares_[0] = both ? ring.nranks / 2U : ring.nranks - 1U;
        shares_[1] = both ? ring.nranks - 1U - ring.nranks / 2U : 0U;
        std::uint64_t const slice_bytes = kHeaderBytes + ring.slice_bytes;
        for (std::uint32_t round = 0; round < shares_[0]; ++round) {
            bool const backward = round < shares_[1];
            if (ring.turns == Turns::lock_step_lengths) {
                script_.push_back({{Way::forward, kHeaderBytes}});
                if (backward)
                    script_.push_back({{Way::backward, kHeaderBytes}});
            }
            script_.push_back({{Way::forward, slice_bytes}});
            if (backward)
                script_.back().push_back({Way::backward, slice_bytes});
        }
    }

    ForwardResult run() {
        for (RankId r = 0; r < ring_.nranks; ++r)
            push({ring_.start_ns.empty() ? 0 : ring_.start_ns[r], 0, Event::Kind::begin, r, Way::forward});
        while (!events_.empty()) {
            Event const event = events_.top();
            events_.pop();
            now_ns_ = event.at_ns;
            Rank& rank = ranks_[event.rank];
            if (event.kind == Event::Kind::begin) {
                begin(event.rank);
            } else if (event.kind == Event::Kind::handled) {
                ++rank.received[static_cast<std::size_t>(event.way)];
                go_on(event.rank, event.way);
            } else if (rank.begun) {
                serve(event.rank, event.way);
            } else {
                rank.held.push_back(event.way);
            }
        }
        for (Rank const& rank : ranks_) {
            if (rank.done_ns < 0)
                throw std::logic_error("a rank never completes");
            result_.done_ns.push_back(rank.done_ns);
        }
        result_.first_ns = *std::min_element(result_.done_ns.begin(), result_.done_ns.end());
        result_.last_ns = *std::max_element(result_.done_ns.begin(), result_.done_ns.end());
        return result_;
    }

private:
    void push(Event event) {
        event.order = order_++;
        events_.push(event);
    }

    void begin(RankId r) {
        Rank& rank = ranks_[r];
        rank.begun = true;
        rank.cpu_free_ns = now_ns_;
        if (ring_.turns == Turns::pipelined) {
            for (Way const way : {Way::forward, Way::backward}) {
                if (shares_[static_cast<std::size_t>(way)] > 0)
                    send(r, {way, kHeaderBytes + ring_.slice_bytes});
            }
            settle(r);
        } else {
            take_turns(r);
        }
        while (!rank.held.empty()) {
            serve(r, rank.held.front());
            rank.held.pop_front();
        }
    }

    void serve(RankId r, Way way) {
        Rank& rank = ranks_[r];
        rank.cpu_free_ns = std::max(rank.cpu_free_ns, now_ns_) + (ring_.service_ns.empty() ? 0 : ring_.service_ns[r]);
        push({rank.cpu_free_ns, 0, Event::Kind::handled, r, way});
    }

    void go_on(RankId r, Way way) {
        if (ring_.turns != Turns::pipelined)
            return take_turns(r);
        std::size_t const w = static_cast<std::size_t>(way);
        if (ranks_[r].received[w] < shares_[w])
            send(r, {way, kHeaderBytes + ring_.slice_bytes});
        settle(r);
    }

    void settle(RankId r) {
        Rank& rank = ranks_[r];
        if (rank.received[0] == shares_[0] && rank.received[1] == shares_[1])
            rank.done_ns = now_ns_;
    }

    /// A turn may start when as much has come from either side as the turns before it have sent.
    void take_turns(RankId r) {
        Rank& rank = ranks_[r];
        while (rank.done_ns < 0 && rank.received[0] >= rank.links[0].frames &&
               rank.received[1] >= rank.links[1].frames) {
            if (rank.turn == script_.size()) {
                rank.done_ns = now_ns_;
                return;
            }
            for (Frame const& frame : script_[rank.turn])
                send(r, frame);
            ++rank.turn;
        }
    }

    void send(RankId r, Frame const& frame) {
        std::size_t const way = static_cast<std::size_t>(frame.way);
        Link& link = ranks_[r].links[way];
        LinkDelays const& delays = frame.way == Way::forward ? ring_.forward : ring_.backward;
        std::size_t const kind = delays.kind_of_link.empty() ? 0 : delays.kind_of_link[r];
        FrameStream const stream = frame_stream(ring_.seed, ring_.operation, r, frame.way);
        TimeNs const travel_ns = frame_delay_ns(delays.kinds[kind], stream, link.frames) +
                                 (delays.constant_ns.empty() ? 0 : delays.constant_ns[r]);
        link.free_ns = std::max(link.free_ns, now_ns_) + transmission_ns(frame.bytes, ring_.bytes_per_second);
        link.arrival_ns = std::max(link.arrival_ns, link.free_ns + travel_ns);
        ++link.frames;
        ++result_.messages;
        result_.bytes += frame.bytes;
        RankId const to = frame.way == Way::forward ? (r + 1U) % ring_.nranks : (r + ring_.nranks - 1U) % ring_.nranks;
        push({link.arrival_ns, 0, Event::Kind::arrive, to, frame.way});
    }

    RingForward const& ring_;
    std::uint32_t shares_[2] = {};            ///< slices that come to each rank, by way of travel
    std::vector<std::vector<Frame>> script_;  ///< what every rank sends in each turn
    std::vector<Rank> ranks_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
    TimeNs now_ns_ = 0;
    ForwardResult result_;
};

}  // namespace

ForwardResult play(RingForward const& ring) { return Play(ring).run(); }

}  // namespace ronde::sim
