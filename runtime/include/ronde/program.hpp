/// Rank programs: one function for all ranks, wherever they run.
///
///     void program(ronde::Communicator& ring) { ... ring.all_gather(...) ...; ring.close(); }
///
/// The same source runs
///  - on a thread or a process of its own: `auto ring = ronde::Communicator::connect(...); program(*ring);`
///  - as one of many fibers in this process, over real sockets: `ronde::run_in_process(program, options)`
///  - in a pretended world, with its hosts, its delays and its faults: <ronde/sim.hpp>
///
/// A fiber runs until a verb has to wait; meanwhile the others run. So a program of one of the last two must not block
/// in any other way: it sleeps with sleep_for(), and speaks to other ranks through verbs only. What it throws and does
/// not catch ends this rank alone, as the death of a process would; `catch (...)` passes on what it does not know.
#pragma once

#include <ronde/communicator.hpp>

#include <exception>

namespace ronde {

/// What every rank runs. It is called once per rank, with a ring that stands. Without close() before it returns, the
/// others see this rank as lost, as they do when a process ends like that. The communicator may be moved from, but must
/// not outlive the call.
using Program = std::function<void(Communicator&)>;

/// How one rank's program ended.
enum class Ending : std::uint8_t {
    returned,       ///< by itself
    threw,          ///< with an exception that it did not catch
    not_connected,  ///< the ring did not stand, the program was not called: `failure` says why
    hanging,        ///< when everything was over it still waited, for `text`
    killed,         ///< a fault has ended its process (pretended worlds only)
    not_started,    ///< its process was never there (pretended worlds only)
};
inline constexpr std::uint32_t kEndings = 6;

struct ProgramEnd {
    RankId rank = 0;
    Ending ending = Ending::returned;
    /// threw: what() of the exception. hanging, killed: where it stood, such as "recv from rank 3, tag 7".
    std::string text;
    Failed failure = {};
    std::exception_ptr exception = nullptr;  ///< threw: to be thrown again

    /// One line: "rank 5 hangs in recv from rank 3, tag 7".
    [[nodiscard]] std::string message() const;
};

/// What came of the programs of a job.
struct ProgramEnds {
    std::uint32_t returned = 0;
    std::vector<ProgramEnd> others;  ///< those that did not return, in the order of their ranks
    [[nodiscard]] bool all_returned() const noexcept { return others.empty(); }
    /// A line for each of the first `most` of `others`, and one for the rest; "all 8 programs returned" without any.
    [[nodiscard]] std::string text(std::size_t most = 10) const;
};

/// For run_in_process().
struct InProcessOptions {
    std::uint32_t nranks = 2;
    std::uint32_t roots = 1;  ///< 1 .. UniqueId::kMaxRoots
    /// For every rank; its root, progress and recording are not used.
    CommunicatorOptions communicator;
    /// Called in each rank's fiber before it connects: what a process does between its start and its ring.
    std::function<void(RankId)> before_connect;
    /// When programs still wait that long after the start, they are ended and named; zero: no limit.
    std::chrono::nanoseconds limit = std::chrono::nanoseconds::zero();
    std::size_t stack_bytes = std::size_t{128} << 10U;  ///< of each fiber; only what is touched costs memory
};

/// Runs `program` for all ranks as fibers of this thread, over sockets of the loopback and one loop. Returns when all
/// have ended. The error, in one line: what could not be had here (descriptors, ports, stacks).
[[nodiscard]] tl::expected<ProgramEnds, std::string> run_in_process(Program const& program,
                                                                    InProcessOptions const& options);

/// Lets time pass: that of the world in which the calling program runs. In a pretended world it costs nothing here, and
/// meanwhile the process notices nothing, as one that computes; among fibers the others run; elsewhere the thread
/// sleeps.
void sleep_for(std::chrono::nanoseconds duration);

/// Monotonic time of the world in which the caller runs, ns. Pretended worlds begin at 0.
[[nodiscard]] std::int64_t now_ns() noexcept;

[[nodiscard]] std::string_view name_of(Ending ending) noexcept;

}  // namespace ronde
