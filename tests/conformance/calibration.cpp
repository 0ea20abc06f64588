/// usage: ronde_calibration [--short]
/// Plays every story on this machine's kernel and in the pretend world, and prints the table of docs/calibration.md.
#include "story.hpp"
#include "wire.hpp"

#include <fmt/format.h>

#include <sys/utsname.h>

#include <cstring>

namespace ronde::conformance {
namespace {

std::string row(Facts const& facts) {
    std::string text;
    for (auto const& [what, value] : facts)
        text += fmt::format("{}{}: **{}**", text.empty() ? "" : "<br>", what, value);
    return text;
}

/// How many stories end differently without a reason.
int print(std::vector<Story> const& stories) {
    int differences = 0;
    for (Story const& story : stories) {
        Facts const kernel = story.kernel();
        Facts const pretended = story.pretended ? story.pretended() : Facts();
        bool const agrees = !story.pretended || disagreement(story, kernel, pretended).empty();
        differences += agrees ? 0 : 1;
        std::string verdict = "as the kernel";
        if (!agrees)
            verdict = "**differs**";
        else if (!story.why.empty())
            verdict = std::string(story.why);
        fmt::print("| {} | {} | {} | {} | `{}` | {} |\n", story.name, story.happens, row(kernel),
                   story.pretended ? row(pretended) : "—", story.function, verdict);
    }
    return differences;
}

int run(bool long_ones) {
    utsname machine{};
    (void)::uname(&machine);
    fmt::print("Measured on Linux {}.\n\n", machine.release);
    fmt::print("| story | what happens | this kernel | the pretend world | who decides in the kernel | verdict |\n");
    fmt::print("|---|---|---|---|---|---|\n");
    int differences = print(short_stories());
    if (long_ones)
        differences += print(long_stories());
    return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ronde::conformance

int main(int argc, char** argv) {
    try {
        return ronde::conformance::run(argc < 2 || std::strcmp(argv[1], "--short") != 0);
    } catch (std::exception const& error) {
        fmt::print(stderr, "ronde_calibration: {}\n", error.what());
        return 2;
    }
}
