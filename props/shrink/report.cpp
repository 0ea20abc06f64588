#include "shrink/report.hpp"

#include <nlohmann/json.hpp>

namespace ronde::props {
namespace {

nlohmann::ordered_json json_of(FailureSize const& size) {
    return {{"ranks", size.ranks}, {"faults", size.faults}, {"moves", size.moves}};
}

}  // namespace

std::string shrink_json(ShrinkReport const& report) {
    nlohmann::ordered_json json;
    json["property"] = name_of(report.shrunk.violation.property);
    json["sentence"] = report.shrunk.violation.sentence;
    json["script"] = report.script;
    json["small"] = report.small;
    json["test"] = report.test;
    if (!report.picture.empty())
        json["picture"] = report.picture;
    json["before"] = json_of(report.before);
    json["after"] = json_of(report.after);
    json["worlds"] = report.shrunk.runs;
    json["changes"] = report.shrunk.steps;
    json["finished"] = report.shrunk.finished;
    if (report.critical) {
        json["critical"] = {{"step", report.critical->step},
                            {"choices", report.critical->choices},
                            {"continuations", report.critical->continuations}};
    }
    if (report.known.unknown.empty()) {
        json["minimum"] = json_of(report.known.size);
        json["minimum"]["command"] = report.known.command;
    } else {
        json["minimum_unknown"] = report.known.unknown;
    }
    return json.dump(2) + "\n";
}

}  // namespace ronde::props
