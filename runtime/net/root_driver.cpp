#include "net/root_driver.hpp"

#include "net/socket.hpp"
#include "protocol/check.hpp"

#include <algorithm>

namespace ronde::net {

using protocol::ActionKind;
using protocol::Entry;
using protocol::FrameKind;
using protocol::LinkClass;

RootDriver::RootDriver(Loop& loop, protocol::RootConfig const& config, protocol::Secret const& secret, Fd listener,
                       RootOptions options)
    : Driver(loop, config.policies.auth, secret, options.max_io_bytes, std::move(options.recorder)), config_(config),
      options_(std::move(options)), listener_(std::move(listener)), machine_(config_) {}

RootDriver::~RootDriver() { end_recording(); }

void RootDriver::start() { enter(Event::start(0)); }

bool RootDriver::settled() const noexcept { return round_over_ && nobody_leaves(); }

void RootDriver::perform_own(Action const& action) {
    switch (action.kind) {
    case ActionKind::listen: {
        auto const bound = local_endpoint(listener_.get());
        if (!bound) {
            return later(Event::listen_failed(now(), Listener::root, bound.error().failure, bound.error().os_error));
        }
        endpoint_ = *bound;
        return hold_listener(Listener::root, std::move(listener_), endpoint_);
    }
    case ActionKind::learn: return do_learn(action);
    case ActionKind::reserve: return do_reserve(action.count);
    case ActionKind::finish:
        // Who knocks from now on is still told why; everyone else has heard all there is to hear.
        round_over_ = true;
        for (Link const link : links()) {
            if (link.link_class() != LinkClass::pending)
                leave_link(link);
        }
        return flush_recording();
    default: RONDE_CHECK(false, "a root asks for nothing else");
    }
}

void RootDriver::do_reserve(std::uint32_t count) {
    records_.resize(std::max<std::size_t>(records_.size(), count));
    device_index_.resize(std::max<std::size_t>(device_index_.size(), protocol::RootRoom::index_size(count)));
    machine_.provide({records_, device_index_});
    if (table_.size() < count) {
        auto larger = std::make_unique<Entry[]>(count);
        std::copy(table_.begin(), table_.end(), larger.get());
        table_ = {larger.get(), count};
        tables_.push_back(std::move(larger));  // frames that are queued may refer to the one before
    }
    step_again();
}

void RootDriver::do_learn(Action const& action) {
    RONDE_CHECK(current().frame.kind == FrameKind::check_in, "a root learns from check-ins");
    table_[place_in_table(action.first)] = protocol::decode_entry(current().payload);
}

/// Entries are kept by their number within the block: memory follows the block, not the job.
std::uint32_t RootDriver::place_in_table(RankId rank) const noexcept {
    std::uint32_t const place =
        protocol::Partition{machine_.nranks(), config_.nroots}.local_id(config_.root_index, rank);
    RONDE_CHECK(place < table_.size(), "a root speaks of its own block only");
    return place;
}

Endpoint RootDriver::target_of(Link, RankId rank) const {
    Entry const& entry = table_[place_in_table(rank)];
    Endpoint target = entry.endpoint;
    target.port = entry.callback_port;
    return target;
}

Runs<const std::byte> RootDriver::payload_of(Action const& action) {
    switch (action.source) {
    case Source::entry: return {std::as_bytes(std::span(table_).subspan(place_in_table(action.first), 1)), {}};
    case Source::table:
        RONDE_CHECK(config_.nroots == 1 && action.first == 0, "only a single root has the whole table");
        return {std::as_bytes(std::span(table_).first(action.count)), {}};
    case Source::verdict: {
        std::array<std::byte, protocol::kVerdictBytes> bytes{};
        protocol::encode_verdict(machine_.notice(), bytes);
        if (verdicts_.empty() || verdicts_.back() != bytes)
            verdicts_.push_back(bytes);
        return {verdicts_.back(), {}};
    }
    default: return {};
    }
}

Runs<std::byte> RootDriver::place_of(Reception const&) { return {}; }

void RootDriver::after_step(Event const&) {
    bool const news = machine_.checked_in() != told_checked_in_ || machine_.done() != told_done_;
    if (!news)
        return;
    told_checked_in_ = machine_.checked_in();
    told_done_ = machine_.done();
    if (options_.on_progress)
        options_.on_progress(machine_);
}

Statistics RootDriver::statistics() const {
    Statistics result = statistics_;
    result.strangers = machine_.strangers();
    return result;
}

}  // namespace ronde::net
