#include "net/interface_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::net {

namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What is wrong with one item, or nothing. `item` loses its port.
std::string fault_of(std::string_view& item) {
    if (std::size_t const colon = item.find(':'); colon != std::string_view::npos) {
        std::string_view const port = item.substr(colon + 1);
        if (!is_digits(port))
            return "has something other than a port number after its colon";
        item = item.substr(0, colon);
    }
    if (item.empty())
        return "is empty";
    if (item.find_first_of(" \t\r\n") != std::string_view::npos)
        return "contains a space";
    if (item.find_first_of("^=") != std::string_view::npos)
        return "contains ^ or =, which only stand before the first item";
    if (item.find('/') != std::string_view::npos)
        return "contains a slash, which no interface name does";
    if (item.size() > NamePattern::kMaxNameBytes) {
        return fmt::format("is longer than the {} characters that an interface name may have",
                           NamePattern::kMaxNameBytes);
    }
    return {};
}

}  // namespace

bool NamePattern::wants(std::string_view name) const noexcept {
    std::string_view const base = name.substr(0, name.find(':'));
    bool const listed = std::any_of(items.begin(), items.end(), [&](std::string const& item) {
        if (exact)
            return item == name || item == base;
        return name.substr(0, item.size()) == item;
    });
    return listed != exclude;
}

tl::expected<NamePattern, std::string> parse_name_pattern(std::string_view text, std::string_view source,
                                                          InterfaceRule rule) {
    NamePattern pattern;
    if (text.empty() || (rule == InterfaceRule::compat && text.size() == 1))
        return pattern;

    std::string_view rest = text;
    auto const take = [&rest](char sign) {
        bool const there = !rest.empty() && rest.front() == sign;
        if (there)
            rest.remove_prefix(1);
        return there;
    };
    pattern.exclude = take('^');
    pattern.exact = take('=');
    if (rest.empty()) {
        return tl::unexpected(fmt::format(
            "{}='{}': no interface name after '{}'; expected for example '^docker,lo' or '=eth0'", source, text, text));
    }
    for (std::size_t number = 1;; ++number) {
        std::size_t const comma = rest.find(',');
        std::string_view item = rest.substr(0, comma);
        std::string_view const written = item;
        if (number > NamePattern::kMaxItems) {
            return tl::unexpected(fmt::format("{}='{}': item {} ('{}') is one too many, at most {} are read", source,
                                              text, number, written, NamePattern::kMaxItems));
        }
        if (std::string const fault = fault_of(item); !fault.empty()) {
            return tl::unexpected(fmt::format("{}='{}': item {} ('{}') {}", source, text, number, written, fault));
        }
        pattern.items.emplace_back(item);
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    return pattern;
}

}  // namespace ronde::net
