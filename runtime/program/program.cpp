#include "fiber/fiber.hpp"
#include "net/loop.hpp"
#include "program/ending.hpp"
#include "program/surroundings.hpp"

#include <ronde/program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace ronde {

// --- time -----------------------------------------------------------------------------------------------------------

std::int64_t now_ns() noexcept {
    Surroundings const* const here = Surroundings::current();
    return here == nullptr ? net::monotonic_ns() : here->now_ns();
}

void sleep_for(std::chrono::nanoseconds duration) {
    if (duration <= std::chrono::nanoseconds::zero())
        return;
    Surroundings* const here = Surroundings::current();
    if (here == nullptr || fiber::Fiber::current() == nullptr) {
        std::this_thread::sleep_for(duration);
        return;
    }
    if (fiber::Fiber::being_cancelled())
        return;
    protocol::TimeNs const now = here->now_ns();
    here->sleep_until(duration.count() < protocol::kNever - now ? now + duration.count() : protocol::kNever);
}

// --- ends -----------------------------------------------------------------------------------------------------------

std::string_view name_of(Ending ending) noexcept {
    switch (ending) {
    case Ending::returned: return "returned";
    case Ending::threw: return "threw";
    case Ending::not_connected: return "not connected";
    case Ending::hanging: return "hanging";
    case Ending::killed: return "killed";
    case Ending::not_started: return "not started";
    }
    return "?";
}

std::string ProgramEnd::message() const {
    switch (ending) {
    case Ending::returned: return fmt::format("rank {} returned", rank);
    case Ending::threw: return fmt::format("rank {} threw: {}", rank, text);
    case Ending::not_connected: return fmt::format("rank {} did not connect: {}", rank, failure.message());
    case Ending::hanging: return fmt::format("rank {} hangs in {}", rank, text);
    case Ending::killed: return fmt::format("rank {} was killed in {}", rank, text);
    case Ending::not_started: return fmt::format("rank {} never started", rank);
    }
    return {};
}

std::string ProgramEnds::text(std::size_t most) const {
    if (others.empty())
        return fmt::format("all {} programs returned\n", returned);
    std::string result;
    std::size_t const shown = std::min(most, others.size());
    for (std::size_t i = 0; i < shown; ++i)
        result += others[i].message() + '\n';
    if (shown < others.size())
        result += fmt::format("and {} more\n", others.size() - shown);
    return result;
}

ProgramEnd run_program(RankId rank, std::function<void(RankId)> const& before_connect,
                       std::function<tl::expected<Communicator, Failed>()> const& connect, Program const& program) {
    ProgramEnd end;
    end.rank = rank;
    try {
        if (before_connect)
            before_connect(rank);
        auto communicator = connect();
        if (communicator) {
            program(*communicator);
        } else {
            end.ending = Ending::not_connected;
            end.failure = std::move(communicator.error());
        }
    } catch (std::exception const& error) {
        end.ending = Ending::threw;
        end.text = error.what();
        end.exception = std::current_exception();
    } catch (...) {
        if (fiber::Fiber::being_cancelled())
            throw;  // that is how a fiber is ended
        end.ending = Ending::threw;
        end.text = "something that is no std::exception";
        end.exception = std::current_exception();
    }
    return end;
}

}  // namespace ronde
