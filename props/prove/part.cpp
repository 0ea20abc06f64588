#include "prove/part.hpp"

#include <algorithm>
#include <tuple>

namespace ronde::prove {

std::vector<Part> parts_of(std::vector<Conversation> const& all, Node node) {
    std::vector<Part> parts;
    for (std::uint32_t number = 0; number < all.size(); ++number) {
        Conversation const& talk = all[number];
        if (talk.caller != node && talk.callee != node)
            continue;
        Part part;
        part.conversation = number;
        part.calls = talk.caller == node;
        part.link = part.calls ? talk.caller_link : talk.callee_link;
        part.listener = talk.listener;
        part.other = part.calls ? talk.callee : talk.caller;
        part.mine = part.calls ? talk.caller_says : talk.callee_says;
        part.theirs = part.calls ? talk.callee_says : talk.caller_says;
        parts.push_back(part);
    }
    // Own calls first, then those of others, so that ranks that are alike have like parts.
    std::sort(parts.begin(), parts.end(), [](Part const& a, Part const& b) {
        return std::tuple(!a.calls, a.link, a.conversation) < std::tuple(!b.calls, b.link, b.conversation);
    });
    for (Part& part : parts) {
        auto const& opening = all[part.conversation].opens_after;
        auto const before = std::find_if(parts.begin(), parts.end(), [&](Part const& other) {
            return opening && other.conversation == opening->conversation;
        });
        if (before != parts.end())
            part.opens_after = Part::Opening{static_cast<std::uint32_t>(before - parts.begin()), opening->lines};
    }
    return parts;
}

}  // namespace ronde::prove
