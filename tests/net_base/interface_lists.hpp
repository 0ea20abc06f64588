/// Interfaces as people write them: "lo 127.0.0.1/8; eth0 10.0.0.5/24; eth1 -; eth2 10.1.0.1/24 down".
#pragma once

#include "net/interfaces.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ronde::test {

inline std::vector<net::InterfaceAddress> interfaces(std::string const& text) {
    std::vector<net::InterfaceAddress> list;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ';');) {
        std::istringstream words(item);
        net::InterfaceAddress entry;
        std::string address;
        std::string state;
        words >> entry.name >> address >> state;
        entry.running = state != "down";
        entry.loopback = entry.name == "lo";
        if (address != "-") {
            std::size_t const slash = address.find('/');
            auto const parsed = net::parse_address(address.substr(0, slash));
            if (!parsed || slash == std::string::npos)
                throw std::invalid_argument("bad test item: " + item);
            entry.address = *parsed;
            entry.prefix_bits = static_cast<std::uint32_t>(std::stoul(address.substr(slash + 1)));
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace ronde::test
