#include "page/slack_map.hpp"

#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::viz {
namespace {

constexpr Tenths kWidth = 8'000;
constexpr Tenths kLeft = 900;
constexpr Tenths kGap = 12;
constexpr Tenths kTextSize = 120;
/// Ranks without slack, a little, and so on to the whole time: each level is four times the one before.
constexpr std::uint32_t kLevels = 7;

/// Cells with a title of their own: for the pointer and for screen readers, as long as a person can go through them.
constexpr std::uint32_t kMostTitled = 512;

std::uint32_t columns_of(std::uint32_t cells) { return cells <= 64 ? std::min(cells, 32U) : cells <= 512 ? 32 : 64; }

class Map {
public:
    Map(Chronicle const& chronicle, Embedding where)
        : chronicle_(chronicle), numbers_(slack_numbers(chronicle)),
          per_cell_((chronicle.nranks + kMostSlackCells - 1) / kMostSlackCells),
          cells_((chronicle.nranks + per_cell_ - 1) / per_cell_), columns_(columns_of(cells_)),
          size_(std::min<Tenths>(400, (kWidth - kLeft - 100) / columns_)), where_(where) {}

    std::string draw() {
        Tenths const rows = (cells_ + columns_ - 1) / columns_;
        Tenths const below = rows * size_ + 300;
        Svg svg(
            {kWidth, below + 280}, "Slack by rank",
            fmt::format("A cell for each rank, {} in a row: dark with a dot where it has no slack, pale where it could "
                        "have been late. {} of {} ranks have none; the median is {}, the most {} (rank {}).",
                        columns_, in_groups(numbers_.none), in_groups(chronicle_.nranks),
                        about_time(numbers_.median_ns), about_time(numbers_.most_ns), numbers_.most_rank),
            where_);
        for (std::uint32_t cell = 0; cell < cells_; ++cell)
            draw_cell(svg, cell);
        Tenths const every = std::max<Tenths>(1, 180 / size_ + 1);
        for (Tenths row = 0; row < rows; row += every) {
            auto const rank = static_cast<RankId>(row) * columns_ * per_cell_;
            svg.text({kLeft - 80, row * size_ + size_ / 2 + kTextSize / 3}, fmt::format("rank {}", rank),
                     {.size = kTextSize, .anchor = TextStyle::Anchor::end, .paint = Paint::soft});
        }
        draw_scale(svg, below);
        return svg.finish();
    }

private:
    /// Of level n: up to a 4^(kLevels - 1 - n)-th of the most.
    [[nodiscard]] TimeNs bound_ns(std::uint32_t level) const {
        return numbers_.most_ns >> (2U * (kLevels - 1U - level));
    }
    [[nodiscard]] std::uint32_t level_of(TimeNs slack_ns) const {
        std::uint32_t level = slack_ns == 0 ? 0 : 1;
        while (level != 0 && level + 1 < kLevels && slack_ns > bound_ns(level))
            ++level;
        return level;
    }

    void draw_cell(Svg& svg, std::uint32_t cell) const {
        RankId const first = cell * per_cell_;
        RankId const end = std::min(chronicle_.nranks, first + per_cell_);
        TimeNs least_ns = kNever;
        for (RankId rank = first; rank < end; ++rank)
            least_ns = std::min(least_ns, chronicle_.ranks[rank].slack_ns);
        if (least_ns == kNever)
            return;
        Tenths const x = kLeft + static_cast<Tenths>(cell % columns_) * size_;
        Tenths const y = static_cast<Tenths>(cell / columns_) * size_;
        std::string const title =
            cells_ <= kMostTitled ? fmt::format("rank {}: {}", first, least_ns == 0 ? "no slack" : about_time(least_ns))
                                  : std::string();
        draw_sample(svg, {x, y, size_ - kGap, size_ - kGap}, level_of(least_ns), title);
    }

    static void draw_sample(Svg& svg, Box const& box, std::uint32_t level, std::string_view title = {}) {
        constexpr std::array<std::uint32_t, kLevels> kOpacity = {100, 78, 60, 44, 30, 18, 9};
        svg.box(box, {.fill = Paint::critical, .opacity_percent = kOpacity[level], .title = title});
        if (level == 0)
            svg.circle(box.middle(), std::max<Tenths>(10, box.width / 7), {.fill = Paint::paper});
    }

    void draw_scale(Svg& svg, Tenths y) const {
        constexpr Tenths kStep = 980;
        for (std::uint32_t level = 0; level < (numbers_.most_ns == 0 ? 1 : kLevels); ++level) {
            Tenths const x = kLeft + static_cast<Tenths>(level) * kStep;
            draw_sample(svg, {x, y, 200, 200}, level);
            svg.text({x + 240, y + 140}, level == 0 ? "none" : "≤ " + about_time(bound_ns(level)), {.size = kTextSize});
        }
    }

    Chronicle const& chronicle_;
    SlackNumbers numbers_;
    std::uint32_t per_cell_;
    std::uint32_t cells_;
    std::uint32_t columns_;
    Tenths size_;
    Embedding where_;
};

}  // namespace

SlackNumbers slack_numbers(Chronicle const& chronicle) {
    SlackNumbers numbers;
    std::vector<TimeNs> known;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        TimeNs const slack_ns = chronicle.ranks[rank].slack_ns;
        if (slack_ns == kNever)
            continue;
        known.push_back(slack_ns);
        numbers.none += slack_ns == 0 ? 1U : 0U;
        if (numbers.most_rank == kNoRank || slack_ns > numbers.most_ns) {
            numbers.most_ns = slack_ns;
            numbers.most_rank = rank;
        }
    }
    if (known.empty())
        return numbers;
    std::sort(known.begin(), known.end());
    numbers.known = static_cast<std::uint32_t>(known.size());
    numbers.median_ns = known[known.size() / 2];
    return numbers;
}

std::string slack_map(Chronicle const& chronicle, Embedding where) {
    return slack_numbers(chronicle).known == 0 ? std::string() : Map(chronicle, where).draw();
}

}  // namespace ronde::viz
