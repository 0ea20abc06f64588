/// Plays every *.txt of this folder and compares what the machine did with what is written there.
///
/// A line that starts with "> " is a command, the indented lines below it are what must come of it; everything else is
/// prose. `--rewrite` writes what really came into the files instead; read the difference before you keep it.
#include "transcripts/transcript.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ronde::protocol::tiny {
namespace {

bool rewrite = false;

/// A command with the lines below it, or prose (no command).
struct Paragraph {
    std::string command;
    std::string prose;
    std::vector<std::string> output;
    std::size_t line = 0;
};

std::vector<Paragraph> read(std::filesystem::path const& path) {
    std::ifstream file(path);
    std::vector<Paragraph> paragraphs;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.rfind("> ", 0) == 0) {
            paragraphs.push_back({line.substr(2), "", {}, number});
        } else if (line.rfind("  ", 0) == 0 && !paragraphs.empty() && !paragraphs.back().command.empty()) {
            paragraphs.back().output.push_back(line.substr(2));
        } else {
            paragraphs.push_back({"", line, {}, number});
        }
    }
    return paragraphs;
}

void write(std::filesystem::path const& path, std::vector<Paragraph> const& paragraphs) {
    std::ofstream file(path);
    for (Paragraph const& paragraph : paragraphs) {
        file << (paragraph.command.empty() ? paragraph.prose : "> " + paragraph.command) << "\n";
        for (std::string const& line : paragraph.output)
            file << "  " << line << "\n";
    }
}

/// The two outputs beside each other: "-" is written, "+" came, " " is in both (at the beginning or the end).
std::string difference(std::vector<std::string> const& written, std::vector<std::string> const& came) {
    auto const [left, right] = std::mismatch(written.begin(), written.end(), came.begin(), came.end());
    std::size_t tail = 0;
    while (tail < static_cast<std::size_t>(written.end() - left) &&
           tail < static_cast<std::size_t>(came.end() - right) &&
           written[written.size() - 1 - tail] == came[came.size() - 1 - tail]) {
        ++tail;
    }
    std::string text;
    auto const put = [&](char mark, auto from, auto to) {
        for (; from != to; ++from)
            text += fmt::format("{} {}\n", mark, *from);
    };
    auto const shared = static_cast<std::ptrdiff_t>(tail);
    put(' ', written.begin(), left);
    put('-', left, written.end() - shared);
    put('+', right, came.end() - shared);
    put(' ', written.end() - shared, written.end());
    return text;
}

class TranscriptTest : public ::testing::Test {
public:
    explicit TranscriptTest(std::filesystem::path path) : path_(std::move(path)) {}

    void TestBody() override {
        std::vector<Paragraph> paragraphs = read(path_);
        Transcript transcript;
        std::uint32_t commands = 0;
        for (Paragraph& paragraph : paragraphs) {
            if (paragraph.command.empty())
                continue;
            ++commands;
            std::vector<std::string> came;
            try {
                came = transcript.play(paragraph.command);
            } catch (std::runtime_error const& error) {
                FAIL() << path_.filename().string() << ":" << paragraph.line << ": " << error.what();
            }
            if (!rewrite) {
                EXPECT_TRUE(came == paragraph.output)
                    << path_.filename().string() << ":" << paragraph.line << ": > " << paragraph.command << "\n"
                    << difference(paragraph.output, came);
            }
            paragraph.output = came;
        }
        ASSERT_GT(commands, 0U) << path_ << " commands nothing";
        if (rewrite)
            write(path_, paragraphs);
    }

private:
    std::filesystem::path path_;
};

void register_all(std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> paths;
    for (auto const& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() == ".txt" && file.path().filename() != "CMakeLists.txt")
            paths.push_back(file.path());
    }
    std::sort(paths.begin(), paths.end());
    for (std::filesystem::path const& path : paths) {
        ::testing::RegisterTest("Transcript", path.stem().string().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                                [path]() -> ::testing::Test* { return new TranscriptTest(path); });
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i)
        ronde::protocol::tiny::rewrite |= std::string_view(argv[i]) == "--rewrite";
    ronde::protocol::tiny::register_all(RONDE_TRANSCRIPTS);
    return RUN_ALL_TESTS();
}
