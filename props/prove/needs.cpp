#include "prove/needs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::prove {
namespace {

constexpr std::uint16_t kUnmet = 0xffffU;  ///< nobody ever said it

void lower(Needs& needs, std::span<std::uint16_t const> seen) {
    for (std::size_t i = 0; i < needs.size(); ++i)
        needs[i] = std::min(needs[i], seen[i]);
}

/// Whoever has said a later line has said the earlier ones.
void spread(std::vector<Needs>& by_line) {
    for (std::size_t i = by_line.size(); i-- > 1;)
        lower(by_line[i - 1], by_line[i]);
}

}  // namespace

NeedsRecord::NeedsRecord(Shape const& shape, std::vector<Part> const& parts) : shape_(shape), parts_(parts) {
    Needs const unmet(dimensions(), kUnmet);
    ready_ = unmet;
    for (Part const& part : parts_) {
        say_.emplace_back(part.mine.size(), unmet);
        hear_.emplace_back(part.theirs.size(), unmet);
    }
}

void NeedsRecord::note(Moment const& moment, std::vector<bool> const& takes) {
    note_between(moment);
    rows_.insert(rows_.end(), moment.heard.begin(), moment.heard.end());
    rows_.insert(rows_.end(), moment.stands.begin(), moment.stands.end());
    rows_.push_back(moment.now_ns > 0 ? 1 : 0);
    rows_.insert(rows_.end(), moment.said.begin(), moment.said.end());
    rows_.insert(rows_.end(), takes.begin(), takes.end());
    rows_.push_back(moment.ready);
}

void NeedsRecord::note_between(Moment const& moment) {
    Needs here(moment.heard.begin(), moment.heard.end());
    here.insert(here.end(), moment.stands.begin(), moment.stands.end());
    here.push_back(moment.now_ns > 0 ? 1 : 0);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (std::uint16_t const lines = moment.said[part]; lines > 0)
            lower(say_[part][lines - 1U], here);
        if (std::uint16_t const lines = moment.heard[part]; lines > 0)
            lower(hear_[part][lines - 1U], here);
    }
    if (moment.ready != 0)
        lower(ready_, here);
}

bool NeedsRecord::is_busy(Row row) const {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        bool const stands = row[parts_.size() + part] != 0;
        if (parts_[part].calls && said(row, part) > 0 && !stands)
            return true;
    }
    return false;
}

bool NeedsRecord::suffices(Row row, Needs const& needs) const {
    for (std::size_t i = 0; i < needs.size(); ++i) {
        if (row[i] < needs[i])
            return false;
    }
    return true;
}

std::string NeedsRecord::conclude(Findings& findings) const {
    findings.to_be_ready = ready_;
    findings.to_say = say_;
    findings.to_hear = hear_;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        spread(findings.to_say[part]);
        spread(findings.to_hear[part]);
        for (std::size_t line = 0; line < findings.to_hear[part].size(); ++line) {
            Needs& needs = findings.to_hear[part][line];
            if (needs[part] == kUnmet)  // whoever has ended a connection, or itself, hears nothing more there
                needs.assign(dimensions(), 0);
            needs[part] = static_cast<std::uint16_t>(line);  // itself aside
        }
    }
    for (std::size_t number = 0; number < rows_.size() / width(); ++number) {
        if (is_busy(row(number)))
            continue;
        if (std::string why = short_of(findings, row(number)); !why.empty())
            return why;
    }
    return {};
}

/// Whether somebody in this state has heard all that something needs, and does not do it.
std::string NeedsRecord::short_of(Findings const& findings, Row here) const {
    std::string const who = shape_.name_of(findings.node);
    for (std::size_t number = 0; number < parts_.size(); ++number) {
        Part const& part = parts_[number];
        std::size_t const spoken = said(here, number);
        if (spoken < part.mine.size() && suffices(here, findings.to_say[number][spoken]))
            return fmt::format("{} has heard what always came before {} to {}, and does not say it", who,
                               words_for(part.mine[spoken]), shape_.name_of(part.other));
        std::size_t const heard = here[number];
        bool const could = heard < part.theirs.size() && suffices(here, findings.to_hear[number][heard]);
        if (could && !takes(here, number))
            return fmt::format("{} has heard what always came before {} of {}, and does not take it", who,
                               words_for(part.theirs[heard]), shape_.name_of(part.other));
    }
    if (!shape_.is_root(findings.node) && !ready(here) && suffices(here, findings.to_be_ready))
        return fmt::format("{} has heard what always came before it was ready, and is not", who);
    return {};
}

}  // namespace ronde::prove
