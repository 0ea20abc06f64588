#include "layouts.hpp"

#include "protocol/auth.hpp"
#include "protocol/entry.hpp"
#include "protocol/error.hpp"
#include "protocol/frame.hpp"
#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

namespace ronde::docs {
namespace {

using namespace ronde::protocol;

constexpr std::size_t kMostBytes = 256;
using Bytes = std::array<std::byte, kMostBytes>;

std::string number(std::uint64_t value) { return std::to_string(value); }

/// Which bytes of an encoded value a field occupies: those that change when every bit of the field does.
/// So the tables show what the encoder does and not what a struct looks like.
class Layout {
public:
    explicit Layout(std::string title)
        : text_("| offset | bytes | " + std::move(title) + " | meaning |\n|---:|---:|---|---|\n") {}

    void field(std::string_view name, std::string_view meaning, Bytes const& zero, Bytes const& set) {
        auto const differs = [&](std::size_t i) { return zero[i] != set[i]; };
        std::size_t first = 0;
        while (first < kMostBytes && !differs(first))
            ++first;
        std::size_t last = kMostBytes;
        while (last > first && !differs(last - 1))
            --last;
        row(first, last - first, name, meaning);
    }
    void row(std::size_t offset, std::size_t bytes, std::string_view name, std::string_view meaning) {
        text_ += "| " + number(offset) + " | " + number(bytes) + " | `" + std::string(name) + "` | " +
                 std::string(meaning) + " |\n";
    }
    [[nodiscard]] std::string const& text() const { return text_; }

private:
    std::string text_;
};

Bytes encoded(Frame const& frame) {
    Bytes bytes{};
    encode_header(frame, std::span(bytes).first<kHeaderBytes>());
    return bytes;
}
Bytes encoded(Entry const& entry) {
    Bytes bytes{};
    encode_entry(entry, bytes);
    return bytes;
}
Bytes encoded(Verdict const& verdict) {
    Bytes bytes{};
    encode_verdict(verdict, bytes);
    return bytes;
}

/// Flips every bit of one member.
template <class Value, class Member>
Value flipped(Value value, Member Value::*member) {
    auto* const raw = reinterpret_cast<unsigned char*>(&(value.*member));
    for (std::size_t i = 0; i < sizeof(Member); ++i)
        raw[i] = static_cast<unsigned char>(~raw[i]);
    return value;
}

template <class Member>
void add(Layout& layout, std::string_view name, Member Frame::*member, std::string_view meaning) {
    Frame const zero;
    layout.field(name, meaning, encoded(zero), encoded(flipped(zero, member)));
}
template <class Member>
void add(Layout& layout, std::string_view name, Member Entry::*member, std::string_view meaning) {
    Entry const zero;
    layout.field(name, meaning, encoded(zero), encoded(flipped(zero, member)));
}
template <class Member>
void add(Layout& layout, std::string_view name, Member Endpoint::*member, std::string_view meaning) {
    Entry const zero;
    Entry set = zero;
    set.endpoint = flipped(zero.endpoint, member);
    layout.field(name, meaning, encoded(zero), encoded(set));
}
template <class Member>
void add(Layout& layout, std::string_view name, Member Error::*member, std::string_view meaning) {
    Verdict const zero;
    Verdict set = zero;
    set.error = flipped(zero.error, member);
    layout.field(name, meaning, encoded(zero), encoded(set));
}

std::string size_line(std::string_view what, std::uint64_t bytes) {
    return "\n" + std::string(what) + ": " + number(bytes) + " bytes.\n";
}

template <class Enum>
std::string enumeration(std::uint32_t first, std::uint32_t count) {
    std::string text = "| number | name |\n|---:|---|\n";
    for (std::uint32_t i = first; i < count; ++i)
        text += "| " + number(i) + " | `" + std::string(name_of(static_cast<Enum>(i))) + "` |\n";
    return text;
}

/// Enumerators from 0 on that have a name.
template <class Enum>
std::uint32_t named_count() {
    std::uint32_t count = 0;
    while (name_of(static_cast<Enum>(count)) != "unknown")
        ++count;
    return count;
}

}  // namespace

std::string header_layout() {
    Layout layout("header");
    add(layout, "payload_bytes", &Frame::payload_bytes, "bytes that follow the header");
    add(layout, "kind", &Frame::kind, "what the frame is, clause 2.7");
    add(layout, "version", &Frame::version, "of the sender, clause 2.1");
    add(layout, "aux", &Frame::aux, "by kind");
    add(layout, "a", &Frame::a, "by kind");
    add(layout, "b", &Frame::b, "by kind");
    add(layout, "c", &Frame::c, "by kind");
    add(layout, "d", &Frame::d, "by kind");
    return layout.text() + size_line("Header", kHeaderBytes);
}

std::string endpoint_layout() {
    Layout layout("endpoint");
    add(layout, "family", &Endpoint::family, "4: IPv4, 6: IPv6, 0: no address");
    add(layout, "reserved", &Endpoint::reserved, "0");
    add(layout, "port", &Endpoint::port, "a plain integer, little-endian like all others");
    add(layout, "scope_id", &Endpoint::scope_id, "of a link-local IPv6 address, otherwise 0");
    add(layout, "address", &Endpoint::address, "in the order in which it is written; IPv4 uses the first 4 bytes");
    return layout.text() + size_line("Endpoint", sizeof(Endpoint));
}

std::string entry_layout() {
    Layout layout("entry");
    add(layout, "endpoint", &Entry::endpoint, "of the rank's ring listener, clause 2.5");
    add(layout, "host_id", &Entry::host_id, "hash of host name and boot id: equal on one host only");
    add(layout, "device_id", &Entry::device_id, "the device this rank claims; all ones: none");
    add(layout, "incarnation", &Entry::incarnation, "drawn once per process start");
    add(layout, "process_id", &Entry::process_id, "for messages");
    add(layout, "flags", &Entry::flags, "0");
    add(layout, "rank", &Entry::rank, "the rank");
    add(layout, "callback_port", &Entry::callback_port, "call-back policies: where the root answers; otherwise 0");
    add(layout, "reserved", &Entry::reserved, "0");
    return layout.text() + size_line("Entry", kEntryBytes);
}

std::string verdict_layout() {
    Layout layout("verdict");
    add(layout, "code", &Error::code, "clause 6.1");
    add(layout, "phase", &Error::phase, "where the rank stood that noticed; 0 `created` … 10 `closed`, clause 1");
    add(layout, "failure", &Error::failure, "what the world said, see the table below");
    add(layout, "field", &Error::field, "what was disagreed on, see the table below");
    add(layout, "os_error", &Error::os_error, "errno of that host, for the message only; 0: none");
    add(layout, "about", &Error::about, "the rank it is about; all ones: none");
    add(layout, "other", &Error::other, "the second rank; all ones: none");
    add(layout, "reporter", &Error::reporter, "the rank that noticed; all ones: the root");
    add(layout, "about_phase", &Error::about_phase, "where `about` was last known to be; 0: not known");
    add(layout, "expected", &Error::expected, "by code");
    add(layout, "got", &Error::got, "by code");
    layout.row(kErrorBytes, 4, "range_count", "valid ranges, at most " + number(kMaxRanges));
    layout.row(kErrorBytes + 4U, 4, "more_ranks", "missing ranks beyond the ranges");
    layout.row(kErrorBytes + 8U, std::size_t{8} * kMaxRanges, "ranges",
               number(kMaxRanges) + " pairs of first and last rank, 4 bytes each, both included");
    return layout.text() + size_line("Verdict", kVerdictBytes);
}

std::string frame_sizes() {
    std::string text = "| kind | name | payload | whole frame |\n|---:|---|---|---|\n";
    for (std::uint32_t i = 1; i < kFrameKindCount; ++i) {
        auto const kind = static_cast<FrameKind>(i);
        std::uint32_t const payload_bytes = fixed_payload_bytes(kind);
        bool const varies = payload_bytes == kVariable;
        text += "| " + number(i) + " | `" + std::string(name_of(kind)) + "` | " +
                (varies ? "varies" : number(payload_bytes)) + " | " +
                (varies ? number(kHeaderBytes) + " + payload" : number(kHeaderBytes + payload_bytes)) + " |\n";
    }
    return text;
}

std::string limits() {
    std::string text = "| limit | value |\n|---|---:|\n";
    auto const row = [&](std::string_view what, std::uint64_t value) {
        text += "| " + std::string(what) + " | " + number(value) + " |\n";
    };
    row("ranks of a job", kMaxRanks);
    row("roots of a job (an id names at most 4)", kMaxRoots);
    row("chords of a rank, each way", kMaxChords);
    row("bytes read from a stranger before it is admitted or dropped", kStrangerBytes);
    row("unproven connections at a rank", RankState::kDoors);
    row("unproven connections at a root, at most", kMaxRootDoors);
    row("unproven connections at a root, by default", RootConfig{}.pending_limit);
    row("actions of one step", kMaxActions);
    row("bytes of a rank's machine", sizeof(Rank));
    row("bytes of a root's machine, doors included", sizeof(Root));
    row("bytes of a root's memory for each check-in, table not included",
        sizeof(RootRecord) + 2U * sizeof(std::uint32_t));
    return text;
}

std::string codes() { return enumeration<Code>(0, kCodeCount); }
std::string failures() { return enumeration<Failure>(0, named_count<Failure>()); }
std::string fields() { return enumeration<Field>(0, named_count<Field>()); }

}  // namespace ronde::docs
