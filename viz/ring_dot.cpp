#include "viz/ring_dot.hpp"

#include "viz/ring_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace ronde::viz {

using protocol::Phase;

namespace {

/// How a phase looks. Fills are a colour-blind safe palette in steps of lightness; shapes differ as well.
struct Look {
    std::string_view shape;
    std::string_view fill;
    std::string_view text;
};

Look look_of(RingRank const& rank) {
    if (rank.absent)
        return {"circle", "#ffffff", "#555555"};
    switch (rank.phase) {
    case Phase::created:
    case Phase::listening:
    case Phase::delayed: return {"invtriangle", "#e8e8e8", "#222222"};
    case Phase::checking_in: return {"triangle", "#f0e442", "#222222"};
    case Phase::awaiting_successor: return {"diamond", "#e69f00", "#222222"};
    case Phase::connecting_ring: return {"pentagon", "#56b4e9", "#222222"};
    case Phase::gathering: return {"hexagon", "#cc79a7", "#222222"};
    case Phase::committing: return {"square", "#0072b2", "#ffffff"};
    case Phase::ready:
    case Phase::failed:
    case Phase::closed: return {"circle", "#007a5c", "#ffffff"};
    }
    return {"circle", "#ffffff", "#222222"};
}

/// The name in the legend; phases that look alike share one.
std::string_view legend_of(RingRank const& rank) {
    if (rank.absent)
        return "never came";
    switch (rank.phase) {
    case Phase::created:
    case Phase::listening:
    case Phase::delayed: return "listening";
    case Phase::checking_in: return "checking in";
    case Phase::awaiting_successor: return "awaiting successor";
    case Phase::connecting_ring: return "connecting ring";
    case Phase::gathering: return "gathering";
    case Phase::committing: return "committing";
    case Phase::ready:
    case Phase::failed:
    case Phase::closed: return "ready";
    }
    return "";
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

/// Breaks a long line at spaces, so that it stays within the picture.
std::string wrapped(std::string_view text, std::size_t width) {
    std::string out;
    while (text.size() > width) {
        auto cut = text.rfind(' ', width);
        if (cut == std::string_view::npos || cut == 0)
            cut = width;
        out += quoted(text.substr(0, cut));
        out.erase(out.size() - 1);
        out.erase(out.size() - (cut + 1) >= out.size() ? 0 : out.size(), 0);
        out += "\\n";
        text.remove_prefix(cut < text.size() && text[cut] == ' ' ? cut + 1 : cut);
    }
    return out;
}

}  // namespace

std::string ring_dot(RingPicture const& picture) { return "graph ring { label=\"" + picture.title + "\" }\n"; }

}  // namespace ronde::viz
