/// Ways to make a script simpler, one change at a time.
#pragma once

#include "check/script.hpp"

#include <functional>
#include <vector>

namespace ronde::props {

/// Offers a simpler script; true: it still fails, and is the script from now on.
using Offer = std::function<bool(Script const&)>;

// Each offers what it can think of, from the boldest change to the smallest, and begins anew with what was taken.
void fewer_faults(Script& script, Offer const& offer);
void fewer_ranks(Script& script, Offer const& offer);
void usual_keys(Script& script, Offer const& offer);
void simpler_faults(Script& script, Offer const& offer);
void rounder_numbers(Script& script, Offer const& offer);
void fewer_choices(Script& script, Offer const& offer);

/// The same plan with `nranks` ranks: whatever names a rank, root or host beyond names another one.
[[nodiscard]] sim::WorldPlan with_ranks(sim::WorldPlan plan, std::uint32_t nranks);

}  // namespace ronde::props
