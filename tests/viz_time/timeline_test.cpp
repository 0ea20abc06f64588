/// Traces for viewers, read back.
#include "timeline/chrome.hpp"
#include "timeline/perfetto.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ronde::viz {
namespace {

/// One field of a protobuf message: a number, or bytes.
struct ProtoField {
    std::uint32_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
};

/// Reads a message without knowing its schema; nothing if it is none.
std::optional<std::vector<ProtoField>> proto_fields(std::string_view in) {
    std::vector<ProtoField> fields;
    auto const varint = [&in]() -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        for (std::uint32_t shift = 0; shift < 64 && !in.empty(); shift += 7) {
            auto const byte = static_cast<unsigned char>(in.front());
            in.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80U)
                return value;
        }
        return std::nullopt;
    };
    while (!in.empty()) {
        auto const tag = varint();
        if (!tag)
            return std::nullopt;
        ProtoField field{static_cast<std::uint32_t>(*tag >> 3U), 0, {}};
        auto const number = (*tag & 7U) == 1 ? std::optional<std::uint64_t>(8) : varint();
        if (!number)
            return std::nullopt;
        switch (*tag & 7U) {
        case 0: field.value = *number; break;
        case 1:
        case 2:
            if (*number > in.size())
                return std::nullopt;
            field.bytes = in.substr(0, *number);
            in.remove_prefix(*number);
            for (std::size_t i = 0; (*tag & 7U) == 1 && i < 8; ++i)
                field.value |= std::uint64_t{static_cast<unsigned char>(field.bytes[i])} << (8 * i);
            break;
        default: return std::nullopt;
        }
        fields.push_back(field);
    }
    return fields;
}

std::vector<ProtoField> only(std::vector<ProtoField> const& fields, std::uint32_t number) {
    std::vector<ProtoField> found;
    for (ProtoField const& field : fields) {
        if (field.number == number)
            found.push_back(field);
    }
    return found;
}

std::size_t received_count(Chronicle const& told) {
    std::size_t count = 0;
    for (MessageStory const& message : told.messages)
        count += message.received_ns != kNever ? 1U : 0U;
    return count;
}

TEST(ChromeTrace, FlowsJoinTheStepsOfEveryMessageThatArrived) {
    Chronicle const told = stories::of_two();
    auto const trace = nlohmann::json::parse(stories::written([&](Sink const& sink) { chrome_trace(told, sink); }));
    std::map<std::uint64_t, double> begun;
    std::size_t ended = 0;
    std::size_t lost = 0;
    std::set<std::pair<int, std::string>> steps;  // thread and time
    for (auto const& event : trace["traceEvents"]) {
        if (event.value("cat", "") == "step")
            steps.emplace(event["tid"].get<int>(), event["ts"].dump());
    }
    for (auto const& event : trace["traceEvents"]) {
        std::string const kind = event["ph"];
        if (kind == "s") {
            begun[event["id"]] = event["ts"];
            EXPECT_TRUE(steps.count({event["tid"].get<int>(), event["ts"].dump()}) == 1) << event;
        }
        if (kind == "f") {
            ++ended;
            ASSERT_TRUE(begun.count(event["id"]) == 1) << event;
            EXPECT_LE(begun[event["id"]], event["ts"].get<double>());
            EXPECT_TRUE(steps.count({event["tid"].get<int>(), event["ts"].dump()}) == 1) << event;
        }
        lost += event["name"].get<std::string>().ends_with("did not arrive") ? 1U : 0U;
    }
    EXPECT_EQ(begun.size(), received_count(told));
    EXPECT_EQ(ended, received_count(told));
    EXPECT_EQ(lost, 1U);
}

TEST(ChromeTrace, PhasesOfAThreadFollowOneAnother) {
    Chronicle const told = stories::of_crowd(8);
    auto const trace = nlohmann::json::parse(stories::written([&](Sink const& sink) { chrome_trace(told, sink); }));
    std::map<int, double> until;
    std::size_t phases = 0;
    for (auto const& event : trace["traceEvents"]) {
        if (event.value("cat", "") != "phase")
            continue;
        ++phases;
        double& last = until[event["tid"].get<int>()];
        EXPECT_GE(event["ts"].get<double>(), last);
        last = event["ts"].get<double>() + event["dur"].get<double>();
    }
    EXPECT_GE(phases, 8U * 3U);
}

TEST(PerfettoTrace, SlicesCloseAndFlowsMeet) {
    Chronicle const told = stories::of_two();
    auto const bytes = stories::written([&](Sink const& sink) { perfetto_trace(told, sink); });
    auto const packets = proto_fields(bytes);
    ASSERT_TRUE(packets);
    std::set<std::uint64_t> tracks;
    std::set<std::uint64_t> names;
    std::map<std::uint64_t, int> open;
    std::multiset<std::uint64_t> begun;
    std::multiset<std::uint64_t> ended;
    std::uint64_t last_ns = 0;
    bool first = true;
    for (ProtoField const& packet : *packets) {
        ASSERT_EQ(packet.number, 1U);
        auto const fields = proto_fields(packet.bytes);
        ASSERT_TRUE(fields);
        EXPECT_EQ(only(*fields, 10).size(), 1U) << "every packet belongs to a sequence";
        EXPECT_EQ(only(*fields, 13).at(0).value, first ? 1U : 2U);
        first = false;
        for (ProtoField const& descriptor : only(*fields, 60))
            EXPECT_TRUE(tracks.insert(only(*proto_fields(descriptor.bytes), 1).at(0).value).second);
        for (ProtoField const& interned : only(*fields, 12)) {
            for (ProtoField const& name : only(*proto_fields(interned.bytes), 2))
                EXPECT_TRUE(names.insert(only(*proto_fields(name.bytes), 1).at(0).value).second);
        }
        for (ProtoField const& inner : only(*fields, 11)) {
            std::uint64_t const at_ns = only(*fields, 8).at(0).value;
            EXPECT_GE(at_ns, last_ns);
            last_ns = at_ns;
            auto const event = proto_fields(inner.bytes);
            ASSERT_TRUE(event);
            std::uint64_t const track = only(*event, 11).at(0).value;
            EXPECT_EQ(tracks.count(track), 1U);
            for (ProtoField const& name : only(*event, 10))
                EXPECT_EQ(names.count(name.value), 1U) << "a name is spelt before it is used";
            std::uint64_t const type = only(*event, 9).at(0).value;
            open[track] += type == 1 ? 1 : type == 2 ? -1 : 0;
            EXPECT_GE(open[track], 0);
            EXPECT_LE(open[track], 1) << "a process is in one phase";
            for (ProtoField const& flow : only(*event, 47))
                begun.insert(flow.value);
            for (ProtoField const& flow : only(*event, 48))
                ended.insert(flow.value);
        }
    }
    for (auto const& [track, count] : open)
        EXPECT_EQ(count, 0) << track;
    EXPECT_EQ(begun.size(), received_count(told));
    EXPECT_EQ(begun, ended);
}

TEST(PerfettoTrace, EqualChroniclesGiveEqualBytes) {
    Chronicle const one = stories::of_crowd(20);
    Chronicle const other = stories::of_crowd(20);
    EXPECT_EQ(stories::written([&](Sink const& sink) { perfetto_trace(one, sink); }),
              stories::written([&](Sink const& sink) { perfetto_trace(other, sink); }));
}

}  // namespace
}  // namespace ronde::viz
