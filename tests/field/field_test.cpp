/// Cases from the field on real sockets: what made other bootstraps fail or hang must not even delay this one.
#include "net_driver/small_job.hpp"
#include "net_driver/stranger.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ronde::net::test {
namespace {

std::atomic<std::uint64_t> g_interruptions{0};

/// A timer that interrupts system calls a thousand times a second, without SA_RESTART, as profilers do.
class Interruptions {
public:
    Interruptions() {
        struct sigaction action {};
        action.sa_handler = [](int) { g_interruptions.fetch_add(1); };
        ::sigaction(SIGALRM, &action, &before_);
        arm(1'000);
    }
    ~Interruptions() {
        arm(0);
        ::sigaction(SIGALRM, &before_, nullptr);
    }
    Interruptions(Interruptions const&) = delete;
    Interruptions& operator=(Interruptions const&) = delete;

private:
    static void arm(suseconds_t period_us) {
        itimerval timer{};
        timer.it_interval.tv_usec = period_us;
        timer.it_value.tv_usec = period_us;
        ::setitimer(ITIMER_REAL, &timer, nullptr);
    }
    struct sigaction before_ {};
};

TEST(Field, AThousandInterruptionsASecondDisturbNoStart) {
    Interruptions const interruptions;
    for (int start = 0; start < 500; ++start) {
        JobPlan plan;
        plan.nranks = 8;
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << "start " << start << ":\n" << job.complaints();
    }
    EXPECT_GT(g_interruptions.load(), 0U);
}

TEST(Field, APortScannerThatResetsEveryConnectionIsCountedAndNothingElse) {
    std::uint64_t counted = 0;
    for (int start = 0; start < 200; ++start) {
        JobPlan plan;
        plan.nranks = 16;
        SmallJob job(plan);
        protocol::Frame const nothing{};
        for (int i = 0; i < 8; ++i) {
            Fd const reset = knock(job.root_endpoints[0], Stranger::reset, nothing);
            Fd const fin = knock(job.root_endpoints[0], Stranger::fin, nothing);
        }
        job.boot();
        ASSERT_TRUE(job.all_ready()) << "start " << start << ":\n" << job.complaints();
        counted += job.roots[0]->machine().strangers();
    }
    EXPECT_GT(counted, 0U);
}

/// Tries to take a port as any other program would. True when it got it.
bool can_grab(Endpoint const& endpoint) {
    Fd const fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(endpoint.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr const* const any = static_cast<sockaddr const*>(static_cast<void const*>(&address));
    bool const grabbed = ::bind(fd.get(), any, sizeof address) == 0;
    EXPECT_TRUE(grabbed || errno == EADDRINUSE);
    return grabbed;
}

TEST(Field, ThePortOfAnIdIsHeldFromTheMomentItIsNamed) {
    std::uint32_t jobs = 0;
    for (int round = 0; round < 125; ++round) {
        std::vector<std::unique_ptr<SmallJob>> groups;
        for (int group = 0; group < 8; ++group) {
            JobPlan plan;
            plan.nranks = 2;
            groups.push_back(std::make_unique<SmallJob>(plan));
        }
        for (auto const& group : groups)
            ASSERT_FALSE(can_grab(group->root_endpoints[0]));
        for (auto const& group : groups) {
            group->boot();
            ASSERT_TRUE(group->all_ready()) << group->complaints();
            ++jobs;
        }
    }
    EXPECT_EQ(jobs, 1000U);
}

/// Inodes of the sockets that this process has open.
std::set<std::string> own_sockets() {
    std::set<std::string> inodes;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        std::string const target = std::filesystem::read_symlink(entry.path(), gone).string();
        if (target.rfind("socket:[", 0) == 0)
            inodes.insert(target.substr(8, target.size() - 9));
    }
    return inodes;
}

/// Local addresses (as the kernel prints them) on which this process listens.
std::vector<std::string> own_listeners(char const* table) {
    constexpr char kListen[] = "0A";
    std::set<std::string> const mine = own_sockets();
    std::vector<std::string> listeners;
    std::ifstream in(table);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::array<std::string, 10> word;
        for (std::string& each : word)
            words >> each;
        if (word[3] == kListen && mine.count(word[9]) != 0)
            listeners.push_back(word[1]);
    }
    return listeners;
}

TEST(Field, NoListenerIsBoundToAllAddresses) {
    JobPlan plan;
    plan.nranks = 8;
    plan.nroots = 2;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    auto const listeners = own_listeners("/proc/net/tcp");
    EXPECT_GE(listeners.size(), 10U) << "8 ranks and 2 roots listen";
    for (std::string const& address : listeners)
        EXPECT_EQ(address.substr(0, 8), "0100007F") << address << " is not 127.0.0.1";
    EXPECT_TRUE(own_listeners("/proc/net/tcp6").empty());
}

TEST(Field, ThousandsOfJobsLeaveNoDescriptorBehind) {
    std::size_t const before = open_descriptor_count();
    for (int start = 0; start < 1000; ++start) {
        JobPlan plan;
        plan.nranks = 3;
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        if (start % 2 == 0)
            job.close();
    }
    EXPECT_EQ(open_descriptor_count(), before);
}

}  // namespace
}  // namespace ronde::net::test
