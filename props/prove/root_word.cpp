#include "prove/root_word.hpp"

#include "protocol/partition.hpp"

#include <algorithm>

namespace ronde::prove {
namespace {

using namespace protocol;

/// How many lines of a member there are up to and with the first of this kind.
std::uint16_t lines_to(Part const& part, FrameKind kind) {
    auto const found = std::find_if(part.theirs.begin(), part.theirs.end(), [kind](Line const& line) {
        return line.kind == Line::Kind::frame && line.frame.kind == kind;
    });
    return static_cast<std::uint16_t>(found - part.theirs.begin() + 1);
}

void raise(Needs& needs, Needs const& to) {
    for (std::size_t i = 0; i < needs.size(); ++i)
        needs[i] = std::max(needs[i], to[i]);
}

}  // namespace

std::optional<Findings> word_of_root(Shape const& shape, std::vector<Conversation> const& all, std::uint32_t root) {
    if (shape.policies.reply == Reply::callback)
        return std::nullopt;
    Findings word;
    word.node = shape.root_node(root);
    std::vector<Part> const parts = parts_of(all, word.node);
    Partition const partition{shape.nranks, shape.nroots};
    std::uint32_t const expected = partition.expected_check_ins(root);
    Needs const nothing(2 * parts.size() + 1, 0);
    Needs everyone_here = nothing;
    Needs everyone_done = nothing;
    std::vector<std::uint32_t> part_of(expected);
    for (std::uint32_t number = 0; number < parts.size(); ++number) {
        part_of[parts[number].link.index()] = number;
        everyone_here[number] = lines_to(parts[number], FrameKind::check_in);
        everyone_done[number] = lines_to(parts[number], FrameKind::done);
    }
    for (std::uint32_t number = 0; number < parts.size(); ++number) {
        Part const& part = parts[number];
        std::vector<Needs>& to_say = word.to_say.emplace_back();
        for (Line const& line : part.mine) {
            Needs needs = nothing;
            bool const answer = line.frame.kind == FrameKind::slices || line.frame.kind == FrameKind::successor;
            if (line.kind == Line::Kind::end || line.frame.kind == FrameKind::commit) {
                needs = everyone_done;
            } else if (answer && shape.policies.hand_out != HandOut::as_known) {
                needs = everyone_here;
            } else if (answer) {  // it and its successor
                std::uint32_t const next = part_of[(part.link.index() + 1U) % expected];
                for (std::uint32_t const one : {number, next})
                    needs[one] = everyone_here[one];
            } else {
                needs[number] = 2;  // the call and hello
            }
            to_say.push_back(needs);
        }
        // It takes whatever comes. What comes after a line of its own comes after what that needed.
        std::vector<Needs>& to_hear = word.to_hear.emplace_back();
        Needs so_far = nothing;
        for (std::size_t line = 0; line < part.theirs.size(); ++line) {
            bool const never = part.theirs[line].kind == Line::Kind::end && shape.policies.commit == Commit::root;
            if (std::uint32_t const after = part.theirs[line].after; after > 0 && !never)
                raise(so_far, to_say[after - 1U]);
            Needs& needs = to_hear.emplace_back(never ? nothing : so_far);
            needs[number] = static_cast<std::uint16_t>(line);
        }
    }
    return word;
}

}  // namespace ronde::prove
