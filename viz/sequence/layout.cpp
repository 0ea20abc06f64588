#include "sequence/layout.hpp"

#include "sequence/kind_style.hpp"
#include "sequence/labels.hpp"
#include "svg/text_size.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/retransmissions.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>

namespace ronde::viz {
namespace {

constexpr Tenths kRight = 900;
constexpr Tenths kLeastWidth = 8'200;

Tenths spacing_of(std::size_t columns) {
    return std::clamp<Tenths>(10'000 / static_cast<Tenths>(std::max<std::size_t>(1, columns)), 640, 1'900);
}

/// Everything that has a place on the axis.
std::vector<TimeNs> moments_of(SequenceScene const& scene) {
    Chronicle const& chronicle = *scene.chronicle;
    std::vector<TimeNs> moments{scene.from_ns, scene.until_ns};
    auto const add = [&](TimeNs at_ns) {
        if (at_ns != kNever && scene.shows(at_ns))
            moments.push_back(at_ns);
    };
    for (StepStory const& step : chronicle.steps) {
        bool const seen = step.timer || step.phase_before != step.phase_after || step.critical;
        if (seen && scene.shows_process(step.process))
            add(step.at_ns);
    }
    for (std::uint32_t const i : scene.messages) {
        add(chronicle.messages[i].sent_ns);
        add(chronicle.messages[i].received_ns);
    }
    for (std::uint32_t const i : scene.calls) {
        add(chronicle.calls[i].called_ns);
        add(chronicle.calls[i].failed_ns);
        for (TimeNs const again_ns : retransmitted_ns(chronicle.calls[i], chronicle.first_retransmit_ns))
            add(again_ns);
    }
    for (FaultStory const& fault : chronicle.faults)
        add(fault.at_ns);
    return moments;
}

class Builder {
public:
    Builder(SequenceScene const& scene, Tenths top)
        : scene_(scene), chronicle_(*scene.chronicle), layout_(TimeAxis(moments_of(scene), top)) {
        Tenths const spacing = spacing_of(scene.columns.size());
        layout_.width = sequence_width(scene.columns.size());
        for (std::size_t column = 0; column < scene.columns.size(); ++column)
            layout_.column_x.push_back(SequenceLayout::kLeft + spacing / 2 + static_cast<Tenths>(column) * spacing);
        for (TimeAxis::Piece const& piece : layout_.axis.pieces())
            layout_.folds += piece.folded ? 1 : 0;
    }

    SequenceLayout build() {
        add_bands();
        add_arrows();
        add_critical();
        add_marks();
        add_labels();
        return std::move(layout_);
    }

private:
    [[nodiscard]] Tenths x_of(ProcessIndex process) const { return layout_.column_x[scene_.column_of[process]]; }
    [[nodiscard]] Tenths y_of(TimeNs at_ns) const {
        return layout_.axis.at(std::clamp(at_ns, scene_.from_ns, scene_.until_ns));
    }

    void add_bands() {
        auto const spans = phase_spans(chronicle_);
        for (ProcessIndex const process : scene_.columns) {
            Process const& known = chronicle_.processes[process];
            for (PhaseSpan const& span : spans[process]) {
                if (span.until_ns < scene_.from_ns || span.from_ns > scene_.until_ns)
                    continue;
                Tenths const y = y_of(span.from_ns);
                auto const look = known.kind == Process::Kind::root
                                      ? look_of(static_cast<protocol::RootPhase>(span.phase))
                                      : look_of(static_cast<protocol::Phase>(span.phase));
                layout_.bands.push_back(
                    {{x_of(process) - SequenceLayout::kBandWidth / 2, y, SequenceLayout::kBandWidth,
                      y_of(span.until_ns) - y},
                     look,
                     fmt::format("{}: {}, {} to {}", name_of(chronicle_, process), phase_name(known, span.phase),
                                 exact_time(span.from_ns), exact_time(span.until_ns))});
            }
        }
    }

    /// How far down the others go while they travel: what a lost one is drawn with.
    [[nodiscard]] Tenths usual_slope() const {
        constexpr Tenths kLeast = 80;
        constexpr Tenths kMost = 600;
        std::vector<Tenths> slopes;
        for (std::uint32_t const i : scene_.messages) {
            MessageStory const& message = chronicle_.messages[i];
            if (message.received_ns != kNever)
                slopes.push_back(layout_.axis.at(message.received_ns) - layout_.axis.at(message.sent_ns));
        }
        if (slopes.empty())
            return kLeast;
        auto const middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
        std::nth_element(slopes.begin(), middle, slopes.end());
        return std::clamp(*middle, kLeast, kMost);
    }

    void add_arrows() {
        Tenths const slope = usual_slope();
        for (std::uint32_t const i : scene_.messages) {
            MessageStory const& message = chronicle_.messages[i];
            Place const from{x_of(message.from), layout_.axis.at(message.sent_ns)};
            SequenceArrow arrow{i, from, from, false, message.received_ns == kNever};
            if (arrow.lost) {
                constexpr Tenths kStub = 250;
                Tenths const way = message.to == kNobody ? kStub : (x_of(message.to) - from.x) * 3 / 5;
                arrow.to = {from.x + way, from.y + slope * 3 / 5};
            } else {
                arrow.to = {x_of(message.to), layout_.axis.at(message.received_ns)};
                arrow.arrives = scene_.shows(message.received_ns);
                clip(arrow);
            }
            layout_.arrows.push_back(arrow);
        }
    }

    /// What is outside of the window is cut off; the rest keeps its slope.
    void clip(SequenceArrow& arrow) const {
        Place const from = arrow.from;
        Place const to = arrow.to;
        auto const x_at = [&](Tenths y) {
            return to.y == from.y ? to.x : from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y);
        };
        if (from.y < layout_.axis.top())
            arrow.from = {x_at(layout_.axis.top()), layout_.axis.top()};
        if (to.y > layout_.axis.bottom())
            arrow.to = {x_at(layout_.axis.bottom()), layout_.axis.bottom()};
    }

    /// The path stays at a process from one of its steps to the next; between processes it is a message.
    void add_critical() {
        StepStory const* last = nullptr;
        for (StepStory const& step : chronicle_.steps) {
            if (!step.critical)
                continue;
            if (last != nullptr && last->process == step.process && scene_.shows_process(step.process)) {
                Tenths const x = x_of(step.process);
                Place const from{x, y_of(last->at_ns)};
                Place const to{x, y_of(step.at_ns)};
                if (from.y != to.y)
                    layout_.critical.push_back({from, to});
            }
            last = &step;
        }
    }

    void add_mark(SequenceMark::Kind kind, ProcessIndex process, TimeNs at_ns, std::string title) {
        if (scene_.shows(at_ns) && scene_.shows_process(process))
            layout_.marks.push_back({kind, {x_of(process), y_of(at_ns)}, std::move(title)});
    }

    void add_marks() {
        using Kind = SequenceMark::Kind;
        for (StepStory const& step : chronicle_.steps) {
            if (step.timer)
                add_mark(
                    Kind::timer, step.process, step.at_ns,
                    fmt::format("{}, {}: {}", name_of(chronicle_, step.process), exact_time(step.at_ns), step.text));
        }
        for (std::uint32_t const i : scene_.calls) {
            CallStory const& call = chronicle_.calls[i];
            for (TimeNs const again_ns : retransmitted_ns(call, chronicle_.first_retransmit_ns))
                add_mark(Kind::syn_again, call.from, again_ns,
                         fmt::format("{}, {}: SYN to {} again", name_of(chronicle_, call.from), exact_time(again_ns),
                                     name_of(chronicle_, call.to)));
            if (call.failed_ns != kNever)
                add_mark(Kind::call_failed, call.from, call.failed_ns,
                         fmt::format("{}, {}: connection to {} failed: {}", name_of(chronicle_, call.from),
                                     exact_time(call.failed_ns), name_of(chronicle_, call.to),
                                     protocol::name_of(call.failure)));
        }
        for (FaultStory const& fault : chronicle_.faults) {
            if (fault.process != kNobody)
                add_mark(
                    Kind::fault, fault.process, fault.at_ns,
                    fmt::format("{}, {}: {}", name_of(chronicle_, fault.process), exact_time(fault.at_ns), fault.text));
        }
    }

    void add_labels() {
        LabelRoom room({0, layout_.axis.top() - 150, layout_.width, layout_.axis.bottom() - layout_.axis.top() + 300});
        for (Tenths const x : layout_.column_x) {
            room.occupy({x - SequenceLayout::kBandWidth / 2, layout_.axis.top(), SequenceLayout::kBandWidth,
                         layout_.axis.bottom() - layout_.axis.top() + 1});
        }
        for (FaultStory const& fault : chronicle_.faults) {
            if (fault.process != kNobody && scene_.shows(fault.at_ns) && scene_.shows_process(fault.process))
                label_mark(room, {x_of(fault.process), y_of(fault.at_ns)}, fault.text);
        }
        for (std::uint32_t const i : scene_.calls) {
            CallStory const& call = chronicle_.calls[i];
            if (call.failed_ns != kNever && scene_.shows(call.failed_ns))
                label_mark(room, {x_of(call.from), y_of(call.failed_ns)}, protocol::name_of(call.failure));
        }
        for (Together const& together : arrows_together())
            label_arrow(room, together);
    }

    /// Arrows that lie on one another: hello and what follows it in the same packet. They share a label.
    struct Together {
        std::uint32_t priority = 0;
        SequenceArrow const* first = nullptr;
        protocol::FrameKind last_kind = protocol::FrameKind::hello;
        std::string text;
        std::string kinds;  ///< for where there is little room
    };

    /// The critical path and what went wrong first; then by kind; then by time.
    [[nodiscard]] std::vector<Together> arrows_together() const {
        std::vector<Together> all;
        std::map<std::array<Tenths, 4>, std::size_t> by_place;
        for (SequenceArrow const& arrow : layout_.arrows) {
            MessageStory const& message = chronicle_.messages[arrow.message];
            std::uint32_t const kind = style_of(group_of(message.kind)).priority;
            std::uint32_t const priority = arrow.lost || message.critical ? kind : 10 + kind;
            std::string const text = message_label(message, chronicle_.nranks);
            auto const [known, fresh] =
                by_place.emplace(std::array{arrow.from.x, arrow.from.y, arrow.to.x, arrow.to.y}, all.size());
            if (fresh) {
                all.push_back({priority, &arrow, message.kind, text, std::string(protocol::name_of(message.kind))});
                continue;
            }
            Together& together = all[known->second];
            together.priority = std::min(together.priority, priority);
            // "slices 0, 3": the kind once.
            std::string const kind_name = std::string(protocol::name_of(message.kind)) + " ";
            bool const same_kind = together.last_kind == message.kind && text.starts_with(kind_name);
            together.text += ", " + (same_kind ? text.substr(kind_name.size()) : text);
            if (together.last_kind != message.kind)
                together.kinds += ", " + std::string(protocol::name_of(message.kind));
            together.last_kind = message.kind;
        }
        std::stable_sort(all.begin(), all.end(),
                         [](Together const& a, Together const& b) { return a.priority < b.priority; });
        return all;
    }

    /// The first of these texts that fits.
    void put(LabelRoom& room, std::initializer_list<std::string_view> texts, std::span<const Place> middles,
             bool alarm) {
        for (std::string_view const text : texts) {
            if (Box const* const box = room.put(text, SequenceLayout::kLabelSize, middles)) {
                layout_.labels.push_back({*box, std::string(text), alarm});
                return;
            }
        }
        ++layout_.labels_left_out;
    }

    void label_mark(LabelRoom& room, Place at, std::string_view text) {
        Tenths const half = text_width(text, SequenceLayout::kLabelSize) / 2 * 115 / 100 + 130;
        Place const middles[] = {{at.x + half, at.y},       {at.x - half, at.y},       {at.x + half, at.y + 110},
                                 {at.x - half, at.y + 110}, {at.x + half, at.y - 110}, {at.x - half, at.y - 110}};
        put(room, {text}, middles, true);
    }

    /// Beside the arrow, in the middle between two lifelines that it crosses; in the middle of the arrow if there is
    /// room.
    void label_arrow(LabelRoom& room, Together const& together) {
        SequenceArrow const& arrow = *together.first;
        constexpr Tenths kAside = 70;
        constexpr Tenths kMostAside = 160;
        Tenths const left = std::min(arrow.from.x, arrow.to.x);
        Tenths const right = std::max(arrow.from.x, arrow.to.x);
        std::vector<Tenths> between;
        for (std::size_t column = 0; column + 1 < layout_.column_x.size(); ++column) {
            Tenths const x = (layout_.column_x[column] + layout_.column_x[column + 1]) / 2;
            if (left <= x && x <= right)
                between.push_back(x);
        }
        if (between.empty())
            between.push_back((left + right) / 2);
        std::stable_sort(between.begin(), between.end(), [&](Tenths a, Tenths b) {
            return std::abs(2 * a - left - right) < std::abs(2 * b - left - right);
        });
        // The steeper the arrow, the further away, or the label's corner would lie on it.
        Tenths const half = text_width(together.text, SequenceLayout::kLabelSize) / 2;
        Tenths const rise = right == left ? 0 : half * std::abs(arrow.to.y - arrow.from.y) / (right - left);
        Tenths const aside = std::min(kAside + rise, kMostAside);
        std::vector<Place> middles;
        for (Tenths const x : between) {
            Tenths const y = right == left ? arrow.from.y
                                           : arrow.from.y + (arrow.to.y - arrow.from.y) * (x - arrow.from.x) /
                                                                (arrow.to.x - arrow.from.x);
            middles.push_back({x, y - aside});
            middles.push_back({x, y + aside});
        }
        std::string_view const last = protocol::name_of(together.last_kind);
        put(room, {together.text, together.kinds, last}, middles, arrow.lost);
    }

    SequenceScene const& scene_;
    Chronicle const& chronicle_;
    SequenceLayout layout_;
};

}  // namespace

Tenths sequence_width(std::size_t columns) {
    return std::max(kLeastWidth, SequenceLayout::kLeft + static_cast<Tenths>(columns) * spacing_of(columns) + kRight);
}

SequenceLayout lay_out(SequenceScene const& scene, Tenths top) { return Builder(scene, top).build(); }

}  // namespace ronde::viz
