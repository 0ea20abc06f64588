#include "ring/heat_ring.hpp"

#include "ring/ring_moment.hpp"
#include "svg/svg.hpp"
#include "svg/text_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::viz {

using protocol::Phase;

namespace {

constexpr Tenths kWidth = 8'000;
constexpr Tenths kInnerRadius = 1'500;
constexpr Tenths kRow = 210;
constexpr Tenths kGap = 24;  ///< between two rows
constexpr Tenths kStateRow = 300;
constexpr std::uint32_t kLevels = 8;
/// Phases that have a row; `ready` and the ends are the outermost row's matter.
constexpr std::uint32_t kRows = static_cast<std::uint32_t>(Phase::ready);

/// A stretch of ranks, whole hosts where that is possible.
struct Cell {
    RankId first = 0;
    RankId end = 0;
};

std::vector<Cell> cells_of(Chronicle const& chronicle) {
    std::vector<RankId> starts;  // of runs of ranks that share a host
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        if (rank == 0 || chronicle.processes[rank].host != chronicle.processes[rank - 1].host)
            starts.push_back(rank);
    }
    bool const by_host = starts.size() > 16;
    std::size_t const things = by_host ? starts.size() : chronicle.nranks;
    std::size_t const a_cell = (things + kMostHeatCells - 1) / kMostHeatCells;
    std::vector<Cell> cells;
    for (std::size_t at = 0; at < things; at += a_cell) {
        std::size_t const next = std::min(things, at + a_cell);
        RankId const first = by_host ? starts[at] : static_cast<RankId>(at);
        RankId const end = next == things ? chronicle.nranks : by_host ? starts[next] : static_cast<RankId>(next);
        cells.push_back({first, end});
    }
    return cells;
}

/// How long a rank was in each phase by then.
std::array<TimeNs, kRows> spent_of(RankStory const& story, TimeNs at_ns) {
    std::array<TimeNs, kRows> spent{};
    TimeNs const ended_ns = std::min(at_ns, story.ended_ns);
    for (std::uint32_t i = 0; i < kRows; ++i) {
        TimeNs const from_ns = story.entered_ns[i];
        if (from_ns == kNever || from_ns > at_ns)
            continue;
        TimeNs until_ns = ended_ns;
        for (std::uint32_t later = i + 1; later <= kRows; ++later) {
            if (story.entered_ns[later] >= from_ns)
                until_ns = std::min(until_ns, story.entered_ns[later]);
        }
        spent[i] = until_ns - from_ns;
    }
    return spent;
}

/// What shows of ranks that share a cell: trouble before health, and then whoever is furthest behind.
std::uint32_t weight_of(PhaseLook look) {
    switch (look) {
    case PhaseLook::dead: return 0;
    case PhaseLook::never_came: return 1;
    case PhaseLook::failed: return 2;
    default: return 3 + static_cast<std::uint32_t>(look);
    }
}

class HeatRing {
public:
    HeatRing(Chronicle const& chronicle, TimeNs at_ns, Embedding where)
        : chronicle_(chronicle), where_(where), until_ns_(std::min(at_ns, chronicle.end_ns)), at_end_(at_ns == kNever),
          first_failure_ns_(first_failure_ns(chronicle)), cells_(cells_of(chronicle)), heat_(cells_.size()),
          looks_(cells_.size(), PhaseLook::ready), culprits_(cells_.size(), kNoRank) {
        for (std::size_t cell = 0; cell < cells_.size(); ++cell)
            measure(cell);
        for (std::uint32_t row = 0; row < kRows; ++row) {
            if (most_ns_[row] > 0)
                rows_.push_back(row);
        }
        state_radius_ = kInnerRadius + static_cast<Tenths>(rows_.size()) * kRow + kGap;
        subtitle_ = wrapped_to(chronicle.subtitle, 150, kWidth - 600);
        Tenths const rim = 560;  // ticks, and the names of culprits
        Tenths const heading = where.in_page() ? 200 : 900 + static_cast<Tenths>(subtitle_.size()) * 200;
        middle_ = {kWidth / 2, heading + rim + state_radius_ + kStateRow};
    }

    std::string write();

private:
    void measure(std::size_t cell);
    void heading(Svg& svg) const;
    void heat_row(Svg& svg, std::size_t place) const;
    void state_row(Svg& svg) const;
    void ticks(Svg& svg) const;
    void culprits(Svg& svg);
    void middle(Svg& svg) const;
    Tenths legend(Svg& svg, Tenths y) const;
    Tenths state_legend(Svg& svg, Tenths y) const;
    void piece(Path& path, std::int64_t from, std::int64_t to, Tenths inner, Tenths outer) const;
    void sector(Path& path, std::size_t first, std::size_t end, Tenths inner, Tenths outer) const;
    [[nodiscard]] std::uint32_t level_of(std::size_t cell, std::uint32_t row) const;
    [[nodiscard]] std::string cell_text() const;

    Chronicle const& chronicle_;
    Embedding where_;
    TimeNs until_ns_;
    bool at_end_;
    TimeNs first_failure_ns_;
    std::vector<Cell> cells_;
    std::vector<std::array<TimeNs, kRows>> heat_;  ///< by cell: the longest
    std::vector<PhaseLook> looks_;                 ///< by cell
    std::vector<RankId> culprits_;                 ///< by cell: the first one, or kNoRank
    std::array<TimeNs, kRows> most_ns_{};
    std::array<RankId, kRows> slowest_{};
    std::array<std::uint32_t, kPhaseLooks> counts_{};
    std::vector<std::uint32_t> rows_;  ///< phases that took any time, inside out
    Tenths state_radius_ = 0;
    Place middle_;
    std::vector<std::string> subtitle_;
    std::vector<Box> named_;  ///< where culprits are named
};

void HeatRing::measure(std::size_t cell) {
    bool first = true;
    TimeNs const at_ns = at_end_ ? kNever : until_ns_;
    bool const judged = at_end_ || until_ns_ >= first_failure_ns_;
    for (RankId rank = cells_[cell].first; rank < cells_[cell].end; ++rank) {
        RankStory const& story = chronicle_.ranks[rank];
        auto const spent = spent_of(story, until_ns_);
        for (std::uint32_t row = 0; row < kRows; ++row) {
            heat_[cell][row] = std::max(heat_[cell][row], spent[row]);
            if (spent[row] > most_ns_[row]) {
                most_ns_[row] = spent[row];
                slowest_[row] = rank;
            }
        }
        PhaseLook const look = look_at(story, at_ns);
        ++counts_[static_cast<std::size_t>(look)];
        if (first || weight_of(look) < weight_of(looks_[cell]))
            looks_[cell] = look;
        first = false;
        if (story.culprit && judged && culprits_[cell] == kNoRank)
            culprits_[cell] = rank;
    }
}

/// Cells first .. end-1, between two radii.
void HeatRing::sector(Path& path, std::size_t first, std::size_t end, Tenths inner, Tenths outer) const {
    std::int64_t const from = 2 * std::int64_t{cells_[first].first};
    std::int64_t const to = 2 * std::int64_t{end == cells_.size() ? chronicle_.nranks : cells_[end].first};
    std::int64_t const all = 2 * std::int64_t{chronicle_.nranks};
    if (to - from < all)
        return piece(path, from, to, inner, outer);
    piece(path, 0, all / 2, inner, outer);  // an arc cannot end where it begins
    piece(path, all / 2, all, inner, outer);
}

/// From one half of a rank's share of the circle to another one.
void HeatRing::piece(Path& path, std::int64_t from, std::int64_t to, Tenths inner, Tenths outer) const {
    std::int64_t const all = 2 * std::int64_t{chronicle_.nranks};
    bool const large = 2 * (to - from) > all;
    path.move(on_circle(middle_, inner, from, all));
    path.line(on_circle(middle_, outer, from, all));
    path.arc(outer, large, true, on_circle(middle_, outer, to, all));
    path.line(on_circle(middle_, inner, to, all));
    path.arc(inner, large, false, on_circle(middle_, inner, from, all));
    path.close();
}

std::uint32_t HeatRing::level_of(std::size_t cell, std::uint32_t row) const {
    TimeNs const spent_ns = heat_[cell][row];
    TimeNs const step_ns = std::max<TimeNs>(1, most_ns_[row] / TimeNs{kLevels});
    return static_cast<std::uint32_t>(std::min<TimeNs>(kLevels, (spent_ns + step_ns - 1) / step_ns));
}

/// Neighbours of one level are one piece, all pieces of one level one path.
void HeatRing::heat_row(Svg& svg, std::size_t place) const {
    std::uint32_t const row = rows_[place];
    Tenths const inner = kInnerRadius + static_cast<Tenths>(place) * kRow;
    Tenths const outer = inner + kRow - kGap;
    auto const group = svg.group({.title = fmt::format("row {}: {}", place + 1, name_of(static_cast<Phase>(row)))});
    std::array<Path, kLevels + 1> paths;
    for (std::size_t first = 0; first < cells_.size();) {
        std::uint32_t const level = level_of(first, row);
        std::size_t end = first + 1;
        while (end < cells_.size() && level_of(end, row) == level)
            ++end;
        sector(paths[level], first, end, inner, outer);
        first = end;
    }
    for (std::uint32_t level = 0; level <= kLevels; ++level) {
        if (paths[level].empty())
            continue;
        Brush brush{.fill = level == 0 ? Paint::band : Paint::blue};
        if (level != 0 && level != kLevels)
            brush.opacity_percent = level * 100 / kLevels;
        svg.path(paths[level], brush);
    }
}

void HeatRing::state_row(Svg& svg) const {
    auto const group = svg.group({.title = "where the ranks stand"});
    std::array<Path, kPhaseLooks> paths;
    for (std::size_t first = 0; first < cells_.size();) {
        std::size_t end = first + 1;
        while (end < cells_.size() && looks_[end] == looks_[first])
            ++end;
        sector(paths[static_cast<std::size_t>(looks_[first])], first, end, state_radius_, state_radius_ + kStateRow);
        first = end;
    }
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        auto const look = static_cast<PhaseLook>(i);
        if (!paths[i].empty())
            svg.phase_path(paths[i], look, style_of(look).name);
    }
    svg.circle(middle_, state_radius_, {.stroke = Paint::soft, .width = 5});
    svg.circle(middle_, state_radius_ + kStateRow, {.stroke = Paint::soft, .width = 5});
}

/// Numbers of ranks where a person would look for them: at eighths of the ring.
void HeatRing::ticks(Svg& svg) const {
    Tenths const out = state_radius_ + kStateRow;
    for (std::int64_t i = 0; i < 8; ++i) {
        RankId const rank = static_cast<RankId>(std::uint64_t{chronicle_.nranks} * static_cast<std::uint64_t>(i) / 8U);
        svg.line(on_circle(middle_, out, i, 8), on_circle(middle_, out + 60, i, 8), {.stroke = Paint::soft});
        Place at = on_circle(middle_, out + 120, i, 8);
        auto const anchor = i % 4 == 0 ? TextStyle::Anchor::middle
                            : i < 4    ? TextStyle::Anchor::start
                                       : TextStyle::Anchor::end;
        at.y += i == 0 ? 0 : i == 4 ? 90 : 45;
        std::string const number = i == 0 ? "rank 0" : grouped(rank);
        Tenths const width = text_width(number, 120);
        Tenths const left = at.x - (anchor == TextStyle::Anchor::start ? 0 : i % 4 == 0 ? width / 2 : width);
        Box const room{left, at.y - 100, width, 130};
        if (std::none_of(named_.begin(), named_.end(), [&](Box const& one) { return one.overlaps(room); }))
            svg.text(at, number, {.size = 120, .anchor = anchor, .paint = Paint::soft});
    }
}

/// A triangle that points at each cell with somebody to blame; names for as many as there is room.
void HeatRing::culprits(Svg& svg) {
    Tenths const out = state_radius_ + kStateRow;
    auto const all = static_cast<std::int64_t>(chronicle_.nranks);
    for (RankId const rank : culprits_) {
        if (rank == kNoRank)
            continue;
        auto const part = 2 * static_cast<std::int64_t>(rank) + 1;
        std::array<Place, 3> const corners = {on_circle(middle_, out - 40, part, 2 * all),
                                              on_circle(middle_, out + 90, part - all / 150, 2 * all),
                                              on_circle(middle_, out + 90, part + all / 150, 2 * all)};
        svg.polygon(corners,
                    {.fill = Paint::alarm, .stroke = Paint::paper, .width = 6, .title = fmt::format("rank {}", rank)});
        std::string const name = fmt::format("rank {}", grouped(rank));
        Place at = on_circle(middle_, out + 330, part, 2 * all);
        Tenths const width = text_width(name, 120, true);
        Box const room{at.x - width / 2 - 20, at.y - 90, width + 40, 130};
        if (room.x < 0 || room.x + room.width > kWidth ||
            std::any_of(named_.begin(), named_.end(), [&](Box const& one) { return one.overlaps(room); }))
            continue;
        named_.push_back(room);
        svg.text(at, name,
                 {.size = 120, .anchor = TextStyle::Anchor::middle, .paint = Paint::alarm, .bold = true, .halo = true});
    }
}

void HeatRing::middle(Svg& svg) const {
    using Anchor = TextStyle::Anchor;
    Place at = middle_;
    at.y -= 260;
    svg.text(at, grouped(chronicle_.nranks), {.size = 420, .anchor = Anchor::middle, .bold = true});
    at.y += 210;
    svg.text(at, chronicle_.nranks == 1 ? "rank" : "ranks", {.size = 150, .anchor = Anchor::middle});
    at.y += 240;
    std::string const places =
        fmt::format("{} host{}, {} root{}", grouped(chronicle_.nhosts), chronicle_.nhosts == 1 ? "" : "s",
                    grouped(chronicle_.nroots), chronicle_.nroots == 1 ? "" : "s");
    svg.text(at, places, {.size = 140, .anchor = Anchor::middle, .paint = Paint::soft});
    at.y += 240;
    svg.text(at, fmt::format("at {}", time_words(until_ns_)), {.size = 180, .anchor = Anchor::middle, .bold = true});
}

std::string HeatRing::cell_text() const {
    std::uint32_t const ranks = cells_.front().end - cells_.front().first;
    return fmt::format(
        "{} cells around the ring, {} rank{} each; a cell is as dark as its slowest rank was long in the "
        "phase",
        cells_.size(), ranks, ranks == 1 ? "" : "s");
}

void HeatRing::heading(Svg& svg) const {
    svg.text({kWidth / 2, 380}, shortened_to(chronicle_.title, 260, kWidth - 400),
             {.size = 240,
              .anchor = TextStyle::Anchor::middle,
              .paint = chronicle_.ready ? Paint::ink : Paint::alarm,
              .bold = true});
    Tenths y = 640;
    for (std::string const& line : subtitle_) {
        svg.text({kWidth / 2, y}, line, {.size = 150, .anchor = TextStyle::Anchor::middle});
        y += 200;
    }
    svg.text({kWidth / 2, y}, cell_text(), {.size = 120, .anchor = TextStyle::Anchor::middle, .paint = Paint::soft});
}

/// Rows from inside to outside, each with its scale.
Tenths HeatRing::legend(Svg& svg, Tenths y) const {
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        std::uint32_t const row = rows_[place];
        auto const phase = static_cast<Phase>(row);
        svg.text({700, y}, fmt::format("{}", place + 1), {.size = 130, .anchor = TextStyle::Anchor::end, .bold = true});
        std::string name(name_of(phase));
        std::replace(name.begin(), name.end(), '_', ' ');
        svg.text({800, y}, name, {.size = 130});
        for (std::uint32_t level = 1; level <= kLevels; ++level)
            svg.box({2'500 + 130 * Tenths{level}, y - 110, 130, 130},
                    {.fill = Paint::blue, .opacity_percent = level * 100 / kLevels});
        svg.text({3'900, y}, fmt::format("up to {}, rank {}", time_words(most_ns_[row]), grouped(slowest_[row])),
                 {.size = 130});
        y += 200;
    }
    return y;
}

Tenths HeatRing::state_legend(Svg& svg, Tenths y) const {
    svg.text({700, y}, "outermost row: where they stand", {.size = 130, .bold = true});
    y += 210;
    for (std::uint32_t i = kPhaseLooks; i-- > 0;) {
        if (counts_[i] == 0)
            continue;
        auto const look = static_cast<PhaseLook>(i);
        svg.phase_box({700, y - 110, 260, 140}, look);
        svg.box({700, y - 110, 260, 140}, {.stroke = Paint::soft, .width = 5});
        svg.text({1'060, y}, fmt::format("{}: {}", style_of(look).name, grouped(counts_[i])), {.size = 130});
        y += 200;
    }
    return y;
}

std::string HeatRing::write() {
    auto const shown = std::count_if(counts_.begin(), counts_.end(), [](std::uint32_t count) { return count != 0; });
    Tenths const below = middle_.y + state_radius_ + kStateRow + 700;
    Tenths const height =
        below + static_cast<Tenths>(rows_.size()) * 200 + 320 + static_cast<Tenths>(shown) * 200 + 300;
    Svg svg({kWidth, height}, chronicle_.title,
            fmt::format("{}. {} {}.", chronicle_.subtitle, cell_text(), chronicle_.verdict), where_);
    if (!where_.in_page())
        heading(svg);
    for (std::size_t place = 0; place < rows_.size(); ++place)
        heat_row(svg, place);
    state_row(svg);
    for (std::size_t place = 0; place < rows_.size(); ++place)
        svg.text({middle_.x, middle_.y - kInnerRadius - static_cast<Tenths>(place) * kRow - 50},
                 fmt::format("{}", place + 1),
                 {.size = 130, .anchor = TextStyle::Anchor::middle, .bold = true, .halo = true});
    culprits(svg);
    ticks(svg);
    middle(svg);
    Tenths y = legend(svg, below);
    y = state_legend(svg, y + 120);
    std::string const note = where_.in_page() ? cell_text() : chronicle_.source;
    svg.text({700, y + 60}, shortened_to(note, 110, kWidth - 1'400), {.size = 110, .paint = Paint::soft});
    return svg.finish();
}

}  // namespace

std::string heat_ring(Chronicle const& chronicle, TimeNs at_ns, Embedding where) {
    return HeatRing(chronicle, at_ns, where).write();
}

}  // namespace ronde::viz
