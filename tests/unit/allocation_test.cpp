/// What a step may call must not allocate: operator new is replaced by one that counts.
#include "protocol/auth.hpp"
#include "protocol/entry.hpp"
#include "protocol/framer.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0;

void* count_and_allocate(std::size_t size) {
    ++allocations;
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return count_and_allocate(size); }
void* operator new[](std::size_t size) { return count_and_allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace ronde::protocol {
namespace {

/// Allocations that `work` makes.
template <class Work>
std::size_t allocations_in(Work const& work) {
    std::size_t const before = allocations;
    work();
    return allocations - before;
}

TEST(Allocation, IsNoticedWhenThereIsOne) {
    Entry const table[2] = {};
    EXPECT_GT(allocations_in([&] { static_cast<void>(find_duplicate_device(table)); }), 0U);
}

TEST(Allocation, CodecsDoWithout) {
    std::array<std::byte, kVerdictBytes> room{};
    EXPECT_EQ(allocations_in([&] {
                  encode_entry(Entry{}, room);
                  static_cast<void>(decode_entry(room));
                  encode_verdict(Verdict{}, room);
                  static_cast<void>(decode_verdict(room));
                  room[0] = std::byte{0xff};
                  static_cast<void>(decode_verdict(room));
                  encode_header(Frame{}, std::span(room).first<kHeaderBytes>());
                  static_cast<void>(decode_header(std::span(room).first<kHeaderBytes>()));
              }),
              0U);
}

TEST(Allocation, TheFramerDoesWithout) {
    std::array<std::byte, 2 * kHeaderBytes + kVerdictBytes> wire{};
    Frame verdict;
    verdict.kind = FrameKind::verdict;
    verdict.payload_bytes = kVerdictBytes;
    encode_header(verdict, std::span(wire).first<kHeaderBytes>());
    Frame claim;
    claim.kind = FrameKind::message;
    claim.payload_bytes = 0xffff'ffffU;  // a length is no reason to reserve anything
    encode_header(claim, std::span(wire).last<kHeaderBytes>());
    Framer::Status last = Framer::Status::hungry;
    EXPECT_EQ(allocations_in([&] {
                  Framer framer;
                  std::span<const std::byte> in(wire);
                  static_cast<void>(framer.feed(in));
                  framer.take_inline();
                  static_cast<void>(framer.feed(in));
                  framer.next();
                  last = framer.feed(in);
              }),
              0U);
    EXPECT_EQ(last, Framer::Status::header);
}

TEST(Allocation, TheHandshakeDoesWithout) {
    Secret const secret{};
    std::array<std::byte, kNonceBytes + kTagBytes> room{};
    bool proven = false;
    EXPECT_EQ(allocations_in([&] {
                  Handshake connector;
                  Handshake acceptor;
                  auto const pass = [&](Handshake& from, Handshake& to, FrameKind kind) {
                      Frame frame;
                      frame.kind = kind;
                      std::uint32_t const bytes = from.fill(secret, frame, make_nonce(secret, 1), room);
                      return to.check(secret, frame, std::span(room).first(bytes));
                  };
                  proven = pass(connector, acceptor, FrameKind::hello) &&
                           pass(acceptor, connector, FrameKind::challenge) &&
                           pass(connector, acceptor, FrameKind::proof);
              }),
              0U);
    EXPECT_TRUE(proven);
}

TEST(Allocation, PoliciesActionsAndNamesDoWithout) {
    EXPECT_EQ(allocations_in([&] {
                  Policies const policies = resolve(policies_of(Profile::nccl), 8, 2);
                  static_cast<void>(contradiction_in(policies, 8, 9));
                  static_cast<void>(digest_of(policies));
                  static_cast<void>(profile_named("nccl"));
                  static_cast<void>(remedy_for(Error{}));
                  static_cast<void>(name_of(Code::deadline));
                  Actions actions;
                  for (std::uint32_t i = 0; i < kMaxActions; ++i)
                      actions.push(ActionKind::send);
              }),
              0U);
}

}  // namespace
}  // namespace ronde::protocol
