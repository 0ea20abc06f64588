/// The smallest useful program: ranks find each other, shake hands, and add up their numbers.
///
///     ronde run -n 4 -- ./hello_ring
///     mpirun -n 4 ./hello_ring
#include <ronde/environment.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    auto ring = ronde::connect_from_environment();
    if (!ring) {
        std::fprintf(stderr, "%s\n  -> %s\n", ring.error().message().c_str(), ring.error().remedy().c_str());
        return 1;
    }
    std::vector<std::uint64_t> squares(ring->nranks());
    squares[ring->rank()] = std::uint64_t{ring->rank()} * ring->rank();
    if (auto done = ring->all_gather(std::as_writable_bytes(std::span(squares)), sizeof squares[0]); !done) {
        std::fprintf(stderr, "%s\n", done.error().message().c_str());
        return 1;
    }
    std::uint64_t sum = 0;
    for (std::uint64_t const square : squares)
        sum += square;
    std::uint16_t const next = ring->table()[(ring->rank() + 1) % ring->nranks()].endpoint.port;
    std::printf("rank %u of %u: the next one listens at port %u, all squares add up to %llu\n", ring->rank(),
                ring->nranks(), next, static_cast<unsigned long long>(sum));
    return ring->close() ? 0 : 1;
}
