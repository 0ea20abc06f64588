#include "tour.hpp"

#include <stdexcept>

namespace ronde {
namespace {

void need(Outcome const& outcome) {
    if (!outcome)
        throw std::runtime_error(outcome.error().message());
}

}  // namespace

Souvenirs take_the_tour(Communicator& ring) {
    RankId const me = ring.rank();
    std::uint32_t const nranks = ring.nranks();
    Souvenirs souvenirs;
    for (Entry const& entry : ring.table())
        souvenirs.ranks.push_back(entry.rank);

    constexpr std::size_t kSliceBytes = 24;
    souvenirs.gathered.resize(kSliceBytes * nranks);
    for (std::size_t i = 0; i < kSliceBytes; ++i)
        souvenirs.gathered[me * kSliceBytes + i] = static_cast<std::byte>(me + i * nranks);
    need(ring.all_gather(souvenirs.gathered, kSliceBytes));
    need(ring.barrier());

    souvenirs.word.assign(1000, static_cast<std::byte>(me + 1));
    need(ring.broadcast(souvenirs.word, nranks - 1));

    // Two messages whose receives come in the other order, and one without bytes.
    std::vector<std::byte> const late(300, static_cast<std::byte>(me + 100));
    std::vector<std::byte> const early(5'000, static_cast<std::byte>(me + 50));
    RankId const next = (me + 1) % nranks;
    RankId const previous = (me + nranks - 1) % nranks;
    need(ring.send(next, 1, late));
    need(ring.send(next, 2, early));
    need(ring.send(next, 3, {}));
    std::vector<std::byte> buffer(5'000);
    need(ring.recv(previous, 2, buffer));
    souvenirs.from_predecessor = buffer;
    buffer.resize(300);
    need(ring.recv(previous, 1, buffer));
    souvenirs.from_predecessor.insert(souvenirs.from_predecessor.end(), buffer.begin(), buffer.end());
    need(ring.recv(previous, 3, souvenirs.empty_message));

    need(ring.barrier());
    need(ring.close());
    return souvenirs;
}

}  // namespace ronde
