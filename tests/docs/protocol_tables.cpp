/// Prints the parts of docs/protocol.md that the code knows better than any author: layouts, numbers, policies,
/// transitions. Compares them with the document, or writes them into it.
///
///     docs_protocol_tables docs/protocol.md              status 1 and the differing regions' names when it is out of
///     date docs_protocol_tables --rewrite docs/protocol.md    brings it up to date
///
/// A region of the document begins with the line `<!-- generated: NAME -->` and ends with `<!-- end -->`.
#include "layouts.hpp"
#include "machines.hpp"
#include "policies.hpp"

#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace {

using Regions = std::map<std::string, std::function<std::string()>, std::less<>>;

Regions regions() {
    using namespace ronde::docs;
    return {
        {"layout header", header_layout},
        {"layout endpoint", endpoint_layout},
        {"layout entry", entry_layout},
        {"layout verdict", verdict_layout},
        {"frame sizes", frame_sizes},
        {"limits", limits},
        {"codes", codes},
        {"failures", failures},
        {"fields", fields},
        {"policies", policies},
        {"partition", partition_vectors},
        {"windows", window_vectors},
        {"transitions rank", rank_table},
        {"transitions root", root_table},
        {"diagram rank", rank_diagram},
        {"diagram root", root_diagram},
    };
}

struct Report {
    std::string text;   ///< the document with every region as it should be
    std::string wrong;  ///< one line per complaint
};

Report brought_up_to_date(std::istream& document) {
    constexpr std::string_view kBegin = "<!-- generated: ";
    constexpr std::string_view kEnd = "<!-- end -->";
    Regions missing = regions();
    Regions const known = missing;
    Report report;
    std::string line;
    while (std::getline(document, line)) {
        report.text += line + '\n';
        if (!line.starts_with(kBegin))
            continue;
        std::string const name = line.substr(kBegin.size(), line.find(" -->") - kBegin.size());
        auto const region = known.find(name);
        std::string old;
        bool ended = false;
        while (!ended && std::getline(document, line)) {
            ended = line == kEnd;
            if (!ended)
                old += line + '\n';
        }
        if (!ended)
            report.wrong += "region '" + name + "' has no end\n";
        if (region == known.end()) {
            report.wrong += "nobody generates a region '" + name + "'\n";
            report.text += old;
        } else {
            std::string const fresh = region->second();
            if (fresh != old)
                report.wrong += "region '" + name + "' is out of date\n";
            report.text += fresh;
            missing.erase(name);
        }
        report.text += std::string(kEnd) + '\n';
    }
    for (auto const& [name, make] : missing)
        report.wrong += "region '" + name + "' is missing\n";
    return report;
}

}  // namespace

int main(int argc, char** argv) {
    bool const rewrite = argc == 3 && std::string_view(argv[1]) == "--rewrite";
    if (argc != 2 && !rewrite) {
        std::cerr << "usage: docs_protocol_tables [--rewrite] <document>\n";
        return 2;
    }
    std::string const path = argv[argc - 1];
    std::ifstream in(path);
    if (!in) {
        std::cerr << path << ": cannot be read\n";
        return 2;
    }
    Report const report = brought_up_to_date(in);
    if (rewrite) {
        std::ofstream(path) << report.text;
        std::cout << report.wrong;
        return 0;
    }
    if (report.wrong.empty())
        return 0;
    std::cout << report.wrong << path << ": bring it up to date with " << argv[0] << " --rewrite " << path << '\n';
    return 1;
}
