/// Words of Graphviz's language.
#pragma once

#include <string>
#include <string_view>

namespace ronde::viz {

/// A string of DOT, in its quotes.
[[nodiscard]] inline std::string dot_quoted(std::string_view text) {
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

}  // namespace ronde::viz
