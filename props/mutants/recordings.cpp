#include "mutants/recordings.hpp"

#include "mutants/active.hpp"
#include "mutants/loopback_trials.hpp"
#include "mutants/trials_of.hpp"
#include "net/replay.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace ronde::mutants {

std::string Recordings::name_of(std::size_t trial) { return fmt::format("{:02}", trial); }

Recordings::Recordings() {
    if (active_mutant != 0)
        throw std::runtime_error("a machine with a fault awake would record the fault");
    path_ = (std::filesystem::temp_directory_path() / "ronde-mutants-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), path_);
    auto const trials = loopback_trials();
    for (std::size_t i = 0; i < trials.size(); ++i) {
        LoopbackPlan plan = trials[i].plan;
        plan.record_directory = path_ + "/" + name_of(i);
        LoopbackJob(plan).run();
    }
}

Recordings::~Recordings() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::optional<Kill> put_through_recordings(std::string const& recordings, Note note, void* context) {
    auto const trials = loopback_trials();
    for (std::size_t i = 0; i < trials.size(); ++i) {
        std::uint32_t const nranks = trials[i].plan.nranks;
        note(nranks, trials[i].name, context);
        auto const report = net::replay(recordings + "/" + Recordings::name_of(i));
        if (!report)
            throw std::runtime_error(report.error());
        if (!report->same())
            return Kill{"D4", nranks, trials[i].name,
                        fmt::format("{}, event {}: {}", report->difference->file, report->difference->event,
                                    report->difference->what)};
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
