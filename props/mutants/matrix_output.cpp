#include "mutants/matrix.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ronde::mutants {
namespace {

std::string seconds(protocol::TimeNs time_ns) {
    return fmt::format("{}.{:02} s", time_ns / protocol::kSecondNs, time_ns % protocol::kSecondNs / 10'000'000);
}

std::string cell_text(Cell const& cell) {
    if (!cell.ran)
        return "-";
    if (!cell.kill)
        return fmt::format("stands {:>9}", seconds(cell.elapsed_ns));
    return fmt::format("{:<7} N={:<3} {:>8}", cell.kill->property, cell.kill->nranks, seconds(cell.elapsed_ns));
}

std::string_view place_of(Layer layer) {
    switch (layer) {
    case Layer::explorer: return "in the explorer";
    case Layer::simulator: return "in the simulator";
    case Layer::neighbours: return "among neighbours";
    case Layer::recordings: return "in recordings";
    case Layer::sockets: return "over sockets";
    }
    return "";
}

std::string_view word_of(Row const& row) {
    if (row.lost)
        return "LOST";
    if (row.mutant == nullptr)
        return row.killed() ? "BROKEN" : "stands";
    if (!row.killed())
        return "SURVIVES";
    return row.as_expected() ? "dies" : "dies of something else";
}

/// What is wrong with a row, and where to look.
std::string complaint(Row const& row) {
    if (row.lost) {
        return fmt::format("{}: its place in runtime/protocol/{} is gone or not the only one; look for it there, and "
                           "change the catalogue: {}\n",
                           row.name, row.mutant->file, row.mutant->original);
    }
    if (row.mutant != nullptr && !row.killed())
        return fmt::format("{} survives: {}; expected to die of {}\n", row.name, row.mutant->what,
                           row.mutant->killed_by.empty() ? "nothing" : row.mutant->killed_by);
    std::string text;
    for (Cell const& cell : row.cells) {
        if (cell.kill && (row.mutant == nullptr || !row.as_expected()))
            text +=
                fmt::format("{}: {} in \"{}\": {}\n", row.name, cell.kill->property, cell.kill->trial, cell.kill->why);
    }
    return text;
}

bool is_good(Row const& row) {
    Matrix const alone{{row}, 0};
    return alone.good();
}

}  // namespace

std::string matrix_text(Matrix const& matrix) {
    std::string text = fmt::format("{:<38}", "mutant");
    for (Layer const layer : kLayers)
        text += fmt::format("{:<24}", name_of(layer));
    text += "verdict\n";
    std::array<std::uint32_t, kLayers.size()> killed{};
    for (Row const& row : matrix.rows) {
        text += fmt::format("{:<38}", row.name);
        for (Cell const& cell : row.cells)
            text += fmt::format("{:<24}", cell_text(cell));
        text += fmt::format("{}\n", word_of(row));
        if (row.mutant == nullptr)
            continue;
        for (std::size_t layer = 0; layer < killed.size(); ++layer)
            killed[layer] += row.cells[layer].kill ? 1U : 0U;
    }
    text += fmt::format("{} of {} mutants die:", matrix.killed(), matrix.mutants());
    for (std::size_t layer = 0; layer < killed.size(); ++layer) {
        bool const ran = std::any_of(matrix.rows.begin(), matrix.rows.end(),
                                     [layer](Row const& row) { return row.cells[layer].ran; });
        if (ran)
            text += fmt::format(" {} {},", killed[layer], place_of(kLayers[layer]));
    }
    text.back() = ';';
    text += fmt::format(" {}\n", seconds(matrix.elapsed_ns));
    for (Row const& row : matrix.rows) {
        if (!is_good(row))
            text += complaint(row);
    }
    return text;
}

std::string matrix_json(Matrix const& matrix) {
    nlohmann::ordered_json json;
    json["verdict"] = matrix.good() ? "good" : "bad";
    json["mutants"] = matrix.mutants();
    json["killed"] = matrix.killed();
    json["survivors"] = matrix.mutants() - matrix.killed();
    json["elapsed_ns"] = matrix.elapsed_ns;
    json["rows"] = nlohmann::ordered_json::array();
    for (Row const& row : matrix.rows) {
        nlohmann::ordered_json entry;
        entry["name"] = row.name;
        entry["verdict"] = word_of(row);
        if (row.mutant != nullptr) {
            entry["file"] = row.mutant->file;
            entry["what"] = row.mutant->what;
            entry["expected"] = row.mutant->killed_by;
        }
        for (Layer const layer : kLayers) {
            Cell const& cell = row.cells[static_cast<std::size_t>(layer)];
            if (!cell.ran)
                continue;
            nlohmann::ordered_json one;
            one["killed"] = cell.kill.has_value();
            one["elapsed_ns"] = cell.elapsed_ns;
            if (cell.kill) {
                one["property"] = cell.kill->property;
                one["ranks"] = cell.kill->nranks;
                one["trial"] = cell.kill->trial;
                one["why"] = cell.kill->why;
            }
            entry[std::string(name_of(layer))] = one;
        }
        json["rows"].push_back(entry);
    }
    return json.dump(2) + "\n";
}

}  // namespace ronde::mutants
