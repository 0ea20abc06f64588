/// A person chooses.
#pragma once

#include "engine/oracle.hpp"

#include <functional>
#include <iosfwd>
#include <string>

namespace ronde::sim {

/// Lists what can be chosen and reads a number; asks again when the answer is none of them. An empty line takes 0, the
/// default. When the input ends, that choice and all later ones are 0, and ended() tells so.
class InteractiveOracle final : public Oracle {
public:
    /// What option `index` of 0 .. n-1 means, in one line without an end of line.
    using Label = std::function<std::string(Choice kind, std::uint64_t key, std::uint32_t index)>;

    /// The streams must outlive the oracle. Without `label`, or where it gives no text, the numbers stand alone. At
    /// most `listed` options are listed; all can be chosen.
    InteractiveOracle(std::istream& input, std::ostream& output, Label label = {}, std::uint32_t listed = 20);

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;
    [[nodiscard]] bool ended() const noexcept { return ended_; }

private:
    std::istream* input_;
    std::ostream* output_;
    Label label_;
    std::uint32_t listed_;
    bool ended_ = false;
};

}  // namespace ronde::sim
