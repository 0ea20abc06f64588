#include "cli/failure_picture.hpp"

#include "cli/run_folder.hpp"
#include "cli/usage.hpp"
#include "launch/environment.hpp"
#include "launch/id_exchange.hpp"
#include "ring/heat_ring.hpp"
#include "ring/ring_film.hpp"
#include "scenario/atomic_file.hpp"
#include "sequence/sequence_svg.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>

namespace ronde::cli {
namespace {

/// Lifelines of ranks that an eye follows.
constexpr std::size_t kFollowed = 8;

/// Adds ranks in the order of their weight, until there are enough.
class Cast {
public:
    explicit Cast(std::uint32_t nranks) : nranks_(nranks) {}
    void add(viz::RankId rank) {
        if (ranks_.size() < kFollowed)
            ranks_.insert(rank);
    }
    void add_neighbours(viz::RankId rank) {
        add((rank + nranks_ - 1) % nranks_);
        add((rank + 1) % nranks_);
    }
    [[nodiscard]] std::vector<viz::RankId> ranks() const { return {ranks_.begin(), ranks_.end()}; }

private:
    std::uint32_t nranks_;
    std::set<viz::RankId> ranks_;
};

}  // namespace

bool PictureWish::granted() const {
    char const* const variable = std::getenv("RONDE_PICTURES");
    return !no_picture && (variable == nullptr || std::string_view(variable) != "off");
}

void add_picture_wish(CLI::App& command, PictureWish& wish) {
    command.add_flag("--no-picture", wish.no_picture, "Draw no picture of a failure (likewise RONDE_PICTURES=off)");
}

Picture ring_picture(viz::Chronicle const& chronicle) {
    bool const marks = chronicle.nranks <= viz::kMostFilmRanks;
    return {"ring.svg", marks ? ring_frame(chronicle, viz::kNever) : heat_ring(chronicle, viz::kNever),
            "where each rank stands, whose hands are held, who is blamed"};
}

std::vector<viz::RankId> guilty_part(viz::Chronicle const& chronicle) {
    Cast cast(chronicle.nranks);
    std::vector<viz::RankId> guilty;
    std::vector<viz::RankId> failed;
    for (viz::RankId rank = 0; rank < chronicle.nranks; ++rank) {
        if (chronicle.ranks[rank].culprit)
            guilty.push_back(rank);
        else if (chronicle.ranks[rank].end != viz::RankEnd::ready)
            failed.push_back(rank);
    }
    // Half of the room at most: without anybody beside them there is nothing to see of them.
    guilty.resize(std::min(guilty.size(), kFollowed / 2));
    for (viz::RankId const rank : guilty)
        cast.add(rank);
    for (viz::RankId const rank : guilty)
        cast.add_neighbours(rank);
    auto const earlier = [&](viz::RankId a, viz::RankId b) {
        return chronicle.ranks[a].ended_ns < chronicle.ranks[b].ended_ns;
    };
    std::stable_sort(failed.begin(), failed.end(), earlier);
    for (viz::RankId const rank : failed)
        cast.add(rank);
    for (viz::RankId rank = 0; rank < chronicle.nranks && rank < kFollowed; ++rank)
        cast.add(rank);
    return cast.ranks();
}

tl::expected<Picture, std::string> sequence_picture(viz::Chronicle const& chronicle) {
    viz::SequenceChoice choice;
    bool const all =
        chronicle.ready ? chronicle.processes.size() <= viz::kMostLifelines : chronicle.nranks <= kFollowed;
    if (!all)
        choice.ranks = guilty_part(chronicle);
    auto const scene = sequence_scene(chronicle, choice);
    if (!scene)
        return tl::unexpected(scene.error());
    return Picture{"sequence.svg", sequence_svg(*scene),
                   all ? "who said what to whom"
                       : fmt::format("who said what to whom, of ranks {}", fmt::join(choice.ranks, ", "))};
}

Picture picture_of_failure(viz::Chronicle const& chronicle) {
    if (chronicle.nranks + chronicle.nroots <= viz::kMostLifelines) {
        if (auto sequence = sequence_picture(chronicle))
            return *sequence;
    }
    return ring_picture(chronicle);
}

std::string leave_picture(std::function<Picture()> const& draw, std::function<std::string()> const& stem) {
    try {
        Picture const picture = draw();
        std::string path = stem() + std::filesystem::path(picture.file).extension().string();
        std::string const why = sim::write_file(path, picture.text);
        if (why.empty()) {
            tell_picture(path);
            return path;
        }
        tell_no_picture(why);
    } catch (std::exception const& error) {
        tell_no_picture(error.what());
    }
    return {};
}

std::string temporary_stem(std::string_view name) {
    char const* const variable = std::getenv("TMPDIR");
    std::string temporary = variable == nullptr ? "" : variable;
    while (temporary.size() > 1 && temporary.ends_with('/'))
        temporary.pop_back();
    auto const ours = launch::exchange_folder({{"TMPDIR", temporary}});
    if (!ours)
        throw LauncherError(ours.error());
    return fmt::format("{}/{}", *ours, tame_name(name));
}

void tell_picture(std::string const& path) { fmt::print(stderr, "picture: {}\n", path); }

void tell_no_picture(std::string_view why) { fmt::print(stderr, "ronde: warning: no picture: {}\n", why); }

std::string with_picture(std::string const& json, std::string const& path, int indent) {
    if (path.empty())
        return json;
    auto object = nlohmann::ordered_json::parse(json);
    object["picture"] = path;
    return object.dump(indent) + "\n";
}

}  // namespace ronde::cli
