#include "net/replay.hpp"

#include "net/fd.hpp"
#include "net/os_failure.hpp"
#include "net/recording_format.hpp"
#include "protocol/error.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace ronde::net {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Event;

namespace {

/// A machine of either kind, with the little that a replay needs of a driver: memory when a root asks for it.
class Player {
public:
    virtual ~Player() = default;
    virtual void feed(Event const& event, ReplayObserver* observer) = 0;
    [[nodiscard]] virtual StateDigest digest() const = 0;
    [[nodiscard]] virtual std::string outcome() const = 0;
};

void show(Event const& event, Actions const& actions, ReplayObserver* observer) {
    if (observer != nullptr)
        observer->on_actions(event.now, actions);
}

std::string text_of(protocol::Verdict const& verdict) { return "failed: " + protocol::describe(verdict); }

class RankPlayer final : public Player {
public:
    explicit RankPlayer(protocol::RankConfig const& config) : config_(config), machine_(config_) {}

    void feed(Event const& event, ReplayObserver* observer) override {
        auto const before = static_cast<std::uint8_t>(machine_.phase());
        machine_.step(event, actions_.clear());
        show(event, actions_, observer);
        while (actions_.more()) {
            machine_.step(Event::resume(event.now), actions_.clear());
            show(event, actions_, observer);
        }
        if (observer != nullptr)
            observer->on_step(
                {&event, &actions_, &machine_, nullptr, before, static_cast<std::uint8_t>(machine_.phase())});
    }
    StateDigest digest() const override { return state_digest_of(machine_); }
    std::string outcome() const override {
        protocol::Verdict verdict;
        verdict.error = machine_.error();
        return verdict.error.is_ok() ? std::string(protocol::name_of(machine_.phase())) : text_of(verdict);
    }

private:
    protocol::RankConfig const config_;
    protocol::Rank machine_;
    Actions actions_;
};

class RootPlayer final : public Player {
public:
    explicit RootPlayer(protocol::RootConfig const& config) : config_(config), machine_(config_) {}

    void feed(Event const& event, ReplayObserver* observer) override {
        auto const before = static_cast<std::uint8_t>(machine_.phase());
        do
            machine_.step(event, actions_.clear());
        while (gave_room());
        show(event, actions_, observer);
        while (actions_.more()) {
            machine_.step(Event::resume(event.now), actions_.clear());
            show(event, actions_, observer);
        }
        if (observer != nullptr)
            observer->on_step(
                {&event, &actions_, nullptr, &machine_, before, static_cast<std::uint8_t>(machine_.phase())});
    }
    StateDigest digest() const override { return state_digest_of(machine_, records_); }
    std::string outcome() const override {
        if (!machine_.verdict().error.is_ok())
            return text_of(machine_.verdict());
        return fmt::format("{} of {} checked in, {} done{}", machine_.checked_in(), machine_.expected(),
                           machine_.done(), machine_.finished() ? ", finished" : "");
    }

private:
    bool gave_room() {
        for (auto const& action : actions_) {
            if (action.kind != ActionKind::reserve || action.count <= records_.size())
                continue;
            records_.resize(action.count);
            device_index_.resize(protocol::RootRoom::index_size(action.count));
            machine_.provide({records_, device_index_});
            return true;
        }
        return false;
    }

    protocol::RootConfig const config_;
    protocol::Root machine_;
    std::vector<protocol::RootRecord> records_;
    std::vector<std::uint32_t> device_index_;
    Actions actions_;
};

std::unique_ptr<Player> player_for(recording::Reader::Config const& config) {
    if (auto const* const rank = std::get_if<protocol::RankConfig>(&config))
        return std::make_unique<RankPlayer>(*rank);
    return std::make_unique<RootPlayer>(std::get<protocol::RootConfig>(config));
}

std::string text_of(Event const& event) {
    std::string text(protocol::name_of(event.kind));
    if (event.kind == protocol::EventKind::frame)
        text = fmt::format("{} frame", protocol::name_of(event.frame.kind));
    if (event.link.link_class() < protocol::LinkClass::none) {
        text += fmt::format(" on {}({})", protocol::name_of(event.link.link_class()), event.link.index());
    }
    text += fmt::format(" at {} ns", event.now);
    return text;
}

/// Most recordings are small, and what is read into is zeroed first.
constexpr std::size_t kLeastReadBytes = std::size_t{16} << 10U;

tl::expected<std::vector<std::byte>, std::string> read_file(std::string const& path) {
    Fd const fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return tl::unexpected(fmt::format("cannot read {}: {}", path, describe_errno(errno)));
    std::vector<std::byte> bytes;
    for (std::size_t filled = 0;;) {
        bytes.resize(filled + std::max(kLeastReadBytes, filled));
        ssize_t const count = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return tl::unexpected(fmt::format("cannot read {}: {}", path, describe_errno(errno)));
        filled += static_cast<std::size_t>(count);
        bytes.resize(filled);
        if (count == 0)
            return bytes;
    }
}

/// Replays one file into `report`. False: stop, there is a difference.
class FileReplay {
public:
    FileReplay(std::string file, std::span<const std::byte> bytes, ReplayReport& report, ReplayObserver* observer)
        : bytes_(bytes), report_(report), observer_(observer), reader_(bytes) {
        result_.file = std::move(file);
    }

    bool run() {
        auto const config = reader_.head();
        if (!config)
            return differs("the recording " + config.error(), {}, {});
        player_ = player_for(*config);
        if (observer_ != nullptr)
            observer_->on_machine(std::get_if<protocol::RankConfig>(&*config),
                                  std::get_if<protocol::RootConfig>(&*config));
        bool const same = play();
        if (observer_ != nullptr)
            observer_->on_end(!result_.note.empty());
        result_.outcome = player_->outcome();
        report_.files.push_back(result_);
        return same;
    }

private:
    bool play() {
        for (;;) {
            recording::Record const record = reader_.next();
            if (auto const* const event = std::get_if<Event>(&record)) {
                events_.push_back(*event);
            } else if (auto const* const check = std::get_if<recording::Check>(&record)) {
                if (!take(*check))
                    return false;
            } else if (std::holds_alternative<recording::End>(record)) {
                if (events_.empty() && reader_.position() == bytes_.size())
                    return true;
                return damaged();
            } else if (std::holds_alternative<recording::CutOff>(record)) {
                result_.note =
                    fmt::format("cut off after event {}: its process was killed, or still runs", result_.events);
                return true;
            } else {
                return damaged();
            }
        }
    }

    /// What lies between two checks is believed when its hash fits, fed, and compared.
    bool take(recording::Check const& check) {
        auto const covered = bytes_.subspan(check.from, check.to - check.from);
        std::uint64_t const hash = XXH3_64bits(covered.data(), covered.size());
        if (hash != check.hash)
            return damaged(fmt::format("hash {:016x}", check.hash), fmt::format("{:016x}", hash));
        for (Event const& event : events_)
            player_->feed(event, observer_);
        result_.events += events_.size();
        ++result_.checks;
        if (!events_.empty())
            last_ = text_of(events_.back());
        events_.clear();
        StateDigest const got = player_->digest();
        if (got == check.digest)
            return true;
        return differs("the state differs", "digest " + to_text(check.digest), to_text(got));
    }

    bool damaged(std::string expected = "a record", std::string got = "bytes that no recorder writes") {
        return differs(fmt::format("the recording is damaged before byte {}", reader_.position()), std::move(expected),
                       std::move(got));
    }

    bool differs(std::string what, std::string expected, std::string got) {
        report_.difference =
            ReplayDifference{result_.file, result_.events, last_, std::move(what), std::move(expected), std::move(got)};
        return false;
    }

    std::span<const std::byte> bytes_;
    ReplayReport& report_;
    ReplayObserver* observer_;
    recording::Reader reader_;
    ReplayedFile result_;
    std::string last_;
    std::unique_ptr<Player> player_;
    std::vector<Event> events_;  ///< read, but not yet covered by a check
};

}  // namespace

tl::expected<ReplayReport, std::string> replay(std::string const& directory, ReplayObserver* observer) {
    std::error_code trouble;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator item(directory, trouble), end; !trouble && item != end;
         item.increment(trouble)) {
        if (item->path().extension() == ".ronde")
            names.push_back(item->path().filename().string());
    }
    if (trouble)
        return tl::unexpected(fmt::format("cannot read the folder {}: {}", directory, trouble.message()));
    if (names.empty())
        return tl::unexpected(fmt::format("no recordings (*.ronde) in {}", directory));
    std::sort(names.begin(), names.end());

    ReplayReport report;
    for (std::string const& name : names) {
        auto const bytes = read_file(fmt::format("{}/{}", directory, name));
        if (!bytes)
            return tl::unexpected(bytes.error());
        if (!FileReplay(name, *bytes, report, observer).run())
            break;
    }
    return report;
}

std::string ReplayReport::text() const {
    std::string text;
    for (ReplayedFile const& file : files) {
        text += fmt::format("{}: {} events, {} checks, {}{}{}\n", file.file, file.events, file.checks, file.outcome,
                            file.note.empty() ? "" : "; ", file.note);
    }
    if (difference) {
        text += fmt::format("{}: {} after event {}", difference->file, difference->what, difference->event);
        if (!difference->event_text.empty())
            text += fmt::format(" ({})", difference->event_text);
        if (!difference->expected.empty())
            text += fmt::format(": expected {}, got {}", difference->expected, difference->got);
        text += "\n";
    }
    return text;
}

}  // namespace ronde::net
