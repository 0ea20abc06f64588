#include "ring/ring_space.hpp"

#include "protocol/partition.hpp"
#include "svg/text_size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {

RingSpace::RingSpace(Chronicle const& chronicle, Tenths heading_lines)
    : layout(chronicle.nranks), text(Tenths{layout.text} * 10),
      rim(layout.node / 2 + text * (chronicle.nhosts > chronicle.nroots + 1 ? 7 : 3)),
      width(std::max<Tenths>(2 * (layout.radius + rim) + 4 * text, 46 * text)), middle{width / 2, heading_lines * text +
                                                                                                      rim +
                                                                                                      layout.radius},
      chronicle_(chronicle) {}

/// Each root stands a little towards the middle of its block.
Place RingSpace::root_place(std::uint32_t root) const {
    if (chronicle_.nroots == 1)
        return middle;
    protocol::Partition const partition{chronicle_.nranks, chronicle_.nroots};
    std::uint32_t const twice = 2 * partition.first_of(root) + partition.size_of(root) - 1;
    return around(twice, 2 * std::int64_t{chronicle_.nranks}, -layout.radius * 2 / 3);
}

void RingSpace::paint_hosts(Svg& svg) const {
    auto const host_of = [this](RankId rank) { return chronicle_.processes[rank].host; };
    RankId other = 0;
    while (other < chronicle_.nranks && host_of(other) == 0)
        ++other;
    if (other == chronicle_.nranks)
        return;
    std::int64_t const parts = 8 * std::int64_t{chronicle_.nranks};
    Tenths const radius = layout.radius + layout.node / 2 + text * 2;
    Tenths free_until = -text;
    for (RankId first = 0; first < chronicle_.nranks;) {
        RankId last = first;
        while (last + 1 < chronicle_.nranks && host_of(last + 1) == host_of(first))
            ++last;
        Path path;
        path.move(on_circle(middle, radius, 8 * std::int64_t{first} - 3, parts));
        path.arc(radius, 2 * (last - first + 1) > chronicle_.nranks, true,
                 on_circle(middle, radius, 8 * std::int64_t{last} + 3, parts));
        svg.path(path, {.stroke = Paint::soft, .width = 20});
        std::string const name = fmt::format("host {}", host_of(first));
        Tenths const along = radius * 6 * (first + last) / (2 * Tenths{chronicle_.nranks});
        bool const meets_the_first = first != 0 && radius * 6 - along < 6 * text;
        if (along >= free_until && !meets_the_first) {
            // Beside the ring, half of the text's width would lie on the line.
            Place const edge = on_circle(middle, radius, first + last, 2 * std::int64_t{chronicle_.nranks});
            Place at = on_circle(middle, radius + text * 3 / 2, first + last, 2 * std::int64_t{chronicle_.nranks});
            at.x += (edge.x - middle.x) * (text_width(name, text) / 2) / radius;
            at.y += text / 3;
            svg.text(at, name, {.size = text, .anchor = TextStyle::Anchor::middle, .paint = Paint::soft});
            free_until = along + 6 * text;
        }
        first = last + 1;
    }
}

}  // namespace ronde::viz
