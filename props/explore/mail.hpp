/// What travels: messages and queues of messages, both named by small numbers.
#pragma once

#include "explore/intern.hpp"
#include "explore/settings.hpp"
#include "protocol/error.hpp"
#include "protocol/frame.hpp"

#include <array>

namespace ronde::explore {

/// Whose entry stands somewhere: 0 nobody's, else the process's number plus one.
using Whose = std::uint8_t;

/// A frame and what its payload means. Tags are symbolic: they fit unless the message says that they are forged.
struct Message {
    protocol::Frame frame;
    protocol::Verdict verdict;                    ///< of a verdict frame
    std::array<Whose, kMostProcesses> entries{};  ///< of check_in, successor (one) and slices (count)
    std::uint8_t entry_count = 0;
    std::uint8_t garbage = 0;  ///< stands for bytes that no framer accepts
    std::uint8_t forged = 0;   ///< its tag was made without the secret
    std::uint8_t reserved[4] = {};
};

/// Messages, and first-in-first-out queues of them. Queue 0 is empty.
class Mail {
public:
    using MessageNumber = std::uint32_t;
    using QueueNumber = std::uint32_t;

    Mail() { queues_.push_back({}); }

    MessageNumber number_of(Message const& message) { return messages_.number_of(message); }
    [[nodiscard]] Message const& operator[](MessageNumber message) const { return messages_[message]; }

    QueueNumber push(QueueNumber queue, MessageNumber message);
    /// Of a queue that is not empty.
    [[nodiscard]] MessageNumber front(QueueNumber queue) const { return queues_[queue].front; }
    [[nodiscard]] QueueNumber rest(QueueNumber queue) const { return queues_[queue].rest; }

private:
    struct Queue {
        MessageNumber front = 0;
        QueueNumber rest = 0;
    };
    Interner<Message> messages_;
    std::vector<Queue> queues_;
    KeyIndex pushes_;  ///< numbers of (queue, message), in step with `after_push_`
    std::vector<QueueNumber> after_push_;
};

}  // namespace ronde::explore
