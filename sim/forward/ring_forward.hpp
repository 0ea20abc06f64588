/// The exact fast-forward of an undisturbed all-gather around a ring: when does each rank hold every slice, without
/// the N^2 events in between.
///
/// The model. Rank r begins its gather at start_ns[r]. A frame that r sends at time x leaves its link when the link
/// has carried it, travels for its delay, and does not overtake the frame before it on the same link. A frame that
/// arrives before its receiver has begun waits until then. The receiver's CPU takes frames one at a time in the order
/// of their arrival, service_ns each, and what a frame leads to happens at the end of its service. Nothing is lost,
/// nobody dies, no timer fires, and no buffer is ever full; where that may not hold, events have to decide.
///
/// The recurrence. protocol/rank_gather.cpp makes *turns*: turn t sends (forward, backward or both ways), and turn
/// t + 1 begins when the counterpart of every frame of turn t has been handled. Let
///
///  - E_r(t)  when rank r begins turn t; E_r(0) = start_ns[r]
///  - D_r(t)  when the link to its successor has carried r's frame of turn t; D'_r(t), that to its predecessor
///  - d_r(t)  how long that frame travels; d'_r(t), the one to the predecessor
///  - b(t)    how long a frame of turn t keeps its link busy
///  - o_r     the service at rank r
///
/// Then, with the terms of only those ways that turn t uses,
///
///     D_r(t)   = max(D_r(t-1), E_r(t)) + b(t)
///     E_r(t+1) = max(E_r(t), D_{r-1}(t) + d_{r-1}(t), D'_{r+1}(t) + d'_{r+1}(t)) + o_r
///
/// What seems to be missing follows from it:
///  - Frames of one link are handled in order, so E_r(t) is at least when the frame before arrived, and the clamp
///    "no frame overtakes" never decides a maximum of which E_r(t) is a part.
///  - A frame that waits for its receiver's start is one that arrived at E_r(0).
///  - A predecessor that is turns ahead finds its frames counted when they arrive, before their turn. With one way
///    around, turn t + 1 waits for one frame only, so that counting is beginning.
///  - Pipelined forwarding one way around is lock-step: whoever waits for one frame has nothing else to wait for.
///    Both ways around it is two gathers that meet in no frame, and ends with the later one.
///  - `send_then_receive` is lock-step as long as no buffer fills, which is what the model says.
///  - Frames that arrive in the same nanosecond need no rule of who comes first, nor does one that arrives at the
///    start: on one link the order is that of sending, and on two links there is no service to wait for.
///
/// That last point is the limit of the method. When both ways around share a CPU that takes time, a frame that comes
/// too early delays one that is due, *which* one depends on the delays, and a maximum cannot say that. forward()
/// refuses such a gather; contradiction_in() says so before.
///
/// Delays are those of forward/frame_key.hpp, a function of which frame it is. A lane of events that takes them from
/// there, counts frames per link from the start of the gather, and handles arrivals in order, gives the same times.
///
/// Cost. One cell (a rank, a turn) is two additions and a maximum, and a hash and a look-up where delays vary: N^2
/// cells in all, in tiles that stay in the cache (forward/tile.hpp), many to an instruction, on several threads. Where
/// every link has one delay and turns go one way, a path through the recurrence costs what its links cost, and the
/// answer is a sliding maximum over prefix sums (forward/closed_form.hpp): O(N). forward() takes that way whenever it
/// is exact.
#pragma once

#include "engine/distribution.hpp"
#include "forward/frame_key.hpp"
#include "protocol/entry.hpp"
#include "protocol/policy.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::sim {

/// How long frames travel on the N links of one way around; entry r is the link on which rank r sends.
struct LinkDelays {
    /// At least one kind of link. A frame takes the delay that frame_quantile() chooses from its link's kind.
    std::vector<Distribution> kinds{Distribution::constant(0)};
    std::vector<std::uint8_t> kind_of_link;     ///< index into `kinds`; empty: kinds[0] everywhere, else one per rank
    std::vector<protocol::TimeNs> constant_ns;  ///< added for each frame; empty: none, else one per rank
};

/// One gather around the ring, and the world that it happens in.
struct RingForward {
    std::uint32_t nranks = 1;                            ///< 1 .. protocol::kMaxRanks
    protocol::Gather gather = protocol::Gather::ring;    ///< ring or ring2
    protocol::Turns turns = protocol::Turns::pipelined;  ///< send_then_receive: as if no buffer were ever full
    std::uint64_t seed = 1;                              ///< of the world
    std::uint64_t operation = 0;                         ///< number of the gather; 0: the table
    std::uint64_t slice_bytes = protocol::kEntryBytes;   ///< payload of one slice, at most 2^32 - 1
    std::uint64_t bytes_per_second = 0;                  ///< of a link in one direction; 0: no limit
    LinkDelays forward;                                  ///< rank r to its successor
    LinkDelays backward;                                 ///< rank r to its predecessor; ring2 only
    std::vector<protocol::TimeNs> service_ns;            ///< CPU per frame received; empty: none, else one per rank
    std::vector<protocol::TimeNs> start_ns;              ///< empty: all begin at 0, else one per rank
};

/// Which instructions compute. The result does not depend on it.
enum class Isa : std::uint8_t {
    automatic,  ///< the widest that this machine has
    portable,
    avx2,
    avx512,  ///< the foundation (F) suffices
};

struct ForwardOptions {
    std::uint32_t threads = 1;  ///< at least 1; the result does not depend on it
    Isa isa = Isa::automatic;   ///< one that the machine lacks is refused
    bool closed_form = true;    ///< false: the recurrence, turn by turn, even where there is a shorter way
    /// Ranks that are computed at a time, at least 1, at most 4 096; more are taken for that. The result does not
    /// depend on it. Fewer are slower, and let a small ring have several tiles.
    std::uint32_t tile_ranks = 4'096;
};

struct ForwardResult {
    std::vector<protocol::TimeNs> done_ns;  ///< when each rank's gather is complete
    protocol::TimeNs first_ns = 0;          ///< the earliest of them
    protocol::TimeNs last_ns = 0;           ///< the latest of them
    std::uint64_t messages = 0;             ///< frames that all ranks sent
    std::uint64_t bytes = 0;                ///< ... and their bytes, headers included
    std::uint64_t cells = 0;                ///< (rank, turn) pairs that were computed; 0: by the closed form
    friend bool operator==(ForwardResult const&, ForwardResult const&) = default;
};

/// Why this gather cannot be fast-forwarded, in one line that names the field, or an empty text.
[[nodiscard]] std::string contradiction_in(RingForward const& ring);

/// Whether this machine and this build have `isa`. Thread-safe.
[[nodiscard]] bool has_isa(Isa isa) noexcept;
[[nodiscard]] std::string_view name_of(Isa isa) noexcept;

/// The time at which each rank's gather is complete, to the nanosecond. An error is contradiction_in(), or names an
/// instruction set that is not there. Times must stay below 2^62 ns. Thread-safe; allocates O(N).
[[nodiscard]] tl::expected<ForwardResult, std::string> forward(RingForward const& ring,
                                                               ForwardOptions const& options = {});

}  // namespace ronde::sim
