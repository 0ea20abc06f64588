/// Every mutant of the catalogue dies, of what the catalogue says. What is slow by itself (sanitizers, no optimiser) is
/// given the smaller trials: a layer has two minutes for the machine as it is.
#include "mutants/run.hpp"

#include <gtest/gtest.h>

namespace ronde::mutants {
namespace {

TEST(Matrix, EveryMutantDiesOfWhatItShould) {
    Said const said = run_mutants(RONDE_MATRIX_FLAGS);
    EXPECT_EQ(said.status, 0) << said.text;
}

}  // namespace
}  // namespace ronde::mutants
