/// The files of this folder that a page carries, embedded when ronde is built.
#pragma once

#include <string_view>

namespace ronde::viz {

[[nodiscard]] std::string_view page_style() noexcept;     ///< page.css
[[nodiscard]] std::string_view player_script() noexcept;  ///< player.js

}  // namespace ronde::viz
