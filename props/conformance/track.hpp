/// One machine's recording, walked as its kernel must have gone: every connection from its beginning to its end.
#pragma once

#include "conformance/rules.hpp"
#include "net/replay.hpp"
#include "protocol/entry.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ronde::conformance {

using protocol::Frame;
using protocol::Link;
using protocol::RankId;
using protocol::TimeNs;

/// A rank or a root.
struct Who {
    bool root = false;
    std::uint32_t index = 0;
    friend constexpr auto operator<=>(Who const&, Who const&) = default;
};
[[nodiscard]] std::string to_text(Who who);
/// "chord_out(0)"
[[nodiscard]] std::string to_text(Link link);

/// A frame at one end.
struct Passed {
    Frame frame;
    TimeNs at_ns = 0;  ///< when the machine was told, or asked for it
    /// Received: the kernel had it no later than this. A driver reads the clock when it wakes, not before every read,
    /// so what came in between bears an earlier time; the next time that it looked is a bound that holds.
    TimeNs by_ns = protocol::kNever;
    std::uint64_t event = 0;
};

/// One end of one connection, from the call or the accept on.
struct End {
    enum class State : std::uint8_t { calling, standing, over };
    State state = State::calling;
    bool inbound = false;
    bool admitted = false;  ///< inbound: the machine believes that it is who it says
    bool paused = false;
    std::uint32_t notices = 0;  ///< `sent` events that were asked for
    Link link;                  ///< its latest name
    protocol::Listener listener = protocol::Listener::ring;
    std::optional<Who> wanted;   ///< outbound: whom it called
    Passed begun;                ///< the call, or the accept (no frame)
    std::optional<Frame> hello;  ///< inbound: the first frame
    std::vector<Passed> sent;
    std::vector<Passed> received;
    std::optional<Passed> closed;  ///< by this machine (no frame)
    std::optional<Passed> end_of_stream;
};

class Track {
public:
    Track(Who who, std::string file, std::uint64_t session, bool keyed)
        : who_(who), file_(std::move(file)), session_(session), keyed_(keyed) {}

    /// One event, and all that was asked for in answer.
    void step(protocol::Event const& event, std::vector<protocol::Action> const& actions);
    void finish(bool cut_off);

    [[nodiscard]] Who who() const { return who_; }
    [[nodiscard]] std::string const& file() const { return file_; }
    [[nodiscard]] bool cut_off() const { return cut_off_; }
    /// Of its id: a folder may hold recordings of an earlier run, too.
    [[nodiscard]] std::uint64_t session() const { return session_; }
    /// Whether it admits only who has proven to be of the job.
    [[nodiscard]] bool keyed() const { return keyed_; }
    [[nodiscard]] std::vector<End> const& ends() const { return ends_; }
    [[nodiscard]] std::vector<Finding> const& findings() const { return findings_; }
    /// Of a root: who has checked in, and where from.
    [[nodiscard]] std::map<RankId, protocol::Entry> const& entries() const { return entries_; }

private:
    void found(Rule rule, std::string what) { findings_.push_back({file_, events_, rule, std::move(what)}); }
    void take(protocol::Event const& event);
    void act(protocol::Action const& action);
    void answered(protocol::Event const& event);
    void accepted(protocol::Event const& event);
    void arrived(protocol::Event const& event);
    void ended(protocol::Event const& event);
    void called(protocol::Action const& action);
    void admit(protocol::Action const& action);
    void finish_all();
    void tick(TimeNs now_ns);
    void check_errno(protocol::Event const& event);
    [[nodiscard]] End* find(Link link);
    [[nodiscard]] Passed moment() const { return {{}, now_ns_, protocol::kNever, events_}; }
    void drop(Link link) { by_link_.erase(link.value); }

    Who who_;
    std::string file_;
    std::uint64_t session_;
    bool keyed_;
    std::vector<End> ends_;
    std::map<std::uint32_t, std::size_t> by_link_;  ///< those that are not over
    std::set<std::uint32_t> ended_names_;           ///< names whose last connection is over
    std::uint8_t bound_ = 0;                        ///< bit per Listener
    std::uint8_t asked_ = 0;
    std::uint32_t credits_[3] = {};
    std::vector<std::pair<std::size_t, std::size_t>> fresh_;  ///< received in this batch: end, place
    std::vector<std::size_t> fresh_ends_;                     ///< accepted, or ended, in this batch
    TimeNs now_ns_ = 0;
    std::uint64_t events_ = 0;
    bool collects_ = false;
    bool cut_off_ = false;
    std::map<RankId, protocol::Entry> entries_;
    std::vector<Finding> findings_;
};

}  // namespace ronde::conformance
