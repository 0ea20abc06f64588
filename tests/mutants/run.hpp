/// Starts `ronde-mutants` and listens.
#pragma once

#include <fmt/format.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace ronde::mutants {

struct Said {
    int status = -1;
    std::string text;  ///< both streams
};

inline Said run_mutants(std::string const& arguments) {
    Said said;
    std::string const command = fmt::format("{} {} 2>&1", RONDE_MUTANTS, arguments);
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
        return said;
    std::array<char, 4096> bytes{};
    for (std::size_t count = 1; count > 0;) {
        count = std::fread(bytes.data(), 1, bytes.size(), pipe);
        said.text.append(bytes.data(), count);
    }
    int const status = pclose(pipe);
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return said;
}

}  // namespace ronde::mutants
