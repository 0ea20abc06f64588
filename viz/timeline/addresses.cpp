#include "timeline/addresses.hpp"

namespace ronde::viz {
namespace {

constexpr std::uint32_t kFirstHost = 10U << 24U | 1U;
constexpr std::uint32_t kNowhere = 192U << 24U | 2U << 8U | 1U;
constexpr std::uint32_t kFirstPort = 10'000;
constexpr std::uint32_t kFirstCallbackPort = 20'000;
constexpr std::uint32_t kListeners = 10'000;
constexpr std::uint32_t kFirstCaller = 32'768;
constexpr std::uint32_t kCallers = 28'232;

}  // namespace

Addresses::Addresses(Chronicle const& chronicle) : chronicle_(chronicle) {
    std::vector<std::uint32_t> seen;
    for (Process const& process : chronicle.processes) {
        if (process.host >= seen.size())
            seen.resize(std::size_t{process.host} + 1, 0);
        number_on_host_.push_back(seen[process.host]++);
    }
    dealt_.assign(seen.size(), 0);
}

std::uint32_t Addresses::ipv4_of_host(std::uint32_t host) { return kFirstHost + host; }

std::uint32_t Addresses::ipv4_of(ProcessIndex process) const {
    return process == kNobody ? kNowhere : ipv4_of_host(chronicle_.processes[process].host);
}

std::uint16_t Addresses::port_of(ProcessIndex process) const {
    std::uint32_t const number = process == kNobody ? 0 : number_on_host_[process];
    return static_cast<std::uint16_t>(kFirstPort + number % kListeners);
}

std::uint16_t Addresses::callback_port_of(ProcessIndex process) const {
    return static_cast<std::uint16_t>(port_of(process) - kFirstPort + kFirstCallbackPort);
}

std::uint16_t Addresses::deal_port(ProcessIndex process) {
    std::uint32_t& dealt = dealt_[chronicle_.processes[process].host];
    return static_cast<std::uint16_t>(kFirstCaller + dealt++ % kCallers);
}

protocol::Entry Addresses::entry_of(RankId rank) const {
    protocol::Entry entry;
    entry.rank = rank;
    std::uint32_t const address = ipv4_of(rank);
    entry.endpoint.family = protocol::Family::ipv4;
    entry.endpoint.port = port_of(rank);
    for (std::uint32_t i = 0; i < 4; ++i)
        entry.endpoint.address[i] = static_cast<std::uint8_t>(address >> (24U - 8U * i));
    entry.host_id = std::uint64_t{chronicle_.processes[rank].host} + 1;
    return entry;
}

}  // namespace ronde::viz
