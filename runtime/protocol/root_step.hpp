/// One step of a root, while it runs. Private to the machine; grouped as the files are.
#pragma once

#include "protocol/root.hpp"

namespace ronde::protocol {

class RootStep {
public:
    RootStep(Root& root, Event const& event, Actions& actions) noexcept
        : config_(*root.config_), policies_(root.policies_), root_(root), event_(event), actions_(actions) {}

    void run() noexcept;

private:
    // --- root.cpp: dispatch, doors ----------------------------------------------------------------------------
    void begin() noexcept;
    void on_accepted() noexcept;
    void on_queued() noexcept;
    void on_accept_failed() noexcept;
    void on_door_frame() noexcept;
    void on_member_frame() noexcept;
    void on_closed() noexcept;
    void on_timer() noexcept;
    void on_door_timer() noexcept;
    [[nodiscard]] TimeNs door_due_ns(RootDoor const& door) const noexcept;
    void turn_away(std::uint32_t slot) noexcept;
    void free_door(std::uint32_t slot) noexcept;
    [[nodiscard]] bool hello_fits() const noexcept;
    [[nodiscard]] bool over() const noexcept { return root_.finished() || root_.phase_ == RootPhase::judging; }
    [[nodiscard]] bool calls_back() const noexcept { return policies_.reply == Reply::callback; }
    [[nodiscard]] Partition partition() const noexcept { return {root_.nranks_, config_.nroots}; }
    // NOLINTNEXTLINE(readability-make-member-function-const): what it hands out may be changed
    [[nodiscard]] RootRecord& record(std::uint32_t local_id) noexcept { return root_.room_.records[local_id]; }
    [[nodiscard]] RankId rank_of(std::uint32_t local_id) const noexcept;
    [[nodiscard]] TimeNs after_ms(std::uint64_t ms) const noexcept {
        return event_.now + static_cast<TimeNs>(ms) * kMillisecondNs;
    }
    void send(Link link, Frame const& frame, Source source = Source::none, std::uint32_t first = 0,
              std::uint32_t count = 0) noexcept;
    void close_link(Link link) noexcept;
    void grant(std::uint32_t credits) noexcept;

    // --- root_check_in.cpp: who is here, and whether that can be true -------------------------------------------
    void on_check_in(std::uint32_t slot) noexcept;
    [[nodiscard]] bool agrees(std::uint32_t slot) noexcept;
    [[nodiscard]] bool adopt_reference(std::uint32_t nranks, RankId told_by) noexcept;
    [[nodiscard]] bool adopt_first_check_in(std::uint32_t slot) noexcept;
    void welcome(std::uint32_t slot, std::uint32_t local_id, Entry const& entry) noexcept;
    void admit(std::uint32_t slot, std::uint32_t local_id) noexcept;
    void refuse(std::uint32_t slot, Error const& error) noexcept;
    void welcome_back(std::uint32_t slot, std::uint32_t local_id) noexcept;
    [[nodiscard]] std::uint32_t index_device(std::uint32_t local_id) noexcept;
    [[nodiscard]] bool is_shared(std::uint32_t local_id) noexcept;
    void judge_sharers() noexcept;
    void hear_deadline() noexcept;
    void answer_late_comer(std::uint32_t slot) noexcept;

    // --- root_hand_out.cpp: successors, the table, the commit ------------------------------------------------------
    void pair_known(std::uint32_t local_id) noexcept;
    void everyone_here() noexcept;
    void serve(std::uint32_t local_id) noexcept;
    void pump_table() noexcept;
    void call_next() noexcept;
    void on_called() noexcept;
    void on_call_failed() noexcept;
    void served_one(std::uint32_t local_id) noexcept;
    void on_done(std::uint32_t local_id) noexcept;
    void pump_commit() noexcept;
    void round_over() noexcept;
    [[nodiscard]] std::uint32_t successor_id(std::uint32_t local_id) const noexcept;
    [[nodiscard]] std::uint32_t to_serve() const noexcept { return partition().size_of(config_.root_index); }

    // --- root_verdict.cpp: losses, deadlines, telling everyone -----------------------------------------------------
    void judge(Error error, Verdict const* detail = nullptr) noexcept;
    void find_guilty(Error error, Verdict const* detail) noexcept;
    void tell_everyone() noexcept;
    void pump_verdict() noexcept;
    void member_lost(std::uint32_t local_id, Failure failure, std::int32_t os_error) noexcept;
    void on_deadline() noexcept;
    void call_the_roll() noexcept;
    void pump_roll_call() noexcept;
    [[nodiscard]] bool waits_longer() noexcept;
    void on_loss_timer() noexcept;
    void give_up(std::uint32_t local_id, Failure failure, std::int32_t os_error) noexcept;

    RootConfig const& config_;
    Policies const& policies_;
    Root& root_;
    Event const& event_;
    Actions& actions_;
};

}  // namespace ronde::protocol
