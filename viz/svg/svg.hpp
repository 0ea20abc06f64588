/// Writes SVG: few kinds of elements, integer coordinates, bytes in the order of the calls.
///
///     Svg svg({.width = 4'000, .height = 2'000}, "a title", "what a screen reader says");
///     {
///         auto const lane = svg.group({.title = "rank 3"});
///         svg.box({100, 100, 800, 200}, {.fill = Paint::ink});
///         svg.phase_box({900, 100, 300, 200}, PhaseLook::gathering, "gathering, 2 ms to 5 ms");
///     }
///     svg.text({100, 90}, "rank 3", {.size = 120});
///     std::string const bytes = svg.finish();
///
/// Colours are roles (Paint), written as classes: a style sheet at the head gives them their values, and others where
/// the reader prefers a dark page. y grows downwards. One thread.
#pragma once

#include "svg/phase_style.hpp"
#include "svg/place.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ronde::viz {

/// Where a picture stands: a document of its own, or one of several in a page of HTML. Such a page brings
/// shared_style() and shared_definitions() once, and tells by itself what the headings of pictures say.
struct Embedding {
    std::string_view ids = {};  ///< what ids in the page begin with, different for each picture; empty: a document
    [[nodiscard]] bool in_page() const noexcept { return !ids.empty(); }
};

/// What a colour is for. The second row: Okabe and Ito's, for series of which none means more than the others.
enum class Paint : std::uint8_t {
    none,
    paper,
    ink,
    soft,
    faint,
    band,
    alarm,
    critical,
    blue,
    orange,
    green,
    purple,
    sky,
    yellow,
    on_light,  ///< text on a fill that is the same by day and by night: dark on a light one,
    on_dark,   ///< ... and light on a dark one
};
inline constexpr std::uint32_t kPaints = 16;

enum class Dash : std::uint8_t { solid, dashed, dotted };

/// How a shape is drawn. Views need to live until the call returns only.
struct Brush {
    Paint fill = Paint::none;
    Paint stroke = Paint::none;
    Tenths width = 10;  ///< of the stroke
    Dash dash = Dash::solid;
    std::uint32_t opacity_percent = 100;
    bool arrow = false;            ///< line, path: a head at the end, in the stroke's colour
    std::string_view title = {};   ///< what the pointer shows and screen readers say
    std::string_view inside = {};  ///< further elements inside, as they are: <animate .../>
    std::string_view extra = {};   ///< further attributes, as they are: `id="x"`
};

struct TextStyle {
    enum class Anchor : std::uint8_t { start, middle, end };
    Tenths size = 110;
    Anchor anchor = Anchor::start;
    Paint paint = Paint::ink;
    bool bold = false;
    bool halo = false;              ///< a rim of paper, for text that lies on other things
    std::int32_t turn_degrees = 0;  ///< clockwise, around its place
    std::string_view title = {};
    std::string_view inside = {};
    std::string_view extra = {};
};

/// The data of a path: `M`, `L`, `C`, `A` with absolute places.
class Path {
public:
    Path& move(Place to);
    Path& line(Place to);
    Path& curve(Place handle_from, Place handle_to, Place to);
    /// Of a circle; `large`: the long way; `clockwise` as one sees it.
    Path& arc(Tenths radius, bool large, bool clockwise, Place to);
    Path& close();
    [[nodiscard]] std::string const& data() const noexcept { return data_; }
    [[nodiscard]] bool empty() const noexcept { return data_.empty(); }

private:
    void place(char command, Place to);
    std::string data_;
};

class Svg {
public:
    struct Size {
        Tenths width = 0;
        Tenths height = 0;
    };
    /// `title` and `description`: what a screen reader says of the whole. A picture in a page has no paper of its own.
    Svg(Size size, std::string_view title, std::string_view description, Embedding where = {});
    ~Svg() = default;
    Svg(Svg const&) = delete;
    Svg& operator=(Svg const&) = delete;

    struct GroupOptions {
        std::string_view title = {};
        std::string_view description = {};
        std::string_view extra = {};  ///< further attributes, as they are
    };
    /// Open until it leaves its scope.
    class [[nodiscard]] Group {
    public:
        explicit Group(Svg& svg) noexcept : svg_(svg) {}
        Group(Group const&) = delete;
        Group& operator=(Group const&) = delete;
        ~Group() { svg_.end_group(); }

    private:
        Svg& svg_;
    };
    Group group(GroupOptions const& options);

    void box(Box const& box, Brush const& style, Tenths corner_radius = 0);
    void line(Place from, Place to, Brush const& style);
    void polyline(std::span<const Place> all, Brush const& style);
    void polygon(std::span<const Place> all, Brush const& style);
    void circle(Place middle, Tenths radius, Brush const& style);
    void path(Path const& path, Brush const& style);
    /// `at`: where its baseline begins, ends, or has its middle.
    void text(Place at, std::string_view text, TextStyle const& style = {});

    /// An area in the fill and hatching of a look.
    void phase_box(Box const& box, PhaseLook look, std::string_view title = {}, std::string_view extra = {});
    void phase_path(Path const& path, PhaseLook look, std::string_view title = {}, std::string_view extra = {});
    /// A mark in the fill and shape of a look. `rim`: of its edge.
    void phase_mark(Place middle, Tenths diameter, PhaseLook look, Paint rim = Paint::soft, std::string_view title = {},
                    std::string_view inside = {}, std::string_view extra = {});

    /// One more rule of the style sheet, as it is.
    void rule(std::string_view css);
    /// Further elements, as they are.
    void raw(std::string_view xml) { body_ += xml; }

    /// All of it, ending with a newline. Once, and no group is open.
    [[nodiscard]] std::string finish();

private:
    friend class Group;
    void end_group();
    void begin(std::string_view element);
    void attribute(std::string_view name, std::string_view value);
    void length(std::string_view name, Tenths value);
    void places(std::span<const Place> places);
    void brush(Brush const& brush);
    void end(std::string_view element, std::string_view title, std::string_view inside);
    void phase_fill(PhaseLook look);
    [[nodiscard]] std::string style_sheet() const;

    Size size_;
    bool in_page_;
    std::string head_;
    std::string body_;
    std::string rules_;
    std::uint32_t fills_used_ = 0;    ///< a bit for each Paint
    std::uint32_t strokes_used_ = 0;  ///< of the same
    std::uint32_t arrows_used_ = 0;   ///< of the same
    std::uint32_t halos_used_ = 0;
    std::uint32_t looks_used_ = 0;  ///< a bit for each PhaseLook as an area
    std::uint32_t marks_used_ = 0;  ///< ... as a mark
};

/// For a page with embedded pictures: the rules of all paints and looks, dark on screens that prefer it and never on
/// paper,
[[nodiscard]] std::string shared_style();
/// ... and an SVG without size, with the hatchings and arrow heads that they refer to.
[[nodiscard]] std::string shared_definitions();

/// Text in which & < > and quotes are safe; control characters, which XML has no way to write, become spaces.
void append_escaped(std::string& out, std::string_view text);
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace ronde::viz
