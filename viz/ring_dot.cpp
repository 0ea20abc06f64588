#include "viz/ring_dot.hpp"

#include "protocol/partition.hpp"
#include "viz/ring_layout.hpp"

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

/// How a state looks. The fills differ in lightness and for colour-blind eyes; the shapes differ as well.
struct Look {
    std::string_view name;
    std::string_view shape;
    std::string_view fill;
    std::string_view ink;
    std::string_view style;
};
constexpr Look kLooks[] = {
    {"never came", "circle", "#ffffff", "#444444", "dashed"},
    {"listening", "invtriangle", "#e8e8e8", kInk, "filled"},
    {"checking in", "triangle", "#f5e663", kInk, "filled"},
    {"awaiting successor", "diamond", "#e69f00", kInk, "filled"},
    {"connecting ring", "pentagon", "#8fd0f5", kInk, "filled"},
    {"gathering", "hexagon", "#dd9fc3", kInk, "filled"},
    {"committing", "square", "#1f6fb2", "#ffffff", "filled"},
    {"ready", "circle", "#00775a", "#ffffff", "filled"},
};
constexpr std::size_t kLookCount = std::size(kLooks);

std::size_t look_of(RingRank const& rank) {
    if (rank.absent)
        return 0;
    switch (rank.phase) {
    case Phase::created:
    case Phase::listening:
    case Phase::delayed: return 1;
    case Phase::checking_in: return 2;
    case Phase::awaiting_successor: return 3;
    case Phase::connecting_ring: return 4;
    case Phase::gathering: return 5;
    case Phase::committing: return 6;
    case Phase::ready:
    case Phase::failed:
    case Phase::closed: return 7;
    }
    return 1;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "\"";
}

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
             name, font, quoted(text), pinned(at), extra);
    }

    [[nodiscard]] Tenths line_height(std::uint32_t font) const { return Tenths{font} * 13; }
    /// Distance from the ring's own radius to the outermost thing that may stand there.
    [[nodiscard]] Tenths rim() const {
        bool const labels = !picture_.ready || !layout_.numbers_inside || several_hosts();
        return layout_.node / 2 + line_height(layout_.text) * (several_hosts() ? 6 : labels ? 4 : 2);
    }
    [[nodiscard]] bool several_hosts() const {
        return std::any_of(picture_.ranks.begin(), picture_.ranks.end(),
                           [](RingRank const& one) { return one.host != 0; });
    }

    void heading() {
        // A character of this font is about half as wide as it is high.
        auto const chars =
            static_cast<std::size_t>(std::max<Tenths>(48, (layout_.radius + rim()) * 2 / (Tenths{layout_.text} * 5)));
        auto const lines = wrapped(picture_.subtitle, chars);
        Tenths y = layout_.radius + rim() + line_height(layout_.text) * static_cast<Tenths>(lines.size());
        text_at("title", {0, y + line_height(layout_.title) / 2}, layout_.title, picture_.title,
                fmt::format(", fontname=\"Helvetica-Bold\", fontcolor=\"{}\"", picture_.ready ? kInk : kAlarm));
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
                 quoted(picture_.root_lost ? label + " lost" : label), pinned(root_place(root)));
        }
    }

    void check_ins() {
        protocol::Partition const partition{count_, picture_.roots};
        for (RankId rank = 0; rank < count_; ++rank) {
            RingRank const& one = picture_.ranks[rank];
            if (!one.absent && one.phase >= Phase::awaiting_successor)
                line("  r{} -> root{} [color=\"#cccccc\", penwidth=0.6, arrowhead=none];", rank,
                     partition.root_of(rank));
        }
    }

    /// Both ends of a hand are past connecting, so it was held.
    [[nodiscard]] bool held(RankId rank) const {
        auto const stood = [](RingRank const& one) { return !one.absent && one.phase > Phase::connecting_ring; };
        return stood(picture_.ranks[rank]) && stood(picture_.ranks[(rank + 1) % count_]);
    }

    void ring() {
        if (count_ == 1)
            return;
        std::string_view const head = layout_.numbers_inside ? "" : ", arrowhead=none";
        for (RankId rank = 0; rank < count_; ++rank) {
            if (held(rank))
                line("  r{} -> r{} [color=\"{}\", penwidth=1.6{}];", rank, (rank + 1) % count_, kInk, head);
            else
                line("  r{} -> r{} [color=\"#999999\", penwidth=1, style=dotted{}];", rank, (rank + 1) % count_, head);
        }
    }

    void ranks() {
        for (RankId rank = 0; rank < count_; ++rank) {
            RingRank const& one = picture_.ranks[rank];
            Look const& look = kLooks[look_of(one)];
            std::string extra;
            if (look.shape == "square")  // as large to the eye as the round ones
                extra = fmt::format(", width={0}, height={0}", inches(layout_.node * 85 / 100));
            if (one.culprit)
                extra +=
                    fmt::format(", color=\"{}\", penwidth={}, peripheries=2", kAlarm, layout_.numbers_inside ? 3 : 2);
            line("  r{} [shape={}, style={}, fillcolor=\"{}\", fontcolor=\"{}\", label=\"{}\", pos=\"{}\"{}];", rank,
                 look.shape, look.style, look.fill, look.ink, layout_.numbers_inside ? std::to_string(rank) : "",
                 pinned(layout_.around(rank, count_)), extra);
        }
    }

    /// An arc around each run of ranks that share a host, when there is more than one host.
    void hosts() {
        if (!several_hosts())
            return;
        for (RankId first = 0; first < count_;) {
            RankId last = first;
            while (last + 1 < count_ && picture_.ranks[last + 1].host == picture_.ranks[first].host)
                ++last;
            arc(first, last);
            first = last + 1;
        }
    }

    void arc(RankId first, RankId last) {
        // Fine steps, a multiple of eight for each rank: the arc begins and ends three eighths outside of its ranks.
        std::uint32_t const per_rank = 8 * std::max(1U, 45 / count_);
        std::uint32_t const whole = per_rank * count_;
        std::uint32_t const from = per_rank * first + whole - per_rank * 3 / 8;
        std::uint32_t const to = per_rank * last + whole + per_rank * 3 / 8;
        std::uint32_t const stride = std::max(1U, whole / 120);
        Tenths const out = layout_.node / 2 + line_height(layout_.text) * 2;
        std::uint32_t piece = 0;
        auto const point = [&](std::uint32_t step) {
            line("  h{}_{} [shape=point, width=0.001, height=0.001, style=invis, pos=\"{}\"];", first, piece,
                 pinned(layout_.around(step, whole, out)));
        };
        point(from);
        for (std::uint32_t step = from; step < to;) {
            step = std::min(step + stride, to);
            ++piece;
            point(step);
            line("  h{}_{} -> h{}_{} [arrowhead=none, penwidth={}, color=\"#888888\"];", first, piece - 1, first, piece,
                 layout_.text / 4);
        }
        // Names of short arcs would run into each other: then only some hosts are named.
        Tenths const name_width = Tenths{layout_.text} * 60;
        Tenths const arc_length = layout_.radius * 6 * (last - first + 1) / count_;
        auto const every = static_cast<std::uint32_t>(1 + name_width / std::max<Tenths>(1, arc_length));
        if (picture_.ranks[first].host % every == 0)
            text_at(fmt::format("h{}", first),
                    layout_.around(first + last, 2 * count_, out + line_height(layout_.text) * 2), layout_.text,
                    fmt::format("host {}", picture_.ranks[first].host), ", fontcolor=\"#555555\"");
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

    /// Outside of the ring, or inside where arcs of hosts go around it. Neighbours stand in different rows.
    void name_culprits() {
        Tenths const row = line_height(layout_.text);
        Tenths const spacing = layout_.radius * 6 / count_;
        Tenths const side = several_hosts() ? -1 : 1;
        std::uint32_t level = 0;
        RankId previous = count_;
        for (RankId first = 0; first < count_; ++first) {
            if (!picture_.ranks[first].culprit)
                continue;
            RankId last = first;
            while (last + 1 < count_ && picture_.ranks[last + 1].culprit)
                ++last;
            bool const close = previous < first && spacing * (first - previous) < row * 4;
            level = close ? (level + 1) % 4 : 0;
            previous = last;
            std::string const name =
                first == last ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, last);
            Tenths const out = layout_.node / 2 + row * 3 / 2 + row * level;
            Place at = layout_.around(first + last, 2 * count_, side * out);
            // Beside the ring, half of the text's width would lie on it.
            at.x += side * static_cast<Tenths>(name.size()) * layout_.text * 3 * at.x / layout_.radius;
            text_at(fmt::format("c{}", first), at, layout_.text, name,
                    fmt::format(", style=filled, fillcolor=\"#ffffff\", fontname=\"Helvetica-Bold\", fontcolor=\"{}\"",
                                kAlarm));
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
        std::size_t counts[kLookCount] = {};
        for (RingRank const& one : picture_.ranks)
            ++counts[look_of(one)];
        Tenths const height = line_height(layout_.text) * 3 / 2;
        Tenths const sample = Tenths{layout_.text} * 10;
        Tenths const width = Tenths{layout_.text} * 160;
        Tenths y = -(layout_.radius + rim());
        for (std::size_t i = kLookCount; i-- > 0;) {
            if (counts[i] == 0)
                continue;
            Look const& look = kLooks[i];
            line("  l{} [shape={}, style={}, fillcolor=\"{}\", label=\"\", width={}, height={}, pos=\"{}\"];", i,
                 look.shape, look.style, look.fill, inches(sample), inches(sample), pinned({-width / 2, y}));
            line("  t{} [shape=plaintext, width={}, height={}, fontsize={}, label={}, pos=\"{}\"];", i, inches(width),
                 inches(height), layout_.text, fmt::format("\"{}: {}\\l\"", look.name, counts[i]), pinned({sample, y}));
            y -= height;
        }
    }

    RingPicture const& picture_;
    RingLayout const layout_;
    std::uint32_t const count_;
    std::string out_;
};

}  // namespace

std::string ring_dot(RingPicture const& picture) { return Writer(picture).write(); }

}  // namespace ronde::viz
