/// A person chooses.
#pragma once

#include "engine/oracle.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ronde::sim {

/// The words for a person who is to choose.
class Phrasebook {
public:
    virtual ~Phrasebook() = default;
    /// What is being chosen, in one line without an end of line.
    virtual std::string question(Choice kind, std::uint64_t key, std::uint32_t n) = 0;
    /// The choices that are worth a line of their own, each below n. None: a person could not tell one from another,
    /// and is not asked.
    virtual std::vector<std::uint32_t> options(Choice kind, std::uint64_t key, std::uint32_t n) = 0;
    /// What `picked` (below n) means, in one line without an end of line.
    virtual std::string meaning(Choice kind, std::uint64_t key, std::uint32_t n, std::uint32_t picked) = 0;
};

/// Lists what can be chosen and reads an answer; asks again when it is none:
///
///   3       the third of the list, counted from 0
///   =17     exactly 17, listed or not
///   (none)  what `rest` would choose, which is shown
///   skip    the same, and for all later choices of this kind
///   end     the same, and for all later choices; so does the end of the input
class InteractiveOracle final : public Oracle {
public:
    /// All must outlive the oracle. `rest` is asked for every choice, so it may be one that counts them.
    InteractiveOracle(std::istream& input, std::ostream& output, Oracle& rest, Phrasebook& words);

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;

    /// The person has no more answers.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    /// Choices that the person was asked for and answered, the empty answers among them.
    [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }

private:
    [[nodiscard]] std::uint32_t ask(Choice kind, std::uint64_t key, std::uint32_t n,
                                    std::vector<std::uint32_t> const& options, std::uint32_t others);

    std::istream& input_;
    std::ostream& output_;
    Oracle& rest_;
    Phrasebook& words_;
    std::uint64_t answered_ = 0;
    std::uint32_t skipped_ = 0;  ///< bit per kind
    bool ended_ = false;
};

}  // namespace ronde::sim
