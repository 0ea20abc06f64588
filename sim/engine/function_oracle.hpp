/// An oracle out of a function.
#pragma once

#include "engine/oracle.hpp"

#include <functional>
#include <utility>

namespace ronde::sim {

/// Asks `function(kind, key, n)`; its answer must be below n (checked).
class FunctionOracle final : public Oracle {
public:
    using Function = std::function<std::uint32_t(Choice kind, std::uint64_t key, std::uint32_t n)>;
    explicit FunctionOracle(Function function) : function_(std::move(function)) {}
    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;

private:
    Function function_;
};

}  // namespace ronde::sim
