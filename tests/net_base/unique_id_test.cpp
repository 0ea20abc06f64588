// The id as text, bytes and file: what goes round, what is refused, and what never shows.

#include "net/endpoint.hpp"
#include "net/fd.hpp"
#include "net/limits.hpp"
#include "temporary_folder.hpp"

#include <ronde/unique_id.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

namespace ronde {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

IdOptions on_loopback(std::uint32_t roots = 1) {
    IdOptions options;
    options.loopback = true;
    options.roots = roots;
    return options;
}

UniqueId fresh_id(std::uint32_t roots = 1) {
    auto host = UniqueId::create(on_loopback(roots));
    if (!host)
        throw std::runtime_error(host.error());
    return host->id();
}

UniqueId id_at(std::string_view addresses, std::string_view secret = {}) {
    auto id = UniqueId::at_address(addresses, secret);
    if (!id)
        throw std::runtime_error(id.error());
    return *id;
}

std::string error_of(tl::expected<UniqueId, std::string> const& id) { return id ? "accepted" : id.error(); }

/// Every spelling of the secret that a log could betray.
std::vector<std::string> spellings_of_secret(UniqueId const& id) {
    std::string hex;
    std::string raw;
    for (std::byte const byte : id.secret()) {
        constexpr char kDigits[] = "0123456789abcdef";
        hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
        hex += kDigits[std::to_integer<unsigned>(byte) & 15U];
        raw += static_cast<char>(byte);
    }
    // Bytes 16..47 of the id begin within the 22nd character of its base64 form.
    std::string const encoded = id.text().substr(7);
    return {hex.substr(0, 8), raw.substr(0, 4), encoded.substr(24, 8)};
}

TEST(UniqueId, GoesRoundAsTextAndAsBytes) {
    for (std::uint32_t const roots : {1U, 2U, 4U}) {
        UniqueId const id = fresh_id(roots);
        EXPECT_EQ(id.roots().size(), roots);
        EXPECT_TRUE(id.promised());
        EXPECT_EQ(id.text().size(), 7U + 171U);
        EXPECT_THAT(id.text(), StartsWith("ronde1-"));
        EXPECT_EQ(UniqueId::parse(id.text()), id);
        EXPECT_EQ(UniqueId::parse("  " + id.text() + "\r\n"), id);
        EXPECT_EQ(UniqueId::from_bytes(id.bytes()), id);
    }
}

TEST(UniqueId, TellsHowManyMayWaitAtTheRoots) {
    std::uint32_t const granted = fresh_id().root_backlog();
    EXPECT_LE(granted, std::max(16U, net::somaxconn()));
    EXPECT_GT(granted, net::somaxconn() / 4);  // the next smaller power of four
    EXPECT_EQ(UniqueId::parse(fresh_id().text())->root_backlog(), granted);
    EXPECT_EQ(UniqueId::at_address("127.0.0.1:4711")->root_backlog(), 4'096U) << "made without its roots: the usual";
}

TEST(UniqueId, IsDifferentEveryTime) {
    UniqueId const one = fresh_id();
    UniqueId const other = fresh_id();
    EXPECT_NE(one.session(), other.session());
    EXPECT_NE(one.secret(), other.secret());
}

TEST(UniqueId, KeepsEveryKindOfAddress) {
    UniqueId const id = id_at("10.0.0.5:43117,[2001:db8::a]:1,[fe80::1:2:3:4%lo]:65535");
    EXPECT_EQ(UniqueId::from_bytes(id.bytes()), id);
    EXPECT_EQ(net::to_text(id.roots()[2]), "[fe80::1:2:3:4%lo]:65535");
    EXPECT_THAT(id.public_text(), testing::EndsWith(",roots=10.0.0.5:43117+[2001:db8::a]:1+[fe80::1:2:3:4%lo]:65535"));
}

TEST(UniqueId, ThePublicTextHasSessionAndRootsAndNoSecret) {
    UniqueId const id = fresh_id(2);
    EXPECT_THAT(id.public_text(), StartsWith("ronde1:session="));
    EXPECT_THAT(id.public_text(), HasSubstr(",roots=127.0.0.1:"));
    for (std::string const& spelling : spellings_of_secret(id))
        EXPECT_THAT(id.public_text(), Not(HasSubstr(spelling)));
    EXPECT_THAT(error_of(UniqueId::parse(id.public_text())), StartsWith("not an id: it does not begin with 'ronde1-'"));
}

TEST(UniqueId, ErrorsDoNotRepeatWhatWasGiven) {
    UniqueId const id = fresh_id();
    std::string const cut = id.text().substr(0, 100);
    std::string const changed = id.text().replace(60, 1, 1, id.text()[60] == 'A' ? 'B' : 'A');
    for (std::string const& bad : {cut, changed, "x" + id.text(), id.text() + " " + id.text()}) {
        auto const parsed = UniqueId::parse(bad);
        ASSERT_FALSE(parsed);
        for (std::string const& spelling : spellings_of_secret(id))
            EXPECT_THAT(parsed.error(), Not(HasSubstr(spelling)));
    }
}

TEST(UniqueId, ATextThatIsNoIdIsToldWhy) {
    std::string const text = fresh_id().text();
    EXPECT_THAT(error_of(UniqueId::parse("")), StartsWith("not an id: it does not begin with"));
    EXPECT_THAT(error_of(UniqueId::parse("ronde2-" + text.substr(7))), StartsWith("not an id: it does not begin with"));
    EXPECT_EQ(error_of(UniqueId::parse(text.substr(0, 177))),
              "not an id: 177 characters long, expected 178; was it cut?");
    EXPECT_EQ(error_of(UniqueId::parse(text + "A")), "not an id: 179 characters long, expected 178; was it cut?");
    std::string strange = text;
    strange[20] = '*';
    EXPECT_EQ(error_of(UniqueId::parse(strange)),
              "not an id: character 21 is none of A-Z a-z 0-9 - _; was it cut or joined with other text?");
    std::string last = text;
    last.back() = '_';  // 171 characters hold 1026 bits; the last two must be zero
    EXPECT_EQ(error_of(UniqueId::parse(last)), "not an id: its last character does not fit; was it changed?");
}

TEST(UniqueId, AnyChangedByteIsNoticed) {
    UniqueId const id = fresh_id(3);
    for (std::size_t at = 0; at < UniqueId::kBytes; ++at) {
        for (unsigned const bit : {0U, 7U}) {
            UniqueId::Bytes bytes = id.bytes();
            bytes[at] ^= std::byte(1U << bit);
            EXPECT_FALSE(UniqueId::from_bytes(bytes)) << "byte " << at << ", bit " << bit;
        }
    }
}

TEST(UniqueId, AnotherVersionIsNamedBeforeTheChecksumIsLookedAt) {
    UniqueId::Bytes bytes = fresh_id().bytes();
    bytes[2] = std::byte{2};
    EXPECT_EQ(error_of(UniqueId::from_bytes(bytes)),
              "id of version 2, this program reads version 1: all ranks need the same release of ronde");
    bytes[0] = std::byte{'x'};
    EXPECT_EQ(error_of(UniqueId::from_bytes(bytes)), "not an id: it does not begin with the bytes 'ro'");
    EXPECT_EQ(error_of(UniqueId::from_bytes(std::span(bytes).first(127))), "not an id: 127 bytes long, expected 128");
}

TEST(UniqueId, TheRootsDigestDependsOnOrderPortAndNumberOnly) {
    UniqueId const two = id_at("10.0.0.5:1,10.0.0.6:1");
    EXPECT_EQ(two.roots_digest(), id_at("10.0.0.5:1,10.0.0.6:1", "other secret").roots_digest());
    EXPECT_NE(two.roots_digest(), id_at("10.0.0.6:1,10.0.0.5:1").roots_digest());
    EXPECT_NE(two.roots_digest(), id_at("10.0.0.5:1,10.0.0.6:2").roots_digest());
    EXPECT_NE(two.roots_digest(), id_at("10.0.0.5:1").roots_digest());
}

TEST(FixedAddress, EveryRankMakesTheSameId) {
    UniqueId const id = id_at("10.0.0.5:29500", "of this job only");
    EXPECT_EQ(id, id_at(" 10.0.0.5:29500\n", "of this job only"));
    EXPECT_FALSE(id.promised());
    EXPECT_NE(id.secret(), id_at("10.0.0.5:29500").secret());
    EXPECT_NE(id.session(), id_at("10.0.0.5:29500").session());
    EXPECT_NE(id.secret(), id_at("10.0.0.5:29501", "of this job only").secret());
}

TEST(FixedAddress, TheSessionDoesNotGiveTheSecretAway) {
    UniqueId const id = id_at("10.0.0.5:29500", "s");
    UniqueId::Secret const secret = id.secret();
    for (std::size_t at = 0; at + 8 <= secret.size(); ++at) {
        std::uint64_t window = 0;
        for (std::size_t i = 0; i < 8; ++i)
            window |= std::to_integer<std::uint64_t>(secret[at + i]) << (8 * i);
        EXPECT_NE(window, id.session());
    }
}

TEST(FixedAddress, BadAddressesAreNamed) {
    EXPECT_THAT(error_of(UniqueId::at_address("10.0.0.5")), StartsWith("'10.0.0.5': no port"));
    EXPECT_THAT(error_of(UniqueId::at_address("")), StartsWith("'': no port"));
    EXPECT_THAT(error_of(UniqueId::at_address("10.0.0.5:1,")), StartsWith("'': no port"));
    EXPECT_EQ(error_of(UniqueId::at_address("10.0.0.5:1,10.0.0.5:1")),
              "'10.0.0.5:1,10.0.0.5:1' names 10.0.0.5:1 twice: each root needs an address of its own");
    EXPECT_EQ(error_of(UniqueId::at_address("10.0.0.5:1,10.0.0.5:2,10.0.0.5:3,10.0.0.5:4,10.0.0.5:5")),
              "'10.0.0.5:1,10.0.0.5:2,10.0.0.5:3,10.0.0.5:4,10.0.0.5:5' names more than 4 roots");
}

TEST(FixedAddress, LocalhostIsMeantSeriously) {
    auto const id = UniqueId::at_address("localhost:29500");
    ASSERT_TRUE(id) << id.error();
    EXPECT_EQ(net::reach_of(id->roots().front()), net::Reach::loopback);
}

TEST(IdFile, IsPrivateAndGoesRound) {
    TemporaryFolder const folder;
    UniqueId const id = fresh_id();
    ASSERT_TRUE(id.write_file(folder / "id"));
    struct stat status {};
    ASSERT_EQ(::stat((folder / "id").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    auto const file = UniqueId::read_file(folder / "id");
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->id, id);
    EXPECT_EQ(file->warning, "");
}

TEST(IdFile, WarnsWhenOthersMayReadIt) {
    TemporaryFolder const folder;
    ASSERT_TRUE(fresh_id().write_file(folder / "id"));
    ASSERT_EQ(::chmod((folder / "id").c_str(), 0644), 0);
    EXPECT_THAT(UniqueId::read_file(folder / "id")->warning, HasSubstr("chmod 600"));
}

TEST(IdFile, ErrorsNameTheFile) {
    TemporaryFolder const folder;
    EXPECT_THAT(UniqueId::read_file(folder / "id").error(), StartsWith("cannot open " + (folder / "id")));
    std::ofstream(folder / "id") << "hello\n";
    EXPECT_THAT(UniqueId::read_file(folder / "id").error(), StartsWith((folder / "id") + ": not an id"));
}

}  // namespace
}  // namespace ronde
