/// The words of one command line, taken from the left.
#pragma once

#include "protocol/units.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ronde::protocol::tiny {

/// Every reader throws std::runtime_error with one line when the next word is not what it reads.
class Words {
public:
    explicit Words(std::string_view line);

    [[nodiscard]] bool done() const { return at_ == words_.size(); }
    std::string next();
    /// Takes the next word if it is `word`.
    bool take(std::string_view word);
    void expect(std::string_view word);
    std::uint32_t number();
    /// "250ms", "+2s", "10s", "500us".
    TimeNs time_ns();
    /// "4+2": two from 4.
    void run(std::uint32_t& first, std::uint32_t& count);
    Link link();
    Failure failure();

    /// The enumerator below `count` whose name is the next word.
    template <class Enum, class Name>
    Enum among(std::uint32_t count, Name name) {
        std::string const word = next();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (name(static_cast<Enum>(i)) == word)
                return static_cast<Enum>(i);
        }
        refuse(word);
    }

private:
    [[noreturn]] void refuse(std::string const& word) const;

    std::vector<std::string> words_;
    std::size_t at_ = 0;
    std::string line_;
};

}  // namespace ronde::protocol::tiny
