#include "engine/tape_oracle.hpp"

#include "protocol/check.hpp"

#include <fmt/format.h>

#include <utility>

namespace ronde::sim {

std::string TapeOracle::Misfit::text() const {
    return fmt::format("choice {}: the tape has {} of {} (key {:#x}), the run asks for {} of {} (key {:#x})", entry,
                       name_of(taped.kind), taped.n, taped.key, name_of(asked), asked_n, asked_key);
}

TapeOracle::TapeOracle(Tape given, Oracle* source) : given_(std::move(given)), source_(source) {
    made_.seed = given_.seed;
    made_.note = given_.note;
}

TapeOracle TapeOracle::record(Oracle& source) { return {Tape{}, &source}; }

TapeOracle TapeOracle::replay(Tape tape, Oracle* then) { return {std::move(tape), then}; }

/// The choice of the tape, as long as it fits.
std::optional<std::uint32_t> TapeOracle::from_tape(Choice kind, std::uint64_t key, std::uint32_t n) {
    if (misfit_ || used_up())
        return std::nullopt;
    TapeEntry const& entry = given_.entries[next_];
    if (entry.kind != kind || entry.n != n) {
        misfit_ = Misfit{next_, entry, kind, key, n};
        return std::nullopt;
    }
    RONDE_CHECK(entry.picked < n, "TapeOracle: expected a tape whose choices are below their n");
    ++next_;
    return entry.picked;
}

std::uint32_t TapeOracle::keep(Choice kind, std::uint64_t key, std::uint32_t n, std::uint32_t picked) {
    made_.entries.push_back({kind, n, picked, key});
    return picked;
}

std::uint32_t TapeOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "TapeOracle::pick: expected n >= 1");
    if (n == 1)
        return 0;
    if (auto const taped = from_tape(kind, key, n))
        return keep(kind, key, n, *taped);
    return keep(kind, key, n, source_ == nullptr ? 0 : source_->pick(kind, key, n));
}

std::uint32_t TapeOracle::pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) {
    auto const n = static_cast<std::uint32_t>(actors.size());
    RONDE_CHECK(n >= 1, "TapeOracle::pick_among: expected one candidate at least");
    if (n == 1) {
        // No choice, but a step of a scheduler that counts them.
        return source_ == nullptr ? 0 : source_->pick_among(kind, key, actors);
    }
    if (auto const taped = from_tape(kind, key, n))
        return keep(kind, key, n, *taped);
    return keep(kind, key, n, source_ == nullptr ? 0 : source_->pick_among(kind, key, actors));
}

}  // namespace ronde::sim
