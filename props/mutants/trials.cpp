#include "mutants/trials.hpp"

#include "mutants/trials_of.hpp"

namespace ronde::mutants {

std::string_view name_of(Layer layer) noexcept { return layer == Layer::explorer ? "explorer" : "simulator"; }

std::optional<Kill> put_through(Layer layer, bool fast, Note note, void* context) {
    return layer == Layer::explorer ? put_through_explorer(fast, note, context)
                                    : put_through_simulator(fast, note, context);
}

}  // namespace ronde::mutants
