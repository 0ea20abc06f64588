#include "engine/exhaustive_oracle.hpp"

#include "protocol/check.hpp"

namespace ronde::sim {

ExhaustiveOracle::ExhaustiveOracle(std::size_t most_choices) : most_choices_(most_choices) {}

ExhaustiveOracle::ExhaustiveOracle(std::span<const Choice> explored, Oracle& rest, std::size_t most_choices)
    : most_choices_(most_choices), explored_(0), rest_(&rest) {
    for (Choice const kind : explored)
        explored_ |= 1U << static_cast<unsigned>(kind);
}

std::uint32_t ExhaustiveOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "ExhaustiveOracle::pick: expected n >= 1");
    if ((explored_ >> static_cast<unsigned>(kind) & 1U) == 0)
        return rest_->pick(kind, key, n);
    if (n == 1)
        return 0;
    if (position_ == most_choices_) {
        cut_ = true;
        return 0;
    }
    if (position_ == wheels_.size())
        wheels_.push_back({kind, n, 0});
    Wheel const& wheel = wheels_[position_++];
    RONDE_CHECK(wheel.kind == kind && wheel.n == n,
                "ExhaustiveOracle::pick: the run asks for another choice than the run before it did after the same "
                "choices; expected a world that is a function of its choices");
    return wheel.value;
}

bool ExhaustiveOracle::next() {
    // The last run may have ended before wheels of its predecessor's end were asked for: they belong to no run now.
    wheels_.resize(position_);
    position_ = 0;
    while (!wheels_.empty() && wheels_.back().value + 1 == wheels_.back().n)
        wheels_.pop_back();
    if (wheels_.empty())
        return false;
    ++wheels_.back().value;
    ++runs_;
    return true;
}

}  // namespace ronde::sim
