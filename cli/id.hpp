/// Ids for addresses.
#pragma once

#include <ronde/unique_id.hpp>

#include <string>

namespace ronde::cli {

/// An id for roots at "host:port[,host:port]", with a secret of its own. Throws UsageError.
[[nodiscard]] UniqueId id_at(std::string const& addresses);

}  // namespace ronde::cli
