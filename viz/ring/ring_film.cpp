#include "ring/ring_film.hpp"

#include "protocol/partition.hpp"
#include "ring/ring_moment.hpp"
#include "ring/ring_space.hpp"
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
constexpr Tenths kHeadingLines = 6;

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
    void plan_hands();
    void plan_check_ins();
    void plan_roots();
    void plan_ranks();
    void plan_headings();
    void paint_legend(Svg& svg) const;
    void paint_layer(Svg& svg, std::map<Span, std::vector<Painter>> const& layer) const;
    [[nodiscard]] std::string class_of(Span span) const;
    void add_rules(Svg& svg) const;

    Chronicle const& chronicle_;
    std::vector<TimeNs> moments_;
    std::vector<RingPicture> pictures_;
    RingSpace space_;
    Tenths height_ = 0;
    std::map<Span, std::vector<Painter>> lines_;
    std::map<Span, std::vector<Painter>> marks_;
    std::set<PhaseLook> looks_;
    bool blames_ = false;
    std::map<Span, std::size_t> spans_;  ///< those that come and go
};

Film::Film(Chronicle const& chronicle, std::vector<TimeNs> const& moments)
    : chronicle_(chronicle), moments_(moments), space_(chronicle, kHeadingLines) {
    for (TimeNs const moment : moments_)
        pictures_.push_back(ring_at(chronicle, moment));
}

/// A hand that is held is a strong line, one that is not yet a dotted one.
void Film::plan_hands() {
    std::int64_t const all = chronicle_.nranks;
    if (all == 1)
        return;
    for (RankId rank = 0; rank < chronicle_.nranks; ++rank) {
        Place const from = space_.around(rank, all);
        Place const to = space_.around(rank + 1, all);
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
        Place const from = space_.around(rank, chronicle_.nranks);
        Place const to = space_.root_place(partition.root_of(rank));
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
        Place const at = space_.root_place(root);
        std::string const name = chronicle_.nroots == 1 ? "root" : fmt::format("root {}", root);
        each_span([](RingPicture const& picture) { return picture.root_lost; },
                  [&](bool lost, Span span) {
                      marks_[span].emplace_back([this, at, name, lost](Svg& svg) {
                          std::string const words = lost ? name + " lost" : name;
                          Tenths const width = text_width(words, space_.text) + space_.text;
                          svg.box({at.x - width / 2, at.y - space_.text, width, space_.text * 2},
                                  {.fill = Paint::paper,
                                   .stroke = lost ? Paint::alarm : Paint::soft,
                                   .width = lost ? 25 : 10,
                                   .dash = lost ? Dash::dashed : Dash::solid},
                                  space_.text / 2);
                          svg.text({at.x, at.y + space_.text / 3}, words,
                                   {.size = space_.text,
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
        Place const at = space_.around(rank, chronicle_.nranks);
        auto const mark_of = [rank](RingPicture const& picture) {
            RingRank const& one = picture.ranks[rank];
            return Mark{look_of(one), one.failed, one.culprit};
        };
        each_span(mark_of, [&](Mark const& mark, Span span) {
            looks_.insert(mark.look);
            blames_ = blames_ || mark.culprit;
            marks_[span].emplace_back([this, rank, at, mark](Svg& svg) {
                Tenths const size = space_.layout.node;
                if (mark.culprit)
                    svg.circle(at, size * 7 / 10, {.stroke = Paint::alarm, .width = size / 10});
                svg.phase_mark(at, size * 9 / 10, mark.look, mark.failed ? Paint::alarm : Paint::soft);
                if (space_.layout.numbers_inside)
                    svg.text({at.x, at.y + Tenths{space_.layout.font} * 35 / 10}, std::to_string(rank),
                             {.size = Tenths{space_.layout.font} * 9,
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
            svg.text({space_.middle.x, space_.text * 2},
                     shortened_to(picture.title, space_.text * 3 / 2, space_.width - 2 * space_.text),
                     {.size = space_.text * 4 / 3,
                      .anchor = TextStyle::Anchor::middle,
                      .paint = picture.ready || picture.under_way ? Paint::ink : Paint::alarm,
                      .bold = true});
            svg.text({space_.middle.x, space_.text * 4},
                     shortened_to(picture.subtitle, space_.text, space_.width - 2 * space_.text),
                     {.size = space_.text, .anchor = TextStyle::Anchor::middle});
        });
    }
}

void Film::paint_legend(Svg& svg) const {
    Tenths y = space_.middle.y + space_.layout.radius + space_.layout.node / 2 + space_.text * 6;
    Tenths x = space_.text * 2;
    for (PhaseLook const look : looks_) {
        std::string const name(style_of(look).name);
        Tenths const room = text_width(name, space_.text) + 4 * space_.text;
        if (x + room > space_.width) {
            x = space_.text * 2;
            y += space_.text * 2;
        }
        svg.phase_mark({x, y - space_.text / 3}, space_.text, look);
        svg.text({x + space_.text, y}, name, {.size = space_.text});
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
    height_ = space_.middle.y + space_.layout.radius + space_.layout.node / 2 + space_.text * (6 + 2 * legend_rows);
    Svg svg({space_.width, height_}, pictures_.back().title,
            fmt::format("{}. {}", pictures_.back().subtitle,
                        pictures_.size() > 1 ? "The ring closes hand in hand, moment by moment."
                                             : "Each rank is a mark on the ring; its shape tells its phase."));
    add_rules(svg);
    space_.paint_hosts(svg);
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
