/// A program that calls every verb, and what each rank has to show for it.
#pragma once

#include <ronde/communicator.hpp>

#include <vector>

namespace ronde {

struct Souvenirs {
    std::vector<std::byte> gathered;
    std::vector<std::byte> word;
    std::vector<std::byte> from_predecessor;
    std::vector<std::byte> empty_message;
    std::vector<RankId> ranks;  ///< of the table
    friend bool operator==(Souvenirs const&, Souvenirs const&) = default;
};

/// Rank r's slice says r, and how many there are; the word is that of the last rank; the message says who sent it.
/// Throws std::runtime_error with the message of what failed.
[[nodiscard]] Souvenirs take_the_tour(Communicator& ring);

}  // namespace ronde
