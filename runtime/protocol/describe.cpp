/// The line that a person reads when a job did not start [clause 6.1].
///
/// Sentences say who, what, and to whom. Nobody's number is printed where there is none: without a reporter
/// it was the root that noticed, and without a culprit the sentence does without one.
#include "protocol/error.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <algorithm>

namespace ronde::protocol {
namespace {

std::string spaced(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

std::string hexadecimal(std::uint64_t value) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), kDigits[value & 0xfU]);
        value >>= 4U;
    } while (value != 0);
    return digits;
}

std::string rank_or(RankId rank, std::string_view otherwise) {
    return rank == kNoRank ? std::string(otherwise) : "rank " + std::to_string(rank);
}

/// Who is to blame; when nobody is named, a rank blames its root, and the root somebody.
std::string culprit(Error const& error) {
    return rank_or(error.about, error.reporter == kNoRank ? "a rank" : "the root");
}
std::string reporter(Error const& error) { return rank_or(error.reporter, "the root"); }

std::string last_seen(Error const& error) {
    auto const phase = static_cast<Phase>(error.about_phase);
    bool const known = phase != Phase::created && error.about_phase < kPhaseCount;
    if (error.about == kNoRank || error.about == error.reporter || !known)
        return {};
    return " (last seen " + spaced(name_of(phase)) + ")";
}

std::string os_number(Error const& error) {
    return error.os_error == 0 ? std::string() : " (errno " + std::to_string(error.os_error) + ")";
}

std::string where(Error const& error) {
    if (error.phase == Phase::created)
        return error.reporter == kNoRank ? "at the root" : "before the start";
    if (error.phase == Phase::ready)
        return "after ready";
    return spaced(name_of(error.phase));
}

/// What a failed connection attempt met.
std::string_view obstacle(Failure failure) {
    switch (failure) {
    case Failure::refused: return "connection refused";
    case Failure::timed_out: return "no answer";
    case Failure::unreachable: return "no route to that host";
    case Failure::reset: return "connection reset";
    case Failure::end_of_stream: return "connection closed before it was answered";
    case Failure::no_descriptors: return "out of file descriptors or socket memory";
    case Failure::no_ports: return "out of local ports";
    case Failure::address_in_use: return "the address is in use";
    case Failure::not_permitted: return "not permitted";
    case Failure::bad_address: return "not a usable address";
    case Failure::self_connection: return "the connection met itself";
    case Failure::malformed: return "the answer is not of this protocol";
    case Failure::none:
    case Failure::other: return "unexpected system error";
    }
    return "unknown failure";
}

/// How a connection that stood came to its end; goes on with "to <whom>".
std::string_view manner_of_ending(Failure failure) {
    switch (failure) {
    case Failure::reset: return " reset its connection to ";
    case Failure::timed_out: return " no longer answers ";
    case Failure::unreachable: return " can no longer be reached by ";
    default: return " ended its connection to ";
    }
}

std::string describe_deadline(Verdict const& verdict) {
    Error const& error = verdict.error;
    if (error.about != kNoRank) {
        return "the deadline passed while " + reporter(error) + " waited for " + rank_or(error.about, "") +
               last_seen(error);
    }
    if (error.reporter == kNoRank) {
        std::string text = "the deadline passed";
        if (verdict.range_count > 0)
            text += " before these ranks were done: " + describe_ranges(verdict);
        return text;
    }
    bool const for_root = error.phase == Phase::checking_in || error.phase == Phase::awaiting_successor;
    return "the deadline passed while " + reporter(error) + (for_root ? " waited for the root" : " was at work");
}

std::string describe_missing(Verdict const& verdict) {
    std::uint64_t count = verdict.more_ranks;
    for (std::uint32_t i = 0; i < std::min(verdict.range_count, kMaxRanges); ++i) {
        RankRange const range = verdict.ranges[i];
        count += range.last < range.first ? 1U : std::uint64_t{range.last} - range.first + 1U;
    }
    if (count == 0)
        return verdict.error.about == kNoRank ? "no rank ever came" : rank_or(verdict.error.about, "") + " never came";
    return std::to_string(count) + (count == 1 ? " rank never came: " : " ranks never came: ") +
           describe_ranges(verdict);
}

std::string describe_rank_lost(Verdict const& verdict) {
    Error const& error = verdict.error;
    bool const several = verdict.range_count > 1 || verdict.more_ranks > 0 ||
                         (verdict.range_count == 1 && verdict.ranges[0].first != verdict.ranges[0].last);
    if (several)  // of a roll call
        return "ranks " + describe_ranges(verdict) + last_seen(error) + " no longer answer " + reporter(error);
    std::string const who = rank_or(error.about, "a rank") + last_seen(error);
    if (error.failure == Failure::refused) {
        return who + " is gone: nobody listens where " + reporter(error) + " was told to find it";
    }
    return who + std::string(manner_of_ending(error.failure)) + reporter(error);
}

std::string describe_root_lost(Error const& error) {
    std::string const whom = rank_or(error.reporter, "its ranks");
    switch (error.failure) {
    case Failure::refused: return "nobody listens at the root's address";
    case Failure::timed_out: return "nothing answers " + whom + " at the root's address";
    case Failure::unreachable: return whom + " has no route to the root's host";
    case Failure::end_of_stream:
    case Failure::reset: return "the root" + std::string(manner_of_ending(error.failure)) + whom;
    default: return "the root is lost: " + std::string(obstacle(error.failure));
    }
}

std::string describe_duplicate_rank(Error const& error) {
    std::string text = rank_or(error.about, "a rank") + " checked in twice";
    if (error.expected == 0 && error.got == 0)
        return text;
    if (error.expected == error.got) {
        return text + ": from two hosts or containers, both times as process " + std::to_string(error.got);
    }
    return text + ": processes " + std::to_string(error.expected) + " and " + std::to_string(error.got);
}

/// The one whom `about` contradicts; the root where nobody else said it before.
std::string contradicted(Error const& error) {
    return error.other == error.about ? "the root" : rank_or(error.other, "the root");
}

std::string describe_profile_mismatch(Error const& error) {
    auto const expected = static_cast<std::uint32_t>(error.expected);
    auto const got = static_cast<std::uint32_t>(error.got);
    std::string_view const expected_name = name_of(profile_in_digest(expected));
    std::string_view const got_name = name_of(profile_in_digest(got));
    if (expected_name != got_name) {
        return culprit(error) + " says profile " + std::string(got_name) + ", " + contradicted(error) + " said " +
               std::string(expected_name);
    }
    return culprit(error) + " and " + contradicted(error) + " both say profile " + std::string(got_name) +
           ", but with different policies (digests " + hexadecimal(got) + " and " + hexadecimal(expected) + ")";
}

std::string describe_operation_mismatch(Error const& error) {
    auto const call = [](std::uint64_t kind) {
        bool const known = kind != 0 && kind <= static_cast<std::uint64_t>(OperationKind::receive);
        return known ? std::string(name_of(static_cast<OperationKind>(kind))) : std::string("another operation");
    };
    return culprit(error) + " calls " + call(error.got) + " while " + rank_or(error.other, reporter(error)) +
           " calls " + call(error.expected);
}

/// `expected` is the number of ranks, unless the root itself is the wrong one.
std::string describe_misplaced_rank(Error const& error) {
    if (error.got < error.expected)
        return "rank " + std::to_string(error.got) + " checked in at a root that does not serve it";
    return "a process says it is rank " + std::to_string(error.got) + ", but the job has " +
           std::to_string(error.expected) + " ranks, counted from 0";
}

std::string describe_mismatch(Error const& error) {
    std::string const got = std::to_string(error.got);
    std::string const expected = std::to_string(error.expected);
    switch (error.field) {
    case Field::none: return culprit(error) + " and " + contradicted(error) + " do not agree";
    case Field::nranks:
        return culprit(error) + " says nranks " + got + ", " + contradicted(error) + " said " + expected;
    case Field::roots:
        return culprit(error) + " has another list of roots than " + contradicted(error) + " (digests " +
               hexadecimal(error.got) + " and " + hexadecimal(error.expected) + ")";
    case Field::profile: return describe_profile_mismatch(error);
    case Field::version:
        return culprit(error) + " speaks version " + got + ", " + contradicted(error) + " version " + expected;
    case Field::root_index:
        return culprit(error) + " asks for root number " + got + " where root number " + expected + " is";
    case Field::rank: return describe_misplaced_rank(error);
    case Field::operation: return describe_operation_mismatch(error);
    }
    return culprit(error) + " says " + got + ", " + contradicted(error) + " said " + expected;
}

std::string describe_duplicate_device(Verdict const& verdict) {
    Error const& error = verdict.error;
    std::uint64_t ranks = verdict.more_ranks;
    for (std::uint32_t i = 0; i < std::min(verdict.range_count, kMaxRanges); ++i)
        ranks += verdict.ranges[i].last - verdict.ranges[i].first + 1U;
    if (ranks > 2)
        return "ranks " + describe_ranges(verdict) + " claim the same device of one host";
    if (error.about == kNoRank || error.other == kNoRank)
        return "two ranks claim the same device of one host";
    return "ranks " + std::to_string(std::min(error.about, error.other)) + " and " +
           std::to_string(std::max(error.about, error.other)) + " claim the same device of one host";
}

std::string describe_unreachable(Error const& error) {
    return reporter(error) + " cannot connect to " + rank_or(error.about, "a rank") + last_seen(error) + ": " +
           std::string(obstacle(error.failure)) + os_number(error);
}

std::string describe_violation(Error const& error) {
    return culprit(error) + " sent " + reporter(error) +
           (error.failure == Failure::malformed ? " bytes that no healthy peer sends"
                                                : " a frame that no healthy peer sends now");
}

std::string describe_local_failure(Error const& error) {
    std::string const counted = error.expected == 0 ? ""
                                                    : ", with " + std::to_string(error.got) + " of " +
                                                          std::to_string(error.expected) + " ranks checked in";
    return rank_or(error.about, reporter(error)) + " could not go on: " + std::string(obstacle(error.failure)) +
           os_number(error) + counted;
}

std::string describe_aborted(Error const& error) {
    return rank_or(error.about, error.reporter == kNoRank ? "the root's program" : "somebody") + " called abort";
}

std::string describe_bad_argument(Error const& error) {
    std::string const who = rank_or(error.about, reporter(error));
    std::string const got = std::to_string(error.got);
    std::string const expected = std::to_string(error.expected);
    if (error.field == Field::nranks && error.got != 0 && error.got <= error.expected)
        return who + " says nranks " + got + ", which is less than there are roots";
    if (error.field == Field::nranks)
        return who + " says nranks " + got + ", allowed are 1 to " + expected;
    std::string text = who + " was called with numbers that do not fit";
    return error.got == error.expected ? text : text + ": got " + got + ", expected " + expected;
}

std::string describe_cause(Verdict const& verdict) {
    Error const& error = verdict.error;
    switch (error.code) {
    case Code::ok: return "no error";
    case Code::deadline: return describe_deadline(verdict);
    case Code::ranks_missing: return describe_missing(verdict);
    case Code::rank_lost: return describe_rank_lost(verdict);
    case Code::root_lost: return describe_root_lost(error) + os_number(error);
    case Code::root_silent:
        return "the root's port is open, but nothing answers " + rank_or(error.reporter, "") +
               (error.reporter == kNoRank ? "there" : " there");
    case Code::duplicate_rank: return describe_duplicate_rank(error);
    case Code::mismatch: return describe_mismatch(error);
    case Code::duplicate_device: return describe_duplicate_device(verdict);
    case Code::id_consumed: return "the ring of this id already stood; an id serves one job";
    case Code::peer_unreachable: return describe_unreachable(error);
    case Code::protocol_violation: return describe_violation(error);
    case Code::aborted: return describe_aborted(error);
    case Code::local_failure: return describe_local_failure(error);
    case Code::peer_closed:
        return rank_or(error.about, "a rank") + " closed its communicator while others still needed it";
    case Code::bad_argument: return describe_bad_argument(error);
    }
    return "error " + std::to_string(static_cast<unsigned>(error.code)) + " of a newer protocol";
}

}  // namespace

std::string describe_ranges(Verdict const& verdict) {
    std::string text;
    for (std::uint32_t i = 0; i < std::min(verdict.range_count, kMaxRanges); ++i) {
        RankRange const range = verdict.ranges[i];
        if (i > 0)
            text += ", ";
        text += std::to_string(range.first);
        if (range.last > range.first)
            text += "-" + std::to_string(range.last);
    }
    if (verdict.more_ranks > 0) {
        text += (text.empty() ? "" : " and ") + std::to_string(verdict.more_ranks) + " more";
    }
    return text;
}

std::string describe(Verdict const& verdict) {
    if (verdict.error.is_ok())
        return describe_cause(verdict);
    return where(verdict.error) + ": " + describe_cause(verdict);
}

}  // namespace ronde::protocol
