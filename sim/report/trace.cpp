#include "report/trace.hpp"

#include "protocol/transitions.hpp"
#include "scenario/scenario.hpp"

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

std::string process_name(ProcessId process, std::uint32_t nranks, std::uint32_t nroots) {
    return (process < nranks ? "rank " : "") + process_text(process, nranks, nroots);
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

// --- lines ----------------------------------------------------------------------------------------------------------

TraceLines::TraceLines(WorldPlan const& plan) : nranks_(plan.nranks), nroots_(plan.nroots) {}

void TraceLines::on_step(StepSeen const& seen) {
    absorb_step(digest_, seen);
    last_ns_ = seen.now_ns;
    ++steps_;
    take({fmt::format("{} {} {} {:08x}", steps_, seen.now_ns, step_text(seen, nranks_, nroots_),
                      digest_.value().low & 0xffff'ffffU),
          steps_, seen.now_ns, seen.process});
}

void TraceLines::on_fault(TimeNs now_ns, Fault const& fault) {
    take({fmt::format("fault {} {}", now_ns, name_of(fault.kind)), steps_ + 1, now_ns, kNoProcess});
}

void TraceLines::on_choice(TapeEntry const& entry) {
    take({fmt::format("choice {}", to_text(entry)), steps_ + 1, last_ns_, kNoProcess});
}

void TraceLines::finish() {
    take({fmt::format("end {} steps {}", steps_, to_text(digest_.value())), steps_ + 1, last_ns_, kNoProcess});
}

std::string trace_head(WorldPlan const& plan) {
    return fmt::format("ronde-trace 1 {} seed={} ranks={} roots={}\n{}", plan.name, plan.seed, plan.nranks, plan.nroots,
                       plan_lines(write_scenario(plan)));
}

std::string trace_text_digest(RunningDigest const& lines) { return fmt::format("{:016x}", lines.value().low); }

void absorb_line(RunningDigest& lines, std::string_view line) { lines.absorb(std::as_bytes(std::span(line))); }

// --- the file -------------------------------------------------------------------------------------------------------

TraceWriter::TraceWriter(AtomicFile& file, WorldPlan const& plan) : TraceLines(plan), file_(file) {
    std::string const head = trace_head(plan);
    file_.write(head);
    for (std::string_view rest = head; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        absorb_line(lines_, rest.substr(0, rest.find('\n')));
}

void TraceWriter::take(Line const& line) {
    absorb_line(lines_, line.text);
    file_.write(line.text);
    if (line.text.starts_with("end "))
        file_.write(fmt::format(" text {}", trace_text_digest(lines_)));
    file_.write("\n");
}

std::uint32_t TracedOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    std::uint32_t const picked = source_.pick(kind, key, n);
    if (n > 1)
        trace_.on_choice({kind, n, picked, key});
    return picked;
}

// --- where two worlds part ------------------------------------------------------------------------------------------

std::optional<Difference> first_difference(WorldMaker const& first, WorldMaker const& second) {
    auto const step = locate_divergence(checkpointed(first), checkpointed(second));
    if (!step)
        return std::nullopt;
    return Difference{*step, step_of(first, *step), step_of(second, *step)};
}

}  // namespace ronde::sim
