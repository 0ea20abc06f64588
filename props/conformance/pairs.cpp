#include "conformance/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::conformance {
namespace {

using protocol::FrameKind;
using protocol::LinkClass;

/// Whom a hello says that it is from, and the caller's name for the connection.
struct Claim {
    Who caller;
    Link link;
};

std::optional<Claim> claim_of(Who callee, protocol::Frame const& hello) {
    if (hello.kind != FrameKind::hello)
        return std::nullopt;
    auto const purpose = static_cast<LinkClass>(hello.aux & 0xffU);
    switch (purpose) {
    case LinkClass::root:
    case LinkClass::previous_root: return Claim{{false, hello.a}, {purpose, 0}};
    case LinkClass::callback: return Claim{{true, hello.a}, protocol::kCallbackLink};
    case LinkClass::chord_out: return Claim{{false, hello.a}, protocol::chord_out(hello.aux >> 8U)};
    case LinkClass::mail_out: return Claim{{false, hello.a}, protocol::mail_out(callee.index)};
    default: return std::nullopt;
    }
}

/// Which processes look at one clock.
class Clocks {
public:
    explicit Clocks(std::map<Who, Track> const& tracks) {
        for (auto const& [who, track] : tracks) {
            for (auto const& [rank, entry] : track.entries()) {
                auto const found = tracks.find({false, rank});
                if (found != tracks.end() && found->second.session() == track.session())
                    entries_.emplace(rank, entry);
            }
        }
    }
    [[nodiscard]] bool one(Who a, Who b) const {
        if (a.root && b.root)
            return false;
        if (a.root || b.root)
            return on_loopback(a.root ? b.index : a.index);
        auto const first = entries_.find(a.index);
        auto const second = entries_.find(b.index);
        return first != entries_.end() && second != entries_.end() && first->second.host_id == second->second.host_id;
    }

private:
    /// 127.0.0.0/8 or ::1: nobody calls from there but the host itself.
    [[nodiscard]] bool on_loopback(RankId rank) const {
        auto const found = entries_.find(rank);
        if (found == entries_.end())
            return false;
        protocol::Endpoint const& endpoint = found->second.endpoint;
        if (endpoint.family == protocol::Family::ipv4)
            return endpoint.address[0] == 127;
        auto const& address = endpoint.address;
        return endpoint.family == protocol::Family::ipv6 && address[15] == 1 &&
               std::all_of(address.begin(), address.begin() + 15, [](auto byte) { return byte == 0; });
    }
    std::map<RankId, protocol::Entry> entries_;
};

/// What speaks against two ends being of one connection, seen by the one that would have received it.
struct Objection {
    Track const* seen_by = nullptr;
    std::uint64_t event = 0;
    Rule rule = Rule::never_sent;
    std::string what;
    std::size_t agreed = 0;  ///< frames that fit before it
};

class Couple {
public:
    Couple(Track const& caller, End const& called, Track const& callee, End const& accepted, bool one_clock)
        : caller_(caller), called_(called), callee_(callee), accepted_(accepted), one_clock_(one_clock) {}

    [[nodiscard]] std::optional<Objection> objection() const {
        if (one_clock_ && called_.begun.at_ns > accepted_.begun.by_ns) {
            return Objection{&callee_, accepted_.begun.event, Rule::accepted_before_called,
                             fmt::format("{} called {} ns later", to_text(caller_.who()),
                                         called_.begun.at_ns - accepted_.begun.by_ns),
                             0};
        }
        if (auto there = stream(caller_, called_, callee_, accepted_))
            return there;
        return stream(callee_, accepted_, caller_, called_);
    }

private:
    [[nodiscard]] std::optional<Objection> stream(Track const& from, End const& out, Track const& to,
                                                  End const& in) const {
        for (std::size_t i = 0; i < in.received.size(); ++i) {
            Passed const& got = in.received[i];
            auto const object = [&](Rule rule, std::string what) {
                return Objection{&to, got.event, rule,
                                 fmt::format("{} on {}, frame {} from {}, {}", protocol::name_of(got.frame.kind),
                                             to_text(in.link), i + 1U, to_text(from.who()), what),
                                 i};
            };
            if (i >= out.sent.size()) {
                if (from.cut_off())
                    break;  // it was killed before it could write down what else it had sent
                return object(Rule::never_sent, fmt::format("which sent {} there", out.sent.size()));
            }
            Passed const& sent = out.sent[i];
            if (!(sent.frame == got.frame))
                return object(Rule::never_sent,
                              fmt::format("which sent {} there", sent.frame.kind == got.frame.kind
                                                                     ? "another one"
                                                                     : protocol::name_of(sent.frame.kind)));
            if (one_clock_ && sent.at_ns > got.by_ns)
                return object(Rule::before_sending, fmt::format("which sent it {} ns later", sent.at_ns - got.by_ns));
        }
        bool const too_early =
            one_clock_ && in.end_of_stream && out.closed && out.closed->at_ns > in.end_of_stream->by_ns;
        if (too_early) {
            return Objection{&to, in.end_of_stream->event, Rule::end_before_close,
                             fmt::format("{} ended, and {} closed it {} ns later", to_text(in.link),
                                         to_text(from.who()), out.closed->at_ns - in.end_of_stream->by_ns),
                             in.received.size()};
        }
        return std::nullopt;
    }

    Track const& caller_;
    End const& called_;
    Track const& callee_;
    End const& accepted_;
    bool one_clock_;
};

/// All connections by one name from one caller to one callee: tries, of which some were heard.
struct Tries {
    std::vector<End const*> called;
    std::vector<End const*> accepted;
};

/// Finds a caller's end for each accepted one; which of several tries was heard is not written anywhere.
class Matching {
public:
    Matching(Track const& caller, Track const& callee, Tries const& tries, bool one_clock)
        : caller_(caller), callee_(callee), tries_(tries), one_clock_(one_clock), owner_(tries.called.size()) {}

    void run(Pairing& pairing) {
        for (std::size_t i = 0; i < tries_.accepted.size(); ++i) {
            std::vector<bool> asked(tries_.called.size(), false);
            if (place(i, asked))
                ++pairing.pairs;
            else
                object(*tries_.accepted[i], pairing);
        }
    }

private:
    [[nodiscard]] std::optional<Objection> objection(std::size_t called, std::size_t accepted) const {
        return Couple(caller_, *tries_.called[called], callee_, *tries_.accepted[accepted], one_clock_).objection();
    }
    /// As in any matching: whoever holds the one that fits may move to another.
    bool place(std::size_t accepted, std::vector<bool>& asked) {
        for (std::size_t i = 0; i < tries_.called.size(); ++i) {
            if (asked[i] || objection(i, accepted))
                continue;
            asked[i] = true;
            if (!owner_[i] || place(*owner_[i], asked)) {
                owner_[i] = accepted;
                return true;
            }
        }
        return false;
    }
    /// What somebody says who has not proven anything may be anybody's word.
    void object(End const& accepted, Pairing& pairing) const {
        bool const proven = callee_.keyed() && accepted.admitted;
        if (!proven)
            return;
        auto const admitted =
            std::count_if(tries_.accepted.begin(), tries_.accepted.end(), [](End const* end) { return end->admitted; });
        if (static_cast<std::size_t>(admitted) > tries_.called.size()) {
            if (!caller_.cut_off())
                pairing.findings.push_back(
                    {callee_.file(), accepted.begun.event, Rule::heard_from_nobody,
                     fmt::format("{} was admitted for {}, which has called {} times and not {}", to_text(accepted.link),
                                 to_text(caller_.who()), tries_.called.size(), admitted)});
            return;
        }
        std::optional<Objection> best;
        for (End const* const called : tries_.called) {
            auto now = Couple(caller_, *called, callee_, accepted, one_clock_).objection();
            if (now && (!best || now->agreed > best->agreed))
                best = std::move(now);
        }
        if (best)
            pairing.findings.push_back({best->seen_by->file(), best->event, best->rule, best->what});
    }

    Track const& caller_;
    Track const& callee_;
    Tries const& tries_;
    bool one_clock_;
    std::vector<std::optional<std::size_t>> owner_;  ///< by call: the accepted one that it is matched with
};

}  // namespace

Pairing pair_ends(std::map<Who, Track> const& tracks) {
    Clocks const clocks(tracks);
    auto const recorded = [&](Who other, Track const& here) {
        auto const found = tracks.find(other);
        return found != tracks.end() && found->second.session() == here.session();
    };
    // By callee, caller and the caller's name for the connection.
    std::map<std::tuple<Who, Who, Link>, Tries> all;
    for (auto const& [who, track] : tracks) {
        for (End const& end : track.ends()) {
            if (end.wanted && !end.sent.empty() && recorded(*end.wanted, track))
                all[{*end.wanted, who, end.link}].called.push_back(&end);
            auto const claim = end.hello ? claim_of(who, *end.hello) : std::nullopt;
            if (claim && recorded(claim->caller, track))
                all[{who, claim->caller, claim->link}].accepted.push_back(&end);
        }
    }
    Pairing pairing;
    for (auto const& [key, tries] : all) {
        auto const& [callee, caller, link] = key;
        Matching(tracks.at(caller), tracks.at(callee), tries, clocks.one(caller, callee)).run(pairing);
    }
    return pairing;
}

}  // namespace ronde::conformance
