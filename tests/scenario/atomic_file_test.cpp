/// Files that are there whole or not at all.
#include "scenario/atomic_file.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::sim {
namespace {

namespace fs = std::filesystem;

class AtomicFiles : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "atomic-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path(char const* name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::string content(char const* name) const {
        std::ifstream file(path(name), std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

    fs::path folder_;
};

TEST_F(AtomicFiles, ReplaceTheFormerContentAtOnce) {
    ASSERT_EQ(write_file(path("out"), "old"), "");
    {
        AtomicFile file(path("out"));
        file.write("ne");
        file.write("w");
        EXPECT_EQ(content("out"), "old") << "until commit";
        EXPECT_TRUE(file.commit());
    }
    EXPECT_EQ(content("out"), "new");
    EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, LeaveNothingBehindWithoutCommit) {
    ASSERT_EQ(write_file(path("out"), "old"), "");
    { AtomicFile(path("out")).write("half"); }
    EXPECT_EQ(content("out"), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, AreDiscardedWhenASignalEndsTheProcess) {
    AtomicFile half(path("half"));
    half.write("ha");
    AtomicFile whole(path("whole"));
    ASSERT_TRUE(whole.commit());
    ASSERT_EQ(files(), 2);
    discard_unfinished_files();
    EXPECT_EQ(files(), 1) << "the half one is gone";
    EXPECT_TRUE(fs::exists(path("whole")));
}

TEST_F(AtomicFiles, OfTheParentOutliveAForkedChild) {
    AtomicFile half(path("half"));
    ASSERT_EQ(files(), 1);
    pid_t const child = ::fork();
    if (child == 0) {
        discard_unfinished_files();
        ::_exit(0);
    }
    ASSERT_GT(child, 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(files(), 1);
    EXPECT_TRUE(half.commit());
}

TEST_F(AtomicFiles, SayWhyTheyCannotBe) {
    EXPECT_EQ(write_file(path("no/such/folder"), "x"),
              path("no/such/folder") + ": cannot create: No such file or directory");
    fs::create_directory(path("taken"));
    EXPECT_EQ(write_file(path("taken"), "x"), path("taken") + ": cannot replace: Is a directory");
    EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace ronde::sim
