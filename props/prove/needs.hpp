/// From all states of a process: what comes before what.
///
/// A need is a least number for each dimension (see Needs): the least that any state had in which the line was said.
/// So whoever says the line has heard at least that. The other way round is then checked, state by state: whoever has
/// heard that much has said the line. Together they say exactly when it comes.
#pragma once

#include "prove/cut.hpp"
#include "prove/moment.hpp"

namespace ronde::prove {

class NeedsRecord {
public:
    /// `parts` must outlive it.
    NeedsRecord(Shape const& shape, std::vector<Part> const& parts);

    /// A state. `takes`, by part: whether the next line could be heard in it, or need not be any more.
    void note(Moment const& moment, std::vector<bool> const& takes);
    /// A state in the middle of a greeting: it shows what a line needs, and is not asked whether that suffices.
    void note_between(Moment const& moment);
    /// Fills in the needs. The answer says which of them do not suffice; empty: all do.
    [[nodiscard]] std::string conclude(Findings& findings) const;

private:
    using Row = std::span<std::uint16_t const>;
    [[nodiscard]] std::size_t dimensions() const { return 2 * parts_.size() + 1; }
    [[nodiscard]] std::size_t width() const { return dimensions() + 2 * parts_.size() + 1; }
    [[nodiscard]] Row row(std::size_t number) const { return Row(rows_).subspan(number * width(), width()); }
    [[nodiscard]] std::uint16_t said(Row row, std::size_t part) const { return row[dimensions() + part]; }
    [[nodiscard]] bool takes(Row row, std::size_t part) const { return row[dimensions() + parts_.size() + part] != 0; }
    [[nodiscard]] bool ready(Row row) const { return row.back() != 0; }
    /// It has called somebody and was not told yet that the connection stands, which takes nobody but their kernels:
    /// who does one thing at a time waits for that.
    [[nodiscard]] bool is_busy(Row row) const;
    [[nodiscard]] bool suffices(Row row, Needs const& needs) const;
    [[nodiscard]] std::string short_of(Findings const& findings, Row here) const;

    Shape const& shape_;
    std::vector<Part> const& parts_;
    std::vector<std::vector<Needs>> say_;   ///< by part and lines said: the least that was heard
    std::vector<std::vector<Needs>> hear_;  ///< by part and lines heard: likewise
    Needs ready_;
    std::vector<std::uint16_t> rows_;  ///< by state: dimensions, said, takes, ready
};

}  // namespace ronde::prove
