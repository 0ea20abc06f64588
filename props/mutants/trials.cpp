#include "mutants/trials.hpp"

#include "mutants/trials_of.hpp"

namespace ronde::mutants {

std::string_view name_of(Layer layer) noexcept {
    switch (layer) {
    case Layer::explorer: return "explorer";
    case Layer::simulator: return "simulator";
    case Layer::neighbours: return "neighbours";
    case Layer::recordings: return "recordings";
    case Layer::sockets: return "sockets";
    }
    return "";
}

std::optional<Kill> put_through(Layer layer, Terms const& terms, Note note, void* context) {
    switch (layer) {
    case Layer::explorer: return put_through_explorer(terms.fast, note, context);
    case Layer::simulator: return put_through_simulator(terms.fast, note, context);
    case Layer::neighbours: return put_through_neighbours(terms.fast, note, context);
    case Layer::recordings: return put_through_recordings(terms.recordings, note, context);
    case Layer::sockets: return put_through_sockets(note, context);
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
