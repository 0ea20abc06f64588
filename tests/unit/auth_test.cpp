#include "protocol/auth.hpp"

#include "bytes_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ronde::protocol {
namespace {

using testing::Bytes;

template <std::size_t kBytes>
std::array<std::byte, kBytes> counting_from(int first) {
    std::array<std::byte, kBytes> bytes;
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(first++);
    return bytes;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
    std::string text;
    for (std::byte const byte : bytes) {
        for (int const digit : {std::to_integer<int>(byte >> 4), std::to_integer<int>(byte & std::byte{15})})
            text += "0123456789abcdef"[digit];
    }
    return text;
}

Frame frame_of(FrameKind kind) {
    Frame frame;
    frame.kind = kind;
    frame.payload_bytes = fixed_payload_bytes(kind);
    frame.aux = purpose_of(LinkClass::root);
    frame.a = 5;
    frame.c = 0x1122'3344'5566'7788U;
    return frame;
}

constexpr std::size_t kFirstPayloadBit = std::size_t{8} * kHeaderBytes;

/// Header and payload, as they travel.
struct Letter {
    Frame frame;
    Bytes payload;

    [[nodiscard]] std::size_t bits() const { return 8 * (kHeaderBytes + payload.size()); }

    [[nodiscard]] Letter with_bit_flipped(std::size_t bit) const {
        std::array<std::byte, kHeaderBytes> header{};
        encode_header(frame, header);
        Letter flipped = *this;
        auto const mask = static_cast<std::byte>(1U << (bit % 8));
        if (bit / 8 < kHeaderBytes) {
            header[bit / 8] ^= mask;
            flipped.frame = decode_header(header).frame;
        } else {
            flipped.payload[bit / 8 - kHeaderBytes] ^= mask;
        }
        return flipped;
    }
};

Letter write(Handshake& end, Secret const& secret, Frame const& frame, Nonce const& fresh) {
    Letter letter{frame, Bytes(kNonceBytes + kTagBytes)};
    letter.payload.resize(end.fill(secret, frame, fresh, letter.payload));
    return letter;
}
bool read(Handshake& end, Secret const& secret, Letter const& letter) {
    return end.check(secret, letter.frame, letter.payload);
}

class HandshakeTest : public ::testing::Test {
protected:
    Letter say_hello() { return write(connector, secret, frame_of(FrameKind::hello), connector_nonce); }
    Letter answer() { return write(acceptor, secret, frame_of(FrameKind::challenge), acceptor_nonce); }
    Letter prove() { return write(connector, secret, frame_of(FrameKind::proof), {}); }

    Secret const secret = counting_from<kSecretBytes>(0);
    Nonce const connector_nonce = counting_from<kNonceBytes>(0x10);
    Nonce const acceptor_nonce = counting_from<kNonceBytes>(0x20);
    Handshake connector;
    Handshake acceptor;
};

TEST_F(HandshakeTest, TwoThatShareTheSecretBelieveEachOther) {
    Letter const hello = say_hello();
    EXPECT_EQ(hello.payload.size(), kNonceBytes);
    ASSERT_TRUE(read(acceptor, secret, hello));
    Letter const challenge = answer();
    EXPECT_EQ(challenge.payload.size(), kNonceBytes + kTagBytes);
    ASSERT_TRUE(read(connector, secret, challenge));
    Letter const proof = prove();
    EXPECT_EQ(proof.payload.size(), kTagBytes);
    EXPECT_TRUE(read(acceptor, secret, proof));
}

// Computed once with another implementation of BLAKE2b, from the byte string that clause 3.6 describes.
TEST_F(HandshakeTest, TagsAreTheSameEverywhere) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();
    EXPECT_EQ(hexadecimal(std::span(challenge.payload).first(kNonceBytes)), hexadecimal(acceptor_nonce));
    EXPECT_EQ(hexadecimal(std::span(challenge.payload).last(kTagBytes)), "c64ac047cedbe50fc4f29e6022db318c");
    ASSERT_TRUE(read(connector, secret, challenge));
    EXPECT_EQ(hexadecimal(prove().payload), "5d3efa4af4624fa8d5267b2e44b60f26");
}

TEST_F(HandshakeTest, AnyFlippedBitOfTheHelloIsFoundByTheConnector) {
    Letter const hello = say_hello();
    Handshake const waiting = connector;
    for (std::size_t bit = 0; bit < hello.bits(); ++bit) {
        connector = waiting;
        acceptor = Handshake{};
        Letter const flipped = hello.with_bit_flipped(bit);
        // The length is canonical, and a wrong one has been refused by decode_header before anyone looks at
        // tags.
        if (flipped.frame.payload_bytes != hello.frame.payload_bytes)
            continue;
        if (read(acceptor, secret, flipped)) {
            EXPECT_FALSE(read(connector, secret, answer())) << "bit " << bit;
        }
    }
}

TEST_F(HandshakeTest, AnyFlippedBitOfTheChallengeIsFoundByTheConnector) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();
    Handshake const waiting = connector;
    for (std::size_t bit = 0; bit < challenge.bits(); ++bit) {
        connector = waiting;
        Letter const flipped = challenge.with_bit_flipped(bit);
        if (flipped.frame.payload_bytes != challenge.frame.payload_bytes)
            continue;
        EXPECT_FALSE(read(connector, secret, flipped)) << "bit " << bit;
    }
}

TEST_F(HandshakeTest, AnyFlippedBitOfTheProofIsFoundByTheAcceptor) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    ASSERT_TRUE(read(connector, secret, answer()));
    Letter const proof = prove();
    Handshake const waiting = acceptor;
    for (std::size_t bit = 0; bit < proof.bits(); ++bit) {
        acceptor = waiting;
        Letter const flipped = proof.with_bit_flipped(bit);
        if (flipped.frame.payload_bytes != proof.frame.payload_bytes)
            continue;
        EXPECT_FALSE(read(acceptor, secret, flipped)) << "bit " << bit;
    }
    acceptor = waiting;
    EXPECT_TRUE(read(acceptor, secret, proof)) << "the unflipped one still fits";
}

TEST_F(HandshakeTest, AWrongSecretConvincesNeitherEnd) {
    for (std::size_t bit = 0; bit < std::size_t{8} * kSecretBytes; ++bit) {
        Secret wrong = secret;
        wrong[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));

        connector = acceptor = Handshake{};
        ASSERT_TRUE(read(acceptor, wrong, say_hello()));
        EXPECT_FALSE(read(connector, secret, write(acceptor, wrong, frame_of(FrameKind::challenge), acceptor_nonce)));

        // A connector that cannot check the challenge cannot be made to prove anything, so it guesses a tag.
        connector = acceptor = Handshake{};
        Letter const hello = say_hello();
        ASSERT_TRUE(read(acceptor, secret, hello));
        Handshake liar_acceptor;
        ASSERT_TRUE(read(liar_acceptor, wrong, hello));
        ASSERT_TRUE(
            read(connector, wrong, write(liar_acceptor, wrong, frame_of(FrameKind::challenge), acceptor_nonce)));
        answer();
        EXPECT_FALSE(read(acceptor, secret, write(connector, wrong, frame_of(FrameKind::proof), {})));
    }
}

TEST_F(HandshakeTest, AReplayedConversationFailsAgainstAnotherNonce) {
    Letter const hello = say_hello();
    ASSERT_TRUE(read(acceptor, secret, hello));
    Letter const challenge = answer();
    ASSERT_TRUE(read(connector, secret, challenge));
    Letter const proof = prove();
    ASSERT_TRUE(read(acceptor, secret, proof));

    // The listener meets the recorded connector again, with a nonce of its own.
    Handshake second_acceptor;
    ASSERT_TRUE(read(second_acceptor, secret, hello)) << "a hello proves nothing and is always taken";
    write(second_acceptor, secret, frame_of(FrameKind::challenge), counting_from<kNonceBytes>(0x21));
    EXPECT_FALSE(read(second_acceptor, secret, proof));

    // The connector meets the recorded listener again.
    Handshake second_connector;
    write(second_connector, secret, frame_of(FrameKind::hello), counting_from<kNonceBytes>(0x11));
    EXPECT_FALSE(read(second_connector, secret, challenge));
}

TEST_F(HandshakeTest, TheAcceptorsOwnTagIsNoProof) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();
    Bytes const echoed(challenge.payload.begin() + kNonceBytes, challenge.payload.end());
    EXPECT_FALSE(read(acceptor, secret, {frame_of(FrameKind::proof), echoed}));
}

// The acceptor of one connection is made to answer for the connector of another.
TEST_F(HandshakeTest, ATagFromAParallelConnectionIsNoProof) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();

    Handshake helper;
    Letter bait{frame_of(FrameKind::hello), Bytes(challenge.payload.begin(), challenge.payload.begin() + kNonceBytes)};
    ASSERT_TRUE(read(helper, secret, bait));
    Letter const help = write(helper, secret, frame_of(FrameKind::challenge), connector_nonce);
    Bytes const stolen(help.payload.begin() + kNonceBytes, help.payload.end());
    EXPECT_FALSE(read(acceptor, secret, {frame_of(FrameKind::proof), stolen}));
}

TEST_F(HandshakeTest, AProofMustRepeatTheHello) {
    auto const changes = {+[](Frame& f) { ++f.aux; }, +[](Frame& f) { ++f.a; }, +[](Frame& f) { ++f.b; },
                          +[](Frame& f) { ++f.c; }};
    for (auto const change : changes) {
        connector = acceptor = Handshake{};
        ASSERT_TRUE(read(acceptor, secret, say_hello()));
        ASSERT_TRUE(read(connector, secret, answer()));
        Frame other = frame_of(FrameKind::proof);
        change(other);
        // The tag fits this frame: it is made by one who knows the secret, but speaks as somebody else now.
        EXPECT_FALSE(read(acceptor, secret, write(connector, secret, other, {})));
    }
}

TEST_F(HandshakeTest, OneWrongProofIsTheLast) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    ASSERT_TRUE(read(connector, secret, answer()));
    Letter const proof = prove();
    EXPECT_FALSE(read(acceptor, secret, proof.with_bit_flipped(kFirstPayloadBit)));
    EXPECT_FALSE(read(acceptor, secret, proof)) << "a nonce is good for one guess";
}

TEST_F(HandshakeTest, OneWrongChallengeIsTheLast) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();
    EXPECT_FALSE(read(connector, secret, challenge.with_bit_flipped(kFirstPayloadBit)));
    EXPECT_FALSE(read(connector, secret, challenge));
    EXPECT_TRUE(prove().payload.empty());
}

TEST_F(HandshakeTest, AProofIsTakenOnce) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    ASSERT_TRUE(read(connector, secret, answer()));
    Letter const proof = prove();
    ASSERT_TRUE(read(acceptor, secret, proof));
    EXPECT_FALSE(read(acceptor, secret, proof));
}

/// The words of a handshake, and the only two orders in which they mean something.
enum class Word { fill_hello, fill_challenge, fill_proof, check_hello, check_challenge, check_proof };
constexpr int kWords = 6;

TEST_F(HandshakeTest, OutOfTurnNothingIsSaidAndNothingIsBelieved) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Letter const challenge = answer();
    ASSERT_TRUE(read(connector, secret, challenge));
    Letter const proof = prove();
    Letter const hello{frame_of(FrameKind::hello), Bytes(connector_nonce.begin(), connector_nonce.end())};

    auto const say = [&](Handshake& end, Word word) {
        switch (word) {
        case Word::fill_hello: return !write(end, secret, hello.frame, connector_nonce).payload.empty();
        case Word::fill_challenge: return !write(end, secret, challenge.frame, acceptor_nonce).payload.empty();
        case Word::fill_proof: return !write(end, secret, proof.frame, {}).payload.empty();
        case Word::check_hello: return read(end, secret, hello);
        case Word::check_challenge: return read(end, secret, challenge);
        case Word::check_proof: return read(end, secret, proof);
        }
        return false;
    };
    // All 6^4 sentences of four words. A word succeeds only as the next one of one of the two parts.
    std::vector<Word> const parts[] = {{Word::fill_hello, Word::check_challenge, Word::fill_proof},
                                       {Word::check_hello, Word::fill_challenge, Word::check_proof}};
    for (int sentence = 0; sentence < kWords * kWords * kWords * kWords; ++sentence) {
        Handshake end;
        std::vector<Word> said;
        for (int i = 0, rest = sentence; i < 4; ++i, rest /= kWords) {
            auto const word = static_cast<Word>(rest % kWords);
            std::vector<Word> longer = said;
            longer.push_back(word);
            bool const in_turn = std::any_of(std::begin(parts), std::end(parts), [&](auto const& part) {
                return longer.size() <= part.size() && std::equal(longer.begin(), longer.end(), part.begin());
            });
            bool const done = say(end, word);
            if (done) {
                ASSERT_TRUE(in_turn) << "sentence " << sentence << ", word " << i;
                said = longer;
            } else {
                // Asking to write out of turn is refused and forgotten; having heard nonsense ends the
                // handshake.
                bool const heard = word >= Word::check_hello;
                if (heard)
                    said.assign(4, word);
                else
                    ASSERT_FALSE(in_turn) << "sentence " << sentence << ", word " << i;
            }
        }
    }
}

TEST_F(HandshakeTest, PayloadsOfAWrongSizeAreRefused) {
    Letter const hello = say_hello();
    for (std::size_t size = 0; size < 80; ++size) {
        Handshake end;
        EXPECT_EQ(end.check(secret, hello.frame, Bytes(size)), size == kNonceBytes);
    }
    ASSERT_TRUE(read(acceptor, secret, hello));
    Letter challenge = answer();
    challenge.payload.pop_back();
    EXPECT_FALSE(read(connector, secret, challenge));
    EXPECT_FALSE(acceptor.check(secret, frame_of(FrameKind::proof), {}));
}

TEST_F(HandshakeTest, OtherKindsOfFramesAreNotItsBusiness) {
    for (std::uint8_t kind = 0; kind < 20; ++kind) {
        if (kind >= 1 && kind <= 3)
            continue;
        Handshake end;
        Frame frame;
        frame.kind = static_cast<FrameKind>(kind);
        EXPECT_FALSE(end.check(secret, frame, Bytes(kNonceBytes)));
        Bytes out(kNonceBytes + kTagBytes);
        EXPECT_EQ(Handshake{}.fill(secret, frame, connector_nonce, out), 0U);
    }
}

TEST_F(HandshakeTest, ALengthThatIsNotYetFilledInChangesNoTag) {
    Frame hello = frame_of(FrameKind::hello);
    hello.payload_bytes = 0;
    Letter letter = write(connector, secret, hello, connector_nonce);
    letter.frame = frame_of(FrameKind::hello);
    ASSERT_TRUE(read(acceptor, secret, letter));
    EXPECT_TRUE(read(connector, secret, answer()));
}

TEST_F(HandshakeTest, MayBeCopiedInMidConversation) {
    ASSERT_TRUE(read(acceptor, secret, say_hello()));
    Handshake moved = acceptor;
    acceptor = Handshake{};
    Letter const challenge = write(moved, secret, frame_of(FrameKind::challenge), acceptor_nonce);
    ASSERT_TRUE(read(connector, secret, challenge));
    EXPECT_TRUE(read(moved, secret, prove()));
}

TEST(NonceTest, AreTheSameEverywhereAndDifferFromEachOther) {
    Secret const seed = counting_from<kSecretBytes>(0);
    EXPECT_EQ(hexadecimal(make_nonce(seed, 0)), "26b1692f2f9be189e8566f384816a4bd");
    EXPECT_EQ(hexadecimal(make_nonce(seed, 0x0102'0304'0506'0708U)), "29ffa78bbe628c570873c280ef7c8c6f");
    std::set<Nonce> nonces;
    for (std::uint64_t serial = 0; serial < 1000; ++serial)
        nonces.insert(make_nonce(seed, serial));
    Secret const other_seed = counting_from<kSecretBytes>(1);
    for (std::uint64_t serial = 0; serial < 1000; ++serial)
        nonces.insert(make_nonce(other_seed, serial));
    EXPECT_EQ(nonces.size(), 2000U);
}

}  // namespace
}  // namespace ronde::protocol
