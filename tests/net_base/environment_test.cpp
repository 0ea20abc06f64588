// Which job this process belongs to, by the variables of each launcher.

#include "launch/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::launch {
namespace {

using testing::HasSubstr;
using testing::Optional;

JobPlace place(Variables const& variables) {
    auto const found = find_place(variables);
    if (!found)
        throw std::runtime_error(found.error());
    if (!*found)
        throw std::runtime_error("no launcher was recognised");
    return **found;
}

std::string fault(Variables const& variables) {
    auto const found = find_place(variables);
    if (!found)
        return found.error();
    return *found ? "a place" : "nothing";
}

Variables const kOpenMpi{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "8"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"},
                         {"PMIX_NAMESPACE", "1578958849"},
                         {"OMPI_MCA_ess_base_jobid", "1578958849"},
                         {"PMIX_RANK", "1"}};
Variables const kTorchrun{{"RANK", "3"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_RANK", "3"},
                          {"LOCAL_WORLD_SIZE", "4"},
                          {"MASTER_ADDR", "h"},
                          {"MASTER_PORT", "29500"},
                          {"TORCHELASTIC_RUN_ID", "none"},
                          {"TORCHELASTIC_RESTART_COUNT", "2"}};
Variables const kSlurm{{"SLURM_PROCID", "5"},         {"SLURM_STEP_ID", "0"},        {"SLURM_JOB_ID", "4711"},
                       {"SLURM_STEP_NUM_TASKS", "6"}, {"SLURM_STEP_NUM_NODES", "2"}, {"SLURM_LOCALID", "2"},
                       {"SLURM_NTASKS", "12"},        {"SLURM_NNODES", "4"}};

Variables without(Variables variables, std::initializer_list<char const*> names) {
    for (char const* const name : names)
        variables.erase(name);
    return variables;
}
Variables with(Variables variables, Variables const& more) {
    for (auto const& [name, value] : more)
        variables[name] = value;
    return variables;
}

TEST(Environment, APlainShellIsNobodysRank) {
    EXPECT_EQ(fault({{"HOME", "/"}, {"PATH", "/bin"}}), "nothing");
    EXPECT_EQ(fault({{"RONDE_RANK", ""}, {"OMPI_COMM_WORLD_RANK", ""}}), "nothing") << "empty counts as not set";
}

TEST(Environment, OurOwnVariables) {
    JobPlace const found = place({{"RONDE_RANK", "2"}, {"RONDE_WORLD_SIZE", "3"}, {"RONDE_JOB", "tuesday"}});
    EXPECT_EQ(found.launcher, Launcher::ronde);
    EXPECT_EQ(found.rank, 2U);
    EXPECT_EQ(found.world_size, 3U);
    EXPECT_EQ(found.job, "tuesday");
    EXPECT_FALSE(found.local_rank);
    EXPECT_FALSE(found.spans_hosts());
}

TEST(Environment, Torchrun) {
    JobPlace const found = place(kTorchrun);
    EXPECT_EQ(found.launcher, Launcher::torchrun);
    EXPECT_EQ(found.rank, 3U);
    EXPECT_THAT(found.local_size, Optional(4U));
    EXPECT_EQ(found.job, "h:29500/none/2") << "a restart is a job of its own";
    EXPECT_TRUE(place(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "2"}})).spans_hosts());
}

TEST(Environment, OpenMpi) {
    JobPlace const found = place(kOpenMpi);
    EXPECT_EQ(found.launcher, Launcher::open_mpi);
    EXPECT_EQ(found.rank, 1U);
    EXPECT_EQ(found.world_size, 8U);
    EXPECT_EQ(found.job, "1578958849");
    EXPECT_FALSE(found.spans_hosts());
    EXPECT_EQ(place(without(kOpenMpi, {"PMIX_NAMESPACE"})).job, "1578958849");
}

TEST(Environment, Mpich) {
    JobPlace const found =
        place({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}});
    EXPECT_EQ(found.launcher, Launcher::mpich);
    EXPECT_EQ(found.job, "") << "its parent stands for the job";
    EXPECT_TRUE(found.spans_hosts());
}

TEST(Environment, ATaskOfASlurmStep) {
    JobPlace const found = place(kSlurm);
    EXPECT_EQ(found.launcher, Launcher::slurm);
    EXPECT_EQ(found.rank, 5U);
    EXPECT_EQ(found.world_size, 6U) << "the step's tasks, not the allocation's";
    EXPECT_EQ(found.job, "4711.0");
    EXPECT_THAT(found.hosts, Optional(2U));
    EXPECT_TRUE(found.spans_hosts());

    JobPlace const here = place(with(kSlurm, {{"SLURM_STEP_NUM_NODES", "1"}}));
    EXPECT_THAT(here.local_size, Optional(6U));
    EXPECT_FALSE(here.spans_hosts());
    EXPECT_EQ(place(without(kSlurm, {"SLURM_STEP_NUM_TASKS"})).world_size, 12U);
}

TEST(Environment, ABatchScriptOrInteractiveShellIsNoTask) {
    Variables const batch{
        {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "4711"}, {"SLURM_NNODES", "4"}};
    EXPECT_EQ(fault(batch), "nothing");
    EXPECT_EQ(fault(with(batch, {{"SLURM_STEP_ID", "4294967291"}})), "nothing");
    EXPECT_EQ(fault(with(batch, {{"SLURM_STEP_ID", "4294967290"}})), "nothing");
}

TEST(Environment, TheInnermostLauncherWins) {
    EXPECT_EQ(place(with(kSlurm, kOpenMpi)).launcher, Launcher::open_mpi) << "mpirun's daemons are Slurm tasks";
    EXPECT_EQ(place(with(with(kSlurm, kOpenMpi), kTorchrun)).launcher, Launcher::torchrun);
    EXPECT_EQ(place(with(kTorchrun, {{"RONDE_RANK", "0"}, {"RONDE_WORLD_SIZE", "1"}})).launcher, Launcher::ronde);
    Variables const exported{{"MASTER_ADDR", "h"}, {"MASTER_PORT", "29500"}, {"WORLD_SIZE", "6"}};
    EXPECT_EQ(place(with(kSlurm, exported)).launcher, Launcher::slurm) << "scripts export three and leave RANK to srun";
}

TEST(Environment, HalfAPairIsNamed) {
    EXPECT_EQ(fault({{"RONDE_RANK", "0"}}), "RONDE_RANK is set but RONDE_WORLD_SIZE is not: set both or neither");
    EXPECT_EQ(fault({{"RONDE_WORLD_SIZE", "4"}}), "RONDE_WORLD_SIZE is set but RONDE_RANK is not: set both or neither");
    EXPECT_EQ(fault(without(kOpenMpi, {"OMPI_COMM_WORLD_SIZE"})),
              "OMPI_COMM_WORLD_RANK is set but OMPI_COMM_WORLD_SIZE is not: set both or neither");
    EXPECT_EQ(fault({{"PMI_SIZE", "4"}}), "PMI_SIZE is set but PMI_RANK is not: set both or neither");
    EXPECT_EQ(fault(without(kSlurm, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})),
              "SLURM_PROCID is set but SLURM_NTASKS is not: set both or neither");
}

TEST(Environment, HalfOfTorchrunsFourIsNamedButItsCommonWordsAloneMeanNothing) {
    EXPECT_THAT(fault(without(kTorchrun, {"RANK"})),
                testing::StartsWith("WORLD_SIZE, MASTER_ADDR, MASTER_PORT are set but RANK is not"));
    EXPECT_THAT(fault({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
                testing::StartsWith("RANK, WORLD_SIZE are set but MASTER_ADDR, MASTER_PORT are not"));
    EXPECT_EQ(fault({{"RANK", "captain"}}), "nothing");
    EXPECT_EQ(fault({{"WORLD_SIZE", "big"}}), "nothing");
    EXPECT_EQ(fault({{"MASTER_ADDR", "h"}, {"MASTER_PORT", "1"}}), "nothing");
}

TEST(Environment, NumbersThatDoNotFitAreNamed) {
    auto const ronde = [](char const* rank, char const* size) {
        return fault({{"RONDE_RANK", rank}, {"RONDE_WORLD_SIZE", size}});
    };
    EXPECT_EQ(ronde("x", "4"), "RONDE_RANK='x' is not a number from 0 to 4294967295");
    EXPECT_EQ(ronde("0", "4 "), "RONDE_WORLD_SIZE='4 ' is not a number from 0 to 4294967295");
    EXPECT_EQ(ronde("-1", "4"), "RONDE_RANK='-1' is not a number from 0 to 4294967295");
    EXPECT_EQ(ronde("0", "4294967296"), "RONDE_WORLD_SIZE='4294967296' is not a number from 0 to 4294967295");
    EXPECT_EQ(ronde("4", "4"), "RONDE_RANK=4 but RONDE_WORLD_SIZE=4: ranks count from 0 to 3");
    EXPECT_EQ(ronde("0", "0"), "RONDE_WORLD_SIZE=0, expected 1 to 1048576");
    EXPECT_EQ(ronde("0", "1048577"), "RONDE_WORLD_SIZE=1048577, expected 1 to 1048576");
    EXPECT_THAT(fault(with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "all"}})),
                HasSubstr("OMPI_COMM_WORLD_LOCAL_SIZE='all'"));
}

TEST(Environment, RanksOnSeveralHostsAreToldTheWayOut) {
    EXPECT_FALSE(exchange_obstacle(place(kOpenMpi)));
    EXPECT_THAT(exchange_obstacle(place(kSlurm)),
                Optional(testing::AllOf(HasSubstr("the ranks of this Slurm job are on 2 hosts"),
                                        HasSubstr("RONDE_COMM_ID"), HasSubstr("--id"))));
    EXPECT_THAT(exchange_obstacle(place(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}}))),
                Optional(HasSubstr("this torchrun job are on several hosts (2 of 4 ranks are here)")));
}

TEST(IdSource, OursGoesBeforeNcclsAndTwoOfOursAreAnError) {
    EXPECT_EQ(find_id_source({}), IdSource{});
    EXPECT_EQ(find_id_source({{"RONDE_ID", "ronde1-x"}}), (IdSource{"ronde1-x", "", "", "RONDE_ID"}));
    EXPECT_EQ(find_id_source({{"RONDE_ID_FILE", "/f"}, {"NCCL_COMM_ID", "h:1"}}),
              (IdSource{"", "/f", "", "RONDE_ID_FILE"}));
    EXPECT_EQ(find_id_source({{"RONDE_COMM_ID", "h:2"}, {"NCCL_COMM_ID", "h:1"}}),
              (IdSource{"", "", "h:2", "RONDE_COMM_ID"}));
    EXPECT_EQ(find_id_source({{"NCCL_COMM_ID", "h:1"}, {"RONDE_COMM_ID", ""}}),
              (IdSource{"", "", "h:1", "NCCL_COMM_ID"}));
    EXPECT_EQ(find_id_source({{"RONDE_ID", "a"}, {"RONDE_ID_FILE", "b"}}).error(),
              "RONDE_ID and RONDE_ID_FILE are both set: set one of them");
}

TEST(Environment, ThisProcessHasOne) {
    ASSERT_EQ(::setenv("RONDE_TEST_MARK", "a=b", 1), 0);
    EXPECT_EQ(variables_here().at("RONDE_TEST_MARK"), "a=b");
}

}  // namespace
}  // namespace ronde::launch
