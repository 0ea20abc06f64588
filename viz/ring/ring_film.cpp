#include "ring/ring_film.hpp"

#include "protocol/partition.hpp"
#include "ring/ring_layout.hpp"
#include "ring/ring_moment.hpp"
#include "svg/svg.hpp"
#include "svg/text_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace ronde::viz {
namespace {

/// Of the whole film; the last moment stays for a while.
constexpr std::uint32_t kFilmSeconds = 10;
constexpr std::uint32_t kLastPercent = 20;

/// From this moment on, up to but not including that one.
struct Span {
    std::size_t from = 0;
    std::size_t end = 0;
    friend auto operator<=>(Span const&, Span const&) = default;
};

/// Paints something that is there for a while.
using Painter = std::function<void(Svg&)>;

class Film {
public:
    Film(Chronicle const& chronicle, std::vector<TimeNs> const& moments);
    std::string write();

private:
    /// Calls `add` for each stretch of moments in which `value` stays the same.
    template <class Value, class Add>
    void each_span(Value const& value, Add const& add) const {
        for (std::size_t from = 0; from < pictures_.size();) {
            std::size_t end = from + 1;
            while (end < pictures_.size() && value(pictures_[end]) == value(pictures_[from]))
                ++end;
            add(value(pictures_[from]), Span{from, end});
            from = end;
        }
    }
    [[nodiscard]] Place around(std::int64_t part, std::int64_t parts, Tenths out = 0) const {
        return on_circle(middle_, layout_.radius + out, part, parts);
    }
    [[nodiscard]] Place root_place(std::uint32_t root) const;
    void plan_hands();
    void plan_check_ins();
    void plan_roots();
    void plan_ranks();
    void plan_headings();
    void paint_hosts(Svg& svg) const;
    void paint_legend(Svg& svg) const;
    void paint_layer(Svg& svg, std::map<Span, std::vector<Painter>> const& layer) const;
    [[nodiscard]] std::string class_of(Span span) const;
    void add_rules(Svg& svg) const;

    Chronicle const& chronicle_;
    std::vector<TimeNs> moments_;
    std::vector<RingPicture> pictures_;
    RingLayout layout_;
    Tenths text_;
    Place middle_;
    Tenths width_ = 0;
    Tenths height_ = 0;
    std::map<Span, std::vector<Painter>> lines_;
    std::map<Span, std::vector<Painter>> marks_;
    std::set<PhaseLook> looks_;
    bool blames_ = false;
    std::map<Span, std::size_t> spans_;  ///< those that come and go
};

Film::Film(Chronicle const& chronicle, std::vector<TimeNs> const& moments)
    : chronicle_(chronicle), moments_(moments), layout_(chronicle.nranks), text_(Tenths{layout_.text} * 10) {
    for (TimeNs const moment : moments_)
        pictures_.push_back(ring_at(chronicle, moment));
    bool const hosts = chronicle.nhosts > chronicle.nroots + 1;
    Tenths const rim = layout_.node / 2 + text_ * (hosts ? 7 : 3);
    width_ = std::max<Tenths>(2 * (layout_.radius + rim) + 4 * text_, 46 * text_);
    Tenths const heading = 6 * text_;
    middle_ = {width_ / 2, heading + rim + layout_.radius};
}

Place Film::root_place(std::uint32_t root) const {
    if (chronicle_.nroots == 1)
        return middle_;
    protocol::Partition const partition{chronicle_.nranks, chronicle_.nroots};
    std::uint32_t const twice = 2 * partition.first_of(root) + partition.size_of(root) - 1;
    return around(twice, 2 * std::int64_t{chronicle_.nranks}, -layout_.radius * 2 / 3);
}

/// A hand that is held is a strong line, one that is not yet a dotted one.
void Film::plan_hands() {
    std::int64_t const all = chronicle_.nranks;
    if (all == 1)
        return;
    for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
        Place const from = around(rank, all);
        Place const to = around(rank + 1, all);
        each_span([rank](RingPicture const& picture) { return hand_is_held(picture, rank); },
                  [&](bool held, Span span) {
                      lines_[span].emplace_back([from, to, held](Svg& svg) {
                          if (held)
                              svg.line(from, to, {.stroke = Paint::ink, .width = 24});
                          else
                              svg.line(from, to, {.stroke = Paint::faint, .dash = Dash::dotted});
                      });
                  });
    }
}

void Film::plan_check_ins() {
    protocol::Partition const partition{chronicle_.nranks, chronicle_.nroots};
    for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
        Place const from = around(rank, chronicle_.nranks);
        Place const to = root_place(partition.root_of(rank));
        each_span([rank](RingPicture const& picture) { return is_at_its_root(picture.ranks[rank]); },
                  [&](bool there, Span span) {
                      if (there)
                          lines_[span].emplace_back([from, to](Svg& svg) {
                              svg.line(from, to, {.stroke = Paint::sky, .width = 8, .opacity_percent = 70});
                          });
                  });
    }
}

void Film::plan_roots() {
    for (std::uint32_t root = 0; root < chronicle_.nroots; ++root) {
        Place const at = root_place(root);
        std::string const name = chronicle_.nroots == 1 ? "root" : fmt::format("root {}", root);
        each_span([](RingPicture const& picture) { return picture.root_lost; },
                  [&](bool lost, Span span) {
                      marks_[span].emplace_back([this, at, name, lost](Svg& svg) {
                          std::string const words = lost ? name + " lost" : name;
                          Tenths const width = text_width(words, text_) + text_;
                          svg.box({at.x - width / 2, at.y - text_, width, text_ * 2},
                                  {.fill = Paint::paper,
                                   .stroke = lost ? Paint::alarm : Paint::soft,
                                   .width = lost ? 25 : 10,
                                   .dash = lost ? Dash::dashed : Dash::solid},
                                  text_ / 2);
                          svg.text({at.x, at.y + text_ / 3}, words,
                                   {.size = text_,
                                    .anchor = TextStyle::Anchor::middle,
                                    .paint = lost ? Paint::alarm : Paint::ink});
                      });
                  });
    }
}

/// What of a rank is drawn; equal ones are one mark that stays.
struct Mark {
    PhaseLook look;
    bool failed;
    bool culprit;
    friend bool operator==(Mark const&, Mark const&) = default;
};

void Film::plan_ranks() {
    for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
        Place const at = around(rank, chronicle_.nranks);
        auto const mark_of = [rank](RingPicture const& picture) {
            RingRank const& one = picture.ranks[rank];
            return Mark{look_of(one), one.failed, one.culprit};
        };
        each_span(mark_of, [&](Mark const& mark, Span span) {
            looks_.insert(mark.look);
            blames_ = blames_ || mark.culprit;
            marks_[span].emplace_back([this, rank, at, mark](Svg& svg) {
                Tenths const size = layout_.node;
                if (mark.culprit)
                    svg.circle(at, size * 7 / 10, {.stroke = Paint::alarm, .width = size / 10});
                svg.phase_mark(at, size * 9 / 10, mark.look, mark.failed ? Paint::alarm : Paint::soft);
                if (layout_.numbers_inside)
                    svg.text({at.x, at.y + Tenths{layout_.font} * 35 / 10}, std::to_string(rank),
                             {.size = Tenths{layout_.font} * 9,
                              .anchor = TextStyle::Anchor::middle,
                              .paint = style_of(mark.look).ink == "#ffffff" ? Paint::on_dark
                                       : mark.look == PhaseLook::never_came ? Paint::ink
                                                                            : Paint::on_light});
            });
        });
    }
}

void Film::plan_headings() {
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
        RingPicture const& picture = pictures_[i];
        marks_[{i, i + 1}].emplace_back([this, &picture](Svg& svg) {
            svg.text({middle_.x, text_ * 2}, shortened_to(picture.title, text_ * 3 / 2, width_ - 2 * text_),
                     {.size = text_ * 4 / 3,
                      .anchor = TextStyle::Anchor::middle,
                      .paint = picture.ready || picture.under_way ? Paint::ink : Paint::alarm,
                      .bold = true});
            svg.text({middle_.x, text_ * 4}, shortened_to(picture.subtitle, text_, width_ - 2 * text_),
                     {.size = text_, .anchor = TextStyle::Anchor::middle});
        });
    }
}

void Film::paint_hosts(Svg& svg) const {
    std::vector<RingRank> const& ranks = pictures_.back().ranks;
    bool const several = std::any_of(ranks.begin(), ranks.end(), [](RingRank const& one) { return one.host != 0; });
    if (!several)
        return;
    std::int64_t const parts = 8 * std::int64_t{chronicle_.nranks};
    Tenths const radius = layout_.radius + layout_.node / 2 + text_ * 2;
    Tenths free_until = -text_;
    for (RankId first = 0; first < chronicle_.nranks;) {
        RankId last = first;
        while (last + 1 < chronicle_.nranks && ranks[last + 1].host == ranks[first].host)
            ++last;
        Path path;
        path.move(on_circle(middle_, radius, 8 * std::int64_t{first} - 3, parts));
        path.arc(radius, 2 * (last - first + 1) > chronicle_.nranks, true,
                 on_circle(middle_, radius, 8 * std::int64_t{last} + 3, parts));
        svg.path(path, {.stroke = Paint::soft, .width = 20});
        std::string const name = fmt::format("host {}", ranks[first].host);
        Tenths const along = radius * 6 * (first + last) / (2 * Tenths{chronicle_.nranks});
        bool const meets_the_first = first != 0 && radius * 6 - along < 6 * text_;
        if (along >= free_until && !meets_the_first) {
            // Beside the ring, half of the text's width would lie on the line.
            Place const edge = on_circle(middle_, radius, first + last, 2 * std::int64_t{chronicle_.nranks});
            Place at = on_circle(middle_, radius + text_ * 3 / 2, first + last, 2 * std::int64_t{chronicle_.nranks});
            at.x += (edge.x - middle_.x) * (text_width(name, text_) / 2) / radius;
            at.y += text_ / 3;
            svg.text(at, name, {.size = text_, .anchor = TextStyle::Anchor::middle, .paint = Paint::soft});
            free_until = along + 6 * text_;
        }
        first = last + 1;
    }
}

void Film::paint_legend(Svg& svg) const {
    Tenths y = middle_.y + layout_.radius + layout_.node / 2 + text_ * 6;
    Tenths x = text_ * 2;
    for (PhaseLook const look : looks_) {
        std::string const name(style_of(look).name);
        Tenths const room = text_width(name, text_) + 4 * text_;
        if (x + room > width_) {
            x = text_ * 2;
            y += text_ * 2;
        }
        svg.phase_mark({x, y - text_ / 3}, text_, look);
        svg.text({x + text_, y}, name, {.size = text_});
        x += room;
    }
}

std::string Film::class_of(Span span) const { return fmt::format("s{}", spans_.at(span)); }

void Film::paint_layer(Svg& svg, std::map<Span, std::vector<Painter>> const& layer) const {
    for (auto const& [span, painters] : layer) {
        bool const always = span.from == 0 && span.end == pictures_.size();
        std::string const extra = always ? "" : fmt::format("class=\"{}\"", class_of(span));
        auto const group = svg.group({.extra = extra});
        for (Painter const& paint : painters)
            paint(svg);
    }
}

/// What is there at the end is there without motion too.
void Film::add_rules(Svg& svg) const {
    if (spans_.empty())
        return;
    std::size_t const all = pictures_.size();
    // Hundredths of a percent of the film's time.
    auto const time_of = [all](std::size_t moment) {
        std::size_t const hundredths = moment * (100 - kLastPercent) * 100 / (all > 1 ? all - 1 : 1);
        return fmt::format("{}.{:02}%", hundredths / 100, hundredths % 100);
    };
    std::string motion;
    for (auto const& [span, number] : spans_) {
        bool const stays = span.end == all;
        svg.rule(fmt::format(".s{}{{opacity:{}}}", number, stays ? 1 : 0));
        motion += fmt::format(".s{0}{{animation:k{0} {1}s step-end infinite}}", number, kFilmSeconds);
        std::string frames = span.from == 0 ? "" : "0%{opacity:0}";
        frames += fmt::format("{}{{opacity:1}}", span.from == 0 ? "0%" : time_of(span.from));
        if (!stays)
            frames += fmt::format("{}{{opacity:0}}", time_of(span.end));
        motion += fmt::format("@keyframes k{}{{{}}}\n", number, frames);
    }
    svg.rule("@media (prefers-reduced-motion:no-preference){" + motion + "}");
}

std::string Film::write() {
    plan_check_ins();
    plan_hands();
    plan_roots();
    plan_ranks();
    plan_headings();
    for (auto const* const layer : {&lines_, &marks_}) {
        for (auto const& [span, painters] : *layer) {
            if (span.from != 0 || span.end != pictures_.size())
                spans_.emplace(span, spans_.size());
        }
    }
    Tenths const legend_rows = static_cast<Tenths>(looks_.size() + 2) / 3 + 1;
    height_ = middle_.y + layout_.radius + layout_.node / 2 + text_ * (6 + 2 * legend_rows);
    Svg svg({width_, height_}, pictures_.back().title,
            fmt::format("{}. {}", pictures_.back().subtitle,
                        pictures_.size() > 1 ? "The ring closes hand in hand, moment by moment."
                                             : "Each rank is a mark on the ring; its shape tells its phase."));
    add_rules(svg);
    paint_hosts(svg);
    paint_layer(svg, lines_);
    paint_layer(svg, marks_);
    paint_legend(svg);
    return svg.finish();
}

}  // namespace

std::vector<TimeNs> film_moments(Chronicle const& chronicle, std::uint64_t count) {
    std::set<TimeNs> changes;
    for (RankStory const& story : chronicle.ranks) {
        for (TimeNs const entered_ns : story.entered_ns) {
            if (entered_ns != kNever)
                changes.insert(entered_ns);
        }
        if (story.ended_ns != kNever)
            changes.insert(story.ended_ns);
    }
    changes.erase(chronicle.end_ns);
    std::vector<TimeNs> const all(changes.begin(), changes.end());
    std::vector<TimeNs> moments;
    std::size_t const wanted = std::min<std::size_t>(static_cast<std::size_t>(count) - 1, all.size());
    for (std::size_t i = 0; i < wanted; ++i)
        moments.push_back(all[i * all.size() / wanted]);
    moments.push_back(kNever);
    return moments;
}

std::string ring_film(Chronicle const& chronicle) {
    return Film(chronicle, film_moments(chronicle, kFilmMoments)).write();
}

std::string ring_frame(Chronicle const& chronicle, TimeNs at_ns) { return Film(chronicle, {at_ns}).write(); }

}  // namespace ronde::viz
