/// `ronde-mutants`: the kill matrix. Linked with a machine that has every fault of the catalogue in it, asleep.
/// `ronde mutants` starts it.
#include "mutants/matrix.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

namespace {

using namespace ronde::mutants;

constexpr int kUsage = 2;
constexpr int kCannot = 3;

bool is_known(std::string_view name) {
    for (Mutant const& mutant : catalogue()) {
        if (mutant.name == name)
            return true;
    }
    return false;
}

std::optional<Layer> layer_named(std::string_view name) {
    for (Layer const layer : kLayers) {
        if (name_of(layer) == name)
            return layer;
    }
    return std::nullopt;
}

int run(MatrixSettings const& settings, bool json) {
    bool const shown = !json && isatty(STDERR_FILENO) != 0;
    std::size_t done = 0;
    Matrix const matrix = run_matrix(settings, [&](Row const& row) {
        if (shown)
            fmt::print(stderr, "\r\x1b[K{}: {}", ++done, row.name);
    });
    if (shown)
        fmt::print(stderr, "\r\x1b[K");
    fmt::print("{}", json ? matrix_json(matrix) : matrix_text(matrix));
    return matrix.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MatrixSettings settings;
    bool json = false;
    for (int i = 1; i < argc; ++i) {
        std::string_view const word = argv[i];
        if (word == "--fast") {
            settings.fast = true;
        } else if (word == "--format" && i + 1 < argc) {
            json = std::string_view(argv[++i]) == "json";
        } else if (word == "--layer" && i + 1 < argc) {
            auto const layer = layer_named(argv[++i]);
            if (!layer) {
                fmt::print(stderr,
                           "ronde mutants: --layer {}: expected explorer, simulator, neighbours, recordings or "
                           "sockets\n",
                           argv[i]);
                return kUsage;
            }
            settings.layers.push_back(*layer);
        } else if (is_known(word)) {
            settings.names.emplace_back(word);
        } else {
            fmt::print(stderr, "ronde mutants: '{}' is no mutant; see props/mutants, or leave names out for all\n",
                       word);
            return kUsage;
        }
    }
    try {
        return run(settings, json);
    } catch (std::exception const& error) {
        fmt::print(stderr, "ronde mutants: {}\n", error.what());
        return kCannot;
    }
}
