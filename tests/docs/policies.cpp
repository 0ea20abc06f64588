#include "policies.hpp"

#include "protocol/partition.hpp"
#include "protocol/policy.hpp"
#include "protocol/rank_step.hpp"

#include <array>
#include <functional>
#include <string_view>
#include <utility>

namespace ronde::docs {
namespace {

using namespace ronde::protocol;

std::string_view word(Reply reply) { return reply == Reply::callback ? "callback" : "same_connection"; }
std::string_view word(Accepting accepting) { return accepting == Accepting::serial ? "serial" : "concurrent"; }
std::string_view word(Verdicts verdicts) { return verdicts == Verdicts::silent ? "silent" : "everyone"; }
std::string_view word(Deadlines deadlines) { return deadlines == Deadlines::none ? "none" : "everywhere"; }
std::string_view word(HandOut hand_out) {
    return hand_out == HandOut::after_all ? "after_all" : hand_out == HandOut::as_known ? "as_known" : "table";
}
std::string_view word(Commit commit) {
    constexpr std::array<std::string_view, 4> kWords = {"automatic", "none", "root", "chords"};
    return kWords.at(static_cast<std::size_t>(commit));
}
std::string_view word(Retry retry) {
    return retry == Retry::article ? "article" : retry == Retry::nccl ? "nccl" : "backoff";
}
std::string_view word(Stagger stagger) {
    switch (stagger) {
    case Stagger::none: return "none";
    case Stagger::rank_ms: return "rank_ms";
    case Stagger::rate_per_root: return "rate_per_root";
    case Stagger::paced: return "paced";
    }
    return "?";
}
std::string_view word(DeviceCheck check) {
    return check == DeviceCheck::off ? "off" : check == DeviceCheck::in_table ? "in_table" : "at_root";
}
std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

using Column = std::function<std::string(Policies const&)>;

std::string row(std::string_view name, Column const& column) {
    std::string text = "| " + std::string(name) + " |";
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde})
        text += " " + column(policies_of(profile)) + " |";
    return text + "\n";
}

std::string block(Partition const& partition, std::uint32_t root) {
    RankId const first = partition.first_of(root);
    RankId const last = first + partition.size_of(root) - 1U;
    return "{" + std::to_string(first) + (last > first ? "-" + std::to_string(last) : std::string()) + "}";
}

}  // namespace

std::string policies() {
    std::string text = "| policy | article | nccl | ronde |\n|---|---|---|---|\n";
    text += row("auth", [](Policies const& p) { return code(name_of(p.auth)); });
    text += row("reply", [](Policies const& p) { return code(word(p.reply)); });
    text += row("hand_out", [](Policies const& p) { return code(word(p.hand_out)); });
    text += row("accepting", [](Policies const& p) { return code(word(p.accepting)); });
    text += row("gather", [](Policies const& p) { return code(name_of(p.gather)); });
    text += row("turns", [](Policies const& p) { return code(name_of(p.turns)); });
    text += row("commit", [](Policies const& p) { return code(word(p.commit)); });
    text += row("retry", [](Policies const& p) { return code(word(p.retry)); });
    text += row("stagger", [](Policies const& p) { return code(word(p.stagger)); });
    text += row("verdicts", [](Policies const& p) { return code(word(p.verdicts)); });
    text += row("deadlines", [](Policies const& p) { return code(word(p.deadlines)); });
    text += row("device_check", [](Policies const& p) { return code(word(p.device_check)); });
    text += row("handshake_patience_ms", [](Policies const& p) { return std::to_string(p.handshake_patience_ms); });
    text += row("answer_patience_ms", [](Policies const& p) { return std::to_string(p.answer_patience_ms); });
    text += row("refused_patience_ms", [](Policies const& p) { return std::to_string(p.refused_patience_ms); });
    text += row("return_patience_ms", [](Policies const& p) { return std::to_string(p.return_patience_ms); });
    return text;
}

std::string partition_vectors() {
    constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kCases = {
        {{7, 3}, {10, 4}, {5, 5}, {64, 3}, {8, 1}}};
    std::string text =
        "| ranks | roots | blocks | second check-ins (rank → root, as its number there) |\n|---:|---:|---|---|\n";
    for (auto const& [nranks, nroots] : kCases) {
        Partition const partition{nranks, nroots};
        std::string blocks;
        std::string extras;
        for (std::uint32_t root = 0; root < nroots; ++root) {
            blocks += (root > 0 ? " " : "") + block(partition, root);
            RankId const rank = partition.first_of(root);
            if (!partition.is_boundary(rank))
                continue;
            std::uint32_t const previous = partition.previous_root(root);
            extras += (extras.empty() ? "" : ", ") + std::to_string(rank) + " → " + std::to_string(previous) + " as " +
                      std::to_string(partition.local_id(previous, rank));
        }
        text += "| " + std::to_string(nranks) + " | " + std::to_string(nroots) + " | " + blocks + " | " +
                (extras.empty() ? "none" : extras) + " |\n";
    }
    return text;
}

std::string window_vectors() {
    std::string text =
        "| ranks | rounds of the table | entries per round | rounds of a barrier |\n|---:|---:|---|---:|\n";
    for (std::uint32_t const nranks : {1U, 2U, 3U, 7U, 8U, 64U, 1024U, 98'304U}) {
        std::uint32_t const rounds = doubling_rounds(nranks, 0);
        std::string counts;
        for (std::uint32_t k = 0; k < rounds; ++k)
            counts += (k > 0 ? ", " : "") + std::to_string(window_sent(nranks, 0, k));
        text += "| " + std::to_string(nranks) + " | " + std::to_string(rounds) + " | " +
                (counts.empty() ? "none" : counts) + " | " + std::to_string(doubling_rounds(nranks, 1)) + " |\n";
    }
    return text;
}

}  // namespace ronde::docs
