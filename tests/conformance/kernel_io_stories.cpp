/// What single calls do: signals in the middle of them, and words that come in pieces.
#include "kernel_stories.hpp"
#include "scene.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): more than C has
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <thread>

namespace ronde::conformance::kernel {
namespace {

/// A signal that interrupts whatever call its thread is in, and does nothing else.
class Interruption {
public:
    Interruption() {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        sigemptyset(&action.sa_mask);  // and no SA_RESTART: the call ends with EINTR
        if (::sigaction(SIGUSR2, &action, &before_) != 0)
            throw std::runtime_error("no handler for SIGUSR2");
    }
    ~Interruption() { ::sigaction(SIGUSR2, &before_, nullptr); }
    Interruption(Interruption const&) = delete;
    Interruption& operator=(Interruption const&) = delete;

    /// Again and again until it is noticed: nobody can know when the thread is inside of its call.
    static void until(std::atomic<bool> const& noticed, std::thread& thread) {
        auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!noticed) {
            (void)::pthread_kill(thread.native_handle(), SIGUSR2);
            std::this_thread::yield();
            if (std::chrono::steady_clock::now() > give_up)
                throw std::runtime_error("waited in vain for a call to be interrupted");
        }
    }

private:
    struct sigaction before_ {};
};

/// The owner of a listener who waits in its calls, on a thread of its own.
class PatientOwner {
public:
    explicit PatientOwner(int listener) : listener_(listener) {
        int const flags = ::fcntl(listener_, F_GETFL);
        if (flags < 0 || ::fcntl(listener_, F_SETFL, flags & ~O_NONBLOCK) != 0)
            throw std::runtime_error("the listener cannot be made to block");
        thread = std::thread([this] { serve(); });
    }
    ~PatientOwner() {
        // Ends a call that still waits, where the story has given up.
        (void)::shutdown(listener_, SHUT_RDWR);
        if (guest_ >= 0)
            (void)::shutdown(guest_, SHUT_RDWR);
        if (thread.joinable())
            thread.join();
    }
    PatientOwner(PatientOwner const&) = delete;
    PatientOwner& operator=(PatientOwner const&) = delete;

    std::atomic<bool> accept_interrupted = false;
    std::atomic<bool> read_interrupted = false;
    std::atomic<std::uint32_t> accepted = 0;
    std::atomic<std::size_t> heard_bytes = 0;
    std::thread thread;

private:
    void serve() {
        net::Fd const guest = take();
        guest_ = guest.get();
        std::array<std::byte, kWordBytes> word{};
        while (guest && heard_bytes < kWordBytes) {
            ssize_t const count = ::recv(guest.get(), word.data(), word.size(), 0);
            if (count < 0 && errno == EINTR)
                read_interrupted = true;
            else if (count <= 0)
                break;
            else
                heard_bytes += static_cast<std::size_t>(count);
        }
        guest_ = -1;
    }
    net::Fd take() {
        for (;;) {
            net::Fd guest(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
            if (guest) {
                ++accepted;
                return guest;
            }
            if (errno != EINTR)
                return {};
            accept_interrupted = true;
        }
    }
    int listener_;
    std::atomic<int> guest_ = -1;
};

}  // namespace

Facts calls_are_interrupted() {
    Scene scene;
    Interruption const interruption;
    PatientOwner owner(scene.owner.descriptor());
    Interruption::until(owner.accept_interrupted, owner.thread);
    scene.call(1);
    scene.wire.carry();
    Interruption::until(owner.read_interrupted, owner.thread);
    scene.callers[0].speak();
    scene.wire.carry();
    owner.thread.join();
    return Facts()
        .add("calls were interrupted", owner.accept_interrupted && owner.read_interrupted ? "yes" : "no")
        .add("accepted", owner.accepted.load())
        .add("its word", owner.heard_bytes == kWordBytes ? "heard" : "lost");
}

Facts word_in_pieces() {
    Scene scene;
    scene.call(1);
    scene.wire.carry();
    scene.owner.accept_all();
    Caller& caller = scene.callers[0];
    int const at_once = 1;
    if (::setsockopt(caller.descriptor(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) != 0)
        throw std::runtime_error("TCP_NODELAY");
    int const guest = scene.owner.guests()[caller.port()].socket.get();
    std::array<std::byte, kWordBytes> word{};
    std::array<std::byte, kWordBytes> heard{};
    for (std::size_t i = 0; i < word.size(); ++i)
        word[i] = static_cast<std::byte>(i + 1U);
    std::size_t reads = 0;
    std::size_t whole_too_early = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (::send(caller.descriptor(), &word[i], 1, MSG_NOSIGNAL) != 1)
            throw std::runtime_error("a byte could not be sent");
        scene.wire.carry();
        std::byte byte{};
        while (reads < heard.size() && ::recv(guest, &byte, 1, MSG_DONTWAIT) == 1)
            heard[reads++] = byte;
        whole_too_early += i + 1U < word.size() && reads == word.size() ? 1U : 0U;
    }
    return Facts()
        .add("pieces", scene.words())
        .add("heard whole", heard == word ? 1U : 0U)
        .add("heard before the last piece", whole_too_early);
}

}  // namespace ronde::conformance::kernel
