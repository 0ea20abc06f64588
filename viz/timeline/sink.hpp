/// Where the bytes of a long file go, piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace ronde::viz {

/// Takes the next bytes; they are valid during the call only.
using Sink = std::function<void(std::string_view bytes)>;

}  // namespace ronde::viz
