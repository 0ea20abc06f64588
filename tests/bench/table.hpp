/// A plain table for the terminal: first column left, the others right.
#pragma once

#include <string>
#include <vector>

namespace ronde::bench {

class Table {
public:
    explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

/// Middle value; the lower one of two. `values` must not be empty.
template <class Value>
[[nodiscard]] Value median(std::vector<Value> values);

}  // namespace ronde::bench

#include <algorithm>

namespace ronde::bench {

template <class Value>
Value median(std::vector<Value> values) {
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) / 2];
}

}  // namespace ronde::bench
