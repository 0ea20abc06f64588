#include "cli/kept_run.hpp"

#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
#include "cli/ring_picture.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace ronde::cli {
namespace {

/// More nodes than these are no picture for Graphviz; their graph is for other programs.
constexpr std::uint32_t kMostDrawnRanks = 1'000;

/// What the launcher knows, as a picture; as a graph where nobody is there to draw it.
Picture ring_of(RunFacts const& facts, RunReport const& report) {
    std::string const about = "how far each rank came, whose hands are held, who is blamed";
    std::string dot = ring_dot(picture_of(facts, report));
    if (facts.nranks <= kMostDrawnRanks) {
        try {
            return {"ring.svg", drawn_dot(dot, GraphLayout::pinned, PictureFormat::svg), about};
        } catch (LauncherError const&) {
            // Graphviz is not here. The graph says the same.
        }
    }
    return {"ring.dot", std::move(dot), about + "; neato -n2 -Tsvg draws it"};
}

bool is_empty(std::string const& folder) {
    std::error_code none;
    return std::filesystem::directory_iterator(folder, none) == std::filesystem::directory_iterator();
}

void keep_sequence(RunFolder& folder, std::string const& recordings, std::uint32_t nranks) {
    std::string const file = "sequence.svg";
    if (nranks >= viz::kMostLifelines) {
        folder.leave_out(file,
                         fmt::format("{} ranks are too many for one; some of them: ronde draw sequence recordings "
                                     "--ranks 0,1 -o sequence.svg",
                                     nranks));
        return;
    }
    auto chronicle = viz::chronicle_of_recordings(recordings);
    if (chronicle) {
        chronicle->source = "recordings of a real run";
        chronicle->rerun = "ronde replay recordings";
    }
    auto const picture = chronicle ? sequence_picture(*chronicle) : tl::unexpected(chronicle.error());
    if (picture)
        folder.put(file, picture->text, picture->about);
    else
        folder.leave_out(file, picture.error());
}

}  // namespace

KeptRun::KeptRun(RunOptions& options, std::uint32_t nranks) : options_(options) {
    if (options.out.empty())
        return;
    std::string const name =
        options.program.empty() ? "run" : std::filesystem::path(options.program.front()).filename().string();
    folder_ = std::make_unique<RunFolder>(options.out, fmt::format("{}-{}", name, nranks));
    if (!options.record.empty())
        return;
    recordings_ = folder_->place("recordings");
    options.record = recordings_;
}

std::string KeptRun::draw_failure(RunFacts const& facts, RunReport const& report) const {
    if (report.ready || folder_ || !options_.pictures.granted())
        return {};
    return leave_picture([&] { return ring_of(facts, report); },
                         [&] { return temporary_stem(fmt::format("run-{}-{}", facts.nranks, ::getpid())); });
}

std::string KeptRun::finish(std::string_view headline, std::string const& json, RunFacts const* facts,
                            RunReport const* report) const {
    if (!folder_)
        return {};
    folder_->put("command.txt", command_line() + "\n", "what was asked for");
    if (json.empty())
        folder_->leave_out("results.json", "what a program behind -- does and reports is its own");
    else
        folder_->put("results.json", json, "the report of --format json");
    std::string picture;
    if (facts != nullptr && report != nullptr) {
        Picture const ring = ring_of(*facts, *report);
        folder_->put(ring.file, ring.text, ring.about);
        picture = folder_->place(ring.file);
    }
    if (recordings_.empty())
        folder_->leave_out("recordings", fmt::format("they are where --record says: {}", options_.record));
    else if (is_empty(recordings_))
        folder_->leave_out("recordings", "nothing was recorded");
    else
        folder_->list("recordings",
                      "every event of each machine that was recorded; ronde replay recordings plays them again");
    if (!recordings_.empty() && facts != nullptr && report != nullptr)
        keep_sequence(*folder_, recordings_, facts->nranks);
    folder_->finish(headline, recordings_.empty() ? command_line() : "ronde replay recordings");
    return picture;
}

}  // namespace ronde::cli
