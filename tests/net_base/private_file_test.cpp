// Files with secrets: private from the first byte on, replaced as a whole.

#include "net/private_file.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace ronde::net {
namespace {

using test::TemporaryFolder;

unsigned mode_of(std::string const& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
}

TEST(PrivateFile, IsReadableByItsOwnerOnlyWhateverTheUmask) {
    TemporaryFolder const folder;
    mode_t const old = ::umask(0);
    auto const written = write_private_file(folder / "id", "secret\n");
    ::umask(old);
    ASSERT_TRUE(written) << written.error();
    EXPECT_EQ(mode_of(folder / "id"), 0600U);
    auto const read = read_private_file(folder / "id", 100);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->content, "secret\n");
    EXPECT_EQ(read->warning, "");
}

TEST(PrivateFile, ReplacesAnOldFileAndItsMode) {
    TemporaryFolder const folder;
    ASSERT_TRUE(write_private_file(folder / "id", "old and longer"));
    ASSERT_EQ(::chmod((folder / "id").c_str(), 0644), 0);
    ASSERT_TRUE(write_private_file(folder / "id", "new"));
    EXPECT_EQ(read_private_file(folder / "id", 100)->content, "new");
    EXPECT_EQ(mode_of(folder / "id"), 0600U);
    std::filesystem::directory_iterator const begin(folder.path());
    EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1) << "no temporary file stays behind";
}

TEST(PrivateFile, WarnsWhenOthersMayReadIt) {
    TemporaryFolder const folder;
    ASSERT_TRUE(write_private_file(folder / "id", "x"));
    ASSERT_EQ(::chmod((folder / "id").c_str(), 0640), 0);
    EXPECT_EQ(read_private_file(folder / "id", 100)->warning,
              (folder / "id") + " can be read or changed by others (mode 0640): chmod 600 it");
}

TEST(PrivateFile, RefusesWhatIsTooLongOrNoFile) {
    TemporaryFolder const folder;
    ASSERT_TRUE(write_private_file(folder / "id", "12345"));
    EXPECT_TRUE(read_private_file(folder / "id", 5));
    EXPECT_EQ(read_private_file(folder / "id", 4).error(),
              (folder / "id") + " is longer than the 4 bytes expected of it");
    EXPECT_EQ(read_private_file(folder.path(), 4).error(), folder.path() + " is not a regular file");
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(read_private_file(folder / "fifo", 4).error(), (folder / "fifo") + " is not a regular file");
    EXPECT_EQ(read_private_file(folder / "nothing", 4).error(),
              "cannot open " + (folder / "nothing") + ": No such file or directory (ENOENT)");
}

TEST(PrivateFile, SaysWhereItCannotBeWritten) {
    TemporaryFolder const folder;
    auto const written = write_private_file(folder / "missing/id", "x");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error(), testing::AllOf(testing::StartsWith("cannot create " + (folder / "missing/id.")),
                                                testing::EndsWith("No such file or directory (ENOENT)")));
}

}  // namespace
}  // namespace ronde::net
