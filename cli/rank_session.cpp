#include "cli/rank_session.hpp"

namespace ronde::cli {

using protocol::Operation;
using protocol::OperationKind;
using protocol::Phase;
using protocol::TimeNs;

namespace {

/// How long an orderly end may take before the process goes anyway.
constexpr TimeNs kLeaveNs = 2 * protocol::kSecondNs;
/// Ranks that find out how much memory is their own. A few tell as much as all of them, who would delay each other.
constexpr protocol::RankId kRanksThatLook = 8;

}  // namespace

void fill_slice(std::span<std::byte> slice, protocol::RankId rank, std::uint32_t round) {
    for (std::size_t i = 0; i < slice.size(); ++i)
        slice[i] = slice_byte(rank, round, i);
}

std::uint32_t wrong_slices(std::span<const std::byte> buffer, std::uint32_t nranks, std::uint32_t round) {
    std::size_t const bytes = buffer.size() / nranks;
    std::uint32_t wrong = 0;
    for (std::uint32_t rank = 0; rank < nranks; ++rank) {
        auto const slice = buffer.subspan(rank * bytes, bytes);
        for (std::size_t i = 0; i < bytes; ++i) {
            if (slice[i] != slice_byte(rank, round, i)) {
                ++wrong;
                break;
            }
        }
    }
    return wrong;
}

RankSession::RankSession(net::Loop& loop, Job const& job, protocol::RankId rank, std::function<void(Phase)> on_phase)
    : loop_(loop), job_(job), rank_(rank) {
    driver_ = make_rank(loop, job, rank, [this, on_phase = std::move(on_phase)](Phase phase) {
        if (phase <= Phase::ready)
            last_phase_ = phase;
        if (on_phase)
            on_phase(phase);
    });
}

bool RankSession::run(TimeNs until_ns) {
    start_ns_ = net::monotonic_ns();
    driver_->start();
    bool const in_time = loop_.run_until([&] { return driver_->was_ready() || driver_->finished(); }, until_ns);
    if (driver_->was_ready())
        record_.table_digest = table_digest_of(driver_->table());
    if (!in_time || driver_->finished())
        return in_time;
    return run_barriers(until_ns) && run_all_gathers(until_ns);
}

bool RankSession::operate(Operation const& operation, std::span<std::byte> buffer, TimeNs until_ns) {
    driver_->operate(operation, buffer);
    return loop_.run_until([&] { return driver_->idle() || driver_->finished(); }, until_ns);
}

bool RankSession::run_barriers(TimeNs until_ns) {
    if (job_.options.barriers == 0)
        return true;
    Operation barrier;
    barrier.kind = OperationKind::barrier;
    barrier.budget_ns = job_.options.deadline_ns;
    // One more than asked for: the first only brings the ranks to the same place.
    for (std::uint32_t i = 0; i <= job_.options.barriers && !driver_->finished(); ++i) {
        TimeNs const begin_ns = net::monotonic_ns();
        if (!operate(barrier, {}, until_ns))
            return false;
        if (i > 0 && !driver_->finished())
            record_.barrier_ns[record_.barriers++] = net::monotonic_ns() - begin_ns;
    }
    return true;
}

bool RankSession::run_all_gathers(TimeNs until_ns) {
    if (job_.options.all_gather_bytes == 0)
        return true;
    Operation barrier;
    barrier.kind = OperationKind::barrier;
    barrier.budget_ns = job_.options.deadline_ns;
    Operation gather;
    gather.kind = OperationKind::all_gather;
    gather.slice_bytes = job_.options.all_gather_bytes;
    gather.budget_ns = job_.options.deadline_ns;
    auto const bytes = static_cast<std::size_t>(gather.slice_bytes);
    std::vector<std::byte> buffer(bytes * job_.nranks);
    for (std::uint32_t round = 0; round < job_.options.repeat; ++round) {
        fill_slice(std::span(buffer).subspan(rank_ * bytes, bytes), rank_, round);
        if (!operate(barrier, {}, until_ns))
            return false;
        if (driver_->finished())
            return true;
        TimeNs const begin_ns = net::monotonic_ns();
        if (!operate(gather, buffer, until_ns))
            return false;
        if (driver_->finished())
            return true;
        record_.all_gather_ns[record_.all_gathers++] = net::monotonic_ns() - begin_ns;
        record_.wrong_slices += wrong_slices(buffer, job_.nranks, round);
    }
    return true;
}

void RankSession::leave() {
    if (!driver_->finished() && driver_->was_ready() && job_.policies.commit == protocol::Commit::none) {
        // Ready is a local belief here: others may still gather from this rank, so nobody leaves before all are ready.
        Operation barrier;
        barrier.kind = OperationKind::barrier;
        barrier.budget_ns = job_.options.deadline_ns;
        operate(barrier, {}, net::monotonic_ns() + job_.options.deadline_ns + kLeaveNs);
    }
    if (!driver_->finished())
        driver_->close();
    loop_.run_until([&] { return driver_->finished(); }, net::monotonic_ns() + kLeaveNs);
}

RankRecord RankSession::record() const {
    RankRecord record = record_;
    Usage const usage = usage_here();
    record.rank = rank_;
    record.nranks = job_.nranks;
    record.was_ready = driver_->was_ready() ? 1 : 0;
    record.last_phase = last_phase_;
    record.host_id = job_.host_id;
    record.start_ns = start_ns_;
    record.statistics = driver_->statistics();
    record.verdict = driver_->verdict();
    record.cpu_ns = usage.cpu_ns;
    record.peak_rss_bytes = usage.peak_rss_bytes;
    if (rank_ < kRanksThatLook)
        record.own_bytes = own_memory_bytes();
    return record;
}

std::optional<std::vector<RankRecord>> RankSession::gather_records(TimeNs until_ns) {
    std::vector<RankRecord> records(job_.nranks);
    records[rank_] = record();
    Operation gather;
    gather.kind = OperationKind::all_gather;
    gather.slice_bytes = sizeof(RankRecord);
    gather.budget_ns = job_.options.deadline_ns;
    if (!operate(gather, std::as_writable_bytes(std::span(records)), until_ns) || driver_->finished())
        return std::nullopt;
    for (RankRecord const& record : records) {
        if (record.mark != RankRecord::kMark)
            return std::nullopt;
    }
    return records;
}

}  // namespace ronde::cli
