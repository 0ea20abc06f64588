#include "report/rounds.hpp"

#include "protocol/check.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace ronde::sim {

using protocol::Gather;
using protocol::LinkClass;

RoundTable::RoundTable(WorldPlan const& plan) : nranks_(plan.nranks), nroots_(plan.nroots) {
    RONDE_CHECK(plan.nranks <= kMostRoundRanks, "a table of rounds is for small worlds");
    auto const gather = protocol::resolve(plan.policies, nranks_, nroots_).gather;
    ring_ = gather == Gather::ring || gather == Gather::ring2;
    for (RankId rank = 0; rank < nranks_; ++rank)
        known_.push_back(1U << rank);
    heard_.resize(std::size_t{2} * nranks_);
}

/// A ring's rounds carry no number: each is the next slice on that hand. A doubling gather's round is its chord.
std::uint32_t RoundTable::round_of(StepSeen const& seen) {
    protocol::Link const link = seen.event->link;
    bool const from_peer = link.link_class() == LinkClass::chord_in || link.link_class() == LinkClass::chord_out;
    if (!from_peer)
        return 0;
    if (!ring_)
        return link.index() + 1;
    return ++heard_[std::size_t{2} * seen.process + (link.link_class() == LinkClass::chord_out ? 1 : 0)];
}

void RoundTable::on_step(StepSeen const& seen) {
    if (seen.process >= nranks_ || seen.event->kind != protocol::EventKind::frame)
        return;
    // Gathers that a program makes after ready are not about the table.
    if (seen.event->frame.kind == protocol::FrameKind::slices && seen.event->frame.d != 0)
        return;
    for (protocol::Action const& action : *seen.actions) {
        if (action.kind != protocol::ActionKind::learn)
            continue;
        Lesson lesson{round_of(seen), seen.now_ns, seen.from, seen.process, action.first, action.count, 0};
        // A ring passes every entry on, that of the successor too: what the root says of it is an address to connect
        // to.
        bool const address_only = ring_ && lesson.round == 0 && action.count == 1;
        for (std::uint32_t i = 0; i < action.count && !address_only; ++i)
            known_[seen.process] |= 1U << ((action.first + i) % nranks_);
        lesson.known = known_[seen.process];
        lessons_.push_back(lesson);
    }
}

std::string RoundTable::entries(RankId first, std::uint32_t count) const {
    RankId const last = (first + count - 1) % nranks_;
    if (count == 1)
        return fmt::format("entry {}", first);
    return count == nranks_ ? std::string("the table") : fmt::format("entries {}..{}", first, last);
}

/// "0 1 . 3": what is missing is seen at a glance.
std::string RoundTable::known_text(std::uint32_t known) const {
    std::string text;
    for (RankId rank = 0; rank < nranks_; ++rank) {
        std::string const digits = fmt::format("{}", rank);
        text += rank == 0 ? "" : " ";
        text += (known >> rank & 1U) != 0 ? digits : std::string(digits.size(), '.');
    }
    return text;
}

std::string RoundTable::round_text(std::uint32_t round) const {
    std::vector<Lesson> lessons;
    for (Lesson const& lesson : lessons_) {
        if (lesson.round == round)
            lessons.push_back(lesson);
    }
    std::stable_sort(lessons.begin(), lessons.end(), [](Lesson const& a, Lesson const& b) { return a.to < b.to; });
    std::string text = round == 0 ? std::string("the root answers") : fmt::format("round {}", round);
    auto const [first, last] = std::minmax_element(lessons.begin(), lessons.end(),
                                                   [](Lesson const& a, Lesson const& b) { return a.at_ns < b.at_ns; });
    text += fmt::format(", {} to {}\n", about(first->at_ns), about(last->at_ns));
    for (Lesson const& lesson : lessons) {
        std::string const what = ring_ && round == 0 && lesson.count == 1 ? fmt::format("address of {}", lesson.first)
                                                                          : entries(lesson.first, lesson.count);
        text += fmt::format("  {:>7} -> {:<3} {:<16} {:>3} knows {}\n", process_text(lesson.from, nranks_, nroots_),
                            lesson.to, what, lesson.to, known_text(lesson.known));
    }
    return text;
}

std::string RoundTable::text() const {
    std::string text;
    std::uint32_t rounds = 0;
    for (Lesson const& lesson : lessons_)
        rounds = std::max(rounds, lesson.round);
    for (std::uint32_t round = 0; round <= rounds; ++round) {
        bool const any = std::any_of(lessons_.begin(), lessons_.end(),
                                     [round](Lesson const& lesson) { return lesson.round == round; });
        if (any)
            text += round_text(round);
    }
    auto const complete = std::count_if(known_.begin(), known_.end(), [this](std::uint32_t known) {
        return static_cast<std::uint32_t>(std::popcount(known)) == nranks_;
    });
    return text + fmt::format("after {}: {} of {} ranks know everybody\n", plural(rounds, "round"), complete, nranks_);
}

}  // namespace ronde::sim
