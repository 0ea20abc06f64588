/// Markdown tables of the policies and of the arithmetic. Private to docs_protocol_tables.
#pragma once

#include <string>

namespace ronde::docs {

[[nodiscard]] std::string policies();
[[nodiscard]] std::string partition_vectors();
[[nodiscard]] std::string window_vectors();

}  // namespace ronde::docs
