#include "svg/svg.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace ronde::viz {
namespace {

struct Colour {
    std::string_view name;
    std::string_view light;
    std::string_view dark;
};
/// By Paint. Alarm and critical are kept apart from the series by their darkness.
constexpr std::array<Colour, kPaints> kColours = {{
    {"none", "none", "none"},
    {"paper", "#ffffff", "#15181c"},
    {"ink", "#222222", "#e8e8e8"},
    {"soft", "#5a5a5a", "#a8b0b8"},
    {"faint", "#d4d4d4", "#3c434b"},
    {"band", "#f3f4f6", "#1f242a"},
    {"alarm", "#c1440e", "#ff7f50"},
    {"critical", "#a3005c", "#ff6fb5"},
    {"blue", "#0072b2", "#56a8e0"},
    {"orange", "#e69f00", "#f0b840"},
    {"green", "#009e73", "#2cc79b"},
    {"purple", "#cc79a7", "#dd9fc3"},
    {"sky", "#56b4e9", "#8fd0f5"},
    {"yellow", "#f0e442", "#f5e663"},
    {"on_light", "#222222", "#222222"},
    {"on_dark", "#ffffff", "#ffffff"},
}};

Colour const& colour_of(Paint paint) { return kColours[static_cast<std::size_t>(paint)]; }
std::uint32_t bit(Paint paint) { return 1U << static_cast<std::uint32_t>(paint); }
std::uint32_t bit(PhaseLook look) { return 1U << static_cast<std::uint32_t>(look); }

void append_number(std::string& out, std::int64_t number) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

std::string with_number(std::string_view name, std::uint32_t number) {
    std::string out(name);
    append_number(out, number);
    return out;
}

/// What repeats, in px, in a tile of 8 by 8.
std::string_view strokes_of(Hatch hatch) {
    switch (hatch) {
    case Hatch::none: return "";
    case Hatch::dots: return "M2 2h1M6 6h1";
    case Hatch::rising: return "M-2 2L2 -2M0 8L8 0M6 10L10 6";
    case Hatch::falling: return "M-2 6L2 10M0 0L8 8M6 -2L10 2";
    case Hatch::upright: return "M2 0V8M6 0V8";
    case Hatch::level: return "M0 4H8";
    case Hatch::grid: return "M0 4H8M4 0V8";
    case Hatch::crossed: return "M0 8L8 0M0 0L8 8";
    }
    return "";
}

constexpr std::uint32_t kAllPaints = (1U << kPaints) - 1U;
constexpr std::uint32_t kAllLooks = (1U << kPhaseLooks) - 1U;
constexpr std::string_view kHalo = ".halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}";

void add_rules(std::string& css, std::uint32_t fills, std::uint32_t strokes, bool dark) {
    for (std::uint32_t i = 1; i < kPaints; ++i) {
        Colour const& colour = kColours[i];
        std::string_view const value = dark ? colour.dark : colour.light;
        if ((fills >> i & 1U) != 0)
            css.append(".f-").append(colour.name).append("{fill:").append(value).append("}");
        if ((strokes >> i & 1U) != 0)
            css.append(".s-").append(colour.name).append("{stroke:").append(value).append("}");
    }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
    for (char const c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
    }
}

std::string escaped(std::string_view text) {
    std::string out;
    append_escaped(out, text);
    return out;
}

// --- paths ----------------------------------------------------------------------------------------------------------

void Path::place(char command, Place to) {
    data_ += command;
    append_length(data_, to.x);
    data_ += ' ';
    append_length(data_, to.y);
}

Path& Path::move(Place to) {
    place('M', to);
    return *this;
}

Path& Path::line(Place to) {
    place('L', to);
    return *this;
}

Path& Path::curve(Place handle_from, Place handle_to, Place to) {
    place('C', handle_from);
    place(' ', handle_to);
    place(' ', to);
    return *this;
}

Path& Path::arc(Tenths radius, bool large, bool clockwise, Place to) {
    place('A', {radius, radius});
    data_ += large ? " 0 1" : " 0 0";
    data_ += clockwise ? " 1" : " 0";
    place(' ', to);
    return *this;
}

Path& Path::close() {
    data_ += 'Z';
    return *this;
}

// --- elements -------------------------------------------------------------------------------------------------------

Svg::Svg(Size size, std::string_view title, std::string_view description, Embedding where)
    : size_(size), in_page_(where.in_page()) {
    std::string const width = length_text(size.width);
    std::string const height = length_text(size.height);
    std::string const title_id = std::string(where.ids) + "title";
    std::string const description_id = std::string(where.ids) + "description";
    head_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
            "\" viewBox=\"0 0 " + width + " " + height + "\" fill=\"none\" role=\"img\" aria-labelledby=\"" + title_id +
            " " + description_id + "\">\n<title id=\"" + title_id + "\">" + escaped(title) + "</title>\n<desc id=\"" +
            description_id + "\">" + escaped(description) + "</desc>\n";
    if (!in_page_)
        box({0, 0, size.width, size.height}, {.fill = Paint::paper});
}

void Svg::begin(std::string_view element) {
    body_ += '<';
    body_ += element;
}

void Svg::attribute(std::string_view name, std::string_view value) {
    body_ += ' ';
    body_ += name;
    body_ += "=\"";
    append_escaped(body_, value);
    body_ += '"';
}

void Svg::length(std::string_view name, Tenths value) {
    body_ += ' ';
    body_ += name;
    body_ += "=\"";
    append_length(body_, value);
    body_ += '"';
}

void Svg::places(std::span<const Place> places) {
    body_ += " points=\"";
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i != 0)
            body_ += ' ';
        append_length(body_, places[i].x);
        body_ += ',';
        append_length(body_, places[i].y);
    }
    body_ += '"';
}

void Svg::brush(Brush const& brush) {
    std::string classes;
    if (brush.fill != Paint::none) {
        fills_used_ |= bit(brush.fill);
        classes.append("f-").append(colour_of(brush.fill).name);
    }
    if (brush.stroke != Paint::none) {
        strokes_used_ |= bit(brush.stroke);
        classes.append(classes.empty() ? "s-" : " s-").append(colour_of(brush.stroke).name);
    }
    if (!classes.empty())
        attribute("class", classes);
    if (brush.stroke != Paint::none && brush.width != 10)
        length("stroke-width", brush.width);
    if (brush.dash != Dash::solid)
        attribute("stroke-dasharray", brush.dash == Dash::dashed ? "5 3" : "1.5 3");
    if (brush.opacity_percent != 100)
        attribute("opacity",
                  "0." + std::string(brush.opacity_percent < 10 ? "0" : "") + std::to_string(brush.opacity_percent));
    if (brush.arrow) {
        arrows_used_ |= bit(brush.stroke);
        attribute("marker-end", "url(#arrow-" + std::string(colour_of(brush.stroke).name) + ")");
    }
    if (!brush.extra.empty())
        body_.append(" ").append(brush.extra);
}

void Svg::end(std::string_view element, std::string_view title, std::string_view inside) {
    if (title.empty() && inside.empty()) {
        body_ += "/>\n";
        return;
    }
    body_ += '>';
    if (!title.empty()) {
        body_ += "<title>";
        append_escaped(body_, title);
        body_ += "</title>";
    }
    body_.append(inside).append("</").append(element).append(">\n");
}

Svg::Group Svg::group(GroupOptions const& options) {
    begin("g");
    if (!options.title.empty() && options.extra.find("role=") == std::string_view::npos)
        attribute("role", "group");
    if (!options.extra.empty())
        body_.append(" ").append(options.extra);
    body_ += ">";
    if (!options.title.empty()) {
        body_ += "<title>";
        append_escaped(body_, options.title);
        body_ += "</title>";
    }
    if (!options.description.empty()) {
        body_ += "<desc>";
        append_escaped(body_, options.description);
        body_ += "</desc>";
    }
    body_ += '\n';
    return Group(*this);
}

void Svg::end_group() { body_ += "</g>\n"; }

void Svg::box(Box const& box, Brush const& style, Tenths corner_radius) {
    begin("rect");
    brush(style);
    length("x", box.x);
    length("y", box.y);
    length("width", box.width);
    length("height", box.height);
    if (corner_radius != 0)
        length("rx", corner_radius);
    end("rect", style.title, style.inside);
}

void Svg::line(Place from, Place to, Brush const& style) {
    begin("line");
    brush(style);
    length("x1", from.x);
    length("y1", from.y);
    length("x2", to.x);
    length("y2", to.y);
    end("line", style.title, style.inside);
}

void Svg::polyline(std::span<const Place> all, Brush const& style) {
    begin("polyline");
    brush(style);
    places(all);
    end("polyline", style.title, style.inside);
}

void Svg::polygon(std::span<const Place> all, Brush const& style) {
    begin("polygon");
    brush(style);
    places(all);
    end("polygon", style.title, style.inside);
}

void Svg::circle(Place middle, Tenths radius, Brush const& style) {
    begin("circle");
    brush(style);
    length("cx", middle.x);
    length("cy", middle.y);
    length("r", radius);
    end("circle", style.title, style.inside);
}

void Svg::path(Path const& path, Brush const& style) {
    begin("path");
    brush(style);
    attribute("d", path.data());
    end("path", style.title, style.inside);
}

void Svg::text(Place at, std::string_view text, TextStyle const& style) {
    using Anchor = TextStyle::Anchor;
    begin("text");
    std::string classes = "f-" + std::string(colour_of(style.paint).name);
    fills_used_ |= bit(style.paint);
    if (style.halo) {
        classes += " halo";
        halos_used_ = 1;
        strokes_used_ |= bit(Paint::paper);
        classes += " s-paper";
    }
    attribute("class", classes);
    length("x", at.x);
    length("y", at.y);
    length("font-size", style.size);
    if (style.anchor != Anchor::start)
        attribute("text-anchor", style.anchor == Anchor::middle ? "middle" : "end");
    if (style.bold)
        attribute("font-weight", "bold");
    if (style.turn_degrees != 0)
        attribute("transform", "rotate(" + std::to_string(style.turn_degrees) + " " + length_text(at.x) + " " +
                                   length_text(at.y) + ")");
    if (!style.extra.empty())
        body_.append(" ").append(style.extra);
    body_ += '>';
    if (!style.title.empty()) {
        body_ += "<title>";
        append_escaped(body_, style.title);
        body_ += "</title>";
    }
    append_escaped(body_, text);
    body_.append(style.inside).append("</text>\n");
}

// --- looks ----------------------------------------------------------------------------------------------------------

void Svg::phase_fill(PhaseLook look) {
    looks_used_ |= bit(look);
    attribute("class", with_number("area", static_cast<std::uint32_t>(look)));
}

void Svg::phase_box(Box const& box, PhaseLook look, std::string_view title, std::string_view extra) {
    begin("rect");
    phase_fill(look);
    length("x", box.x);
    length("y", box.y);
    length("width", box.width);
    length("height", box.height);
    if (!extra.empty())
        body_.append(" ").append(extra);
    end("rect", title, {});
}

void Svg::phase_path(Path const& path, PhaseLook look, std::string_view title, std::string_view extra) {
    begin("path");
    phase_fill(look);
    attribute("d", path.data());
    if (!extra.empty())
        body_.append(" ").append(extra);
    end("path", title, {});
}

void Svg::phase_mark(Place middle, Tenths diameter, PhaseLook look, Paint rim, std::string_view title,
                     std::string_view inside, std::string_view extra) {
    marks_used_ |= bit(look);
    std::vector<Place> const corners = corners_of(style_of(look).shape, middle, diameter);
    begin(corners.empty() ? "circle" : "polygon");
    std::string classes = with_number("mark", static_cast<std::uint32_t>(look));
    if (rim != Paint::none) {
        strokes_used_ |= bit(rim);
        classes.append(" s-").append(colour_of(rim).name);
    }
    attribute("class", classes);
    if (corners.empty()) {
        length("cx", middle.x);
        length("cy", middle.y);
        length("r", diameter / 2);
    } else {
        places(corners);
    }
    if (!extra.empty())
        body_.append(" ").append(extra);
    end(corners.empty() ? "circle" : "polygon", title, inside);
}

// --- the whole ------------------------------------------------------------------------------------------------------

void Svg::rule(std::string_view css) {
    rules_ += css;
    rules_ += '\n';
}

namespace {

/// The page shows through where nobody is.
void add_nobody(std::string& css, std::uint32_t marks) {
    if ((marks & bit(PhaseLook::never_came)) != 0)
        css.append(".mark0{fill:").append(colour_of(Paint::paper).dark).append("}");
}

void add_looks(std::string& css, std::uint32_t marks, std::uint32_t areas) {
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        PhaseStyle const& style = style_of(static_cast<PhaseLook>(i));
        if ((marks >> i & 1U) != 0) {
            css.append(with_number(".mark", i)).append("{fill:").append(style.fill);
            css.append(style.dashed_rim ? ";stroke-dasharray:3 2}" : "}");
        }
        if ((areas >> i & 1U) != 0)
            css.append(with_number(".area", i)).append("{fill:url(#hatch").append(with_number("", i)).append(")}");
    }
}

std::string definitions_of(std::uint32_t areas, std::uint32_t arrows) {
    if ((areas | arrows) == 0)
        return {};
    std::string defs = "<defs>\n";
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        if ((areas >> i & 1U) == 0)
            continue;
        PhaseStyle const& style = style_of(static_cast<PhaseLook>(i));
        defs.append(with_number("<pattern id=\"hatch", i))
            .append(
                "\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" fill=\"")
            .append(style.fill)
            .append("\"/>");
        if (style.hatch != Hatch::none)
            defs.append("<path d=\"")
                .append(strokes_of(style.hatch))
                .append("\" stroke=\"")
                .append(style.ink)
                .append("\" stroke-opacity=\"0.45\"/>");
        defs += "</pattern>\n";
    }
    for (std::uint32_t i = 1; i < kPaints; ++i) {
        if ((arrows >> i & 1U) != 0)
            defs.append("<marker id=\"arrow-")
                .append(kColours[i].name)
                .append("\" viewBox=\"0 0 8 6\" refX=\"7\" refY=\"3\" markerWidth=\"7\" markerHeight=\"6\" "
                        "orient=\"auto\"><path class=\"f-")
                .append(kColours[i].name)
                .append("\" d=\"M0 0L8 3L0 6Z\"/></marker>\n");
    }
    return defs + "</defs>\n";
}

}  // namespace

std::string shared_style() {
    std::string css = "svg text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif}\n";
    add_rules(css, kAllPaints, kAllPaints, false);
    css.append(kHalo);
    add_looks(css, kAllLooks, kAllLooks);
    css += "\n@media screen and (prefers-color-scheme:dark){";
    add_rules(css, kAllPaints, kAllPaints, true);
    add_nobody(css, kAllLooks);
    return css + "}\n";
}

std::string shared_definitions() {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" aria-hidden=\"true\" "
           "focusable=\"false\">\n" +
           definitions_of(kAllLooks, kAllPaints) + "</svg>\n";
}

std::string Svg::style_sheet() const {
    std::string css = "<style>\ntext{font-family:Helvetica,Arial,'Liberation Sans',sans-serif}\n";
    std::uint32_t const fills = fills_used_ | arrows_used_;
    add_rules(css, fills, strokes_used_, false);
    if (halos_used_ != 0)
        css += kHalo;
    add_looks(css, marks_used_, looks_used_);
    css += "\n@media (prefers-color-scheme:dark){";
    add_rules(css, fills, strokes_used_, true);
    add_nobody(css, marks_used_);
    css += "}\n";
    return css + rules_ + "</style>\n";
}

std::string Svg::finish() {
    std::string all = std::move(head_);
    if (!in_page_)
        all += style_sheet() + definitions_of(looks_used_, arrows_used_);
    all += body_;
    all += "</svg>\n";
    return all;
}

}  // namespace ronde::viz
