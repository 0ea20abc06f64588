/// Every mutant of the catalogue dies, of what the catalogue says.
#include "mutants/run.hpp"

#include <gtest/gtest.h>

namespace ronde::mutants {
namespace {

TEST(Matrix, EveryMutantDiesOfWhatItShould) {
    Said const said = run_mutants("");
    EXPECT_EQ(said.status, 0) << said.text;
}

}  // namespace
}  // namespace ronde::mutants
