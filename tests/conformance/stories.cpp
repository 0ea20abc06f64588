#include "kernel_stories.hpp"
#include "pretended_stories.hpp"
#include "story.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::conformance {

std::vector<Story> const& short_stories() {
    static std::vector<Story> const stories{
        {"CallersOneAfterAnother", "backlog 8; 12 call, each when the one before has its answer; nobody accepts",
         "sk_acceptq_is_full, tcp_conn_request", kernel::callers_one_after_another,
         pretended::callers_one_after_another},
        {"AllAtOnce",
         "backlog 8; 64 SYNs arrive before the first ACK and say 16 bytes; the owner is back after the third "
         "repetition",
         "inet_csk_reqsk_queue_is_full, tcp_conn_request, cookie_v4_check", kernel::all_at_once,
         pretended::all_at_once},
        {"LastAckMeetsAFullQueue", "backlog 8; 5 wait, 8 more SYNs arrive at once; the owner is back after 1 s",
         "tcp_check_req, inet_csk_complete_hashdance, reqsk_timer_handler", kernel::last_ack_meets_a_full_queue,
         pretended::last_ack_meets_a_full_queue},
        {"AbortOnOverflow", "the same with tcp_abort_on_overflow = 1", "tcp_check_req (listen_overflow)",
         kernel::abort_on_overflow, pretended::abort_on_overflow},
        {"AbortOnOverflowWithCookies", "64 at once with tcp_abort_on_overflow = 1",
         "cookie_v4_check, tcp_get_cookie_sock", kernel::abort_on_overflow_with_cookies,
         pretended::abort_on_overflow_with_cookies},
        {"CallIsLost", "the first SYN is lost", "tcp_retransmit_timer", kernel::call_is_lost, pretended::call_is_lost},
        {"AnswerIsLost", "the first SYN-ACK is lost", "tcp_retransmit_timer, tcp_check_req", kernel::answer_is_lost,
         pretended::answer_is_lost},
        {"WordIsLost", "a connection stands, and what is said is lost three times",
         "tcp_send_loss_probe, tcp_retransmit_timer", kernel::word_is_lost, pretended::word_is_lost},
        {"NobodyListens", "4 call a port that nobody has bound", "tcp_v4_rcv (no_tcp_socket), tcp_v4_send_reset",
         kernel::nobody_listens, pretended::nobody_listens},
        {"WordBeforeAccept", "16 bytes arrive while the connection is in the queue", "tcp_child_process",
         kernel::word_before_accept, pretended::word_before_accept},
        {"ListenerCloses", "9 wait in the queue, 4 are ghosts, and the listener is closed",
         "inet_csk_listen_stop, tcp_v4_send_reset", kernel::listener_closes, pretended::listener_closes},
        {"CallerClosesInTheQueue", "it says 16 bytes and closes before it is accepted", "inet_csk_accept, tcp_fin",
         kernel::caller_closes_in_the_queue, pretended::caller_closes_in_the_queue},
        {"CallerResetsInTheQueue", "it says 16 bytes and resets before it is accepted", "tcp_reset, tcp_recvmsg",
         kernel::caller_resets_in_the_queue, pretended::caller_resets_in_the_queue},
        {"GhostsClose", "9 in the queue and 4 ghosts close without a word; then the owner is back",
         "tcp_close, tcp_check_req", kernel::ghosts_close, pretended::ghosts_close},
        {"RequestIsForgotten", "a ghost whose request is given up (tcp_synack_retries = 0) repeats its word",
         "reqsk_timer_handler, tcp_v4_send_reset", kernel::request_is_forgotten, pretended::request_is_forgotten},
        {"CallsAreInterrupted", "a signal interrupts accept and read until they notice; then somebody calls and speaks",
         "inet_csk_wait_for_connect, sk_wait_data (EINTR)", kernel::calls_are_interrupted,
         pretended::calls_are_interrupted},
        {"WordInPieces", "16 bytes are sent one by one and read one by one", "tcp_sendmsg, tcp_recvmsg",
         kernel::word_in_pieces, pretended::word_in_pieces},
        {"HalfClose", "it says 16 bytes and shuts down writing; the other end still speaks", "tcp_shutdown, tcp_fin",
         kernel::half_close, pretended::half_close},
        {"CloseWithUnreadBytes",
         "an end is closed with bytes in its receive buffer",
         "tcp_close, tcp_send_active_reset",
         kernel::close_with_unread_bytes,
         {},
         {},
         "a plan says which it is, Death::fin or Death::reset; ronde's driver reads before it closes"},
        {"WordToAClosedEnd",
         "one end has closed, the other one speaks",
         "tcp_rcv_state_process, tcp_v4_send_reset",
         kernel::word_to_a_closed_end,
         {},
         {},
         "modelled, but the machines close their end as soon as they hear of the other's"},
        {"SelfConnection",
         "a socket bound to a port calls this port",
         "tcp_rcv_synsent_state_process (simultaneous open)",
         kernel::self_connection,
         {},
         {},
         "ports have no numbers in the pretend world, only a count of those in use"},
    };
    return stories;
}

std::vector<Story> const& long_stories() {
    static std::vector<Story> const stories{
        {"ThreeCallsAreLost", "three SYNs are lost; tcp_syn_linear_timeouts = 0, or a kernel before 6.5",
         "tcp_retransmit_timer", kernel::three_calls_are_lost, pretended::three_calls_are_lost},
        {"CallsAreLostForAWhile",
         "six SYNs are lost, the kernel's settings are its defaults",
         "tcp_retransmit_timer",
         kernel::calls_are_lost_for_a_while,
         pretended::calls_are_lost_for_a_while,
         {"connected after, in s"},
         "since Linux 6.5 the first steps are of 1 s each (tcp_syn_linear_timeouts = 4); the pretend world doubles "
         "from "
         "the first step, as older kernels do"},
        {"NobodyAnswers", "no SYN is ever answered; tcp_syn_retries = 1, steps doubled from the first",
         "tcp_write_timeout", kernel::nobody_answers, pretended::nobody_answers},
        {"OldRequestsMakeRoom", "8 ghosts of a listener with backlog 8 wait for an owner who does not come back",
         "reqsk_timer_handler", kernel::old_requests_make_room, pretended::old_requests_make_room},
        {"BusyNeighbour",
         "backlog 8; 256 call one after another over the loopback and say 16 bytes; the owner is back after 2 s",
         "tcp_conn_request, tcp_retransmit_timer",
         kernel::busy_neighbour,
         pretended::busy_neighbour,
         {"half connected after, in s", "nine of ten connected after, in s", "all connected after, in s",
          "heard within 10 s", "resets"},
         "repeated words of ghosts come in bursts, and how many of a burst find room depends on how fast the owner "
         "accepts between two of them: accept_service_ns in a plan, 20 us here"},
    };
    return stories;
}

std::string disagreement(Story const& story, Facts const& kernel, Facts const& pretended) {
    std::string text;
    std::size_t compared = 0;
    for (auto const& [what, value] : kernel) {
        std::string_view const other = pretended.value_of(what);
        bool const differs_by_nature =
            std::find(story.may_differ.begin(), story.may_differ.end(), what) != story.may_differ.end();
        if (other.empty() || differs_by_nature)
            continue;
        ++compared;
        if (other != value)
            text += fmt::format("{}: {} on this kernel, {} in the pretend world\n", what, value, other);
    }
    if (compared == 0 && story.may_differ.empty())
        text += "nothing was counted in both worlds\n";
    return text;
}

}  // namespace ronde::conformance
