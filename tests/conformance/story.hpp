/// One behaviour of a TCP listener or connection, provoked twice: on this machine's kernel and in the pretend world.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ronde::conformance {

/// What was counted, and how much of it: ("ghosts", "55"). In the order in which it happened.
class Facts {
public:
    Facts& add(std::string what, std::string value) {
        facts_.emplace_back(std::move(what), std::move(value));
        return *this;
    }
    Facts& add(std::string what, std::uint64_t value) { return add(std::move(what), std::to_string(value)); }
    /// Empty when it was not counted.
    [[nodiscard]] std::string_view value_of(std::string_view what) const {
        for (auto const& [name, value] : facts_) {
            if (name == what)
                return value;
        }
        return {};
    }
    [[nodiscard]] auto begin() const { return facts_.begin(); }
    [[nodiscard]] auto end() const { return facts_.end(); }

private:
    std::vector<std::pair<std::string, std::string>> facts_;
};

struct Story {
    std::string_view name;      ///< of the test, in CamelCase
    std::string_view happens;   ///< what is provoked
    std::string_view function;  ///< of the kernel, which decides
    std::function<Facts()> kernel;
    std::function<Facts()> pretended;            ///< empty: the pretend world cannot express it, `why` says why
    std::vector<std::string_view> may_differ{};  ///< facts that are known not to agree ...
    std::string_view why{};                      ///< ... and why
};

/// Together a few seconds.
[[nodiscard]] std::vector<Story> const& short_stories();
/// Those that have to wait for the third or fourth repetition: each about ten seconds.
[[nodiscard]] std::vector<Story> const& long_stories();

/// Facts of both worlds that should agree and do not, one line each; empty when all is well.
[[nodiscard]] std::string disagreement(Story const& story, Facts const& kernel, Facts const& pretended);

}  // namespace ronde::conformance
