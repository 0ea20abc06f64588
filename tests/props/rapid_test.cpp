/// Machines and worlds against small models, with inputs that rapidcheck draws and makes small.
#include "generate/rapid.hpp"

#include "observe/watch.hpp"
#include "protocol/framer.hpp"
#include "protocol/root.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <map>

namespace ronde::props {
namespace {

using protocol::Event;
using protocol::Frame;
using protocol::FrameKind;

// --- a root against a set of ranks [S4] -----------------------------------------------------------------------------

constexpr std::uint32_t kRanks = 6;  // the last one never comes, so the root goes on counting

/// Who is here, and as which process.
struct Book {
    std::map<std::uint32_t, std::uint64_t> present;
    bool ended = false;  ///< a second process came for a rank that was here
};

struct RootUnderTest {
    protocol::RootConfig config;
    std::vector<protocol::RootRecord> records{kRanks};
    std::vector<std::uint32_t> device_index = std::vector<std::uint32_t>(protocol::RootRoom::index_size(kRanks));
    protocol::Root machine;
    protocol::Actions actions;

    RootUnderTest() {
        config.policies = protocol::policies_of(protocol::Profile::ronde);
        config.expected_nranks = kRanks;
        machine = protocol::Root(config);
        machine.provide({records, device_index});
        feed(Event::start(0));
        feed(Event::listening(0, protocol::Listener::root));
    }
    void feed(Event const& event) {
        machine.step(event, actions.clear());
        while (actions.more())
            machine.step(Event::resume(event.now), actions.clear());
    }
    void check_in(std::uint32_t rank, std::uint64_t incarnation, bool proven) {
        protocol::Link const door = protocol::pending(0);
        feed(Event::accepted(0, protocol::Listener::root, door));
        Frame frame;
        frame.kind = FrameKind::hello;
        frame.aux = protocol::purpose_of(protocol::LinkClass::root);
        frame.a = rank;
        feed(Event::arrived(0, door, frame, {}));
        frame.kind = FrameKind::proof;
        feed(Event::arrived(0, door, frame, {}, proven));
        frame.kind = FrameKind::check_in;
        frame.aux = 0;
        frame.b = kRanks;
        frame.c = std::uint64_t{protocol::digest_of(protocol::resolve(config.policies, kRanks, 1))} << 32U;
        frame.d = static_cast<std::uint64_t>(protocol::kNever);
        protocol::Entry entry;
        entry.rank = rank;
        entry.device_id = rank;
        entry.incarnation = incarnation;
        std::array<std::byte, protocol::kEntryBytes> payload{};
        protocol::encode_entry(entry, payload);
        feed(Event::arrived(0, door, frame, payload));
        feed(Event::closed(0, door, protocol::Failure::end_of_stream));  // nothing, if it was admitted or turned away
    }
};

using RootCommand = rc::state::Command<Book, RootUnderTest>;

void agree(Book const& book, RootUnderTest const& root) {
    RC_ASSERT(root.machine.checked_in() == book.present.size());
    RC_ASSERT((root.machine.phase() == protocol::RootPhase::failed) == book.ended);
    RC_ASSERT((root.machine.verdict().error.code == protocol::Code::duplicate_rank) == book.ended);
}

/// A process checks in: for the first time, once more, or as a second one for the same rank.
struct CheckIn final : RootCommand {
    std::uint32_t rank = *rc::gen::inRange<std::uint32_t>(0, kRanks - 1U);
    std::uint64_t incarnation = *rc::gen::weightedElement<std::uint64_t>({{9, 1}, {1, 2}});

    void apply(Book& book) const override {
        if (book.ended)
            return;
        auto const [known, fresh] = book.present.emplace(rank, incarnation);
        book.ended = !fresh && known->second != incarnation;
    }
    void run(Book const& before, RootUnderTest& root) const override {
        root.check_in(rank, incarnation, true);
        Book after = before;
        apply(after);
        agree(after, root);
    }
    void show(std::ostream& out) const override { out << "rank " << rank << " as " << incarnation; }
};

/// Somebody who knows all numbers, but not the secret.
struct Impostor final : RootCommand {
    std::uint32_t rank = *rc::gen::inRange<std::uint32_t>(0, kRanks);

    void apply(Book&) const override {}
    void run(Book const& before, RootUnderTest& root) const override {
        root.check_in(rank, 9, false);
        agree(before, root);
    }
    void show(std::ostream& out) const override { out << "an impostor of rank " << rank; }
};

/// The connection of a rank is reset, and it may come back.
struct Reset final : RootCommand {
    std::uint32_t rank = *rc::gen::inRange<std::uint32_t>(0, kRanks - 1U);

    void checkPreconditions(Book const& book) const override { RC_PRE(book.present.contains(rank) && !book.ended); }
    void apply(Book&) const override {}
    void run(Book const& before, RootUnderTest& root) const override {
        root.feed(Event::closed(0, protocol::member(rank), protocol::Failure::reset));
        agree(before, root);
    }
    void show(std::ostream& out) const override { out << "reset of rank " << rank; }
};

RC_GTEST_PROP(RootAgainstASet, CountsEachRankOnce, ()) {
    RootUnderTest root;
    rc::state::check(Book{}, root, rc::state::gen::execOneOfWithArgs<CheckIn, CheckIn, Impostor, Reset>());
}

// --- frames and bytes -----------------------------------------------------------------------------------------------

/// All frames of a stream that arrives in pieces, payloads thrown away.
std::vector<Frame> frames_of(std::vector<std::byte> const& stream, std::vector<std::uint16_t> const& cuts,
                             bool& sound) {
    protocol::Framer framer;
    std::vector<Frame> frames;
    std::vector<std::byte> room;
    std::size_t next_cut = 0;
    for (std::size_t at = 0; at < stream.size();) {
        std::size_t const want = next_cut < cuts.size() ? 1U + cuts[next_cut++] % 97U : stream.size();
        std::size_t const size = std::min(want, stream.size() - at);
        std::span<const std::byte> piece(stream.data() + at, size);
        at += size;
        bool more = true;
        while (more) {
            switch (framer.feed(piece)) {
            case protocol::Framer::Status::hungry: more = false; break;
            case protocol::Framer::Status::header:
                room.resize(framer.frame().payload_bytes);
                framer.place(room);
                break;
            case protocol::Framer::Status::frame:
                frames.push_back(framer.frame());
                framer.next();
                more = !piece.empty();
                break;
            case protocol::Framer::Status::malformed: sound = false; return frames;
            }
        }
    }
    sound = framer.between_frames();
    return frames;
}

RC_GTEST_PROP(Streams, GiveTheFramesThatWereWrittenHoweverTheyAreCut, ()) {
    auto const written = *rc::gen::container<std::vector<Frame>>(arbitrary_frame(300)).as("frames");
    auto const cuts = *rc::gen::arbitrary<std::vector<std::uint16_t>>().as("cuts");
    std::vector<std::byte> stream;
    for (Frame const& frame : written) {
        std::array<std::byte, protocol::kHeaderBytes> header{};
        encode_header(frame, header);
        stream.insert(stream.end(), header.begin(), header.end());
        stream.resize(stream.size() + frame.payload_bytes, std::byte{0x5a});
    }
    bool sound = true;
    RC_ASSERT((frames_of(stream, cuts, sound) == written));
    RC_ASSERT(sound);
}

RC_GTEST_PROP(Streams, OfNonsenseEndWithoutMoreThanAFrameOfFixedSizeRead, ()) {
    auto const numbers = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    std::vector<std::byte> stream;
    for (std::uint8_t const number : numbers)
        stream.push_back(static_cast<std::byte>(number));
    protocol::Framer framer;
    std::span<const std::byte> rest(stream);
    auto status = framer.feed(rest);
    if (stream.size() < protocol::kHeaderBytes) {
        RC_ASSERT(status == protocol::Framer::Status::hungry);
        return;
    }
    RC_ASSERT(status != protocol::Framer::Status::frame);
    if (status == protocol::Framer::Status::malformed) {
        RC_ASSERT(framer.feed(rest) == protocol::Framer::Status::malformed);
        return;
    }
    std::uint32_t const fixed = protocol::fixed_payload_bytes(framer.frame().kind);
    RC_ASSERT(fixed == protocol::kVariable || framer.frame().payload_bytes == fixed);
}

// --- worlds ---------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(Worlds, ThatRapidcheckMakesUpKeepAllProperties, ()) {
    Shape shape;
    shape.most_ranks = 12;
    sim::WorldPlan const plan = *arbitrary_plan(shape);
    RC_ASSERT(contradiction_in(plan).empty());
    sim::World world(plan);
    Watch watch(world, PropertySet::all());
    RC_ASSERT(watch.run() == "");
}

}  // namespace
}  // namespace ronde::props
