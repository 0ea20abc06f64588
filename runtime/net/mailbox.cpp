#include "net/mailbox.hpp"

namespace ronde::net {

void Mailbox::put(protocol::RankId peer, std::uint64_t tag, std::unique_ptr<Mail> mail) {
    boxes_[{peer, tag}].push_back(std::move(mail));
}

std::unique_ptr<Mail> Mailbox::take(protocol::RankId peer, std::uint64_t tag) {
    auto const box = boxes_.find({peer, tag});
    if (box == boxes_.end())
        return nullptr;
    std::unique_ptr<Mail> mail = std::move(box->second.front());
    box->second.pop_front();
    if (box->second.empty())
        boxes_.erase(box);
    return mail;
}

}  // namespace ronde::net
