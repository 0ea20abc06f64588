/// Random checking is itself the same every time, keeps what it finds, and adds up.
#include "check/check.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "scenario/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace ronde::props {
namespace {

using testing::HasSubstr;

CheckOptions small_options(std::uint64_t cases) {
    CheckOptions options;
    options.rules.seed = 11;
    options.rules.shape.most_ranks = 9;
    options.cases = cases;
    return options;
}

/// Without what differs from run to run.
std::string facts_of(CheckReport report) {
    report.wall_ns = 0;
    report.jobs = 1;
    return report_json(report);
}

/// A folder of this test's own, gone when it is over.
class Room {
public:
    explicit Room(std::string const& name)
        : path_(std::filesystem::path(testing::TempDir()) /
                (name + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
    }
    ~Room() { std::filesystem::remove_all(path_); }
    Room(Room const&) = delete;
    Room& operator=(Room const&) = delete;
    [[nodiscard]] std::string folder() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

/// Whether tags are closed in the order in which they were opened, and quotes are quotes.
bool is_well_formed(std::string const& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        std::size_t const end = xml.find('>', at);
        if (end == std::string::npos)
            return false;
        std::string const tag = xml.substr(at + 1, end - at - 1);
        if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0)
            return false;
        std::string const name =
            tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/' ? 1 : 0));
        if (tag.front() == '?' || tag.back() == '/')
            continue;
        if (tag.front() != '/') {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != tag.substr(1))
            return false;
        open.pop_back();
    }
    return open.empty();
}

class Strategies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Strategies, testing::Values("random", "pct:3", "guided"),
                         [](auto const& chosen) { return chosen.param.substr(0, chosen.param.find(':')); });

TEST_P(Strategies, FindTheSameWhoeverRunsTheCases) {
    CheckOptions options = small_options(600);
    options.rules.strategy = *strategy_from(GetParam());
    CheckReport const alone = check(options);
    EXPECT_EQ(alone.cases, 600U);
    EXPECT_TRUE(alone.holds()) << report_text(alone);
    options.jobs = 3;
    EXPECT_EQ(facts_of(alone), facts_of(check(options)));
}

TEST(Check, ReachesMoreWithOtherSeeds) {
    CheckOptions options = small_options(256);
    CheckReport first = check(options);
    options.rules.seed = 12;
    CheckReport const second = check(options);
    std::uint64_t const alone = first.coverage.tuples();
    merge(first, second);
    EXPECT_GT(first.coverage.tuples(), alone);
    EXPECT_EQ(first.cases, 512U);
}

TEST(Check, HasTheSameCasesInPartsOfACampaign) {
    CheckOptions options = small_options(200);
    CheckReport const whole = check(options);
    options.cases = 100;
    options.parts = 2;
    CheckReport merged = check(options);
    options.part = 1;
    CheckReport const other = check(options);
    auto const read = report_from_json(report_json(other));
    ASSERT_TRUE(read) << read.error();
    merge(merged, *read);
    EXPECT_EQ(merged.cases, whole.cases);
    EXPECT_EQ(merged.steps, whole.steps);
    EXPECT_EQ(merged.coverage.counts(), whole.coverage.counts());
}

TEST(Check, ReportsThatCannotBeReadSaySo) {
    EXPECT_FALSE(report_from_json("nonsense"));
    EXPECT_FALSE(report_from_json("{}"));
    CheckReport report;
    auto const read = report_from_json(report_json(report));
    ASSERT_TRUE(read);
    EXPECT_EQ(report_json(*read), report_json(report));
}

TEST(Check, DamagedCountsAreRefused) {
    auto json = nlohmann::json::parse(report_json(CheckReport{}));
    std::string const zeros = json["counts"];
    for (std::string const& counts : {std::string("7 zz"), zeros + " 0", std::string("-99999999999999"),
                                      std::string("1"), std::string("- 3"), std::string("1  2")}) {
        json["counts"] = counts;
        EXPECT_FALSE(report_from_json(json.dump())) << counts;
    }
    json["counts"] = zeros;
    EXPECT_TRUE(report_from_json(json.dump()));
}

TEST(Check, ItsReportHasPhasesAndCodesByFault) {
    CheckReport const report = check(small_options(100));
    auto const coverage = nlohmann::json::parse(report_json(report)).at("coverage");
    EXPECT_EQ(coverage.at("tuples"), report.coverage.tuples());
    EXPECT_EQ(coverage.at("phases").at("ready").at("none"),
              report.coverage.cases_with(protocol::Phase::ready, kNoFault));
    EXPECT_EQ(coverage.at("codes").at("rank_lost").at("crash"),
              report.coverage.cases_with(protocol::Code::rank_lost, static_cast<std::uint32_t>(sim::FaultKind::crash)));
}

TEST(Check, ReachesNothingWithoutCases) {
    CheckReport report;
    report.profile = "ronde";
    report.least_ranks = 3;
    report.most_ranks = 300;
    report.cases = kEnoughCases - 1U;
    EXPECT_TRUE(unreached(report).empty());
    report.cases = kEnoughCases;
    EXPECT_THAT(unreached(report), testing::Contains("code rank_lost"));
    EXPECT_THAT(report_junit(report), HasSubstr("fault crash was never reached"));
}

TEST(Check, WritesJUnitThatIsWellFormed) {
    CheckReport report;
    EXPECT_TRUE(is_well_formed(report_junit(report))) << report_junit(report);
    report.failures.push_back({PropertyId::s1, 4, "a \"sentence\" with <tags> & more", "failures/s1-1-4.toml"});
    std::string const junit = report_junit(report);
    EXPECT_TRUE(is_well_formed(junit)) << junit;
    EXPECT_THAT(junit, HasSubstr("failures=\"1\""));
    EXPECT_THAT(junit, HasSubstr("a &quot;sentence&quot; with &lt;tags&gt; &amp; more"));
    EXPECT_FALSE(is_well_formed("<a><b></a></b>"));
}

TEST(Check, NamesTheLineThatRunsAFailureAgain) {
    CheckReport report;
    report.failures.push_back({PropertyId::s1, 4, "sentence", "failures/s1-1-4.toml"});
    EXPECT_TRUE(report_text(report).ends_with("run it again:  ronde check failures/s1-1-4.toml\n"));
}

TEST(Scripts, ComeBackAsTheyWere) {
    Room const room("scripts");
    sim::SeededOracle seeded(5);
    Script script;
    script.plan = make_plan(seeded, Shape{});
    script.plan.any_order = true;
    script.tape = judge(script, {.twins = false, .keep_tape = true}).tape;
    std::string const path = room.folder() + "/one.toml";
    ASSERT_EQ(save_script(script, {"a remark"}, path), "");
    EXPECT_EQ(scripts_in(room.folder()), std::vector<std::string>{path});
    auto const loaded = load_script(path);
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(loaded->tape, script.tape);
    EXPECT_EQ(sim::write_scenario(loaded->plan), sim::write_scenario(script.plan));
    EXPECT_EQ(judge(*loaded).outcome.digest, judge(script).outcome.digest);
    EXPECT_EQ(scripts_in(room.folder() + "/nowhere"), std::vector<std::string>{});
}

TEST(Scripts, OfAFolderArePlayedFirst) {
    Room const room("replayed");
    sim::SeededOracle seeded(6);
    Script script;
    script.plan = make_plan(seeded, Shape{});
    ASSERT_EQ(save_script(script, {}, room.folder() + "/mended.toml"), "");
    CheckOptions options = small_options(1);
    options.failures = room.folder();
    CheckReport const report = check(options);
    EXPECT_EQ(report.replayed, 1U);
    EXPECT_TRUE(report.holds());
    ASSERT_EQ(sim::write_file(room.folder() + "/broken.toml", "ranks = \"many\""), "");
    EXPECT_THAT(check(options).trouble, HasSubstr("broken.toml"));
}

TEST(Plans, AreTheSimplestWhenNothingIsDrawn) {
    sim::TapeOracle zeros = sim::TapeOracle::replay({});
    sim::WorldPlan const plan = make_plan(zeros, Shape{});
    EXPECT_EQ(plan.nranks, 3U);
    EXPECT_EQ(plan.nroots, 1U);
    EXPECT_TRUE(plan.faults.empty());
    EXPECT_EQ(plan.policies, protocol::policies_of(protocol::Profile::ronde));
}

TEST(Plans, CanAllBeRunAndWrittenDown) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Shape shape;
        shape.profile = static_cast<protocol::Profile>(seed % 3);
        shape.any_order = seed % 5 == 0;
        sim::SeededOracle oracle(seed);
        sim::WorldPlan const plan = make_plan(oracle, shape);
        ASSERT_EQ(contradiction_in(plan), "") << seed;
        std::string const text = sim::write_scenario(plan);
        auto const again = sim::read_scenario(text, "again.toml");
        ASSERT_TRUE(again) << again.error() << "\n" << text;
        EXPECT_EQ(sim::write_scenario(*again), text);
    }
}

TEST(StrategyNames, AreReadAndWritten) {
    for (std::string const text : {"random", "guided", "pct:1", "pct:64"})
        EXPECT_EQ(to_text(*strategy_from(text)), text);
    EXPECT_EQ(to_text(*strategy_from("pct")), "pct:3");
    for (std::string const text : {"", "pct:", "pct:0", "pct:65", "pct:x", "pct:3x", "lucky"})
        EXPECT_FALSE(strategy_from(text)) << text;
}

}  // namespace
}  // namespace ronde::props
