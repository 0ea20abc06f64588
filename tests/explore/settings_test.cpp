/// What can be asked of the explorer, in words.
#include "explore/plans.hpp"

#include <algorithm>

namespace ronde::explore {
namespace {

TEST(Settings, EveryFaultHasAWordOfItsOwnAndIsFoundByIt) {
    for (protocol::Profile const profile : {protocol::Profile::ronde, protocol::Profile::nccl}) {
        ExploreSettings settings = job_of(4, profile);
        settings.nroots = 2;
        settings.twin = 1;
        std::vector<Fault> const faults = possible_faults(settings);
        ASSERT_GT(faults.size(), 40U);
        std::set<std::string> words;
        for (Fault const& fault : faults) {
            std::string const text = text_of(fault, settings);
            EXPECT_TRUE(words.insert(text).second) << text;
            EXPECT_EQ(fault_from(text, settings), fault) << text;
        }
    }
}

TEST(Settings, OnlyTheKindsThatWereAskedFor) {
    ExploreSettings settings = job_of(3);
    settings.kinds = bit(FaultKind::drop);
    for (Fault const& fault : possible_faults(settings))
        EXPECT_EQ(fault.kind, FaultKind::drop);
    EXPECT_EQ(possible_faults(settings).size(), 3U);
}

TEST(Settings, AnUnknownFaultIsToldWhatThereIs) {
    auto const fault = fault_from("crash:9", job_of(3));
    ASSERT_FALSE(fault.has_value());
    EXPECT_NE(fault.error().find("'crash:9'"), std::string::npos);
    EXPECT_NE(fault.error().find("crash:0"), std::string::npos);
}

TEST(Settings, PropertiesAreFoundByTheirNames) {
    EXPECT_EQ(property_named("L2"), Property::l2);
    EXPECT_EQ(property_named("s8"), Property::s8);
    EXPECT_EQ(property_named("seam"), Property::seam);
    EXPECT_EQ(property_named("none"), std::nullopt);
    EXPECT_EQ(property_named("L"), std::nullopt);
}

TEST(Settings, WhatCannotBeExploredSaysWhy) {
    auto const why = [](auto const& change) {
        ExploreSettings settings = job_of(3);
        change(settings);
        return contradiction_in(settings);
    };
    EXPECT_EQ(why([](ExploreSettings&) {}), "");
    EXPECT_EQ(why([](ExploreSettings& s) { s.nranks = 9; }), "9 ranks: 1..8 can be explored");
    EXPECT_EQ(why([](ExploreSettings& s) { s.faults = 4; }), "4 faults: at most 3 can be explored");
    EXPECT_EQ(why([](ExploreSettings& s) { s.twin = 3; }), "there is no rank 3 to be there twice");
    EXPECT_EQ(why([](ExploreSettings& s) { s.same_device = {1, 1}; }), "ranks 1 and 1 cannot share a device");
    EXPECT_EQ(why([](ExploreSettings& s) { s.nroots = 4; }), "a job cannot have more roots than ranks");
    EXPECT_EQ(why([](ExploreSettings& s) { s.twin_late = true; }), "nobody is there twice who could come late");
    EXPECT_EQ(why([](ExploreSettings& s) {
                  s.told = {3, 4};
              }),
              "there is no rank 3 to be told another number of ranks");
    for (std::uint32_t const nranks : {2U, 3U, 9U}) {
        EXPECT_EQ(why([nranks](ExploreSettings& s) {
                      s.told = {2, nranks};
                  }),
                  "rank 2 cannot be told of " + std::to_string(nranks) + " ranks: expected 3..8, and not 3");
    }
    EXPECT_EQ(why([](ExploreSettings& s) {
                  s.nroots = 2;
                  s.told = {1, 2};
              }),
              "who is told another number of ranks needs a job with one root");
}

}  // namespace
}  // namespace ronde::explore
