/// [[fault]]: what goes wrong on purpose, to whom, and when.
#include "scenario/rows.hpp"

#include <array>

namespace ronde::sim {
namespace {

constexpr std::array<FaultShape, kFaultKinds> kShapes{{
    {FaultKind::never, "does not start at all", "", ""},
    {FaultKind::late, "starts later than it would", "how much later", ""},
    {FaultKind::slow, "every service takes longer", "how long that lasts", "how many times as long"},
    {FaultKind::pause, "stands still (SIGSTOP, a suspended machine); its kernel goes on", "how long", ""},
    {FaultKind::crash, "ends as `death` says", "", ""},
    {FaultKind::restart, "crashes, and is back as a new process", "how long it is away", ""},
    {FaultKind::abort, "the program gives up", "", ""},
    {FaultKind::reset, "its connections are reset", "", "how many of them; 0: all"},
    {FaultKind::refuse, "who connects to it is refused", "how long", ""},
    {FaultKind::hang, "who connects to it gets no answer", "how long", ""},
    {FaultKind::ghost, "connections to it stand for the caller only", "how long", ""},
    {FaultKind::partition, "nothing passes between it and the others", "how long", ""},
    {FaultKind::one_way, "nothing from it arrives at the others", "how long", ""},
    {FaultKind::expire, "an idle connection is forgotten by a box in between", "how long idle", ""},
    {FaultKind::trickle, "what it sends travels in pieces", "from one piece to the next", "bytes of a piece"},
    {FaultKind::no_descriptors, "connect and accept fail with EMFILE", "", "how many calls"},
    {FaultKind::no_ports, "connect fails with EADDRNOTAVAIL", "", "how many calls"},
    {FaultKind::address_in_use, "its listener cannot be bound (EADDRINUSE)", "", ""},
    {FaultKind::unreachable, "connect fails with EHOSTUNREACH", "", "how many calls"},
    {FaultKind::interrupted, "calls are interrupted by a signal and made again", "", "how many calls"},
    {FaultKind::stranger, "somebody without business here connects to it, `times`, `every` so often", "", ""},
    {FaultKind::duplicate, "a second process claims its rank", "", ""},
    {FaultKind::same_device, "registers the device of another rank", "", "that rank"},
    {FaultKind::wrong_nranks, "was told another number of ranks", "", "that number"},
    {FaultKind::wrong_roots, "has another list of roots", "", ""},
    {FaultKind::wrong_profile, "follows another profile", "", "that profile, by name"},
    {FaultKind::wrong_version, "speaks another wire version", "", "that version"},
    {FaultKind::stale_id, "holds the id of an earlier job", "", ""},
}};

FaultShape const& shape_of(FaultKind kind) {
    auto const at =
        std::find_if(kShapes.begin(), kShapes.end(), [&](FaultShape const& shape) { return shape.kind == kind; });
    return at == kShapes.end() ? kShapes.front() : *at;
}

/// A number, a size, or the name of a profile: what it counts depends on the kind.
struct Amount {
    [[nodiscard]] static std::string type() { return "number, size or profile"; }
    [[nodiscard]] static Read<std::uint64_t> read(std::string_view text) {
        if (auto const profile = protocol::profile_named(text))
            return static_cast<std::uint64_t>(*profile);
        if (auto const count = count_from(text, 0, std::uint64_t{1} << 40))
            return *count;
        if (auto const size = size_from(text, 0, std::uint64_t{1} << 40))
            return *size;
        return tl::unexpected(
            fmt::format("'{}' is no amount; expected a number, a size such as 4KiB, or a profile", text));
    }
    [[nodiscard]] static std::string write(std::uint64_t value) { return count_text(value); }
};

/// `ranks`, `root` or `host`: the key says whom the fault is about, its value which of them.
Key ranks_key() {
    Key key;
    key.name = "ranks";
    key.type = "ranks";
    key.help = "whom it strikes, for example 0-15, 17";
    key.text_of = [](WorldPlan const& plan, std::size_t i) {
        return plan.faults[i].target == Target::ranks ? ranks_text(plan.faults[i].ranks) : std::string();
    };
    key.take = [](WorldPlan& plan, std::size_t i, std::string_view text) {
        auto ranges = ranks_from(text);
        if (!ranges)
            return ranges.error();
        plan.faults[i].target = Target::ranks;
        plan.faults[i].ranks = std::move(*ranges);
        return std::string();
    };
    return key;
}

Key number_key(Target target, std::string_view help) {
    Key key;
    key.name = name_of(target);
    Count const number{0, protocol::kMaxRanks + protocol::kMaxRoots - 1};
    key.type = number.type();
    key.help = help;
    key.text_of = [target, number](WorldPlan const& plan, std::size_t i) {
        return plan.faults[i].target == target ? number.write(plan.faults[i].index) : std::string();
    };
    key.take = [target, number](WorldPlan& plan, std::size_t i, std::string_view text) {
        auto const value = number.read(text);
        if (!value)
            return value.error();
        plan.faults[i].target = target;
        plan.faults[i].index = static_cast<std::uint32_t>(*value);
        return std::string();
    };
    return key;
}

Key at_key() {
    Key key;
    Duration const look{};
    key.name = "at";
    key.type = look.type();
    key.help = "when it strikes; with `when`: no earlier than this";
    key.text_of = [look](WorldPlan const& plan, std::size_t i) { return look.write(plan.faults[i].when.at_ns); };
    key.take = [look](WorldPlan& plan, std::size_t i, std::string_view text) {
        auto const value = look.read(text);
        if (!value)
            return value.error();
        plan.faults[i].when.at_ns = *value;
        return std::string();
    };
    return key;
}

Key when_key() {
    Key key;
    key.name = "when";
    key.type = "rank R enters PHASE";
    key.help = "strikes at that moment";
    key.text_of = [](WorldPlan const& plan, std::size_t i) { return trigger_text(plan.faults[i].when); };
    key.take = [](WorldPlan& plan, std::size_t i, std::string_view text) {
        auto const trigger = trigger_from(text);
        if (!trigger)
            return trigger.error();
        plan.faults[i].when.rank = trigger->rank;
        plan.faults[i].when.phase = trigger->phase;
        return std::string();
    };
    return key;
}

std::string check_fault(WorldPlan const& plan, std::size_t index, std::span<std::string_view const> given) {
    auto const has = [&](std::string_view key) { return std::find(given.begin(), given.end(), key) != given.end(); };
    FaultShape const& shape = shape_of(plan.faults[index].kind);
    std::string_view const kind = name_of(shape.kind);
    bool const stranger = shape.kind == FaultKind::stranger;
    if (has("ranks") + has("root") + has("host") != 1)
        return fmt::format("kind {} needs exactly one of ranks, root and host: whom it strikes", kind);
    if (has("duration") && shape.duration.empty())
        return fmt::format("duration means nothing to kind {}; leave it out", kind);
    if (has("amount") && shape.amount.empty())
        return fmt::format("amount means nothing to kind {}; leave it out", kind);
    if (has("death") && shape.kind != FaultKind::crash && shape.kind != FaultKind::restart)
        return fmt::format("death means nothing to kind {}; it belongs to crash and restart", kind);
    for (std::string_view const key : {"stranger", "listener", "times", "every"}) {
        if (has(key) && !stranger)
            return fmt::format("{} means nothing to kind {}; it belongs to stranger", key, kind);
    }
    return {};
}

}  // namespace

std::span<FaultShape const> fault_shapes() { return kShapes; }

Section fault_section() {
    Section section;
    section.name = "fault";
    section.help = "something that goes wrong on purpose";
    repeat(section, &WorldPlan::faults);
    section.required = {"kind"};
    section.check = check_fault;
    Rows rows(section, element_of(&WorldPlan::faults));
    rows.row("kind", &Fault::kind, all_of<FaultKind>("kind of fault", kFaultKinds), "what happens");
    section.keys.push_back(ranks_key());
    section.keys.push_back(number_key(Target::root, "instead: the root with this number"));
    section.keys.push_back(number_key(Target::host, "instead: the host with this number, and all processes on it"));
    section.keys.push_back(at_key());
    section.keys.push_back(when_key());
    rows.row("duration", &Fault::duration_ns, Duration{0, true}, "see the kinds of fault")
        .row("amount", &Fault::amount, Amount{}, "see the kinds of fault")
        .row("death", &Fault::death, all_of<Death>("death", 3), "how a process leaves")
        .row("stranger", &Fault::stranger, all_of<StrangerKind>("stranger", kStrangerKinds), "what it does")
        .row("listener", &Fault::listener, all_of<protocol::Listener>("listener", 3), "where it knocks")
        .row("times", &Fault::times, Count{1, 10'000'000}, "how many of them come")
        .row("every", &Fault::every, Delay{}, "how long after one another");
    return section;
}

}  // namespace ronde::sim
