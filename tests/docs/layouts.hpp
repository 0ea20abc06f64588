/// Markdown tables of everything that is a number on the wire. Private to docs_protocol_tables.
#pragma once

#include <string>

namespace ronde::docs {

[[nodiscard]] std::string header_layout();
[[nodiscard]] std::string endpoint_layout();
[[nodiscard]] std::string entry_layout();
[[nodiscard]] std::string verdict_layout();
[[nodiscard]] std::string frame_sizes();
[[nodiscard]] std::string limits();
[[nodiscard]] std::string codes();
[[nodiscard]] std::string failures();
[[nodiscard]] std::string fields();

}  // namespace ronde::docs
