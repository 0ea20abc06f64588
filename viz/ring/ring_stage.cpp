#include "ring/ring_stage.hpp"

#include "protocol/check.hpp"
#include "protocol/partition.hpp"
#include "protocol/transitions.hpp"
#include "ring/ring_space.hpp"
#include "svg/text_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ronde::viz {
namespace {

constexpr Tenths kSymbolBox = 1'200;
constexpr Tenths kSymbolSize = 800;

class Stage {
public:
    Stage(Chronicle const& chronicle, std::span<const std::uint32_t> states, Embedding where)
        : chronicle_(chronicle), states_(states), space_(chronicle, 0),
          svg_(
              {space_.width, space_.middle.y + space_.layout.radius + space_.rim}, "The ring, rank by rank",
              fmt::format("{} ranks in a circle, clockwise from the top. The table below says how each of them stands.",
                          chronicle.nranks),
              where) {}

    std::string draw() {
        space_.paint_hosts(svg_);
        check_ins();
        hands();
        svg_.raw("<line id=\"stage-message\" class=\"s-critical message\" marker-end=\"url(#arrow-critical)\"/>\n");
        roots();
        ranks();
        svg_.raw("<circle id=\"stage-actor\" class=\"s-critical actor\" r=\"0\"/>\n");
        return svg_.finish();
    }

private:
    void check_ins() {
        protocol::Partition const partition{chronicle_.nranks, chronicle_.nroots};
        for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
            bool const there = (states_[rank] & kAtRoot) != 0;
            line(there ? "checkin there" : "checkin", space_.around(rank, chronicle_.nranks),
                 space_.root_place(partition.root_of(rank)));
        }
    }

    void hands() {
        for (RankId rank = 0; rank < chronicle_.nranks && chronicle_.nranks > 1; ++rank) {
            RankState const both = states_[rank] & states_[protocol::successor_of(rank, chronicle_.nranks)];
            line((both & kHasHands) != 0 ? "hand held" : "hand", space_.around(rank, chronicle_.nranks),
                 space_.around(rank + 1, chronicle_.nranks));
        }
    }

    void line(std::string_view classes, Place from, Place to) {
        svg_.raw(fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", classes,
                             length_text(from.x), length_text(from.y), length_text(to.x), length_text(to.y)));
    }

    void roots() {
        Tenths const size = root_text();
        Tenths const width = text_width("handing out", size) + size;
        for (std::uint32_t root = 0; root < chronicle_.nroots; ++root) {
            Place const at = space_.root_place(root);
            std::uint32_t const state = states_[chronicle_.nranks + root];
            bool const lost = (state & kRootLost) != 0;
            auto const group = svg_.group({.extra = lost ? "class=\"root lost\"" : "class=\"root\""});
            svg_.box({at.x - width / 2, at.y - size * 3 / 2, width, size * 3}, {.fill = Paint::paper}, size / 2);
            using Anchor = TextStyle::Anchor;
            svg_.text({at.x, at.y - size / 6}, chronicle_.nroots == 1 ? "root" : fmt::format("root {}", root),
                      {.size = size, .anchor = Anchor::middle, .bold = true});
            svg_.text({at.x, at.y + size}, root_words(chronicle_, state),
                      {.size = size * 4 / 5, .anchor = Anchor::middle});
        }
    }

    /// Large enough to be read where the ring is as wide as a page; small enough for several roots beside each other.
    [[nodiscard]] Tenths root_text() const {
        Tenths const wanted = std::max(space_.text, space_.layout.radius / 20);
        constexpr Tenths kTextsApart = 7;
        Tenths const apart = space_.layout.radius * 2 / Tenths{chronicle_.nroots};
        return chronicle_.nroots == 1 ? wanted : std::clamp<Tenths>(apart / kTextsApart, 20, wanted);
    }

    void ranks() {
        Tenths const size = space_.layout.node * 9 / 10;
        Tenths const box = size * kSymbolBox / kSymbolSize;
        for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
            Place const at = space_.around(rank, chronicle_.nranks);
            RankState const state = states_[rank];
            auto const look = static_cast<PhaseLook>(state & kLookMask);
            svg_.raw(fmt::format("<g class=\"rank{}{}{}\"><title>rank {}</title>"
                                 "<circle class=\"blame\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>"
                                 "<use href=\"#look{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                                 (state & kFailed) != 0 ? " failed" : "", (state & kCulprit) != 0 ? " culprit" : "",
                                 style_of(look).ink == "#ffffff" ? " on-dark" : "", rank, length_text(at.x),
                                 length_text(at.y), length_text(size * 8 / 10), state & kLookMask,
                                 length_text(at.x - box / 2), length_text(at.y - box / 2), length_text(box),
                                 length_text(box)));
            if (space_.layout.numbers_inside) {
                svg_.raw(fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>",
                                     length_text(at.x), length_text(at.y + Tenths{space_.layout.font} * 35 / 10),
                                     length_text(Tenths{space_.layout.font} * 9), rank));
            }
            svg_.raw("</g>\n");
        }
        if (!space_.layout.numbers_inside)
            numbers_outside();
    }

    /// Inside of the ring: arcs of hosts go around it.
    void numbers_outside() {
        for (RankId rank = 0; rank < chronicle_.nranks; rank += space_.layout.number_every) {
            Place const at = space_.around(rank, chronicle_.nranks, -space_.layout.node / 2 - space_.text * 6 / 5);
            svg_.text({at.x, at.y + space_.text / 3}, std::to_string(rank),
                      {.size = space_.text, .anchor = TextStyle::Anchor::middle, .paint = Paint::soft, .halo = true});
        }
    }

    Chronicle const& chronicle_;
    std::span<const std::uint32_t> states_;
    RingSpace space_;
    Svg svg_;
};

}  // namespace

RankState state_of(RingRank const& rank) {
    return static_cast<RankState>(look_of(rank)) | (rank.failed ? kFailed : 0U) | (rank.culprit ? kCulprit : 0U) |
           (is_at_its_root(rank) ? kAtRoot : 0U) | (has_hands(rank) ? kHasHands : 0U);
}

std::string_view root_words(Chronicle const& chronicle, std::uint32_t state) {
    if ((state & kRootLost) != 0)
        return "lost";
    return chronicle.has_steps ? name_of(static_cast<protocol::RootPhase>(state & kLookMask)) : std::string_view();
}

std::string ring_stage(Chronicle const& chronicle, std::span<const std::uint32_t> states, Embedding where) {
    RONDE_CHECK(chronicle.nranks <= kMostStageRanks, "more ranks than a stage has room for");
    return Stage(chronicle, states, where).draw();
}

std::string look_symbols() {
    std::string all = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" aria-hidden=\"true\" "
                      "focusable=\"false\">\n";
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        all += fmt::format("<symbol id=\"look{}\" viewBox=\"-60 -60 120 120\">", i);
        std::vector<Place> const corners = corners_of(style_of(static_cast<PhaseLook>(i)).shape, {0, 0}, kSymbolSize);
        if (corners.empty()) {
            all += fmt::format("<circle class=\"mark{}\" r=\"{}\"/>", i, length_text(kSymbolSize / 2));
        } else {
            all += fmt::format("<polygon class=\"mark{}\" points=\"", i);
            for (Place const& corner : corners)
                all += fmt::format("{},{} ", length_text(corner.x), length_text(corner.y));
            all.back() = '"';
            all += "/>";
        }
        all += "</symbol>\n";
    }
    return all + "</svg>\n";
}

}  // namespace ronde::viz
