/// The same worlds as generators of rapidcheck, for tests of one's own. What they find is shrunk by rapidcheck: the
/// numbers that a plan is made of become fewer and smaller, and 0 is the simplest of each.
///
///     rc::prop("every rank ends", [] {
///         sim::WorldPlan const plan = *props::arbitrary_plan({.most_ranks = 20});
///         ...
///     });
///
/// Needs rapidcheck; nothing else in this folder does.
#pragma once

#include "engine/function_oracle.hpp"
#include "generate/plans.hpp"
#include "protocol/frame.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ronde::props {

/// An oracle that answers with these numbers, modulo what is asked, and with 0 when they are used up.
[[nodiscard]] inline sim::FunctionOracle oracle_of(std::vector<std::uint32_t> numbers) {
    auto next = std::make_shared<std::size_t>(0);
    return sim::FunctionOracle(
        [numbers = std::move(numbers), next](sim::Choice, std::uint64_t, std::uint32_t n) -> std::uint32_t {
            return *next < numbers.size() ? numbers[(*next)++] % n : 0;
        });
}

[[nodiscard]] inline rc::Gen<sim::WorldPlan> arbitrary_plan(Shape const& shape) {
    auto const numbers = rc::gen::container<std::vector<std::uint32_t>>(120, rc::gen::arbitrary<std::uint32_t>());
    return rc::gen::map(numbers, [shape](std::vector<std::uint32_t> drawn) {
        sim::FunctionOracle oracle = oracle_of(std::move(drawn));
        return make_plan(oracle, shape);
    });
}

/// A header that a machine could send: any kind, any numbers, and a payload of the kind's length, or of up to
/// `most_payload_bytes` where that varies.
[[nodiscard]] inline rc::Gen<protocol::Frame> arbitrary_frame(std::uint32_t most_payload_bytes) {
    return rc::gen::exec([most_payload_bytes] {
        protocol::Frame frame;
        frame.kind = static_cast<protocol::FrameKind>(*rc::gen::inRange<int>(1, protocol::kFrameKindCount));
        std::uint32_t const fixed = protocol::fixed_payload_bytes(frame.kind);
        frame.payload_bytes =
            fixed == protocol::kVariable ? *rc::gen::inRange<std::uint32_t>(0, most_payload_bytes + 1U) : fixed;
        frame.version = *rc::gen::arbitrary<std::uint8_t>();
        frame.aux = *rc::gen::arbitrary<std::uint16_t>();
        frame.a = *rc::gen::arbitrary<std::uint32_t>();
        frame.b = *rc::gen::arbitrary<std::uint32_t>();
        frame.c = *rc::gen::arbitrary<std::uint64_t>();
        frame.d = *rc::gen::arbitrary<std::uint64_t>();
        return frame;
    });
}

}  // namespace ronde::props
