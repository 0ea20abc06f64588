#include "svg/heading.hpp"

#include "svg/text_size.hpp"

namespace ronde::viz {
namespace {

constexpr Tenths kTitleSize = 160;
constexpr Tenths kTextSize = 115;
constexpr Tenths kLine = 170;

}  // namespace

Heading::Heading(HeadingText const& text, Tenths width)
    : title_(shortened_to(text.title, kTitleSize * 11 / 10, width - 2 * kMargin)), good_(text.good) {
    // A verdict of one word stands in the title already.
    if (text.verdict != "ready")
        verdict_ = wrapped_to(text.verdict, kTextSize * 11 / 10, width - 2 * kMargin);
    std::string_view subtitle = text.subtitle;
    if (std::string const said = "; " + std::string(text.verdict); subtitle.ends_with(said))
        subtitle.remove_suffix(said.size());
    if (subtitle != text.verdict)
        subtitle_ = wrapped_to(std::string(subtitle), kTextSize, width - 2 * kMargin);
}

Tenths Heading::height() const {
    return kMargin + kTitleSize + static_cast<Tenths>(verdict_.size() + subtitle_.size()) * kLine + kLine / 2;
}

void Heading::draw(Svg& svg) const {
    Tenths y = kMargin + kTitleSize / 2;
    svg.text({kMargin, y}, title_, {.size = kTitleSize, .bold = true});
    for (std::string const& line : verdict_)
        svg.text({kMargin, y += kLine}, line,
                 {.size = kTextSize, .paint = good_ ? Paint::ink : Paint::alarm, .bold = true});
    for (std::string const& line : subtitle_)
        svg.text({kMargin, y += kLine}, line, {.size = kTextSize, .paint = Paint::soft});
}

}  // namespace ronde::viz
