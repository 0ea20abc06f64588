/// Writes the sources of the machine once more, with every fault of the catalogue in its place, asleep.
///
///     ronde_mutate runtime/protocol OUT
///
/// OUT gets the files that have mutants, and lost.cpp: the mutants whose place is not there (once) any more. A lost
/// mutant does not stop the build of whoever changed the machine; it fails the run of the mutants.
#include "mutants/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ronde::mutants {
namespace {

struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
    std::string text;
};

std::string is_active(std::size_t index) { return fmt::format("::ronde::mutants::active_mutant == {}U", index + 1U); }

/// The text of one place, with the mutants that share it.
std::string mutated_text(std::string_view original, std::vector<std::size_t> const& mutants) {
    Mutant const& first = catalogue()[mutants.front()];
    switch (first.change) {
    case Change::insertion:
        return fmt::format("if ({}) {{ {} }}\n{}", is_active(mutants.front()), first.mutated, original);
    case Change::statement:
        return fmt::format("if ({}) {{ {} }} else {{ {} }}", is_active(mutants.front()), first.mutated, original);
    case Change::expression: break;
    }
    std::string text;
    for (std::size_t const index : mutants)
        text += fmt::format("({}) ? ({}) : ", is_active(index), catalogue()[index].mutated);
    return fmt::format("({}({}))", text, original);
}

std::size_t occurrences(std::string const& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1U))
        ++count;
    return count;
}

/// The places of one file, from its end to its beginning; who finds none is added to `lost`.
std::vector<Place> places_in(std::string const& text, std::string_view file, std::vector<std::string_view>& lost) {
    std::map<std::string_view, std::vector<std::size_t>> by_original;
    for (std::size_t index = 0; index < catalogue().size(); ++index) {
        if (catalogue()[index].file == file)
            by_original[catalogue()[index].original].push_back(index);
    }
    std::vector<Place> places;
    for (auto const& place : by_original) {
        std::string_view const original = place.first;
        std::vector<std::size_t> const& mutants = place.second;
        std::size_t const at = text.find(original);
        bool const overlaps = std::any_of(places.begin(), places.end(), [&](Place const& other) {
            return at < other.at + other.size && other.at < at + original.size();
        });
        if (occurrences(text, original) != 1 || overlaps) {
            for (std::size_t const index : mutants)
                lost.push_back(catalogue()[index].name);
            continue;
        }
        places.push_back({at, original.size(), mutated_text(original, mutants)});
    }
    std::sort(places.begin(), places.end(), [](Place const& a, Place const& b) { return a.at > b.at; });
    return places;
}

std::string read(std::filesystem::path const& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

int mutate(std::filesystem::path const& from, std::filesystem::path const& to) {
    std::vector<std::string_view> files;
    for (Mutant const& mutant : catalogue()) {
        if (std::find(files.begin(), files.end(), mutant.file) == files.end())
            files.push_back(mutant.file);
    }
    std::filesystem::create_directories(to);
    std::vector<std::string_view> lost;
    for (std::string_view const file : files) {
        std::string text = read(from / file);
        if (text.empty()) {
            fmt::print(stderr, "ronde_mutate: cannot read {}\n", (from / file).string());
            return 1;
        }
        for (Place const& place : places_in(text, file, lost))
            text.replace(place.at, place.size, place.text);
        std::ofstream(to / file) << "#include \"mutants/active.hpp\"\n" << text;
    }
    std::ofstream list(to / "lost.cpp");
    list << "#include \"mutants/active.hpp\"\n\nnamespace ronde::mutants {\n\nbool is_lost(std::string_view name) {\n";
    for (std::string_view const name : lost)
        list << fmt::format("    if (name == \"{}\")\n        return true;\n", name);
    list << "    static_cast<void>(name);\n    return false;\n}\n\n}  // namespace ronde::mutants\n";
    return list.good() ? 0 : 1;
}

}  // namespace
}  // namespace ronde::mutants

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: ronde_mutate SOURCE-FOLDER OUT-FOLDER\n");
        return 2;
    }
    return ronde::mutants::mutate(argv[1], argv[2]);
}
