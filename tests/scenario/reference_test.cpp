/// The reference in docs/simulation.md is what the schema says. `--rewrite` puts it there.
#include "options.hpp"
#include "scenario/schema.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ronde::sim {
namespace {

constexpr std::string_view kBegin = "<!-- begin: keys, written by scenario_test --rewrite -->\n";
constexpr std::string_view kEnd = "<!-- end: keys -->";

TEST(Reference, OfTheDocumentIsThatOfTheSchema) {
    std::string const path = test_options().document;
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file) << "cannot read " << path;
    std::ostringstream content;
    content << file.rdbuf();
    std::string text = content.str();
    auto const begin = text.find(kBegin);
    auto const end = text.find(kEnd);
    ASSERT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end) << "no place for it in " << path;
    std::size_t const from = begin + kBegin.size();
    std::string const expected = "\n" + schema_markdown() + "\n";
    if (test_options().rewrite) {
        text.replace(from, end - from, expected);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        return;
    }
    EXPECT_EQ(text.substr(from, end - from), expected) << "run scenario_test --rewrite --document=" << path;
}

TEST(Reference, OnATerminalNamesEveryKeyAndKind) {
    std::string const text = schema_text();
    for (Section const& section : schema()) {
        for (Key const& key : section.keys)
            EXPECT_NE(text.find(std::string("\n  ") + std::string(key.name) + " "), std::string::npos) << key.name;
    }
    for (FaultShape const& shape : fault_shapes())
        EXPECT_NE(text.find(std::string("\n  ") + std::string(name_of(shape.kind)) + " "), std::string::npos);
}

}  // namespace
}  // namespace ronde::sim
