#include "report/trace.hpp"

#include "protocol/transitions.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <span>
#include <type_traits>

namespace ronde::sim {
namespace {

std::string link_text(protocol::Link link) { return fmt::format("{}:{}", name_of(link.link_class()), link.index()); }

std::string_view phase_text(StepSeen const& seen, std::uint8_t phase) {
    return seen.rank != nullptr ? name_of(static_cast<protocol::Phase>(phase))
                                : name_of(static_cast<protocol::RootPhase>(phase));
}

bool has_link(protocol::EventKind kind) {
    using enum protocol::EventKind;
    return kind == connected || kind == connect_failed || kind == accepted || kind == frame || kind == closed ||
           kind == sent;
}

void add_action(std::string& text, protocol::Action const& action) {
    using enum protocol::ActionKind;
    auto const out = std::back_inserter(text);
    fmt::format_to(out, " {}", name_of(action.kind));
    switch (action.kind) {
    case listen:
    case deafen: fmt::format_to(out, " {}", name_of(action.listener)); break;
    case accept: fmt::format_to(out, " {}*{}", name_of(action.listener), action.count); break;
    case admit: fmt::format_to(out, " {}={}", link_text(action.link), link_text(action.to)); break;
    case connect: fmt::format_to(out, " {}@{}", link_text(action.link), action.rank); break;
    case send: fmt::format_to(out, " {} {}", name_of(action.frame.kind), link_text(action.link)); break;
    case learn: fmt::format_to(out, " {}+{}", action.first, action.count); break;
    case pause:
    case unpause:
    case close: fmt::format_to(out, " {}", link_text(action.link)); break;
    default: break;
    }
}

/// Absorbs every step and lets checkpoints look at the result.
class StepDigester final : public Observer {
public:
    explicit StepDigester(Checkpoints checkpoints) : checkpoints_(std::move(checkpoints)) {}
    void on_step(StepSeen const& seen) override {
        absorb_step(digest_, seen);
        checkpoints_.after(++steps_, digest_);
    }
    Checkpoints finish() {
        checkpoints_.finish(digest_);
        return std::move(checkpoints_);
    }

private:
    Checkpoints checkpoints_;
    RunningDigest digest_;
    std::uint64_t steps_ = 0;
};

/// Keeps one step as text.
class StepCatcher final : public Observer {
public:
    StepCatcher(std::uint64_t wanted, WorldPlan const& plan)
        : wanted_(wanted), nranks_(plan.nranks), nroots_(plan.nroots) {}
    void on_step(StepSeen const& seen) override {
        if (++steps_ == wanted_)
            text_ = fmt::format("{} {}", seen.now_ns, step_text(seen, nranks_, nroots_));
    }
    [[nodiscard]] std::string text() const {
        return text_.empty() ? fmt::format("had ended after {} steps", steps_) : text_;
    }

private:
    std::uint64_t wanted_;
    std::uint32_t nranks_;
    std::uint32_t nroots_;
    std::uint64_t steps_ = 0;
    std::string text_;
};

CheckpointedRun checkpointed(WorldMaker const& make) {
    return [&make](Checkpoints checkpoints) {
        auto const world = make();
        StepDigester digester(std::move(checkpoints));
        world->watch(digester);
        static_cast<void>(world->run());
        return digester.finish();
    };
}

std::string step_of(WorldMaker const& make, std::uint64_t step) {
    auto const world = make();
    StepCatcher catcher(step, world->plan());
    world->watch(catcher);
    static_cast<void>(world->run());
    return catcher.text();
}

}  // namespace

std::string process_text(ProcessId process, std::uint32_t nranks, std::uint32_t nroots) {
    if (process < nranks)
        return fmt::format("{}", process);
    if (process < nranks + nroots)
        return fmt::format("root {}", process - nranks);
    return process == kNoProcess ? "nobody" : fmt::format("extra {}", process - nranks - nroots);
}

void absorb_step(RunningDigest& digest, StepSeen const& seen) {
    protocol::Event const& event = *seen.event;
    digest.absorb(static_cast<std::uint64_t>(seen.now_ns));
    digest.absorb(std::uint64_t{seen.process} << 32U | seen.from);
    digest.absorb(std::uint64_t{event.link.value} << 32U | static_cast<std::uint64_t>(event.kind) << 16U |
                  static_cast<std::uint64_t>(event.failure) << 8U | (event.authentic ? 1U : 0U));
    digest.absorb(std::as_bytes(std::span(&event.frame, 1)));
    if (seen.rank != nullptr)
        digest.absorb(std::as_bytes(std::span(&seen.rank->state(), 1)));
    if (seen.root != nullptr) {
        protocol::Root const& root = *seen.root;
        digest.absorb(std::uint64_t{root.checked_in()} << 32U | root.done());
        digest.absorb(std::uint64_t{root.strangers()} << 32U | static_cast<std::uint64_t>(root.phase()));
    }
}

std::string step_text(StepSeen const& seen, std::uint32_t nranks, std::uint32_t nroots) {
    protocol::Event const& event = *seen.event;
    std::string text = fmt::format("{} {}", process_text(seen.process, nranks, nroots), name_of(event.kind));
    auto const out = std::back_inserter(text);
    if (event.kind == protocol::EventKind::frame)
        fmt::format_to(out, " {}", name_of(event.frame.kind));
    if (has_link(event.kind))
        fmt::format_to(out, " {}", link_text(event.link));
    if (event.failure != protocol::Failure::none)
        fmt::format_to(out, " {}", name_of(event.failure));
    if (event.kind == protocol::EventKind::frame)
        fmt::format_to(out, " <{}", process_text(seen.from, nranks, nroots));
    if (seen.phase_before != seen.phase_after)
        fmt::format_to(out, " {}>{}", phase_text(seen, seen.phase_before), phase_text(seen, seen.phase_after));
    for (protocol::Action const& action : *seen.actions)
        add_action(text, action);
    return text;
}

TraceWriter::TraceWriter(AtomicFile& file, WorldPlan const& plan)
    : file_(file), nranks_(plan.nranks), nroots_(plan.nroots) {
    file_.write(fmt::format("ronde-trace 1 {} seed={} ranks={} roots={}\n", plan.name, plan.seed, nranks_, nroots_));
}

void TraceWriter::on_step(StepSeen const& seen) {
    absorb_step(digest_, seen);
    ++steps_;
    file_.write(fmt::format("{} {} {} {:08x}\n", steps_, seen.now_ns, step_text(seen, nranks_, nroots_),
                            digest_.value().low & 0xffff'ffffU));
}

void TraceWriter::on_fault(TimeNs now_ns, Fault const& fault) {
    file_.write(fmt::format("fault {} {}\n", now_ns, name_of(fault.kind)));
}

void TraceWriter::finish() { file_.write(fmt::format("end {} steps {}\n", steps_, to_text(digest_.value()))); }

std::optional<Difference> first_difference(WorldMaker const& first, WorldMaker const& second) {
    auto const step = locate_divergence(checkpointed(first), checkpointed(second));
    if (!step)
        return std::nullopt;
    return Difference{*step, step_of(first, *step), step_of(second, *step)};
}

}  // namespace ronde::sim
