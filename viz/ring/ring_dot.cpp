#include "ring/ring_dot.hpp"

#include "protocol/partition.hpp"
#include "ring/ring_layout.hpp"
#include "svg/dot_text.hpp"
#include "svg/phase_style.hpp"
#include "svg/text_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ronde::viz {

using protocol::Phase;
using protocol::RankId;

namespace {

constexpr std::string_view kAlarm = "#c1440e";
constexpr std::string_view kInk = "#222222";

/// Lines of at most `width` characters, broken at spaces where there are any.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    while (text.size() > width) {
        auto cut = text.rfind(' ', width);
        if (cut == std::string_view::npos || cut == 0)
            cut = width;
        lines.emplace_back(text.substr(0, cut));
        text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
    }
    if (!text.empty())
        lines.emplace_back(text);
    return lines;
}

class Writer {
public:
    explicit Writer(RingPicture const& picture)
        : picture_(picture), layout_(static_cast<std::uint32_t>(picture.ranks.size())), count_(layout_.ranks) {}

    std::string write() {
        line("digraph ring {{");
        line("  graph [bgcolor=\"#ffffff\", fontname=\"Helvetica\", outputorder=edgesfirst, pad=0.3, splines=line];");
        line("  node [fixedsize=true, fontname=\"Helvetica\", fontsize={}, width={}, height={}, penwidth=1, "
             "color=\"#333333\"];",
             std::max(1U, layout_.font), inches(layout_.node), inches(layout_.node));
        line("  edge [arrowsize=0.5];");
        heading();
        roots();
        strangers();
        check_ins();
        ring();
        ranks();
        hosts();
        outside_labels();
        legend();
        line("}}");
        return std::move(out_);
    }

private:
    template <class... T>
    void line(fmt::format_string<T...> format, T&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<T>(arguments)...);
        out_ += '\n';
    }

    /// Text that needs no box; `extra` are further attributes.
    void text_at(std::string const& name, Place at, std::uint32_t font, std::string_view text,
                 std::string const& extra = {}) {
        line("  {} [shape=plaintext, fixedsize=false, width=0, height=0, margin=0, fontsize={}, label={}, "
             "pos=\"{}\"{}];",
             name, font, dot_quoted(text), pinned(at), extra);
    }

    [[nodiscard]] Tenths line_height(std::uint32_t font) const { return Tenths{font} * 13; }
    /// Distance from the ring's own radius to the outermost thing that may stand there.
    [[nodiscard]] Tenths rim() const {
        bool const labels = !picture_.ready || !layout_.numbers_inside || several_hosts();
        return layout_.node / 2 + line_height(layout_.text) * (several_racks()   ? 10
                                                               : several_hosts() ? 6
                                                               : labels          ? 4
                                                                                 : 2);
    }
    [[nodiscard]] bool several_hosts() const {
        return std::any_of(picture_.ranks.begin(), picture_.ranks.end(),
                           [](RingRank const& one) { return one.host != 0; });
    }

    [[nodiscard]] bool several_racks() const {
        std::uint32_t const hosts = picture_.hosts_per_rack;
        return hosts != 0 && std::any_of(picture_.ranks.begin(), picture_.ranks.end(),
                                         [hosts](RingRank const& one) { return one.host >= hosts; });
    }

    void heading() {
        // A character of this font is about half as wide as it is high.
        auto const chars =
            static_cast<std::size_t>(std::max<Tenths>(48, (layout_.radius + rim()) * 2 / (Tenths{layout_.text} * 5)));
        auto const lines = wrapped(picture_.subtitle, chars);
        Tenths y = layout_.radius + rim() + line_height(layout_.text) * static_cast<Tenths>(lines.size());
        text_at("title", {0, y + line_height(layout_.title) / 2}, layout_.title, picture_.title,
                fmt::format(", fontname=\"Helvetica-Bold\", fontcolor=\"{}\"",
                            picture_.ready || picture_.under_way ? kInk : kAlarm));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            y -= line_height(layout_.text);
            text_at(fmt::format("subtitle{}", i), {0, y + line_height(layout_.text) / 3}, layout_.text, lines[i]);
        }
    }

    [[nodiscard]] Place root_place(std::uint32_t root) const {
        if (picture_.roots == 1)
            return {0, 0};
        // Each root stands a little towards the middle of its block.
        protocol::Partition const partition{count_, picture_.roots};
        std::uint32_t const twice = 2 * partition.first_of(root) + partition.size_of(root) - 1;
        return layout_.around(twice, 2 * count_, -layout_.radius * 2 / 3);
    }

    void roots() {
        Tenths const width = Tenths{layout_.text} * 48;
        for (std::uint32_t root = 0; root < picture_.roots; ++root) {
            std::string const label = picture_.roots == 1 ? "root" : fmt::format("root {}", root);
            line("  root{} [shape=box, style=\"filled,rounded{}\", fillcolor=\"#ffffff\", color=\"{}\", penwidth={}, "
                 "fontsize={}, width={}, height={}, label={}, pos=\"{}\"];",
                 root, picture_.root_lost ? ",dashed" : "", picture_.root_lost ? kAlarm : kInk,
                 picture_.root_lost ? 3 : 1, layout_.text, inches(width), inches(line_height(layout_.text) * 3 / 2),
                 dot_quoted(picture_.root_lost ? label + " lost" : label), pinned(root_place(root)));
        }
    }

    void strangers() {
        if (picture_.strangers == 0)
            return;
        Tenths const below = picture_.roots == 1 ? line_height(layout_.text) * 2 : 0;
        text_at("strangers", {0, -below}, layout_.text,
                fmt::format("{} stranger{} knocked", picture_.strangers, picture_.strangers == 1 ? "" : "s"),
                fmt::format(", fontcolor=\"{}\"", kAlarm));
    }

    void check_ins() {
        protocol::Partition const partition{count_, picture_.roots};
        for (RankId rank = 0; rank < count_; ++rank) {
            RingRank const& one = picture_.ranks[rank];
            if (is_at_its_root(one))
                line("  r{} -> root{} [color=\"#cccccc\", penwidth=0.6, arrowhead=none];", rank,
                     partition.root_of(rank));
        }
    }

    void ring() {
        if (count_ == 1)
            return;
        std::string_view const head = layout_.numbers_inside ? "" : ", arrowhead=none";
        for (RankId rank = 0; rank < count_; ++rank) {
            if (hand_is_held(picture_, rank))
                line("  r{} -> r{} [color=\"{}\", penwidth=1.6{}];", rank, (rank + 1) % count_, kInk, head);
            else
                line("  r{} -> r{} [color=\"#999999\", penwidth=1, style=dotted{}];", rank, (rank + 1) % count_, head);
        }
    }

    void ranks() {
        for (RankId rank = 0; rank < count_; ++rank) {
            RingRank const& one = picture_.ranks[rank];
            PhaseStyle const& look = style_of(look_of(one));
            std::string extra;
            if (look.shape == Shape::square)  // as large to the eye as the round ones
                extra = fmt::format(", width={0}, height={0}", inches(layout_.node * 85 / 100));
            if (one.culprit)
                extra +=
                    fmt::format(", color=\"{}\", penwidth={}, peripheries=2", kAlarm, layout_.numbers_inside ? 3 : 2);
            else if (one.failed)
                extra += fmt::format(", color=\"{}\", penwidth={}", kAlarm, layout_.numbers_inside ? 3 : 2);
            line("  r{} [shape={}, style={}, fillcolor=\"{}\", fontcolor=\"{}\", label=\"{}\", pos=\"{}\"{}];", rank,
                 look.dot, look.dashed_rim ? "dashed" : "filled", look.fill, look.ink,
                 layout_.numbers_inside ? std::to_string(rank) : "", pinned(layout_.around(rank, count_)), extra);
        }
    }

    /// An arc around each run of ranks that share a host, when there is more than one host; and of racks, outside.
    void hosts() {
        if (!several_hosts())
            return;
        Tenths const row = line_height(layout_.text);
        arcs('h', "host", 1, layout_.node / 2 + row * 2);
        if (several_racks())
            arcs('k', "rack", picture_.hosts_per_rack, layout_.node / 2 + row * 6);
    }

    void arcs(char kind, std::string_view word, std::uint32_t hosts, Tenths out) {
        for (RankId first = 0; first < count_;) {
            std::uint32_t const number = picture_.ranks[first].host / hosts;
            RankId last = first;
            while (last + 1 < count_ && picture_.ranks[last + 1].host / hosts == number)
                ++last;
            arc({first, last, kind, word, number, out});
            first = last + 1;
        }
    }

    /// What goes around the ring outside of some ranks: a line, and a name where there is room for one.
    struct Arc {
        RankId first;
        RankId last;
        char kind;  ///< begins the names of its points
        std::string_view word;
        std::uint32_t number;
        Tenths out;
    };
    void arc(Arc const& one) {
        // Fine steps, a multiple of eight for each rank: the arc begins and ends three eighths outside of its ranks.
        std::uint32_t const per_rank = 8 * std::max(1U, 45 / count_);
        std::uint32_t const whole = per_rank * count_;
        std::uint32_t const from = per_rank * one.first + whole - per_rank * 3 / 8;
        std::uint32_t const to = per_rank * one.last + whole + per_rank * 3 / 8;
        std::uint32_t const stride = std::max(1U, whole / 120);
        std::uint32_t piece = 0;
        auto const point = [&](std::uint32_t step) {
            line("  {}{}_{} [shape=point, width=0.001, height=0.001, style=invis, pos=\"{}\"];", one.kind, one.first,
                 piece, pinned(layout_.around(step, whole, one.out)));
        };
        point(from);
        for (std::uint32_t step = from; step < to;) {
            step = std::min(step + stride, to);
            ++piece;
            point(step);
            line("  {0}{1}_{2} -> {0}{1}_{3} [arrowhead=none, penwidth={4}, color=\"#888888\"];", one.kind, one.first,
                 piece - 1, piece, layout_.text / 4);
        }
        // Names of short arcs would run into each other: then only some are written, the same number of hosts apart.
        Tenths const name_width = Tenths{layout_.text} * 60;
        Tenths const arc_length = layout_.radius * 6 * (one.last - one.first + 1) / count_;
        auto const every = static_cast<std::uint32_t>(1 + name_width / std::max<Tenths>(1, arc_length));
        std::string const name = fmt::format("{} {}", one.word, one.number);
        Place const at = layout_.around(one.first + one.last, 2 * count_, one.out + line_height(layout_.text) * 2);
        if (one.number % every == 0 && is_room_for(name, at))
            text_at(fmt::format("{}{}", one.kind, one.first), at, layout_.text, name, ", fontcolor=\"#555555\"");
    }

    /// Takes the room for a text, unless some of it is taken.
    bool is_room_for(std::string const& text, Place at) {
        Tenths const row = line_height(layout_.text);
        Tenths const width = text_width(text, Tenths{layout_.text} * 10, true);
        Box const room{at.x - width / 2 - row / 4, at.y - row / 2, width + row / 2, row};
        if (std::any_of(taken_.begin(), taken_.end(), [&](Box const& one) { return one.overlaps(room); }))
            return false;
        taken_.push_back(room);
        return true;
    }

    /// Numbers of large rings, and in any ring the names of the culprits.
    void outside_labels() {
        Tenths const out = layout_.node / 2 + line_height(layout_.text);
        if (!layout_.numbers_inside) {
            for (RankId rank = 0; rank < count_; rank += layout_.number_every) {
                if (!culprit_near(rank))
                    text_at(fmt::format("n{}", rank), layout_.around(rank, count_, out), layout_.text,
                            std::to_string(rank));
            }
        }
        name_culprits();
    }

    /// Outside of the ring, or inside where arcs of hosts go around it; in the first row where no other name is. Names
    /// for which there is no room are left out: the rims of their nodes say the same.
    void name_culprits() {
        constexpr Tenths kMostLevels = 6;
        Tenths const row = line_height(layout_.text);
        Tenths const side = several_hosts() ? -1 : 1;
        for (RankId first = 0; first < count_; ++first) {
            if (!picture_.ranks[first].culprit)
                continue;
            RankId last = first;
            while (last + 1 < count_ && picture_.ranks[last + 1].culprit)
                ++last;
            std::string const name =
                first == last ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, last);
            for (Tenths level = 0; level < kMostLevels; ++level) {
                Tenths const out = layout_.node / 2 + row * 3 / 2 + row * level;
                Place at = layout_.around(first + last, 2 * count_, side * out);
                // Beside the ring, half of the text's width would lie on it.
                at.x += side * static_cast<Tenths>(name.size()) * layout_.text * 3 * at.x / layout_.radius;
                if (!is_room_for(name, at))
                    continue;
                text_at(
                    fmt::format("c{}", first), at, layout_.text, name,
                    fmt::format(", style=filled, fillcolor=\"#ffffff\", fontname=\"Helvetica-Bold\", fontcolor=\"{}\"",
                                kAlarm));
                break;
            }
            first = last;
        }
    }

    [[nodiscard]] bool culprit_near(RankId rank) const {
        std::uint32_t const reach = std::min(count_ / 2, layout_.number_every * 3 / 4);
        for (std::uint32_t i = 0; i <= 2 * reach; ++i) {
            if (picture_.ranks[(rank + count_ + i - reach) % count_].culprit)
                return true;
        }
        return false;
    }

    void legend() {
        std::size_t counts[kPhaseLooks] = {};
        std::size_t failed = 0;
        std::size_t culprits = 0;
        for (RingRank const& one : picture_.ranks) {
            ++counts[static_cast<std::size_t>(look_of(one))];
            failed += one.failed && !one.culprit ? 1U : 0U;
            culprits += one.culprit ? 1U : 0U;
        }
        for (std::size_t i = kPhaseLooks; i-- > 0;) {
            if (counts[i] == 0)
                continue;
            PhaseStyle const& look = style_of(static_cast<PhaseLook>(i));
            legend_row(i, look.name, counts[i],
                       fmt::format("shape={}, style={}, fillcolor=\"{}\"", look.dot,
                                   look.dashed_rim ? "dashed" : "filled", look.fill));
        }
        if (failed != 0)
            legend_row(kPhaseLooks, "ended with an error", failed,
                       fmt::format("shape=circle, color=\"{}\", penwidth=3", kAlarm));
        if (culprits != 0)
            legend_row(kPhaseLooks + 1, "named as the cause", culprits,
                       fmt::format("shape=circle, color=\"{}\", penwidth=3, peripheries=2", kAlarm));
    }

    void legend_row(std::size_t number, std::string_view name, std::size_t count, std::string const& look) {
        Tenths const height = line_height(layout_.text) * 3 / 2;
        Tenths const sample = Tenths{layout_.text} * 10;
        Tenths const width = Tenths{layout_.text} * 160;
        Tenths const y = -(layout_.radius + rim()) - height * legend_rows_++;
        line("  l{} [{}, label=\"\", width={}, height={}, pos=\"{}\"];", number, look, inches(sample), inches(sample),
             pinned({-width / 2, y}));
        line("  t{} [shape=plaintext, width={}, height={}, fontsize={}, label={}, pos=\"{}\"];", number, inches(width),
             inches(height), layout_.text, fmt::format("\"{}: {}\\l\"", name, count), pinned({sample, y}));
    }

    RingPicture const& picture_;
    RingLayout const layout_;
    std::uint32_t const count_;
    Tenths legend_rows_ = 0;
    std::vector<Box> taken_;  ///< by names
    std::string out_;
};

}  // namespace

PhaseLook look_of(RingRank const& rank) {
    if (rank.dead)
        return PhaseLook::dead;
    if (rank.absent)
        return PhaseLook::never_came;
    PhaseLook const look = look_of(rank.phase);
    return look == PhaseLook::failed ? PhaseLook::ready : look;
}

bool has_hands(RingRank const& rank) { return !rank.absent && !rank.dead && rank.phase > Phase::connecting_ring; }

bool hand_is_held(RingPicture const& picture, RankId rank) {
    auto const count = static_cast<std::uint32_t>(picture.ranks.size());
    return has_hands(picture.ranks[rank]) && has_hands(picture.ranks[protocol::successor_of(rank, count)]);
}

bool is_at_its_root(RingRank const& rank) {
    return !rank.absent && !rank.dead && !rank.left_root && rank.phase >= Phase::awaiting_successor;
}

std::string ring_dot(RingPicture const& picture) { return Writer(picture).write(); }

}  // namespace ronde::viz
