/// What Wireshark makes of a capture, with our dissector. Skipped where tshark is not installed.
#include "timeline/pcapng.hpp"
#include "viz_time/stories.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::viz {
namespace {

std::string output_of(std::string const& command) {
    std::string text;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        return text;
    char piece[4096];
    while (std::size_t const count = std::fread(piece, 1, sizeof piece, pipe))
        text.append(piece, count);
    ::pclose(pipe);
    return text;
}

/// A capture in a file, and tshark's answers about it.
class Dissected {
public:
    explicit Dissected(Chronicle const& told)
        : path_(std::filesystem::path(testing::TempDir()) / fmt::format("ronde-tshark-{}.pcapng", ::getpid())) {
        std::ofstream(path_, std::ios::binary) << stories::written([&](Sink const& sink) { pcapng(told, sink); });
    }
    Dissected(Dissected const&) = delete;
    Dissected& operator=(Dissected const&) = delete;
    ~Dissected() { std::filesystem::remove(path_); }

    [[nodiscard]] std::string ask(std::string const& arguments) const {
        return output_of(fmt::format("tshark -n -X lua_script:{} -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE "
                                     "-r {} {} 2>/dev/null",
                                     RONDE_DISSECTOR, path_.string(), arguments));
    }

private:
    std::filesystem::path path_;
};

#define RONDE_NEEDS_TSHARK()                                  \
    if (std::system("tshark --version >/dev/null 2>&1") != 0) \
    GTEST_SKIP() << "tshark is not installed (package tshark)"

TEST(Tshark, NamesEveryFrameInOrder) {
    RONDE_NEEDS_TSHARK();
    Chronicle const told = stories::of_two();
    Dissected const dissected(told);
    std::istringstream names(dissected.ask("-Y ronde -T fields -e ronde.kind -E aggregator=/s"));
    for (MessageStory const& message : told.messages) {
        std::uint32_t kind = 0;
        ASSERT_TRUE(names >> kind);
        EXPECT_EQ(kind, static_cast<std::uint32_t>(message.kind));
    }
    std::string more;
    EXPECT_FALSE(names >> more) << more;
}

TEST(Tshark, FindsNothingWrong) {
    RONDE_NEEDS_TSHARK();
    Dissected const dissected(stories::of_crowd(40));
    EXPECT_EQ(dissected.ask("-Y '_ws.expert.severity >= \"Warning\" || _ws.malformed || tcp.analysis.flags'"), "");
    EXPECT_NE(dissected.ask("-Y ronde.rank==39").find("rank 39 of 40"), std::string::npos);
}

TEST(Tshark, ReadsTheTable) {
    RONDE_NEEDS_TSHARK();
    Dissected const dissected(stories::of_two());
    EXPECT_EQ(dissected.ask("-Y 'ronde.kind == 6 && ronde.count == 2' -T fields -e ronde.entry.rank "
                            "-e ronde.entry.ipv4 -E separator=/s"),
              "0,1 10.0.0.1,10.0.0.2\n");
}

}  // namespace
}  // namespace ronde::viz
