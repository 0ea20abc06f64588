/// Bytes out, and the two ways in which a connection ends: the world takes it, or the machine lets it go.
#include "net/driver.hpp"
#include "protocol/check.hpp"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ronde::net {

using protocol::LinkClass;

namespace {

/// How often a connection that is leaving is looked after while the peer's window is full.
constexpr TimeNs kLeavingCheckNs = 2 * protocol::kMillisecondNs;

/// Bytes that the kernel has not yet sent for the first time. What was sent once is delivered also after close(2).
bool unsent_bytes(int fd) noexcept {
    int bytes = 0;
    return ::ioctl(fd, SIOCOUTQNSD, &bytes) == 0 && bytes > 0;
}

}  // namespace

/// Takes a connection into the loop and the table of links. Empty when the kernel will not watch it.
Connection* Driver::stand(std::unique_ptr<Connection> connection, std::uint32_t interest) {
    Connection* const result = connection.get();
    if (loop().watch(result->fd.get(), interest, *result, result->watch) != 0)
        return nullptr;
    links_.insert_or_assign(result->link.value, std::move(connection));
    return result;
}

void Driver::flush_soon(Connection& connection) {
    if (connection.flush_due || connection.state == Connection::State::connecting)
        return;
    connection.flush_due = true;
    to_flush_.push_back(&connection);
}

void Driver::flush_all() {
    for (Connection* const connection : to_flush_) {
        connection->flush_due = false;
        if (connection->state == Connection::State::standing)
            flush(*connection);
    }
    to_flush_.clear();
}

void Driver::flush(Connection& connection) {
    if (connection.write_broken)
        return;
    OutQueue::Flushed const flushed = connection.out.flush(connection.fd.get(), max_io_bytes_);
    statistics_.bytes_sent += flushed.bytes;
    if (flushed.program_items > 0)
        on_program_items_left(flushed.program_items);
    switch (flushed.status) {
    case OutQueue::Flushed::Status::drained:
        if (flushed.notify)
            later(Event::sent(now_, connection.link));
        return;
    case OutQueue::Flushed::Status::blocked:
        if (connection.wants_write)
            return;
        connection.wants_write = true;
        loop().rewatch(connection.fd.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP, connection.watch);
        return;
    case OutQueue::Flushed::Status::broken:
        // What the peer said before it went is still there to be read: a verdict, most likely.
        connection.write_broken = true;
        connection.write_error = flushed.os_error;
        connection.readable = true;
        if (std::uint32_t const items = connection.out.discard(); items > 0)
            on_program_items_left(items);
        if (connection.state == Connection::State::standing)
            to_receive_.push_back(&connection);
        return;
    }
}

void Driver::lose(Connection& connection, Failure failure, std::int32_t os_error) {
    bool const connecting = connection.state == Connection::State::connecting;
    if (!connection.inbound && (connecting || !connection.proven)) {
        ++statistics_.failures[static_cast<std::size_t>(failure)];
    }
    // A machine that has not heard of the connection yet only hears that there is none. What else it is to hear of the
    // link, `sent` above all, comes before the end.
    auto const unheard = std::find_if(later_.begin(), later_.end(), [&](Event const& event) {
        return event.kind == protocol::EventKind::connected && event.link == connection.link;
    });
    bool const unknown = connecting || unheard != later_.end();
    if (unheard != later_.end())
        later_.erase(unheard);
    later(unknown ? Event::connect_failed(now_, connection.link, failure, os_error)
                  : Event::closed(now_, connection.link, failure, os_error));
    bury(connection);
}

void Driver::leave(Connection& connection, TimeNs linger_ns) {
    using State = Connection::State;
    bool const standing = connection.state == State::standing;
    if (standing && !connection.inbound && !connection.proven)
        ++statistics_.unanswered;
    if (standing)
        flush(connection);
    // Nobody waits for a stranger, nor for a connection that does not stand.
    if (!standing || !connection.proven)
        return bury(connection);

    auto node = links_.extract(connection.link.value);
    RONDE_CHECK(!node.empty(), "a connection leaves from the table of links");
    if (connection.link.link_class() == LinkClass::pending)
        free_door(connection);
    connection.state = State::leaving;
    connection.leave_by_ns = now_ + linger_ns;
    leaving_.push_back(std::move(node.mapped()));
    go_on_leaving(connection);
}

/// Flushes what is left and closes, or stays until the peer has taken it or the linger time is over.
void Driver::go_on_leaving(Connection& connection) {
    if (!connection.out.empty())
        flush(connection);
    // Unread bytes would turn the close into a reset, and a reset may overtake the last words.
    bool gone = false;
    for (;;) {
        ssize_t const bytes = ::recv(connection.fd.get(), loop().scratch().data(), Loop::kScratchBytes, MSG_DONTWAIT);
        gone = bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
        if (bytes < static_cast<ssize_t>(Loop::kScratchBytes))
            break;
    }
    bool const flushed = connection.out.empty() && !unsent_bytes(connection.fd.get());
    if (flushed || connection.write_broken || now_ >= connection.leave_by_ns || (gone && connection.out.empty())) {
        return bury(connection);
    }
    leaving_check_ns_ = std::min({leaving_check_ns_, now_ + kLeavingCheckNs, connection.leave_by_ns});
}

void Driver::check_leaving() {
    leaving_check_ns_ = kNever;
    // Burying takes an element out and puts the last one in its place, so the list is walked backwards.
    for (std::size_t i = leaving_.size(); i > 0; --i)
        go_on_leaving(*leaving_[i - 1]);
}

/// Releases descriptor and place at once; the object itself lives until the end of the call from the loop.
void Driver::bury(Connection& connection) {
    if (connection.dead())
        return;
    if (connection.mail)
        mailbox_release(connection.mail->frame.payload_bytes);
    if (std::uint32_t const items = connection.out.discard(); items > 0)
        on_program_items_left(items);
    loop().unwatch(connection.watch);
    connection.fd.reset();
    if (connection.state == Connection::State::leaving) {
        auto const place = std::find_if(leaving_.begin(), leaving_.end(),
                                        [&](auto const& other) { return other.get() == &connection; });
        RONDE_CHECK(place != leaving_.end(), "a connection that leaves is in the list of those");
        std::swap(*place, leaving_.back());
        dead_.push_back(std::move(leaving_.back()));
        leaving_.pop_back();
    } else {
        auto node = links_.extract(connection.link.value);
        RONDE_CHECK(!node.empty() && node.mapped().get() == &connection, "a connection is in the table of links");
        if (connection.link.link_class() == LinkClass::pending)
            free_door(connection);
        dead_.push_back(std::move(node.mapped()));
    }
    connection.state = Connection::State::dead;
}

void Driver::leave_all(TimeNs linger_ns) {
    if (leaving_all_)
        return;
    leaving_all_ = true;
    later_.clear();
    for (auto const& acceptor : acceptors_) {
        if (acceptor)
            do_deafen(acceptor->name);
    }
    std::vector<Connection*> all;
    all.reserve(links_.size());
    for (auto const& [name, connection] : links_)
        all.push_back(connection.get());
    for (Connection* const connection : all)
        leave(*connection, linger_ns);
    for (auto const& connection : leaving_) {
        connection->leave_by_ns = std::min(connection->leave_by_ns, now_ + linger_ns);
    }
}

void Driver::cut_all() {
    leaving_all_ = true;
    later_.clear();
    for (auto const& acceptor : acceptors_) {
        if (acceptor)
            do_deafen(acceptor->name);
    }
    while (!links_.empty())
        bury(*links_.begin()->second);
    while (!leaving_.empty())
        bury(*leaving_.back());
    to_flush_.clear();
    to_receive_.clear();
    held_.clear();
    settle();
}

}  // namespace ronde::net
