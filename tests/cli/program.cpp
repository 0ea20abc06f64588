#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ronde::cli_test {
namespace {

/// Variables of whoever runs these tests that would make `ronde run` believe to be a rank.
bool misleads(std::string_view variable) {
    for (std::string_view const prefix : {"RONDE_", "NCCL_", "OMPI_", "PMI", "MPI_", "SLURM_",
                                          "RANK=", "WORLD_SIZE=", "MASTER_", "LOCAL_", "TORCHELASTIC_"}) {
        if (variable.rfind(prefix, 0) == 0)
            return true;
    }
    return false;
}

std::vector<std::string> environment_with(Environment const& environment) {
    std::vector<std::string> all;
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
        if (!misleads(*variable))
            all.emplace_back(*variable);
    }
    bool pictures = false;
    for (auto const& [name, value] : environment) {
        all.push_back(name + "=" + value);
        pictures = pictures || name == "RONDE_PICTURES";
    }
    // A test that looks at pictures of failures says so; all others leave none in the folder of everybody.
    if (!pictures)
        all.emplace_back("RONDE_PICTURES=off");
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

std::string content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_broken_script(std::string const& path) {
    std::ofstream(path) << R"(ranks = 4
fault = [
    { kind = "refuse", root = 0, duration = "400ms" },
    { kind = "refuse", root = 0, at = "400ms", duration = "400ms" },
    { kind = "refuse", root = 0, at = "800ms", duration = "400ms" },
]
)";
}

Json Ended::json() const {
    Json parsed = Json::parse(out, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << "not JSON: " << out << err;
    return parsed.is_discarded() ? Json() : parsed;
}

Ended run(std::vector<std::string> const& arguments, Environment const& environment) {
    Folder const folder;
    std::string const out = folder / "out";
    std::string const err = folder / "err";
    std::vector<std::string> words_copy = arguments;
    std::vector<std::string> variables = environment_with(environment);
    auto const argv = pointers_to(words_copy);
    auto const envp = pointers_to(variables);

    pid_t const child = ::fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "r", stdin) == nullptr || std::freopen(out.c_str(), "w", stdout) == nullptr ||
            std::freopen(err.c_str(), "w", stderr) == nullptr)
            ::_exit(125);
        ::execvpe(argv.front(), argv.data(), envp.data());
        ::_exit(127);
    }
    EXPECT_GT(child, 0) << "cannot fork";
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out), content_of(err)};
}

Ended ronde(std::string const& arguments, Environment const& environment) {
    std::vector<std::string> all = words(arguments);
    all.insert(all.begin(), ronde_path());
    return run(all, environment);
}

std::string ronde_path() { return RONDE_PROGRAM; }
std::string hello_ring_path() { return HELLO_RING; }

bool installed(std::string const& program) {
    std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + program).c_str(), X_OK) == 0)
            return true;
    }
    return false;
}

std::vector<std::string> words(std::string const& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;)
        all.push_back(word);
    return all;
}

std::size_t lines_of(std::string const& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ronde-cli-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        ADD_FAILURE() << "cannot make " << name;
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace ronde::cli_test
