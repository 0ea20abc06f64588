/// Somebody between a rank and its root who takes every call at once, whatever the root does.
#pragma once

#include "net/endpoint.hpp"
#include "net/fd.hpp"

#include <string_view>
#include <thread>
#include <vector>

namespace ronde::net::test {

/// Works on a thread of its own until it is destroyed.
class Proxy {
public:
    enum class Manner {
        closes,               ///< takes the call and ends it
        holds,                ///< takes the call and says nothing
        forwards_late,        ///< calls `target` in its turn, some tenths of a second later
        forwards_as_another,  ///< as a caller from another address than the rank's
    };
    Proxy(Manner manner, Endpoint const& target);
    ~Proxy();
    Proxy(Proxy const&) = delete;
    Proxy& operator=(Proxy const&) = delete;
    Proxy(Proxy&&) = delete;
    Proxy& operator=(Proxy&&) = delete;

    [[nodiscard]] Endpoint const& endpoint() const noexcept { return endpoint_; }
    [[nodiscard]] static std::string_view name_of(Manner manner) noexcept;

private:
    struct Pair {
        Fd caller;
        Fd target;  ///< empty until it is called
        std::int64_t call_ns = 0;
        bool ended = false;
    };
    void work();
    void take_call();
    void call_target(Pair& pair) const;

    Manner const manner_;
    Endpoint const target_;
    Endpoint endpoint_;
    Fd listener_;
    Fd stop_;  ///< an eventfd
    std::vector<Pair> pairs_;
    std::thread thread_;
};

}  // namespace ronde::net::test
