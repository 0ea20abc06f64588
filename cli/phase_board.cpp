#include "cli/phase_board.hpp"

#include "cli/usage.hpp"

#include <fmt/format.h>

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace ronde::cli {

PhaseBoard::PhaseBoard(std::uint32_t ranks) {
    std::size_t const bytes = sizeof(Place) * ranks;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw LauncherError(fmt::format("no shared memory for {} ranks: {}", ranks, std::strerror(errno)));
    places_ = {static_cast<Place*>(memory), ranks};
    std::uninitialized_value_construct(places_.begin(), places_.end());
}

PhaseBoard::~PhaseBoard() { ::munmap(places_.data(), places_.size_bytes()); }

void PhaseBoard::enter(protocol::RankId rank, protocol::Phase phase) noexcept {
    if (phase <= protocol::Phase::ready)
        places_[rank].phase.store(phase, std::memory_order_release);
}

protocol::Phase PhaseBoard::of(protocol::RankId rank) const noexcept {
    return places_[rank].phase.load(std::memory_order_acquire);
}

}  // namespace ronde::cli
