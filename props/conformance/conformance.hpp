/// Whether what the kernel did in a recorded run is something that the pretend world's TCP allows.
///
/// A replay shows that the machine is a function of its events; this looks at the events. Each connection is walked
/// from its call to its end, and where both machines left a recording, what one received is compared with what the
/// other one sent. docs/checking.md says which rules there are, and what cannot be told.
#pragma once

#include "conformance/track.hpp"
#include "net/replay.hpp"

#include <map>
#include <string>
#include <vector>

namespace ronde::conformance {

/// What was looked at, and what was found.
struct Report {
    std::uint64_t recordings = 0;
    std::uint64_t connections = 0;  ///< ends of them: a connection with both ends recorded counts twice
    std::uint64_t frames = 0;       ///< that were received
    std::uint64_t pairs = 0;        ///< connections that were seen from both ends
    std::vector<Finding> findings;

    [[nodiscard]] bool conforms() const { return findings.empty(); }
    /// A line, and one for each finding (the first few of them); ends with a newline.
    [[nodiscard]] std::string text() const;
};

/// Watches a replay (net::replay) of the recordings of one run.
class Observer final : public net::ReplayObserver {
public:
    void on_machine(protocol::RankConfig const* rank, protocol::RootConfig const* root) override;
    void on_actions(protocol::TimeNs now_ns, protocol::Actions const& actions) override;
    void on_step(net::ReplayedStep const& step) override;
    void on_end(bool cut_off) override;

    /// When the replay is over.
    [[nodiscard]] Report report() const;

private:
    std::map<Who, Track> tracks_;
    Track* current_ = nullptr;
    std::vector<protocol::Action> asked_;
};

}  // namespace ronde::conformance
