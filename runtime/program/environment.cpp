#include "launch/environment.hpp"

#include "launch/id_exchange.hpp"

#include <ronde/environment.hpp>

#include <fmt/format.h>

#include <optional>

namespace ronde {
namespace {

/// Where ranks meet: the id, and what this process holds because the root is here.
struct Meeting {
    UniqueId id;
    std::optional<RootHost> host;
    std::optional<launch::IdOffer> offer;
};
using Met = tl::expected<Meeting, std::string>;

tl::unexpected<Failed> failed(std::string text, protocol::Code code = protocol::Code::bad_argument) {
    Failed failure;
    failure.verdict.error.code = code;
    failure.text = std::move(text);
    return tl::unexpected(std::move(failure));
}

Met meet_by_text(launch::IdSource const& source) {
    auto id = UniqueId::parse(source.text);
    if (!id)
        return tl::unexpected(source.source + ": " + id.error());
    return Meeting{*id, {}, {}};
}

/// Whoever makes the id may be started later than this rank.
Met meet_by_file(launch::IdSource const& source, protocol::TimeNs budget_ns) {
    if (!launch::await_file(source.file, budget_ns)) {
        return tl::unexpected(fmt::format("{}: {} is not there after {} ms: is the root of this job running, and is "
                                          "this where it writes its id?",
                                          source.source, source.file, budget_ns / protocol::kMillisecondNs));
    }
    auto read = UniqueId::read_file(source.file);
    if (!read)
        return tl::unexpected(source.source + ": " + read.error());
    return Meeting{read->id, {}, {}};
}

Met meet_at_address(launch::IdSource const& source, launch::JobPlace const& place, launch::Variables const& variables) {
    auto const secret = variables.find("RONDE_SECRET");
    auto id = UniqueId::at_address(source.address, secret == variables.end() ? std::string_view() : secret->second);
    if (!id)
        return tl::unexpected(source.source + ": " + id.error());
    if (place.rank != 0)
        return Meeting{*id, {}, {}};
    auto host = RootHost::listen_at(*id);
    if (!host)
        return tl::unexpected(host.error());
    return Meeting{*id, std::move(*host), {}};
}

Met host_here(CommunicatorOptions const& options, bool loopback) {
    IdOptions wanted;
    wanted.loopback = loopback && options.interface.empty();
    wanted.interface = options.interface;
    wanted.family = options.family;
    auto host = UniqueId::create(wanted);
    if (!host)
        return tl::unexpected(host.error());
    UniqueId const id = host->id();
    return Meeting{id, std::move(*host), {}};
}

Met meet_by_exchange(CommunicatorOptions const& options, launch::JobPlace const& place,
                     launch::Variables const& variables, std::uint32_t round) {
    if (auto obstacle = launch::exchange_obstacle(place))
        return tl::unexpected(std::move(*obstacle));
    auto folder = launch::exchange_folder(variables);
    if (!folder)
        return tl::unexpected(folder.error());
    std::string const key = launch::exchange_key(place, round);
    if (place.rank != 0) {
        auto text = launch::await_id(*folder, key, options.deadline.count());
        if (!text)
            return tl::unexpected(text.error());
        return meet_by_text({*text, {}, {}, "the id that rank 0 offers"});
    }
    Met meeting = host_here(options, true);
    if (!meeting)
        return meeting;
    auto offer = launch::IdOffer::make(*folder, key, meeting->id.text());
    if (!offer)
        return tl::unexpected(offer.error());
    meeting->offer = std::move(*offer);
    return meeting;
}

Met meet(CommunicatorOptions const& options, launch::JobPlace const& place, launch::Variables const& variables,
         std::uint32_t round) {
    auto const source = launch::find_id_source(variables);
    if (!source)
        return tl::unexpected(source.error());
    if (!source->text.empty())
        return meet_by_text(*source);
    if (!source->file.empty())
        return meet_by_file(*source, options.deadline.count());
    if (!source->address.empty())
        return meet_at_address(*source, place, variables);
    if (place.world_size == 1)
        return host_here(options, true);
    return meet_by_exchange(options, place, variables, round);
}

}  // namespace

tl::expected<Communicator, Failed> connect_from_environment(CommunicatorOptions options, std::uint32_t round) {
    launch::Variables const variables = launch::variables_here();
    auto const place = launch::find_place(variables);
    if (!place)
        return failed(place.error());
    launch::JobPlace const here = place->value_or(launch::JobPlace{});
    Met meeting = meet(options, here, variables, round);
    if (!meeting)
        return failed(meeting.error(), protocol::Code::local_failure);
    options.root = meeting->host ? &*meeting->host : nullptr;
    if (meeting->offer) {
        // Nobody reads the offer once all have checked in, and the job's next round may use its name.
        options.on_progress = [&meeting, theirs = options.on_progress](Progress const& progress) {
            if (progress.hosts_root && progress.expected > 0 && progress.checked_in == progress.expected)
                meeting->offer->withdraw();
            if (theirs)
                theirs(progress);
        };
    }
    return Communicator::connect(meeting->id, here.rank, here.world_size, options);
}

}  // namespace ronde
