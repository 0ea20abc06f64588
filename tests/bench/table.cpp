#include "table.hpp"

#include <fmt/format.h>

namespace ronde::bench {

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (auto const& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (std::size_t line = 0; line < rows_.size(); ++line) {
        for (std::size_t i = 0; i < rows_[line].size(); ++i) {
            text += i == 0 ? fmt::format("{:<{}}", rows_[line][i], widths[i])
                           : fmt::format("  {:>{}}", rows_[line][i], widths[i]);
        }
        text += '\n';
        if (line > 0)
            continue;
        for (std::size_t i = 0; i < widths.size(); ++i)
            text += (i == 0 ? "" : "  ") + std::string(widths[i], '-');
        text += '\n';
    }
    return text;
}

}  // namespace ronde::bench
