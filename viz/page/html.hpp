/// Writes HTML that is well-formed XML too, so that any parser of either can check it.
#pragma once

#include "svg/svg.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace ronde::viz {

class Html {
public:
    Html() = default;
    Html(Html const&) = delete;
    Html& operator=(Html const&) = delete;
    ~Html() = default;

    /// Open until it leaves its scope.
    class [[nodiscard]] Element {
    public:
        Element(Html& html, std::string_view name) : html_(html), name_(name) {}
        Element(Element const&) = delete;
        Element& operator=(Element const&) = delete;
        ~Element() { html_.close(name_); }

    private:
        Html& html_;
        std::string_view name_;
    };
    /// `name` is a literal; `attributes` are written as they are.
    Element element(std::string_view name, std::string_view attributes = {});
    /// An element with text alone, on a line of its own.
    void leaf(std::string_view name, std::string_view inside, std::string_view attributes = {});
    /// The same within a line.
    void word(std::string_view name, std::string_view inside, std::string_view attributes = {});
    void text(std::string_view text) { append_escaped(out_, text); }
    /// Text whose line ends matter.
    void lines(std::string_view all);
    void raw(std::string_view html) { out_ += html; }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void open(std::string_view name, std::string_view attributes);
    void close(std::string_view name);

    std::string out_;
};

}  // namespace ronde::viz
