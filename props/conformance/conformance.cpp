#include "conformance/conformance.hpp"

#include "conformance/pairs.hpp"
#include "net/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::conformance {
namespace {

constexpr std::size_t kMostShown = 20;

std::string some(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

void Observer::on_machine(protocol::RankConfig const* rank, protocol::RootConfig const* root) {
    Who const who = rank != nullptr ? Who{false, rank->rank} : Who{true, root->root_index};
    std::string const file = rank != nullptr ? net::recording_name(*rank) : net::recording_name(*root);
    protocol::Policies const& policies = rank != nullptr ? rank->policies : root->policies;
    std::uint64_t const session = rank != nullptr ? rank->session : root->session;
    asked_.clear();
    current_ =
        &tracks_.insert_or_assign(who, Track(who, file, session, policies.auth == protocol::Auth::keyed)).first->second;
}

void Observer::on_actions(protocol::TimeNs, protocol::Actions const& actions) {
    asked_.insert(asked_.end(), actions.begin(), actions.end());
}

void Observer::on_step(net::ReplayedStep const& step) {
    current_->step(*step.event, asked_);
    asked_.clear();
}

void Observer::on_end(bool cut_off) { current_->finish(cut_off); }

Report Observer::report() const {
    Report report;
    report.recordings = tracks_.size();
    for (auto const& [who, track] : tracks_) {
        report.findings.insert(report.findings.end(), track.findings().begin(), track.findings().end());
        report.connections += track.ends().size();
        for (End const& end : track.ends())
            report.frames += end.received.size();
    }
    Pairing pairing = pair_ends(tracks_);
    report.pairs = pairing.pairs;
    report.findings.insert(report.findings.end(), pairing.findings.begin(), pairing.findings.end());
    return report;
}

std::string Report::text() const {
    std::string text = fmt::format("the kernel: {} with {} in {} ({} seen from both): ", some(connections, "end"),
                                   some(frames, "frame"), some(recordings, "recording"), some(pairs, "connection"));
    text += findings.empty() ? "all as a TCP does it\n" : fmt::format("{} as no TCP does it\n", findings.size());
    for (std::size_t i = 0; i < std::min(findings.size(), kMostShown); ++i)
        text += to_text(findings[i]) + "\n";
    if (findings.size() > kMostShown)
        text += fmt::format("... and {} more\n", findings.size() - kMostShown);
    return text;
}

}  // namespace ronde::conformance
