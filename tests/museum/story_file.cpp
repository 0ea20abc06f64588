#include "story_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

namespace ronde::explore::museum {
namespace {

using protocol::Gather;

constexpr std::array kGathers{Gather::star, Gather::doubling, Gather::ring, Gather::ring2};

/// What is wrong with a file; caught where the reading began.
struct Unreadable {
    std::string why;
};

/// Takes one key after the other out of a table, so that what is left at the end is a mistake.
class Keys {
public:
    Keys(toml::table const& table, std::string where) : table_(table), where_(std::move(where)) {}

    template <class T>
    std::optional<T> take(std::string const& key) {
        taken_.insert(key);
        auto const node = table_[key];
        if (!node)
            return std::nullopt;
        auto const value = node.value<T>();
        if (!value)
            refuse(key, "has another kind of value than expected");
        return value;
    }
    toml::array const* take_array(std::string const& key) {
        taken_.insert(key);
        if (!table_[key])
            return nullptr;
        if (!table_[key].is_array())
            refuse(key, "is no array");
        return table_[key].as_array();
    }
    toml::table const* take_table(std::string const& key) {
        taken_.insert(key);
        return table_[key].as_table();
    }
    void expect_no_more() const {
        for (auto const& [key, node] : table_) {
            if (taken_.count(std::string(key.str())) == 0)
                refuse(std::string(key.str()), "is no key of a story; story_file.hpp lists them");
        }
    }
    [[noreturn]] void refuse(std::string const& key, std::string const& why) const {
        throw Unreadable{fmt::format("{}: {} {}", where_, key, why)};
    }

private:
    toml::table const& table_;
    std::string where_;
    std::set<std::string> taken_;
};

std::uint32_t number_of(Keys& keys, std::string const& key, std::optional<std::int64_t> value) {
    if (!value || *value < 0 || *value > std::int64_t{kMostRanks})
        keys.refuse(key, fmt::format("is missing, or no number of 0..{}", kMostRanks));
    return static_cast<std::uint32_t>(*value);
}

void read_job(Keys& keys, ExploreSettings& settings) {
    settings.nranks = number_of(keys, "ranks", keys.take<std::int64_t>("ranks"));
    auto const profile = protocol::profile_named(keys.take<std::string>("profile").value_or(""));
    if (!profile)
        keys.refuse("profile", "is missing, or none of article, nccl and ronde");
    settings.policies = protocol::policies_of(*profile);
    if (auto const turns = keys.take<std::string>("turns")) {
        using protocol::Turns;
        constexpr std::array all{Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths,
                                 Turns::send_then_receive};
        auto const* const found =
            std::find_if(all.begin(), all.end(), [&](Turns one) { return name_of(one) == *turns; });
        if (found == all.end())
            keys.refuse("turns", "is none that there are");
        settings.policies.turns = *found;
    }
    settings.narrow = keys.take<bool>("narrow").value_or(false);
    if (auto const twin = keys.take<std::int64_t>("twin"))
        settings.twin = number_of(keys, "twin", twin);
    settings.twin_late = keys.take<bool>("late").value_or(false);
    if (toml::array const* const told = keys.take_array("told")) {
        if (told->size() != 2)
            keys.refuse("told", "is no pair of a rank and a number of ranks");
        settings.told = {number_of(keys, "told", (*told)[0].value<std::int64_t>()),
                         number_of(keys, "told", (*told)[1].value<std::int64_t>())};
    }
}

void read_faults(Keys& keys, ExploreSettings& settings) {
    toml::array const* const given = keys.take_array("given");
    for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
        auto const fault = fault_from((*given)[i].value_or(std::string()), settings);
        if (!fault)
            keys.refuse("given", "has a fault that is none: " + fault.error());
        settings.given.push_back(*fault);
    }
}

StoryFile read_story(std::string const& path, toml::table const& table) {
    StoryFile story;
    Keys keys(table, path);
    story.property = keys.take<std::string>("property").value_or("");
    read_job(keys, story.settings);
    if (std::string const why = contradiction_in(story.settings); !why.empty())
        throw Unreadable{fmt::format("{}: {}", path, why)};
    read_faults(keys, story.settings);
    story.fewer = keys.take<std::string>("fewer").value_or("");
    if (story.fewer.empty() != (story.settings.nranks == 2))
        keys.refuse("fewer", "is missing, or stands where two ranks are the fewest");
    toml::table const* const ronde = keys.take_table("ronde");
    if (ronde == nullptr)
        keys.refuse("ronde", "is missing: how profile ronde lives through the same");
    Keys gathers(*ronde, path);
    for (Gather const gather : kGathers) {
        if (auto const said = gathers.take<std::string>(std::string(name_of(gather))))
            story.ronde[gather] = *said;
    }
    gathers.expect_no_more();
    keys.expect_no_more();
    return story;
}

}  // namespace

std::vector<std::string> stories_in(std::string const& folder) {
    std::set<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().stem().string());
    return {names.begin(), names.end()};
}

tl::expected<StoryFile, std::string> load_story(std::string const& folder, std::string const& name) {
    std::string const path = fmt::format("{}/{}.toml", folder, name);
    try {
        toml::table const table = toml::parse_file(path);
        StoryFile story = read_story(path, table);
        story.name = name;
        return story;
    } catch (toml::parse_error const& error) {
        return tl::unexpected(fmt::format("{}: {}", path, error.description()));
    } catch (Unreadable const& unreadable) {
        return tl::unexpected(unreadable.why);
    }
}

ExploreSettings under_ronde(StoryFile const& story, Gather gather) {
    ExploreSettings settings = story.settings;
    settings.policies = protocol::policies_of(protocol::Profile::ronde);
    settings.policies.gather = gather;
    return settings;
}

std::string answer_text(Exploration const& exploration) {
    Broken const& broken = exploration.found->broken;
    return fmt::format("{}\n{} is broken: {}\n{}\n{}\n", rerun_line(exploration), name_of(broken.property),
                       meaning_of(broken.property), broken.why, fmt::join(exploration.story, "\n"));
}

std::vector<std::string> moves_in(std::string const& answer) {
    std::vector<std::string> moves;
    std::istringstream lines(answer);
    constexpr std::size_t kLinesBefore = 3;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        if (++number > kLinesBefore)
            moves.push_back(line);
    }
    return moves;
}

}  // namespace ronde::explore::museum
