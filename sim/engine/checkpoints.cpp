#include "engine/checkpoints.hpp"

#include "protocol/check.hpp"

#include <algorithm>
#include <utility>

namespace ronde::sim {

Checkpoints::Checkpoints(std::size_t capacity) : capacity_(capacity) {
    RONDE_CHECK(capacity >= 2, "Checkpoints: expected a capacity of at least 2");
}

Checkpoints Checkpoints::between(std::uint64_t equal_at, std::uint64_t differs_at, std::size_t capacity) {
    RONDE_CHECK(equal_at < differs_at, "Checkpoints::between: expected equal_at < differs_at");
    Checkpoints made{capacity};
    made.first_ = equal_at;
    made.end_ = differs_at;
    while ((differs_at - equal_at - 1) / made.spacing_ + 1 > capacity)
        made.spacing_ *= 2;
    made.next_ = std::min(equal_at + made.spacing_, differs_at);
    return made;
}

void Checkpoints::note(RunningDigest const& digest) {
    notes_.push_back({next_, digest.value()});
    if (notes_.size() > capacity_) {
        // Numbers 1, 3, 5 ... lie on the wider grid, counted from 0.
        std::size_t kept = 0;
        for (std::size_t i = 1; i < notes_.size(); i += 2)
            notes_[kept++] = notes_[i];
        notes_.resize(kept);
        spacing_ *= 2;
        next_ = first_ + spacing_ * kept;
    }
    // The end of a part is noted even if it is not on the grid: there the runs are known to differ.
    next_ = next_ < end_ ? std::min(next_ + spacing_, end_) : kNoStep;
}

void Checkpoints::finish(RunningDigest const& digest) { last_ = Note{last_step_, digest.value()}; }

std::optional<Divergence> first_divergence(Checkpoints const& a, Checkpoints const& b) {
    RONDE_CHECK(a.first_ == b.first_ && a.end_ == b.end_, "first_divergence: expected checkpoints of the same part");

    // The steps that both noted: those of the wider grid, up to the end of the shorter run. Note i of the wider one is
    // note (i + 1) * ratio - 1 of the finer one.
    bool const a_is_wider = a.spacing_ >= b.spacing_;
    Checkpoints const& wide = a_is_wider ? a : b;
    Checkpoints const& fine = a_is_wider ? b : a;
    std::uint64_t const ratio = wide.spacing_ / fine.spacing_;
    std::size_t const common = std::min<std::size_t>(wide.notes_.size(), fine.notes_.size() / ratio);

    // Invariant: equal before `low`, different from `high` on.
    std::size_t low = 0;
    std::size_t high = common;
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (wide.notes_[middle].digest == fine.notes_[(middle + 1) * ratio - 1].digest)
            low = middle + 1;
        else
            high = middle;
    }
    std::uint64_t const equal_at = low == 0 ? a.first_ : wide.notes_[low - 1].step;
    if (low < common)
        return Divergence{equal_at, wide.notes_[low].step};

    // Equal as far as both were noted; what remains is their ends.
    if (!a.last_ || !b.last_ || *a.last_ == *b.last_)
        return std::nullopt;
    std::uint64_t const shorter = std::min(a.last_->step, b.last_->step);
    if (a.last_->step == b.last_->step)
        return Divergence{equal_at, shorter};
    return Divergence{equal_at, shorter + 1};
}

std::optional<std::uint64_t> locate_divergence(CheckpointedRun const& a, CheckpointedRun const& b,
                                               std::size_t capacity) {
    auto found = first_divergence(a(Checkpoints{capacity}), b(Checkpoints{capacity}));
    while (found && found->differs_at - found->equal_at > 1) {
        auto const finer = Checkpoints::between(found->equal_at, found->differs_at, capacity);
        auto const narrower = first_divergence(a(finer), b(finer));
        RONDE_CHECK(narrower && narrower->differs_at - narrower->equal_at < found->differs_at - found->equal_at,
                    "locate_divergence: a run went another way when it was repeated; expected runs that repeat");
        found = narrower;
    }
    if (!found)
        return std::nullopt;
    return found->differs_at;
}

}  // namespace ronde::sim
