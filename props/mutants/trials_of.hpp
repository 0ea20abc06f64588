/// The trials of each layer, for put_through.
#pragma once

#include "mutants/trials.hpp"

namespace ronde::mutants {

[[nodiscard]] std::optional<Kill> put_through_explorer(bool fast, Note note, void* context);
[[nodiscard]] std::optional<Kill> put_through_simulator(bool fast, Note note, void* context);
[[nodiscard]] std::optional<Kill> put_through_neighbours(bool fast, Note note, void* context);
[[nodiscard]] std::optional<Kill> put_through_recordings(std::string const& recordings, Note note, void* context);
[[nodiscard]] std::optional<Kill> put_through_sockets(Note note, void* context);

}  // namespace ronde::mutants
