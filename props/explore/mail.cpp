#include "explore/mail.hpp"

namespace ronde::explore {

Mail::QueueNumber Mail::push(QueueNumber queue, MessageNumber message) {
    std::uint32_t const known = pushes_.find_or_add(queue, message, static_cast<std::uint32_t>(after_push_.size()));
    if (known < after_push_.size())
        return after_push_[known];
    after_push_.push_back(0);  // its place, before a shorter queue takes the next one
    Queue longer{message, 0};
    if (queue != 0) {
        longer.front = queues_[queue].front;
        longer.rest = push(queues_[queue].rest, message);
    }
    queues_.push_back(longer);
    after_push_[known] = static_cast<QueueNumber>(queues_.size() - 1U);
    return after_push_[known];
}

}  // namespace ronde::explore
