#include "observe/tables.hpp"

#include "observe/premise.hpp"
#include "observe/welcome.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::props {
namespace {

using protocol::Phase;

/// "rank 3", or what else a process is.
std::string who(ProcessId process, Scene const& scene) {
    if (process == kNoProcess)
        return "nobody";
    sim::ProcessFacts const facts = scene.facts(process);
    if (facts.kind == sim::ProcessFacts::Kind::stranger)
        return "a stranger";
    if (facts.kind == sim::ProcessFacts::Kind::root)
        return "a root";
    return process < scene.plan().nranks ? fmt::format("rank {}", facts.rank)
                                         : fmt::format("another process of rank {}", facts.rank);
}

RankId rank_of(Step const& step, Scene const& scene) { return scene.rank_of(step.process()); }

/// A rank's table, also where it holds nothing at all.
class Held {
public:
    Held(ProcessId reader, Scene const& scene) : all_(scene.table(reader)) {}
    [[nodiscard]] ProcessId operator[](RankId rank) const { return rank < all_.size() ? all_[rank] : kNoProcess; }
    [[nodiscard]] bool equals(std::vector<ProcessId> const& other) const {
        return std::equal(all_.begin(), all_.end(), other.begin(), other.end());
    }

private:
    std::span<ProcessId const> all_;
};

}  // namespace

// --- S1 -------------------------------------------------------------------------------------------------------------

bool TableExact::begin(Scene const& scene, Premise const&) {
    checked_in_.assign(scene.plan().nranks, kNoProcess);
    at_other_root_.assign(scene.plan().nranks, kNoProcess);
    return true;
}

void TableExact::on_step(Step const& step, Scene const& scene, Findings& findings) {
    std::uint32_t const nranks = scene.plan().nranks;
    if (Welcome const welcome = welcome_in(step, scene); welcome.process != kNoProcess)
        (welcome.own_root ? checked_in_ : at_other_root_)[welcome.rank] = welcome.process;
    if (!step.enters(Phase::ready))
        return;
    RankId const rank = rank_of(step, scene);
    if (scene.known(step.process()) != nranks)
        findings.add(id(), {rank},
                     fmt::format("rank {} is ready with {} of {} entries", rank, scene.known(step.process()), nranks));
    if (!scene.exact())
        return;
    bool const committed = scene.policies().commit != protocol::Commit::none;
    Held const table(step.process(), scene);
    for (RankId i = 0; i < nranks; ++i) {
        ProcessId const holder = table[i];
        bool const own = i == rank && (holder == kNoProcess || holder == step.process());
        bool const counted = holder == checked_in_[i] || (!committed && holder == at_other_root_[i]);
        if (own || (holder != kNoProcess && counted))
            continue;
        return findings.add(id(), {rank, i},
                            fmt::format("rank {} is ready, and at {} its table has {} instead of who checked in, {}",
                                        rank, i, who(holder, scene), who(checked_in_[i], scene)));
    }
}

// --- S2 -------------------------------------------------------------------------------------------------------------

bool TablesEqual::begin(Scene const& scene, Premise const&) {
    first_.clear();
    whose_ = kNoRank;
    return scene.exact() && scene.plan().nranks > 1;
}

void TablesEqual::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (!step.enters(Phase::ready))
        return;
    RankId const rank = rank_of(step, scene);
    std::uint32_t const nranks = scene.plan().nranks;
    Held const table(step.process(), scene);
    if (whose_ == kNoRank) {
        whose_ = rank;
        for (RankId i = 0; i < nranks; ++i)
            first_.push_back(table[i]);
        return;
    }
    if (table.equals(first_))
        return;
    for (RankId i = 0; i < nranks; ++i) {
        ProcessId const holder = table[i];
        if (holder == first_[i] ||
            (holder != kNoProcess && first_[i] != kNoProcess && scene.entry_of(holder) == scene.entry_of(first_[i])))
            continue;
        return findings.add(id(), {whose_, rank},
                            fmt::format("ranks {} and {} are ready, and differ in entry {}: {} and {}", whose_, rank, i,
                                        who(first_[i], scene), who(holder, scene)));
    }
}

// --- S8 -------------------------------------------------------------------------------------------------------------

bool DevicesDistinct::begin(Scene const& scene, Premise const& premise) {
    looked_at_.clear();
    only_shared_devices_ = premise.only_shared_devices;
    return scene.exact() && scene.policies().device_check != protocol::DeviceCheck::off;
}

bool DevicesDistinct::share(ProcessId a, ProcessId b, Scene const& scene) const {
    protocol::Entry const first = scene.entry_of(a);
    protocol::Entry const second = scene.entry_of(b);
    return first.host_id == second.host_id && first.device_id == second.device_id &&
           first.device_id != protocol::kNoDevice;
}

void DevicesDistinct::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (!step.enters(Phase::ready))
        return;
    std::uint32_t const nranks = scene.plan().nranks;
    Held const table(step.process(), scene);
    if (table.equals(looked_at_))
        return;
    looked_at_.clear();
    entries_.clear();
    for (RankId i = 0; i < nranks; ++i) {
        looked_at_.push_back(table[i]);
        entries_.push_back(looked_at_.back() == kNoProcess ? protocol::Entry{} : scene.entry_of(looked_at_.back()));
    }
    protocol::DevicePair const pair = protocol::find_duplicate_device(entries_);
    if (pair.first == kNoRank)
        return;
    findings.add(id(), {pair.first, pair.second},
                 fmt::format("rank {} is ready although ranks {} and {} claim one device", rank_of(step, scene),
                             pair.first, pair.second));
}

void DevicesDistinct::at_end(sim::Outcome const& outcome, Scene const& scene, Findings& findings) {
    bool const told = scene.policies().verdicts == protocol::Verdicts::everyone;
    if (!told || !only_shared_devices_)
        return;
    for (sim::RankEnd const& end : outcome.not_ready) {
        if (end.end != sim::End::failed)
            continue;
        bool const named = end.error.code == protocol::Code::duplicate_device && end.error.about < outcome.nranks &&
                           end.error.other < outcome.nranks && end.error.about != end.error.other &&
                           share(end.error.about, end.error.other, scene);
        if (!named)
            return findings.add(id(), {end.rank},
                                fmt::format("two ranks share a device, and rank {} ends with {} instead of their names",
                                            end.rank, protocol::name_of(end.error.code)));
    }
}

// --- S9 -------------------------------------------------------------------------------------------------------------

bool OnlyThisSession::begin(Scene const& scene, Premise const&) {
    welcomed_.assign(scene.processes(), false);
    return scene.exact();
}

void OnlyThisSession::on_step(Step const& step, Scene const& scene, Findings& findings) {
    if (Welcome const welcome = welcome_in(step, scene); welcome.process != kNoProcess) {
        if (welcome.process >= welcomed_.size())
            welcomed_.resize(welcome.process + std::size_t{1}, false);
        welcomed_[welcome.process] = true;
        if (scene.facts(welcome.process).outsider)
            findings.add(id(), {welcome.rank},
                         fmt::format("a root has taken the check-in of {} as rank {}, with the id of another job",
                                     who(welcome.process, scene), welcome.rank));
    }
    if (!step.enters(Phase::ready))
        return;
    RankId const rank = rank_of(step, scene);
    Held const table(step.process(), scene);
    for (RankId i = 0; i < scene.plan().nranks; ++i) {
        ProcessId const holder = table[i];
        if (holder == kNoProcess || holder == step.process() || (holder < welcomed_.size() && welcomed_[holder]))
            continue;
        return findings.add(id(), {rank, i},
                            fmt::format("rank {} is ready with an entry of {} at {}, who never checked in", rank,
                                        who(holder, scene), i));
    }
}

}  // namespace ronde::props
