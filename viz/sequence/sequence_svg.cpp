#include "sequence/sequence_svg.hpp"

#include "sequence/kind_style.hpp"
#include "sequence/layout.hpp"
#include "svg/heading.hpp"
#include "svg/legend.hpp"
#include "svg/svg.hpp"
#include "svg/text_size.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::viz {
namespace {

using Anchor = TextStyle::Anchor;

constexpr Tenths kMargin = Heading::kMargin;
constexpr Tenths kTextSize = 115;
constexpr Tenths kSmallSize = 95;
constexpr Tenths kLine = 170;
constexpr Tenths kNames = 420;  ///< height of the names above the lifelines

Brush line_brush(KindStyle const& style) { return {.stroke = style.paint, .width = style.width, .dash = style.dash}; }

void draw_cross(Svg& svg, Place at, std::string_view title = {}) {
    constexpr Tenths kReach = 38;
    Path path;
    path.move({at.x - kReach, at.y - kReach}).line({at.x + kReach, at.y + kReach});
    path.move({at.x - kReach, at.y + kReach}).line({at.x + kReach, at.y - kReach});
    svg.path(path, {.stroke = Paint::alarm, .width = 20, .title = title});
}

void draw_mark(Svg& svg, SequenceMark::Kind kind, Place at, std::string_view title = {}) {
    using Kind = SequenceMark::Kind;
    switch (kind) {
    case Kind::timer: {
        Place const corners[] = {{at.x + 50, at.y}, {at.x + 125, at.y - 45}, {at.x + 125, at.y + 45}};
        svg.polygon(corners, {.fill = Paint::ink, .title = title});
        return;
    }
    case Kind::syn_again:
        svg.circle({at.x - 90, at.y}, 36, {.fill = Paint::paper, .stroke = Paint::alarm, .width = 14, .title = title});
        return;
    case Kind::call_failed: draw_cross(svg, at, title); return;
    case Kind::fault: {
        Place const corners[] = {{at.x, at.y - 85}, {at.x + 85, at.y}, {at.x, at.y + 85}, {at.x - 85, at.y}};
        svg.polygon(corners, {.fill = Paint::alarm, .stroke = Paint::paper, .width = 12, .title = title});
        return;
    }
    }
}

constexpr std::array<std::string_view, kSequenceMarks> kMarkNames{"a timer was due", "SYN sent again",
                                                                  "connection failed", "fault"};

std::string message_title(Chronicle const& chronicle, MessageStory const& message) {
    std::string const arrival = message.received_ns == kNever ? "did not arrive" : exact_time(message.received_ns);
    return fmt::format("{}, {} to {}, {} to {}, {} B", message_label(message, chronicle.nranks),
                       name_of(chronicle, message.from), name_of(chronicle, message.to), exact_time(message.sent_ns),
                       arrival, message.bytes);
}

class Picture {
public:
    Picture(SequenceScene const& scene, Embedding where)
        : scene_(scene), chronicle_(*scene.chronicle), where_(where),
          heading_({chronicle_.title, chronicle_.subtitle, chronicle_.verdict, chronicle_.ready},
                   sequence_width(scene.columns.size())),
          layout_(lay_out(scene, (where.in_page() ? 0 : heading_.height()) + kNames)),
          legend_(layout_.width - 2 * kMargin), notes_(wrapped_to(notes(), kSmallSize, layout_.width - 2 * kMargin)) {
        fill_legend();
    }

    std::string draw() {
        Tenths const below = layout_.axis.bottom() + 300;
        Tenths const height = below + legend_.height() + static_cast<Tenths>(notes_.size()) * kLine + kMargin;
        Svg svg({layout_.width, height}, where_.in_page() ? "Who said what to whom" : chronicle_.title,
                fmt::format("Sequence diagram of {} processes, {} messages, {} to {}. {}", scene_.columns.size(),
                            scene_.messages.size(), exact_time(scene_.from_ns), exact_time(scene_.until_ns),
                            chronicle_.verdict),
                where_);
        if (!where_.in_page())
            heading_.draw(svg);
        draw_axis(svg);
        draw_critical(svg);
        draw_lifelines(svg);
        draw_arrows(svg);
        for (SequenceMark const& mark : layout_.marks)
            draw_mark(svg, mark.kind, mark.at, mark.title);
        for (SequenceLabel const& label : layout_.labels) {
            Place const middle = label.box.middle();
            svg.text({middle.x, middle.y + SequenceLayout::kLabelSize * 36 / 100}, label.text,
                     {.size = SequenceLayout::kLabelSize,
                      .anchor = Anchor::middle,
                      .paint = label.alarm ? Paint::alarm : Paint::ink,
                      .halo = true});
        }
        legend_.draw(svg, {kMargin, below});
        Tenths y = below + legend_.height();
        for (std::string const& note : notes_)
            svg.text({kMargin, y += kLine}, note, {.size = kSmallSize, .paint = Paint::soft});
        return svg.finish();
    }

private:
    void draw_axis(Svg& svg) const {
        auto const group = svg.group({.title = "time"});
        Tenths const right = layout_.width - kMargin;
        for (TimeAxis::Tick const& tick : layout_.axis.ticks(140)) {
            svg.line({SequenceLayout::kLeft - 60, tick.y}, {right, tick.y}, {.stroke = Paint::faint, .width = 6});
            svg.text({SequenceLayout::kLeft - 100, tick.y + 33}, tick.text,
                     {.size = kSmallSize, .anchor = Anchor::end, .paint = Paint::soft});
        }
        for (TimeAxis::Piece const& piece : layout_.axis.pieces()) {
            if (!piece.folded)
                continue;
            constexpr Tenths kAside = 60;
            svg.box({kMargin, piece.top + kAside, right - kMargin, piece.bottom - piece.top - 2 * kAside},
                    {.fill = Paint::band});
            svg.text({SequenceLayout::kLeft - 100, (piece.top + piece.bottom) / 2 + 33},
                     fmt::format("… {} …", about_time(piece.until_ns - piece.from_ns)),
                     {.size = kSmallSize, .anchor = Anchor::end, .paint = Paint::soft});
        }
    }

    void draw_lifelines(Svg& svg) const {
        for (std::size_t column = 0; column < scene_.columns.size(); ++column) {
            ProcessIndex const process = scene_.columns[column];
            Tenths const x = layout_.column_x[column];
            bool const culprit = process < chronicle_.ranks.size() && chronicle_.ranks[process].culprit;
            std::string const name = name_of(chronicle_, process);
            svg.text({x, layout_.axis.top() - 230}, culprit ? "✗ " + name : name,
                     {.size = kTextSize,
                      .anchor = Anchor::middle,
                      .paint = culprit ? Paint::alarm : Paint::ink,
                      .bold = true,
                      .title = culprit ? "others blame it" : ""});
            svg.text({x, layout_.axis.top() - 110}, fmt::format("host {}", chronicle_.processes[process].host),
                     {.size = kSmallSize, .anchor = Anchor::middle, .paint = Paint::soft});
            svg.line({x, layout_.axis.top()}, {x, layout_.axis.bottom()}, {.stroke = Paint::soft, .width = 8});
        }
        for (SequenceBand const& band : layout_.bands)
            svg.phase_box(band.box, band.look, band.title);
    }

    void draw_critical(Svg& svg) const {
        constexpr Brush kHighlight{.stroke = Paint::critical, .width = 60, .opacity_percent = 45};
        constexpr Brush kStay{.stroke = Paint::critical, .width = 200, .opacity_percent = 45};
        for (SequenceLine const& line : layout_.critical)
            svg.line(line.from, line.to, kStay);
        for (SequenceArrow const& arrow : layout_.arrows) {
            if (chronicle_.messages[arrow.message].critical)
                svg.line(arrow.from, arrow.to, kHighlight);
        }
    }

    void draw_arrows(Svg& svg) const {
        auto const group = svg.group({.title = "messages"});
        for (SequenceArrow const& arrow : layout_.arrows) {
            MessageStory const& message = chronicle_.messages[arrow.message];
            std::string const title = message_title(chronicle_, message);
            Brush brush = line_brush(style_of(group_of(message.kind)));
            brush.arrow = arrow.arrives;
            brush.title = title;
            if (message.critical)
                brush.width *= 2;
            // The head ends at the band's edge and not in its middle, where it could not be seen.
            Place to = arrow.to;
            if (arrow.arrives && to.x != arrow.from.x)
                to.x += to.x > arrow.from.x ? -SequenceLayout::kBandWidth / 2 : SequenceLayout::kBandWidth / 2;
            svg.line(arrow.from, to, brush);
            if (arrow.lost)
                draw_cross(svg, arrow.to);
        }
    }

    void fill_legend() {
        std::uint32_t looks = 0;
        for (SequenceBand const& band : layout_.bands)
            looks |= 1U << static_cast<std::uint32_t>(band.look);
        for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
            auto const look = static_cast<PhaseLook>(i);
            if ((looks >> i & 1U) != 0)
                legend_.add(std::string(style_of(look).name), [look](Svg& svg, Place at) {
                    svg.phase_box({at.x - 110, at.y - 55, 220, 110}, look);
                });
        }
        std::uint32_t groups = 0;
        bool critical = !layout_.critical.empty();
        bool lost = false;
        for (SequenceArrow const& arrow : layout_.arrows) {
            MessageStory const& message = chronicle_.messages[arrow.message];
            groups |= 1U << static_cast<std::uint32_t>(group_of(message.kind));
            critical |= message.critical;
            lost |= arrow.lost;
        }
        for (std::uint32_t i = 0; i < kKindGroups; ++i) {
            KindStyle const& style = style_of(static_cast<KindGroup>(i));
            if ((groups >> i & 1U) != 0)
                legend_.add(std::string(style.name), [&style](Svg& svg, Place at) {
                    Brush brush = line_brush(style);
                    brush.arrow = true;
                    svg.line({at.x - 140, at.y}, {at.x + 140, at.y}, brush);
                });
        }
        if (critical)
            legend_.add("critical path", [](Svg& svg, Place at) {
                svg.line({at.x - 140, at.y}, {at.x + 140, at.y},
                         {.stroke = Paint::critical, .width = 60, .opacity_percent = 45});
            });
        if (lost)
            legend_.add("did not arrive", [](Svg& svg, Place at) { draw_cross(svg, at); });
        std::uint32_t marks = 0;
        for (SequenceMark const& mark : layout_.marks)
            marks |= 1U << static_cast<std::uint32_t>(mark.kind);
        for (std::uint32_t i = 0; i < kSequenceMarks; ++i) {
            if ((marks >> i & 1U) != 0)
                legend_.add(std::string(kMarkNames[i]),
                            [i](Svg& svg, Place at) { draw_mark(svg, static_cast<SequenceMark::Kind>(i), at); });
        }
    }

    /// Where it comes from, and what is not as it seems.
    [[nodiscard]] std::string notes() const {
        std::string text = where_.in_page() ? "" : chronicle_.source;
        auto const add = [&text](std::string const& note) { text += (text.empty() ? "" : "; ") + note; };
        if (!where_.in_page() && !chronicle_.rerun.empty())
            add(chronicle_.rerun);
        if (layout_.folds > 0)
            add(fmt::format("{} idle {} folded (grey)", layout_.folds, layout_.folds == 1 ? "gap is" : "gaps are"));
        if (scene_.hidden_messages > 0)
            add(fmt::format("{} {} with processes that are not shown", in_groups(scene_.hidden_messages),
                            scene_.hidden_messages == 1 ? "message" : "messages"));
        if (layout_.labels_left_out > 0)
            add(fmt::format("{} {} no room", in_groups(layout_.labels_left_out),
                            layout_.labels_left_out == 1 ? "label had" : "labels had"));
        return text;
    }

    SequenceScene const& scene_;
    Chronicle const& chronicle_;
    Embedding where_;
    Heading heading_;
    SequenceLayout layout_;
    Legend legend_;
    std::vector<std::string> notes_;
};

}  // namespace

std::string sequence_svg(SequenceScene const& scene, Embedding where) { return Picture(scene, where).draw(); }

}  // namespace ronde::viz
