#include "page/html.hpp"

namespace ronde::viz {

void Html::open(std::string_view name, std::string_view attributes) {
    out_.append("<").append(name);
    if (!attributes.empty())
        out_.append(" ").append(attributes);
    out_ += '>';
}

void Html::close(std::string_view name) { out_.append("</").append(name).append(">\n"); }

Html::Element Html::element(std::string_view name, std::string_view attributes) {
    open(name, attributes);
    out_ += '\n';
    return {*this, name};
}

void Html::leaf(std::string_view name, std::string_view inside, std::string_view attributes) {
    word(name, inside, attributes);
    out_ += '\n';
}

void Html::word(std::string_view name, std::string_view inside, std::string_view attributes) {
    open(name, attributes);
    text(inside);
    out_.append("</").append(name).append(">");
}

void Html::lines(std::string_view all) {
    while (!all.empty()) {
        std::size_t const end = all.find('\n');
        text(all.substr(0, end));
        if (end == std::string_view::npos)
            return;
        out_ += '\n';
        all.remove_prefix(end + 1);
    }
}

}  // namespace ronde::viz
