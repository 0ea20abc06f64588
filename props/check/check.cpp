#include "check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

namespace ronde::props {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kGeneration = 256;
constexpr std::size_t kMostCorpus = 4'096;
constexpr std::size_t kMostScripts = 8;

/// Runs a generation's cases on as many threads as asked; each result lands at its own place.
void run_generation(std::vector<std::unique_ptr<CaseRunner>> const& runners, std::uint64_t first,
                    CheckOptions const& options, Heritage const& heritage, std::span<CaseResult> results) {
    std::atomic<std::size_t> next{0};
    auto const work = [&](CaseRunner& runner) {
        for (std::size_t i = next.fetch_add(1); i < results.size(); i = next.fetch_add(1))
            runner.run((first + i) * options.parts + options.part, heritage, results[i]);
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < runners.size(); ++i)
        others.emplace_back([&, i] { work(*runners[i]); });
    work(*runners.front());
    for (std::thread& other : others)
        other.join();
}

class Check {
public:
    explicit Check(CheckOptions const& options) : options_(options) {
        report_.seed = options.rules.seed;
        report_.strategy = to_text(options.rules.strategy);
        report_.profile = name_of(options.rules.shape.profile);
        report_.least_ranks = options.rules.shape.least_ranks;
        report_.most_ranks = options.rules.shape.most_ranks;
        report_.jobs = options.jobs;
        for (std::uint32_t i = 0; i < std::max(1U, options.jobs); ++i)
            runners_.push_back(std::make_unique<CaseRunner>(options.rules));
    }

    CheckReport run(std::function<void(CheckReport const&)> const& progress) {
        std::vector<CaseRunner const*> runners;
        for (auto const& runner : runners_)
            runners.push_back(runner.get());
        if (options_.on_runners)
            options_.on_runners(runners);
        replay_folder();
        std::vector<CaseResult> results(kGeneration);
        for (std::uint64_t done = 0; report_.holds() && report_.trouble.empty();) {
            std::uint64_t const left = options_.cases == 0 ? kGeneration : options_.cases - done;
            std::size_t const size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kGeneration));
            if (size == 0 || (done > 0 && elapsed_ns() >= options_.budget_ns))
                break;
            run_generation(runners_, done, options_, heritage_, std::span(results).first(size));
            for (std::size_t i = 0; i < size; ++i)
                take(results[i]);
            done += size;
            report_.wall_ns = elapsed_ns();
            if (progress)
                progress(report_);
        }
        report_.wall_ns = elapsed_ns();
        report_.corpus = heritage_.corpus.size();
        report_.most_orders = options_.rules.strategy.kind == Strategy::Kind::pct ? heritage_.most_orders : 0;
        report_.most_actors = heritage_.most_actors;
        return std::move(report_);
    }

private:
    [[nodiscard]] std::int64_t elapsed_ns() const {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun_).count();
    }

    void replay_folder() {
        if (options_.failures.empty())
            return;
        for (std::string const& path : scripts_in(options_.failures)) {
            auto const script = load_script(path);
            if (!script) {
                report_.trouble = script.error();
                return;
            }
            ++report_.replayed;
            Judged const judged = judge(*script);
            if (judged.violations.empty())
                continue;
            Violation const& violation = judged.violations.front();
            ++report_.broken[static_cast<std::size_t>(violation.property)];
            report_.failures.push_back({violation.property, 0, violation.sentence, path});
        }
    }

    /// Results are taken in the order of the cases, so that nothing depends on who was faster.
    void take(CaseResult& result) {
        ++report_.cases;
        report_.steps += result.outcome.steps;
        report_.twins += result.index % options_.rules.twins_every == 0 ? 1U : 0U;
        std::uint32_t const fresh = report_.coverage.add(result.reach, result.plan, result.outcome);
        bool const guided = options_.rules.strategy.kind == Strategy::Kind::guided;
        if (guided && fresh > 0 && heritage_.corpus.size() < kMostCorpus)
            heritage_.corpus.push_back(result.draws);
        heritage_.most_orders = std::max(heritage_.most_orders, result.orders);
        heritage_.most_actors = std::max(heritage_.most_actors, result.actors);
        PropertySet broken;
        for (Violation const& violation : result.unexpected)
            broken = broken.with(violation.property);
        for (PropertyText const& text : property_texts()) {
            auto const row = static_cast<std::size_t>(text.id);
            report_.broken[row] += broken.has(text.id) ? 1U : 0U;
            report_.expected[row] += result.expected.has(text.id) ? 1U : 0U;
        }
        if (!result.unexpected.empty())
            keep(result);
    }

    void keep(CaseResult const& result) {
        Violation const& violation = result.unexpected.front();
        FailureNote note{violation.property, result.index, violation.sentence, {}};
        if (!options_.failures.empty() && report_.failures.size() < kMostScripts) {
            std::string name =
                fmt::format("{}-{}-{}.toml", name_of(violation.property), options_.rules.seed, result.index);
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            std::string const path = (std::filesystem::path(options_.failures) / name).string();
            Script script{result.plan, result.tape};
            script.plan.name = name.substr(0, name.size() - 5);
            report_.trouble = save_script(
                script,
                {fmt::format("violates {}", to_text(violation)),
                 fmt::format("case {} of seed {}, strategy {}", result.index, options_.rules.seed, report_.strategy)},
                path);
            if (report_.trouble.empty())
                note.script = path;
        }
        report_.failures.push_back(std::move(note));
    }

    CheckOptions const& options_;
    Clock::time_point begun_ = Clock::now();
    std::vector<std::unique_ptr<CaseRunner>> runners_;
    Heritage heritage_;
    CheckReport report_;
};

}  // namespace

CheckReport check(CheckOptions const& options, std::function<void(CheckReport const&)> const& progress) {
    return Check(options).run(progress);
}

std::vector<std::string> unreached(CheckReport const& report) {
    bool const standard = report.profile == "ronde" && report.least_ranks <= 8 && report.most_ranks >= 8;
    std::vector<std::string> names;
    if (!standard || report.cases < kEnoughCases)
        return names;
    for (Coverage::Probe const& probe : report.coverage.probes()) {
        // Loss and log-normal delays are left out where the order is drawn.
        bool const apart = report.strategy.starts_with("pct") && probe.name == "a packet lost";
        if (probe.required && probe.reached == 0 && !apart)
            names.push_back(probe.name);
    }
    return names;
}

void merge(CheckReport& into, CheckReport const& other) {
    into.cases += other.cases;
    into.steps += other.steps;
    into.twins += other.twins;
    into.replayed += other.replayed;
    into.wall_ns = std::max(into.wall_ns, other.wall_ns);
    into.jobs += other.jobs;
    into.corpus += other.corpus;
    into.most_orders = std::max(into.most_orders, other.most_orders);
    into.most_actors = std::max(into.most_actors, other.most_actors);
    into.least_ranks = std::min(into.least_ranks, other.least_ranks);
    into.most_ranks = std::max(into.most_ranks, other.most_ranks);
    for (std::size_t i = 0; i < kProperties; ++i) {
        into.broken[i] += other.broken[i];
        into.expected[i] += other.expected[i];
    }
    into.coverage.add(other.coverage);
    into.failures.insert(into.failures.end(), other.failures.begin(), other.failures.end());
    std::stable_sort(into.failures.begin(), into.failures.end(),
                     [](FailureNote const& a, FailureNote const& b) { return a.index < b.index; });
    if (into.trouble.empty())
        into.trouble = other.trouble;
}

}  // namespace ronde::props
