/// A page as a parser of XML sees it: strict, so that what is not well-formed is no page.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace ronde::viz::pages {

class Markup {
public:
    explicit Markup(std::string const& html);
    ~Markup();
    Markup(Markup const&) = delete;
    Markup& operator=(Markup const&) = delete;

    /// Empty: it is well-formed. Otherwise the first complaint.
    [[nodiscard]] std::string const& error() const { return error_; }
    /// The text of each node that the XPath finds; `h:` is HTML, `s:` SVG.
    [[nodiscard]] std::vector<std::string> all(std::string const& xpath) const;
    [[nodiscard]] std::size_t count(std::string const& xpath) const { return all(xpath).size(); }

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
    std::string error_;
};

}  // namespace ronde::viz::pages
