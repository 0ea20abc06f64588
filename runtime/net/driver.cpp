#include "net/driver.hpp"

#include "net/socket.hpp"
#include "protocol/check.hpp"

#include <sodium.h>

#include <sys/epoll.h>

#include <algorithm>

namespace ronde::net {

using protocol::ActionKind;
using protocol::EventKind;

Driver::Driver(Loop& loop, protocol::Auth auth, protocol::Secret const& secret, std::size_t max_io_bytes,
               std::unique_ptr<Recorder> recorder)
    : Node(loop), auth_(auth), secret_(secret), nonce_seed_(), max_io_bytes_(max_io_bytes),
      recorder_(std::move(recorder)) {
    RONDE_CHECK(sodium_init() >= 0, "libsodium is usable");
    randombytes_buf(nonce_seed_.data(), nonce_seed_.size());
}

Driver::~Driver() {
    for (auto& [name, connection] : links_)
        loop().unwatch(connection->watch);
    for (auto& connection : leaving_)
        loop().unwatch(connection->watch);
    for (auto& acceptor : acceptors_) {
        if (acceptor)
            loop().unwatch(acceptor->watch);
    }
}

void Driver::abort() noexcept { loop().signal(*this); }

std::size_t Driver::open_descriptors() const noexcept {
    auto const listeners = std::count_if(acceptors_.begin(), acceptors_.end(),
                                         [](auto const& acceptor) { return acceptor && acceptor->fd; });
    return links_.size() + leaving_.size() + static_cast<std::size_t>(listeners);
}

std::string Driver::recording_trouble() const { return recorder_ ? recorder_->trouble() : std::string(); }

void Driver::flush_recording() {
    if (recorder_)
        recorder_->flush();
}

void Driver::end_recording() {
    if (recorder_)
        recorder_->end(state_digest());
}

std::vector<protocol::Link> Driver::links() const {
    std::vector<Link> result;
    result.reserve(links_.size());
    for (auto const& [name, connection] : links_)
        result.push_back(connection->link);
    return result;
}

// --- from the loop ------------------------------------------------------------------------------------------------

void Driver::enter(Event event) {
    now_ = monotonic_ns();
    event.now = now_;
    feed(event);
    settle();
}

void Driver::on_signal(TimeNs now) {
    now_ = now;
    if (!leaving_all_)
        feed(Event::abort(now));
    settle();
}

void Driver::on_deadline(TimeNs now) {
    now_ = now;
    if (!leaving_all_ && machine_deadline() <= now)
        feed(Event::timer(now));
    for (auto const& acceptor : acceptors_) {
        if (acceptor && acceptor->retry_ns <= now)
            acceptor->retry_ns = kNever;
    }
    if (leaving_check_ns_ <= now)
        check_leaving();
    settle();
}

// --- events -------------------------------------------------------------------------------------------------------

void Driver::feed(Event const& event) {
    // One for all drivers of a thread: a step never leads to another step inside of it.
    static thread_local Actions actions;
    if (recorder_)
        recorder_->event(event);
    current_ = &event;
    do {
        step_again_ = false;
        step(event, actions.clear());
        for (Action const& action : actions)
            perform(action);
    } while (step_again_);
    while (actions.more()) {
        flush_all();  // whoever was answered first may go on while the others are being answered
        step(Event::resume(event.now), actions.clear());
        for (Action const& action : actions)
            perform(action);
    }
    current_ = nullptr;
    stepped_ = true;
    if (recorder_ && recorder_->check_due())
        recorder_->check(state_digest());
    after_step(event);
}

/// Feeds what waits and does what is due, until nothing is; then plans the next call and forgets the dead.
void Driver::settle() {
    while (settle_once()) {
    }
    if (leaving_all_ && !all_left_ && links_.empty() && leaving_.empty()) {
        all_left_ = true;
        end_recording();
        on_all_left();
    }
    update_deadline();
    std::erase_if(held_, [](Connection const* connection) { return connection->dead(); });
    dead_.clear();
}

bool Driver::settle_once() {
    if (!later_.empty()) {
        Event event = later_.front();
        later_.pop_front();
        event.now = now_;
        feed(event);
        return true;
    }
    if (!to_flush_.empty()) {
        flush_all();
        return true;
    }
    if (!to_receive_.empty()) {
        Connection& connection = *to_receive_.back();
        to_receive_.pop_back();
        if (!connection.dead())
            receive(connection);
        return true;
    }
    if (stepped_ && !held_.empty()) {
        stepped_ = false;
        std::vector<Connection*> const asked = std::exchange(held_, {});
        for (Connection* const connection : asked) {
            connection->held = false;
            if (!connection->dead())
                receive(*connection);
        }
        return true;
    }
    stepped_ = false;
    for (auto const& acceptor : acceptors_) {
        if (!acceptor || !may_accept(*acceptor))
            continue;
        accept_some(*acceptor);
        return true;
    }
    return false;
}

void Driver::update_deadline() {
    TimeNs due_ns = leaving_check_ns_;
    if (!leaving_all_)
        due_ns = std::min(due_ns, machine_deadline());
    for (auto const& acceptor : acceptors_) {
        if (acceptor)
            due_ns = std::min(due_ns, acceptor->retry_ns);
    }
    set_deadline(due_ns);
}

// --- actions ------------------------------------------------------------------------------------------------------

void Driver::perform(Action const& action) {
    switch (action.kind) {
    case ActionKind::accept:
        if (auto& acceptor = acceptors_[static_cast<std::size_t>(action.listener)]; acceptor) {
            acceptor->credits = action.count;
        } else {
            acceptor = std::make_unique<Acceptor>(*this, action.listener);
            acceptor->credits = action.count;
        }
        return;
    case ActionKind::admit: return do_admit(action);
    case ActionKind::connect: return do_connect(action);
    case ActionKind::send: return do_send(action);
    case ActionKind::pause: return do_pause(action.link, true);
    case ActionKind::unpause: return do_pause(action.link, false);
    case ActionKind::close: return do_close(action.link);
    case ActionKind::deafen: return do_deafen(action.listener);
    case ActionKind::listen:
    case ActionKind::learn:
    case ActionKind::inspect:
    case ActionKind::collect:
    case ActionKind::park:
    case ActionKind::reserve:
    case ActionKind::complete:
    case ActionKind::ready:
    case ActionKind::finish: return perform_own(action);
    }
}

Connection* Driver::find(Link link) const noexcept {
    auto const found = links_.find(link.value);
    return found == links_.end() ? nullptr : found->second.get();
}

void Driver::hold_listener(Listener name, Fd fd, Endpoint const& endpoint) {
    auto& acceptor = acceptors_[static_cast<std::size_t>(name)];
    if (!acceptor)
        acceptor = std::make_unique<Acceptor>(*this, name);
    acceptor->fd = std::move(fd);
    acceptor->endpoint = endpoint;
    int const os_error = loop().watch(acceptor->fd.get(), EPOLLIN, *acceptor, acceptor->watch);
    if (os_error != 0) {
        acceptor->fd.reset();
        return later(Event::listen_failed(now_, name, failure_of(OsCall::system, os_error), os_error));
    }
    later(Event::listening(now_, name));
}

void Driver::do_connect(Action const& action) {
    if (Connection const* const known = find(action.link); known != nullptr) {
        RONDE_CHECK(known->state == Connection::State::standing, "a link is connected once at a time");
        return later(Event::connected(now_, action.link, true));
    }
    ++statistics_.connects;
    auto const refuse = [&](Failure failure, std::int32_t os_error) {
        ++statistics_.failures[static_cast<std::size_t>(failure)];
        later(Event::connect_failed(now_, action.link, failure, os_error));
    };
    Endpoint const target = target_of(action.link, action.rank);
    if (target.family == Family::none)
        return refuse(Failure::bad_address, 0);
    auto connecting = start_connect(target);
    if (!connecting)
        return refuse(connecting.error().failure, connecting.error().os_error);

    // On the loopback the connection stands when connect(2) returns, although it says EINPROGRESS: its packets were
    // handled on the way out. Asking for the peer tells, and saves a trip through epoll.
    auto const peer = peer_endpoint(connecting->fd.get());
    bool const standing = connecting->standing || peer.has_value();
    if (peer) {
        auto const local = local_endpoint(connecting->fd.get());
        if (local && *local == *peer)
            return refuse(Failure::self_connection, 0);
    }
    auto connection = std::make_unique<Connection>(*this, std::move(connecting->fd), action.link, false);
    if (!standing)
        connection->state = Connection::State::connecting;
    connection->proven = auth_ != protocol::Auth::keyed;
    std::uint32_t const interest = EPOLLIN | EPOLLRDHUP | (standing ? 0U : std::uint32_t{EPOLLOUT});
    connection->wants_write = !standing;
    if (stand(std::move(connection), interest) == nullptr)
        return refuse(Failure::no_descriptors, ENOSPC);
    if (standing)
        later(Event::connected(now_, action.link));
}

void Driver::do_admit(Action const& action) {
    auto node = links_.extract(action.link.value);
    RONDE_CHECK(!node.empty(), "a machine admits whom it has just heard");
    Connection& connection = *node.mapped();
    free_door(connection);
    for (Event& event : later_) {
        bool const concerned = event.kind == EventKind::closed || event.kind == EventKind::sent;
        if (concerned && event.link == action.link)
            event.link = action.to;
    }
    RONDE_CHECK(!links_.contains(action.to.value), "a link is admitted once at a time");
    connection.link = action.to;
    node.key() = action.to.value;
    links_.insert(std::move(node));
}

void Driver::do_send(Action const& action) {
    Connection* const connection = find(action.link);
    if (connection == nullptr || connection->write_broken)
        return;  // the machine hears `closed` next
    OutQueue::Item item;
    protocol::encode_header(action.frame, std::span(item.head).first<protocol::kHeaderBytes>());
    item.head_bytes = protocol::kHeaderBytes;
    item.notify = action.notify;
    if (action.source == Source::handshake) {
        protocol::Nonce const nonce = protocol::make_nonce(nonce_seed_, nonce_serial_++);
        auto const room = std::span(item.head).subspan(protocol::kHeaderBytes);
        item.head_bytes = static_cast<std::uint8_t>(protocol::kHeaderBytes +
                                                    connection->handshake.fill(secret_, action.frame, nonce, room));
    } else if (action.source != Source::none) {
        item.runs = payload_of(action);
        item.lent_by_program = action.source == Source::operation;
    }
    RONDE_CHECK(item.head_bytes + item.runs.size_bytes() == protocol::kHeaderBytes + action.frame.payload_bytes,
                "a frame carries what its header says");
    connection->out.push(item);
    ++statistics_.frames_sent;
    flush_soon(*connection);
}

void Driver::do_pause(Link link, bool pause) {
    Connection* const connection = find(link);
    if (connection == nullptr || connection->paused == pause)
        return;
    connection->paused = pause;
    if (!pause)
        to_receive_.push_back(connection);
}

void Driver::do_close(Link link) {
    forget_events_of(link);
    if (Connection* const connection = find(link); connection != nullptr)
        leave(*connection, kLingerNs);
}

void Driver::do_deafen(Listener name) {
    Acceptor* const acceptor = acceptors_[static_cast<std::size_t>(name)].get();
    if (acceptor == nullptr)
        return;
    acceptor->credits = 0;
    acceptor->readable = false;
    acceptor->yielded = false;
    acceptor->retry_ns = kNever;
    loop().unwatch(acceptor->watch);
    acceptor->fd.reset();
}

void Driver::forget_events_of(Link link) {
    std::erase_if(later_, [&](Event const& event) {
        switch (event.kind) {
        case EventKind::connected:
        case EventKind::connect_failed:
        case EventKind::closed:
        case EventKind::sent: return event.link == link;
        default: return false;
        }
    });
}

}  // namespace ronde::net
