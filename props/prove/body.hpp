/// The real machine of a node, taken out of a moment and put back.
#pragma once

#include "protocol/seam.hpp"
#include "prove/moment.hpp"

#include <memory>

namespace ronde::prove {

class Body {
public:
    virtual ~Body() = default;

    virtual void load(Moment const& moment) = 0;
    virtual void store(Moment& moment) const = 0;
    virtual void step(protocol::Event const& event, protocol::Actions& actions) = 0;
    [[nodiscard]] virtual protocol::Reception reception(protocol::Link link, protocol::Frame const& frame) const = 0;
    [[nodiscard]] virtual protocol::TimeNs deadline_ns() const = 0;
    /// A rank that waits for its turn to check in: nothing but its timer goes on from there.
    [[nodiscard]] virtual bool is_delayed() const = 0;
    /// It is bound to end by itself: it has a deadline, or has ended, or its policies know none.
    [[nodiscard]] virtual bool is_bounded() const = 0;
    /// Both hands are held.
    [[nodiscard]] virtual bool holds_hands() const = 0;

    [[nodiscard]] static std::unique_ptr<Body> of(Shape const& shape, Node node);

protected:
    Body() = default;
    Body(Body const&) = default;
    Body& operator=(Body const&) = default;
};

}  // namespace ronde::prove
