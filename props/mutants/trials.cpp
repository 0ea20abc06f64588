#include "mutants/trials.hpp"

#include "mutants/trials_of.hpp"

namespace ronde::mutants {

std::string_view name_of(Layer layer) noexcept {
    switch (layer) {
    case Layer::explorer: return "explorer";
    case Layer::simulator: return "simulator";
    case Layer::neighbours: return "neighbours";
    }
    return "";
}

std::optional<Kill> put_through(Layer layer, bool fast, Note note, void* context) {
    switch (layer) {
    case Layer::explorer: return put_through_explorer(fast, note, context);
    case Layer::simulator: return put_through_simulator(fast, note, context);
    case Layer::neighbours: return put_through_neighbours(fast, note, context);
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
