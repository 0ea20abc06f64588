#include "conformance/rules.hpp"

#include <fmt/format.h>

#include <array>

namespace ronde::conformance {
namespace {

struct Words {
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<Words, kRules> kWords{{
    {"clock-runs-back", "times of one machine never decrease"},
    {"answer-without-call", "a call has one answer, and there is none without a call"},
    {"no-listener", "connections are accepted and queued where a listener is bound"},
    {"beyond-credit", "no more connections are accepted at once than were asked for, each in a slot of its own"},
    {"data-before-open", "frames and ends come on connections that stand"},
    {"data-after-end", "no frame comes behind the end of its connection"},
    {"end-twice", "a connection ends once"},
    {"paused", "nothing is read where the machine does not read"},
    {"sent-unasked", "`sent` follows something that was to be sent"},
    {"wrong-errno", "a failure is what its errno means in that place"},
    {"heard-from-nobody", "who has proven to be a rank has called"},
    {"never-sent", "what one end receives is, in order and whole, what the other end has sent"},
    {"before-sending", "nothing is received before it was sent"},
    {"accepted-before-called", "no connection is accepted before it was asked for"},
    {"end-before-close", "an end of stream comes after the other end has closed"},
}};

}  // namespace

std::string_view name_of(Rule rule) noexcept { return kWords[static_cast<std::size_t>(rule)].name; }
std::string_view meaning_of(Rule rule) noexcept { return kWords[static_cast<std::size_t>(rule)].meaning; }

std::string to_text(Finding const& finding) {
    return fmt::format("{}, event {}: {}: {}", finding.file, finding.event, name_of(finding.rule), finding.what);
}

}  // namespace ronde::conformance
