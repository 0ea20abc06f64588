/// What a start over sockets needs before there is a driver: configuration, listeners, roots. Each error is local:
/// nothing was started, and nobody else has noticed anything.
#pragma once

#include "net/rank_driver.hpp"
#include "net/root_driver.hpp"

#include <ronde/communicator.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ronde {

[[nodiscard]] tl::unexpected<Failed> not_started(protocol::Code code, RankId rank, std::string text);

/// The numbers of one rank, checked, with a seed of its own.
[[nodiscard]] tl::expected<protocol::RankConfig, Failed>
rank_config_for(UniqueId const& id, RankId rank, std::uint32_t nranks, CommunicatorOptions const& options);
/// Interface, roots, bounds and the recording of one rank; callbacks are the caller's.
[[nodiscard]] tl::expected<net::RankOptions, Failed>
rank_options_for(UniqueId const& id, protocol::RankConfig const& config, CommunicatorOptions const& options);

/// What this process registers about itself.
[[nodiscard]] Entry own_entry(CommunicatorOptions const& options);

using Roots = std::vector<std::unique_ptr<net::RootDriver>>;

/// Starts the roots of `options.root`, in somebody's loop. `config` is that of any rank of the job. They are added to
/// `roots`, in the order of the id, before they call `on_progress`.
[[nodiscard]] Outcome start_roots(net::Loop& loop, UniqueId const& id, protocol::RankConfig const& config,
                                  CommunicatorOptions const& options,
                                  std::function<void(protocol::Root const&)> const& on_progress, Roots& roots);
[[nodiscard]] bool all_settled(Roots const& roots) noexcept;

}  // namespace ronde
