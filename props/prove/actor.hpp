/// One move of one process: a neighbour keeps a promise, and the machine does what it does.
#pragma once

#include "prove/body.hpp"

#include <deque>

namespace ronde::prove {

struct Move {
    enum class Kind : std::uint8_t {
        stands,  ///< it is told that a connection it made stands
        hear,    ///< the next line of a neighbour reaches it
        begin,   ///< its stagger is over
    };
    Kind kind = Kind::hear;
    std::uint32_t part = 0;
};

class Actor {
public:
    /// All must outlive it.
    Actor(Shape const& shape, std::vector<Part> const& parts, Node node);

    /// It has been started. broken() may say something already.
    [[nodiscard]] Moment first();
    /// What can happen at `moment`, in the order of its parts.
    [[nodiscard]] std::vector<Move> moves(Moment const& moment);
    /// Makes `moment` the one after `move`.
    void make(Moment& moment, Move move);
    /// Nothing can happen any more: whether that is as it should be.
    void judge_rest(Moment const& moment);
    /// What the machine did that nobody expects; empty: nothing.
    [[nodiscard]] std::string const& broken() const { return broken_; }
    [[nodiscard]] std::string words_for(Moment const& moment, Move move) const;
    /// By part: whether the machine would take the next line, were it said now.
    [[nodiscard]] std::vector<bool> takes(Moment const& moment);
    [[nodiscard]] bool has_ended(Moment const& moment, std::uint32_t number) const;
    /// Whoever called on this part has not been let in yet, and can go on at once.
    [[nodiscard]] bool is_greeting(Moment const& moment, std::uint32_t number) const;

private:
    void break_promise(std::string what);
    void feed(protocol::Event event);
    void act(protocol::Action const& action);
    void on_connect(protocol::Action const& action);
    void on_send(protocol::Action const& action);
    void check_entries(protocol::Action const& action);
    void on_admit(protocol::Action const& action);
    void on_close(protocol::Link link);
    void on_learn(protocol::Action const& action);
    void on_ready();
    void say(std::uint32_t number, Line::Kind kind, protocol::Frame const* frame);
    [[nodiscard]] bool can_take(Moment const& moment, std::uint32_t number) const;
    [[nodiscard]] bool was_promised(std::uint32_t number, Line const& line) const;
    void hear(std::uint32_t number);
    [[nodiscard]] std::uint32_t part_of(protocol::Link link) const;
    [[nodiscard]] std::uint32_t slot_of(Moment const& moment, std::uint32_t number) const;
    [[nodiscard]] std::uint32_t free_slot(Moment const& moment, protocol::Listener listener) const;
    [[nodiscard]] protocol::Link link_at(Moment const& moment, std::uint32_t number) const;
    [[nodiscard]] bool knows_all() const;
    [[nodiscard]] std::string whom(std::uint32_t number) const;

    Shape const& shape_;
    std::vector<Part> const& parts_;
    Node node_;
    std::unique_ptr<Body> body_;
    Moment* moment_ = nullptr;                   ///< of the move under way
    protocol::Frame const* arriving_ = nullptr;  ///< of the step under way
    std::deque<protocol::Event> answers_;        ///< the driver's own
    std::string broken_;
};

}  // namespace ronde::prove
