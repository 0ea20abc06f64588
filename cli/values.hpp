/// The words of the command line as values. Every error says what was given and what is expected, without the
/// name of the flag. Values as words are those of report/words.hpp.
#pragma once

#include "protocol/error.hpp"
#include "protocol/policy.hpp"
#include "protocol/units.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::cli {

template <class T>
using Parsed = tl::expected<T, std::string>;

/// "250ms", "2s", "1m", also us, ns and h. An integer with a unit, at most 24 h; 0 is refused.
[[nodiscard]] Parsed<protocol::TimeNs> parse_duration(std::string_view text);

/// A plain decimal number of least..most.
[[nodiscard]] Parsed<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most);
/// "64", "64B", "4KiB", "64MiB", "1GiB".
[[nodiscard]] Parsed<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t least, std::uint64_t most);

[[nodiscard]] Parsed<protocol::Profile> parse_profile(std::string_view text);
[[nodiscard]] Parsed<protocol::Gather> parse_gather(std::string_view text);

/// "7" or "3-5".
[[nodiscard]] Parsed<protocol::RankRange> parse_rank_range(std::string_view text);
/// "0,1,1,2": device numbers, the r-th is rank r's.
[[nodiscard]] Parsed<std::vector<std::uint64_t>> parse_devices(std::string_view text);

/// Something that goes wrong on purpose.
struct Fault {
    enum class Kind : std::uint8_t {
        kill,       ///< SIGKILL to the process when it enters `phase`
        stop,       ///< SIGSTOP likewise: it is there, but never says another word
        never,      ///< the rank is never started
        late,       ///< it starts `delay_ns` after the others
        kill_root,  ///< the roots vanish when `check_ins` ranks have checked in
    };
    Kind kind = Kind::kill;
    protocol::RankRange ranks;
    protocol::Phase phase = protocol::Phase::created;
    protocol::TimeNs delay_ns = 0;
    std::uint32_t check_ins = 0;
    std::string text;  ///< as given
};
/// kill:R@PHASE, stop:R@PHASE, never:R, late:R=DURATION, kill-root@CHECK-INS; R may be a range 3-5.
[[nodiscard]] Parsed<Fault> parse_fault(std::string_view text);

/// "0-6, 8, 10-63" of a sorted list.
[[nodiscard]] std::string ranks_text(std::vector<protocol::RankId> const& sorted);

}  // namespace ronde::cli
