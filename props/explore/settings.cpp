#include "explore/settings.hpp"

#include "explore/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::explore {
namespace {

using namespace protocol;

std::string node_text(Node node, std::uint32_t processes, ExploreSettings const& settings) {
    if (node >= processes)
        return fmt::format("root{}", node - processes);
    return node >= settings.nranks ? "twin" : fmt::format("{}", node);
}

std::string link_text(Fault const& fault) {
    switch (fault.link_class) {
    case LinkClass::root: return "root";
    case LinkClass::previous_root: return "previous";
    case LinkClass::callback: return fmt::format("callback{}", fault.link_index);
    default: return fmt::format("chord{}", fault.link_index);
    }
}

/// Whether nothing that is asked says which rank is which.
bool turns_into_itself(ExploreSettings const& settings) {
    bool const all_alike = !settings.twin && !settings.same_device && !settings.told;
    bool const no_faults = settings.faults == 0 && settings.given.empty();
    return settings.nroots == 1 && all_alike && no_faults && !settings.exact && settings.order == Order::breadth_first;
}

}  // namespace

std::string contradiction_in(ExploreSettings const& settings) {
    if (settings.nranks < 1 || settings.nranks > kMostRanks)
        return fmt::format("{} ranks: 1..{} can be explored", settings.nranks, kMostRanks);
    if (settings.nroots > kMostRoots)
        return fmt::format("{} roots: at most {} can be explored", settings.nroots, kMostRoots);
    if (settings.faults > kMostFaults || settings.given.size() > kMostFaults)
        return fmt::format("{} faults: at most {} can be explored",
                           std::max<std::size_t>(settings.faults, settings.given.size()), kMostFaults);
    if (settings.twin && *settings.twin >= settings.nranks)
        return fmt::format("there is no rank {} to be there twice", *settings.twin);
    if (settings.twin_late && !settings.twin)
        return "nobody is there twice who could come late";
    if (settings.same_device) {
        auto const [a, b] = *settings.same_device;
        if (a == b || std::max(a, b) >= settings.nranks)
            return fmt::format("ranks {} and {} cannot share a device", a, b);
    }
    if (settings.told) {
        auto const [rank, nranks] = *settings.told;
        if (rank >= settings.nranks)
            return fmt::format("there is no rank {} to be told another number of ranks", rank);
        if (nranks <= rank || nranks == settings.nranks || nranks > kMostRanks)
            return fmt::format("rank {} cannot be told of {} ranks: expected {}..{}, and not {}", rank, nranks,
                               rank + 1U, kMostRanks, settings.nranks);
        if (settings.nroots != 1)
            return "who is told another number of ranks needs a job with one root";
    }
    if (settings.symmetry == Symmetry::rotations && !turns_into_itself(settings))
        return "rotations: only a job with one root, no faults, each rank there once and all alike can be turned, "
               "breadth first and by fingerprints";
    return std::string(contradiction_in(resolve(settings.policies, settings.nranks, settings.nroots), settings.nranks,
                                        settings.nroots));
}

Reduction reduction_of(ExploreSettings const& settings) noexcept {
    if (settings.reduction != Reduction::automatic)
        return settings.reduction;
    constexpr std::uint32_t kSmallJob = 4;
    std::size_t const faults = std::max<std::size_t>(settings.faults, settings.given.size());
    bool const small = settings.nranks < kSmallJob || (settings.nranks == kSmallJob && faults < 2);
    return small ? Reduction::processes : Reduction::parts;
}

Symmetry symmetry_of(ExploreSettings const& settings) noexcept {
    if (settings.symmetry != Symmetry::automatic)
        return settings.symmetry;
    // Small jobs are done at once, and the plain search is what everything else is compared with.
    constexpr std::uint32_t kLargeJob = 5;
    bool const worth_it = settings.nranks >= kLargeJob && settings.reduction != Reduction::none;
    return worth_it && !settings.keep_outcomes && turns_into_itself(settings) ? Symmetry::rotations : Symmetry::none;
}

std::string_view name_of(Symmetry symmetry) noexcept {
    constexpr std::array<std::string_view, 3> names{"none", "rotations", "automatic"};
    return names[static_cast<std::size_t>(symmetry)];
}

std::string_view name_of(Reduction reduction) noexcept {
    constexpr std::array<std::string_view, 5> names{"none", "processes", "parts", "links", "automatic"};
    return names[static_cast<std::size_t>(reduction)];
}

std::string_view name_of(FaultKind kind) noexcept {
    constexpr std::array<std::string_view, kFaultKinds> names{"crash",    "crash-reset", "drop", "reset",
                                                              "stranger", "timeout",     "haste"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(StrangerSays says) noexcept {
    constexpr std::array<std::string_view, 3> names{"nothing", "garbage", "claim"};
    return names[static_cast<std::size_t>(says)];
}

std::string text_of(Fault const& fault, ExploreSettings const& settings) {
    std::uint32_t const processes = settings.nranks + (settings.twin ? 1U : 0U);
    std::string text = fmt::format("{}:{}", name_of(fault.kind), node_text(fault.node, processes, settings));
    if (fault.kind == FaultKind::reset)
        text += "@" + link_text(fault);
    if (fault.kind == FaultKind::stranger)
        text += fmt::format("={}", name_of(fault.says));
    return text;
}

tl::expected<Fault, std::string> fault_from(std::string_view text, ExploreSettings const& settings) {
    std::vector<Fault> const all = possible_faults(settings);
    for (Fault const& fault : all) {
        if (text_of(fault, settings) == text)
            return fault;
    }
    std::string some;
    for (FaultKind const kind : {FaultKind::crash, FaultKind::drop, FaultKind::reset, FaultKind::stranger}) {
        auto const found =
            std::find_if(all.begin(), all.end(), [kind](Fault const& fault) { return fault.kind == kind; });
        if (found != all.end())
            some += fmt::format("{}{}", some.empty() ? "" : ", ", text_of(*found, settings));
    }
    return tl::unexpected(fmt::format("'{}' is nothing that can go wrong here; such as {}", text, some));
}

std::vector<Fault> possible_faults(ExploreSettings const& settings) {
    Job const job(settings);
    std::vector<Fault> faults;
    auto const add = [&](FaultKind kind, std::uint32_t node, LinkClass link_class = LinkClass::none,
                         std::uint32_t index = 0, StrangerSays says = StrangerSays::nothing) {
        if ((settings.kinds >> static_cast<unsigned>(kind) & 1U) != 0)
            faults.push_back({kind, static_cast<Node>(node), link_class, static_cast<std::uint8_t>(index), says, 0});
    };
    for (std::uint32_t node = 0; node < job.nodes; ++node) {
        bool const root = job.is_root(static_cast<Node>(node));
        add(FaultKind::crash, node);
        add(FaultKind::crash_reset, node);
        add(FaultKind::timeout, node);
        add(FaultKind::haste, node);
        for (StrangerSays const says : {StrangerSays::nothing, StrangerSays::garbage, StrangerSays::claim})
            add(FaultKind::stranger, node, LinkClass::none, 0, says);
        if (root && job.policies.reply != Reply::callback)
            continue;
        add(FaultKind::drop, node);
        if (root) {
            for (std::uint32_t process = 0; process < job.processes; ++process) {
                if (job.partition.root_of(job.rank_of(static_cast<Node>(process))) == node - job.processes)
                    add(FaultKind::reset, node, LinkClass::callback, process);
            }
            continue;
        }
        add(FaultKind::reset, node, LinkClass::root);
        if (job.partition.is_boundary(job.rank_of(static_cast<Node>(node))))
            add(FaultKind::reset, node, LinkClass::previous_root);
        std::uint32_t const chords = job.policies.gather == Gather::doubling ? log2_ceil(job.nranks)
                                     : job.nranks > 1                        ? 1U
                                                                             : 0U;
        for (std::uint32_t k = 0; k < chords; ++k)
            add(FaultKind::reset, node, LinkClass::chord_out, k);
    }
    return faults;
}

}  // namespace ronde::explore
