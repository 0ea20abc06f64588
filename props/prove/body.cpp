#include "prove/body.hpp"

#include "explore/node_state.hpp"

#include <cstring>

namespace ronde::prove {
namespace {

using namespace protocol;

class RankBody final : public Body {
public:
    RankBody(Shape const& shape, RankId rank) {
        config_.policies = shape.policies;
        config_.nranks = shape.nranks;
        config_.nroots = shape.nroots;
        config_.rank = rank;
        config_.roots_digest = kRootsDigest;
        config_.session = kSession;
        config_.seed = 1;
        machine_ = Rank(config_);
    }
    void load(Moment const& moment) override {
        machine_ = Rank(config_);
        // A Rank is its configuration and its state, both trivially copyable; it has no other way to take a state over.
        if (!moment.machine.empty())
            std::memcpy(const_cast<RankState*>(&machine_.state()), moment.machine.data(), sizeof(RankState));
    }
    void store(Moment& moment) const override {
        moment.machine.resize(sizeof(RankState));
        std::memcpy(moment.machine.data(), &machine_.state(), sizeof(RankState));
    }
    void step(Event const& event, Actions& actions) override { machine_.step(event, actions); }
    [[nodiscard]] Reception reception(Link link, Frame const& frame) const override {
        return machine_.reception(link, frame);
    }
    [[nodiscard]] TimeNs deadline_ns() const override { return machine_.deadline(); }
    [[nodiscard]] bool is_delayed() const override { return machine_.phase() == Phase::delayed; }
    [[nodiscard]] bool is_bounded() const override {
        return config_.policies.deadlines == Deadlines::none || machine_.phase() == Phase::created ||
               machine_.phase() >= Phase::ready || machine_.deadline() != kNever;
    }
    [[nodiscard]] bool holds_hands() const override {
        RankState const& state = machine_.state();
        return config_.nranks == 1 || (state.out_open & state.in_open & 1U) != 0;
    }

private:
    RankConfig config_;
    Rank machine_;
};

/// A root, cut down to the doors and records that so small a job can use, as in explore/node_state.hpp.
class RootBody final : public Body {
public:
    RootBody(Shape const& shape, std::uint32_t index)
        : records_(Partition{shape.nranks, shape.nroots}.expected_check_ins(index)),
          devices_(RootRoom::index_size(static_cast<std::uint32_t>(records_.size()))) {
        explore::check_root_layout();
        config_.policies = shape.policies;
        config_.expected_nranks = shape.nranks;
        config_.nroots = shape.nroots;
        config_.root_index = index;
        config_.roots_digest = kRootsDigest;
        config_.session = kSession;
        config_.pending_limit = kDoors;
    }
    void load(Moment const& moment) override {
        machine_ = Root(config_);
        machine_.provide({records_, devices_});
        if (moment.machine.empty()) {
            std::fill(records_.begin(), records_.end(), RootRecord{});
            std::fill(devices_.begin(), devices_.end(), 0U);
            return;
        }
        std::byte const* from = moment.machine.data();
        for (auto const& [to, bytes] : pieces()) {
            std::memcpy(to, from, bytes);
            from += bytes;
        }
    }
    void store(Moment& moment) const override {
        moment.machine.clear();
        for (auto const& [from, bytes] : const_cast<RootBody*>(this)->pieces())
            moment.machine.insert(moment.machine.end(), from, from + bytes);
    }
    void step(Event const& event, Actions& actions) override { machine_.step(event, actions); }
    [[nodiscard]] Reception reception(Link link, Frame const& frame) const override {
        return machine_.reception(link, frame);
    }
    [[nodiscard]] TimeNs deadline_ns() const override { return machine_.deadline(); }
    [[nodiscard]] bool is_delayed() const override { return false; }
    [[nodiscard]] bool is_bounded() const override { return true; }
    [[nodiscard]] bool holds_hands() const override { return false; }

private:
    struct Piece {
        std::byte* at;
        std::size_t bytes;
    };
    std::array<Piece, 4> pieces() {
        auto* const machine = reinterpret_cast<std::byte*>(&machine_);
        constexpr std::size_t kDoorsAt = explore::kRootPointerBytes + explore::kRootCoreBytes;
        return {{{machine + explore::kRootPointerBytes, explore::kRootCoreBytes},
                 {machine + kDoorsAt, kDoors * sizeof(RootDoor)},
                 {reinterpret_cast<std::byte*>(records_.data()), records_.size() * sizeof(RootRecord)},
                 {reinterpret_cast<std::byte*>(devices_.data()), devices_.size() * sizeof(std::uint32_t)}}};
    }

    RootConfig config_;
    std::vector<RootRecord> records_;
    std::vector<std::uint32_t> devices_;
    Root machine_;
};

}  // namespace

std::unique_ptr<Body> Body::of(Shape const& shape, Node node) {
    if (shape.is_root(node))
        return std::make_unique<RootBody>(shape, node - shape.nranks);
    return std::make_unique<RankBody>(shape, node);
}

}  // namespace ronde::prove
