/// Every instruction set gives the same nanoseconds.
#include "forward/expectations.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

TEST(InstructionSets, Avx2SaysWhatPortableSays) { expect_same_as_portable({.isa = Isa::avx2}); }

TEST(InstructionSets, Avx512SaysWhatPortableSays) { expect_same_as_portable({.isa = Isa::avx512}); }

TEST(InstructionSets, OneThatIsNotThereIsRefused) {
    for (Isa const isa : {Isa::avx2, Isa::avx512}) {
        auto const result = forward(RingForward{}, {.isa = isa});
        EXPECT_EQ(result.has_value(), has_isa(isa));
        if (!result) {
            EXPECT_NE(result.error().find(name_of(isa)), std::string::npos) << result.error();
        }
    }
}

}  // namespace
}  // namespace ronde::sim
