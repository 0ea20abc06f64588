#include "sequence/heading.hpp"

#include "svg/text_size.hpp"

namespace ronde::viz {
namespace {

constexpr Tenths kTitleSize = 160;
constexpr Tenths kTextSize = 115;
constexpr Tenths kLine = 170;

}  // namespace

Heading::Heading(Chronicle const& chronicle, Tenths width)
    : title_(shortened_to(chronicle.title, kTitleSize * 11 / 10, width - 2 * kMargin)), ready_(chronicle.ready) {
    // A verdict of one word stands in the title already.
    if (chronicle.verdict != "ready")
        verdict_ = wrapped_to(chronicle.verdict, kTextSize * 11 / 10, width - 2 * kMargin);
    std::string subtitle = chronicle.subtitle;
    if (std::string const said = "; " + chronicle.verdict; subtitle.ends_with(said))
        subtitle.resize(subtitle.size() - said.size());
    if (subtitle != chronicle.verdict)
        subtitle_ = wrapped_to(subtitle, kTextSize, width - 2 * kMargin);
}

Tenths Heading::height() const {
    return kMargin + kTitleSize + static_cast<Tenths>(verdict_.size() + subtitle_.size()) * kLine + kLine / 2;
}

void Heading::draw(Svg& svg) const {
    Tenths y = kMargin + kTitleSize / 2;
    svg.text({kMargin, y}, title_, {.size = kTitleSize, .bold = true});
    for (std::string const& line : verdict_)
        svg.text({kMargin, y += kLine}, line,
                 {.size = kTextSize, .paint = ready_ ? Paint::ink : Paint::alarm, .bold = true});
    for (std::string const& line : subtitle_)
        svg.text({kMargin, y += kLine}, line, {.size = kTextSize, .paint = Paint::soft});
}

}  // namespace ronde::viz
