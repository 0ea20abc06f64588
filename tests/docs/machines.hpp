/// The transition tables of the two machines as Markdown and as DOT. Private to docs_protocol_tables.
#pragma once

#include <string>

namespace ronde::docs {

[[nodiscard]] std::string rank_table();
[[nodiscard]] std::string root_table();
[[nodiscard]] std::string rank_diagram();
[[nodiscard]] std::string root_diagram();

}  // namespace ronde::docs
