#include "viz_page/markup.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

namespace ronde::viz::pages {
namespace {

xmlChar const* xml(char const* text) { return reinterpret_cast<xmlChar const*>(text); }

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* thing) const {
        Free(thing);
    }
};
void free_text(xmlChar* text) { xmlFree(text); }

}  // namespace

struct Markup::Tree {
    xmlDoc* document = nullptr;
    ~Tree() { xmlFreeDoc(document); }
};

Markup::Markup(std::string const& html) : tree_(std::make_unique<Tree>()) {
    // Nothing from elsewhere, and no entity but the five of XML.
    tree_->document = xmlReadMemory(html.data(), static_cast<int>(html.size()), "page", "UTF-8",
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    if (tree_->document != nullptr)
        return;
    xmlError const* const error = xmlGetLastError();
    error_ = error == nullptr ? "not well-formed" : fmt::format("line {}: {}", error->line, error->message);
}

Markup::~Markup() = default;

std::vector<std::string> Markup::all(std::string const& xpath) const {
    std::vector<std::string> texts;
    std::unique_ptr<xmlXPathContext, Freed<xmlXPathFreeContext>> const context(xmlXPathNewContext(tree_->document));
    if (context == nullptr)
        return texts;
    xmlXPathRegisterNs(context.get(), xml("h"), xml("http://www.w3.org/1999/xhtml"));
    xmlXPathRegisterNs(context.get(), xml("s"), xml("http://www.w3.org/2000/svg"));
    std::unique_ptr<xmlXPathObject, Freed<xmlXPathFreeObject>> const found(
        xmlXPathEvalExpression(xml(xpath.c_str()), context.get()));
    EXPECT_NE(found, nullptr) << "no XPath: " << xpath;
    if (found == nullptr || found->nodesetval == nullptr)
        return texts;
    for (int i = 0; i < found->nodesetval->nodeNr; ++i) {
        std::unique_ptr<xmlChar, Freed<free_text>> const text(xmlNodeGetContent(found->nodesetval->nodeTab[i]));
        texts.emplace_back(reinterpret_cast<char const*>(text.get()));
    }
    return texts;
}

}  // namespace ronde::viz::pages
