/// Addresses for hosts and ports for processes that never had any: what packets of a pretended run say.
#pragma once

#include "chronicle/chronicle.hpp"
#include "protocol/entry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// Host h is 10.0.0.1 + h. The n-th process of a host listens on 10000 + n, with call-back profiles on 20000 + n too;
/// callers have Linux's range of ports, 32768 to 60999, dealt in turn by each host.
class Addresses {
public:
    explicit Addresses(Chronicle const& chronicle);

    /// In host order. Of nobody: 192.0.2.1, which documents are free to use.
    [[nodiscard]] std::uint32_t ipv4_of(ProcessIndex process) const;
    [[nodiscard]] std::uint16_t port_of(ProcessIndex process) const;
    [[nodiscard]] std::uint16_t callback_port_of(ProcessIndex process) const;
    /// The next port of a caller.
    [[nodiscard]] std::uint16_t deal_port(ProcessIndex process);
    /// What a rank would have registered from there. Device and incarnation are not known.
    [[nodiscard]] protocol::Entry entry_of(RankId rank) const;
    [[nodiscard]] std::uint32_t hosts() const { return static_cast<std::uint32_t>(dealt_.size()); }
    [[nodiscard]] static std::uint32_t ipv4_of_host(std::uint32_t host);

private:
    Chronicle const& chronicle_;
    std::vector<std::uint32_t> number_on_host_;  ///< by process
    std::vector<std::uint32_t> dealt_;           ///< by host
};

}  // namespace ronde::viz
