/// The tiny world's wires: ends of connections as queues of whole frames, and listeners with their backlogs.
#pragma once

#include "support/tiny_plan.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace ronde::protocol::tiny {

using NodeId = std::uint32_t;
using EndId = std::uint32_t;
inline constexpr NodeId kNobody = 0xffff'ffffU;
inline constexpr EndId kNoEnd = 0xffff'ffffU;

struct Message {
    Frame frame;
    std::vector<std::byte> payload;
    bool authentic = true;
    bool malformed = false;  ///< stands for bytes that no framer accepts
    TimeNs due_ns = 0;       ///< not to be seen before
    [[nodiscard]] std::uint64_t bytes() const { return kHeaderBytes + payload.size(); }
};

/// Frames in order; cheap when empty, which most queues are.
class Inbox {
public:
    [[nodiscard]] bool empty() const { return head_ == items_.size(); }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] Message const& front() const { return items_[head_]; }
    void push(Message message) {
        bytes_ += message.bytes();
        items_.push_back(std::move(message));
    }
    Message pop() {
        Message message = std::move(items_[head_++]);
        bytes_ -= message.bytes();
        if (empty())
            clear();
        return message;
    }
    void clear() {
        items_.clear();
        head_ = 0;
        bytes_ = 0;
    }

private:
    std::vector<Message> items_;
    std::size_t head_ = 0;
    std::uint64_t bytes_ = 0;
};

/// One end of a connection. Ends 2i and 2i+1 are the two ends of connection i; the even one called.
struct End {
    enum class Dial : std::uint8_t { syn, waiting, answered, told, lost };
    NodeId node = kNobody;  ///< whose machine reads here; kNobody: a stranger, or not accepted yet
    Link link;
    Inbox inbox;
    Failure ending = Failure::none;  ///< what follows the last frame of the inbox
    Dial dial = Dial::told;
    Fate fate = Fate::connect;
    bool attached = false;  ///< the machine knows it under `link`
    bool paused = false;
    bool held = false;
    bool notify = false;
    bool over = false;        ///< the owner closed it, or was told of its end
    NodeId target = kNobody;  ///< syn: whose listener
    Listener listener = Listener::ring;
    Frame hello;  ///< calling end: what it said it was
    bool said_hello = false;
    std::uint64_t secret = 0;  ///< what the two sides know; tags fit when both know the same
};
constexpr EndId other_end(EndId end) { return end ^ 1U; }

struct ListenerState {
    bool bound = false;
    bool asked = false;
    bool queued_told = false;
    std::uint32_t credits = 0;
    std::uint32_t pending = 0;    ///< accepted and not yet admitted or gone
    std::deque<EndId> backlog;    ///< accepting ends
    std::vector<EndId> knocking;  ///< calling ends for which the backlog had no room
};

/// What may happen next: a set of small numbers with constant-time add, remove and random choice.
class HotSet {
public:
    void add(std::uint32_t source) {
        if (source >= place_.size())
            place_.resize(source + 1U, kAbsent);
        if (place_[source] != kAbsent)
            return;
        place_[source] = static_cast<std::uint32_t>(items_.size());
        items_.push_back(source);
    }
    void remove(std::uint32_t source) {
        if (source >= place_.size() || place_[source] == kAbsent)
            return;
        std::uint32_t const place = place_[source];
        items_[place] = items_.back();
        place_[items_[place]] = place;
        items_.pop_back();
        place_[source] = kAbsent;
    }
    void set(std::uint32_t source, bool hot) { hot ? add(source) : remove(source); }
    [[nodiscard]] bool empty() const { return items_.empty(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
    [[nodiscard]] std::uint32_t at(std::uint32_t index) const { return items_[index]; }

private:
    static constexpr std::uint32_t kAbsent = 0xffff'ffffU;
    std::vector<std::uint32_t> items_;
    std::vector<std::uint32_t> place_;
};

}  // namespace ronde::protocol::tiny
