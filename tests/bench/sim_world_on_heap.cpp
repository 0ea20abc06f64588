/// A world on the plain heap, for ronde_sim_bench.
#include "sim_measure.hpp"

int main(int argc, char** argv) { return ronde::bench::measure_for_parent(argc, argv); }
