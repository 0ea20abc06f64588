/// [policy]: every choice of protocol/policy.hpp, by the names that its enumerators have there.
#include "scenario/rows.hpp"

namespace ronde::sim {

using namespace protocol;  // the enumerations below, nothing else is used

Section policy_section() {
    constexpr auto kGathers = 5U;
    Section section;
    section.name = "policy";
    section.help = "single choices that differ from the profile's";
    sim::Rows(section, part_of(&WorldPlan::policies))
        .row("auth", &Policies::auth, all_of<Auth>("auth", 3), "how a connection proves that it belongs here")
        .row("reply", &Policies::reply, in_order<Reply>("reply", {"callback", "same_connection"}),
             "on which connection the root answers")
        .row("hand_out", &Policies::hand_out, in_order<HandOut>("hand_out", {"after_all", "as_known", "table"}),
             "when the root hands out what")
        .row("accepting", &Policies::accepting, in_order<Accepting>("accepting", {"serial", "concurrent"}),
             "how the root takes connections")
        .row("gather", &Policies::gather, all_of<Gather>("gather", kGathers), "how the table spreads")
        .row("turns", &Policies::turns, all_of<Turns>("turns", 4), "how a round of a ring gather proceeds")
        .row("commit", &Policies::commit, in_order<Commit>("commit", {"automatic", "none", "root", "chords"}),
             "who says that everyone is ready")
        .row("retry", &Policies::retry, in_order<Retry>("retry", {"article", "nccl", "backoff"}),
             "when a connection is tried again")
        .row("stagger", &Policies::stagger, in_order<Stagger>("stagger", {"none", "rank_ms", "rate_per_root", "paced"}),
             "when a rank checks in")
        .row("verdicts", &Policies::verdicts, in_order<Verdicts>("verdicts", {"silent", "everyone"}),
             "who is told of a failure")
        .row("deadlines", &Policies::deadlines, in_order<Deadlines>("deadlines", {"none", "everywhere"}),
             "what is waited for without limit")
        .row("device_check", &Policies::device_check,
             in_order<DeviceCheck>("device_check", {"off", "in_table", "at_root"}), "who finds two ranks on one device")
        .row("handshake_patience", &Policies::handshake_patience_ms, Milliseconds{},
             "longest that an accepted connection may stay unproven")
        .row("answer_patience", &Policies::answer_patience_ms, Milliseconds{},
             "first patience with a connection that is not answered; doubles")
        .row("refused_patience", &Policies::refused_patience_ms, Milliseconds{},
             "how long a refusal is believed to pass")
        .row("return_patience", &Policies::return_patience_ms, Milliseconds{},
             "how long the root waits for a reset check-in to come back");
    return section;
}

}  // namespace ronde::sim
