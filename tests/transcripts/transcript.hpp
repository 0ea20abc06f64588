/// A conversation with one machine as text: commands in, what the machine did out.
///
///     rank 3 of 8 profile ronde gather doubling     a rank; also: roots K, turns T, auth A, budget 10s, unpromised
///     root 0 of 1 profile ronde                     a root; also: expects N, doors D, budget 10s
///     start | abort | close | collected
///     listening ring | listen_failed ring address_in_use
///     accept_failed root no_descriptors
///     connected root [cached] | connect_failed root refused | closed chord_in 0 end_of_stream | sent chord_out 0
///     accepted ring 0 | queued ring                 the number is the slot
///     frame LINK hello [to] chord_out 0 from 2 to 3 | proof ... | challenge | commit | bye
///     frame LINK successor 4 | check_in 3 of 8 | done 3 | verdict rank_lost about 5
///     frame LINK slices 4+2 of 64 operation 0 | length 1 of 64 operation 0 | message from 2 to 3 tag 7 of 100
///         any frame may end with: forged, session N, version N, incarnation N, pid N, device N, budget 5s
///     operate all_gather 64 | barrier | broadcast 2 100 | send 5 7 100 | receive 5 7 100 [within 2s]
///     inspected [2 5]
///     wait 1s          lets time pass           timer +1s     lets time pass, then a timer event
///     timer            lets time pass until the deadline, then a timer event
///     state            shows what is remembered
///
/// Links are written as in the output: root, previous_root, callback, chord_out 0, mail_in 5, pending 0, member 3.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::protocol::tiny {

class Words;

/// Plays one transcript. Throws std::runtime_error with one line for a command that it does not understand.
class Transcript {
public:
    /// What the machine did, one line each; "nothing" when that is all.
    [[nodiscard]] std::vector<std::string> play(std::string_view command);

private:
    void make_rank(Words& words);
    void make_root(Words& words);
    [[nodiscard]] Policies read_policies(Words& words, std::uint32_t& nroots, TimeNs& budget_ns);
    [[nodiscard]] bool read_event(std::string const& verb, Words& words, Event& event);
    void read_frame(Words& words, Event& event);
    [[nodiscard]] Frame read_content(Words& words, std::string const& kind);
    [[nodiscard]] Operation read_operation(Words& words) const;
    void read_details(Words& words, Event& event, Entry& entry);
    void feed(Event event);
    void show(Actions const& actions);
    void show_state();
    void say(std::string line) { said_.push_back(std::move(line)); }

    bool is_root_ = false;
    RankConfig rank_config_;
    RootConfig root_config_;
    Rank rank_;
    std::unique_ptr<Root> root_;
    std::vector<RootRecord> records_;
    std::vector<std::uint32_t> device_index_;
    std::vector<std::byte> payload_;
    Frame hello_;  ///< the last that the machine said
    TimeNs now_ = 0;
    std::vector<std::string> said_;
};

}  // namespace ronde::protocol::tiny
