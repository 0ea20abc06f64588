/// The line that says how far a run is, on a terminal only.
#pragma once

#include "cli/job.hpp"

namespace ronde::cli {

/// "612/704 checked in, waiting for 311, 400-412 and 78 more, 12 s", written over itself at most four times a second.
/// Woken by the loop's timer and by nothing else.
class ProgressLine final : public net::Node {
public:
    ProgressLine(net::Loop& loop, RootSet const& roots);
    ~ProgressLine() override;
    ProgressLine(ProgressLine const&) = delete;
    ProgressLine& operator=(ProgressLine const&) = delete;
    ProgressLine(ProgressLine&&) = delete;
    ProgressLine& operator=(ProgressLine&&) = delete;

    /// Wipes the line, for good.
    void end();

private:
    void on_deadline(protocol::TimeNs now) override;
    void on_signal(protocol::TimeNs) override {}

    RootSet const& roots_;
    protocol::TimeNs const start_ns_;
    bool active_ = false;
    bool shown_ = false;
};

}  // namespace ronde::cli
