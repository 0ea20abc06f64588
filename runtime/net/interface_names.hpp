/// The grammar of NCCL_SOCKET_IFNAME.
#pragma once

#include "net/interfaces.hpp"

namespace ronde::net {

/// `[^][=]item{,item}`, parsed.
struct NamePattern {
    static constexpr std::size_t kMaxItems = 16;
    /// IFNAMSIZ without its terminator.
    static constexpr std::size_t kMaxNameBytes = 15;

    bool exclude = false;  ///< ^
    bool exact = false;    ///< =
    std::vector<std::string> items;

    [[nodiscard]] bool empty() const noexcept { return items.empty(); }
    /// Whether an interface of that name is wanted. "eth0:1", the label of a second address, also goes by "eth0".
    [[nodiscard]] bool wants(std::string_view name) const noexcept;
};

/// An empty text gives an empty pattern, and so does one character under `compat`, where NCCL ignores it. The error
/// names `source` and the item.
[[nodiscard]] tl::expected<NamePattern, std::string> parse_name_pattern(std::string_view text, std::string_view source,
                                                                        InterfaceRule rule);

}  // namespace ronde::net
