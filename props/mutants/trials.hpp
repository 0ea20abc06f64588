/// What a machine, as it is or with a fault awake, is put through: small jobs in every order, pretended worlds, one
/// process at a time among neighbours that keep their promises, recordings of the machine as it is, and real sockets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ronde::mutants {

enum class Layer : std::uint8_t { explorer, simulator, neighbours, recordings, sockets };
inline constexpr std::array kLayers{Layer::explorer, Layer::simulator, Layer::neighbours, Layer::recordings,
                                    Layer::sockets};

[[nodiscard]] std::string_view name_of(Layer layer) noexcept;

/// What all layers are told.
struct Terms {
    bool fast = false;       ///< the smaller trials
    std::string recordings;  ///< Recordings::path, for that layer
};

/// The first trial of a layer that went wrong.
struct Kill {
    std::string property;  ///< "S1", "check" when the machine itself stopped the process, "time", or "promise"
    std::uint32_t nranks = 0;
    std::string trial;  ///< "2 ranks, reset:0@root"
    std::string why;
};

/// Goes through the trials of a layer, from the smallest. Nothing: the machine stood all of them. `note` is told of
/// each trial before it begins.
using Note = void (*)(std::uint32_t nranks, std::string_view trial, void* context);
[[nodiscard]] std::optional<Kill> put_through(Layer layer, Terms const& terms, Note note, void* context);

}  // namespace ronde::mutants
