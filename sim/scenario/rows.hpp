/// How a row of the schema is written down: a name, a member, and how its value looks as text.
#pragma once

#include "engine/distribution.hpp"
#include "scenario/near.hpp"
#include "scenario/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace ronde::sim {

// --- how values look; each has a type for the reference, and the two directions ------------------------------------

struct Count {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    [[nodiscard]] std::string type() const { return fmt::format("number, {} to {}", least, most); }
    [[nodiscard]] Read<std::uint64_t> read(std::string_view text) const { return count_from(text, least, most); }
    [[nodiscard]] std::string write(std::uint64_t value) const { return count_text(value); }
};

struct Size {
    std::uint64_t least = 0;
    std::uint64_t most = std::uint64_t{1} << 40;
    [[nodiscard]] std::string type() const { return "size"; }
    [[nodiscard]] Read<std::uint64_t> read(std::string_view text) const { return size_from(text, least, most); }
    [[nodiscard]] std::string write(std::uint64_t value) const { return size_text(value); }
};

struct Rate {
    [[nodiscard]] std::string type() const { return "rate"; }
    [[nodiscard]] Read<std::uint64_t> read(std::string_view text) const { return rate_from(text); }
    [[nodiscard]] std::string write(std::uint64_t value) const { return rate_text(value); }
};

struct Share {
    [[nodiscard]] std::string type() const { return "share"; }
    [[nodiscard]] Read<std::uint32_t> read(std::string_view text) const { return share_from(text); }
    [[nodiscard]] std::string write(std::uint32_t value) const { return share_text(value); }
};

struct Duration {
    TimeNs least_ns = 0;
    bool never_allowed = false;
    [[nodiscard]] std::string type() const { return never_allowed ? "duration or never" : "duration"; }
    [[nodiscard]] Read<TimeNs> read(std::string_view text) const {
        return time_from(text, least_ns, kLongestNs, never_allowed);
    }
    [[nodiscard]] std::string write(TimeNs value) const { return time_text(value); }
};

/// A duration that is kept in whole milliseconds.
struct Milliseconds {
    [[nodiscard]] std::string type() const { return "duration in whole ms"; }
    [[nodiscard]] Read<std::uint32_t> read(std::string_view text) const {
        auto const ns = time_from(text, 0, kLongestNs, false);
        if (!ns)
            return tl::unexpected(ns.error());
        if (*ns % kMillisecondNs != 0)
            return tl::unexpected(fmt::format("'{}' is no whole number of milliseconds", text));
        return static_cast<std::uint32_t>(*ns / kMillisecondNs);
    }
    [[nodiscard]] std::string write(std::uint32_t value) const { return time_text(value * kMillisecondNs); }
};

struct Flag {
    [[nodiscard]] std::string type() const { return "true or false"; }
    [[nodiscard]] Read<bool> read(std::string_view text) const { return flag_from(text); }
    [[nodiscard]] std::string write(bool value) const { return value ? "true" : "false"; }
};

struct Words {
    [[nodiscard]] std::string type() const { return "text"; }
    [[nodiscard]] Read<std::string> read(std::string_view text) const {
        if (text.empty() || text.size() > 80)
            return tl::unexpected(std::string("expected a text of 1 to 80 bytes"));
        return std::string(text);
    }
    [[nodiscard]] std::string write(std::string const& value) const { return value; }
};

struct Counts {
    std::uint32_t most = 0;
    [[nodiscard]] std::string type() const { return "number or list of numbers"; }
    [[nodiscard]] Read<std::vector<std::uint32_t>> read(std::string_view text) const { return counts_from(text, most); }
    [[nodiscard]] std::string write(std::vector<std::uint32_t> const& value) const { return counts_text(value); }
};

struct Delay {
    [[nodiscard]] std::string type() const { return "delay"; }
    [[nodiscard]] Read<Distribution> read(std::string_view text) const { return distribution_from(text); }
    [[nodiscard]] std::string write(Distribution const& value) const { return to_text(value); }
};

/// Named values of an enumeration; `names[i]` is `values[i]`.
template <class E>
struct OneOf {
    std::string_view what;  ///< "gather", for errors
    std::vector<std::string_view> names;
    std::vector<E> values;

    [[nodiscard]] std::string type() const { return list_text(names); }
    [[nodiscard]] Read<E> read(std::string_view text) const {
        auto const at = std::find(names.begin(), names.end(), text);
        if (at == names.end())
            return tl::unexpected(
                fmt::format("'{}' is no {}; expected {}{}", text, what, list_text(names), nearest_hint(text, names)));
        return values[static_cast<std::size_t>(at - names.begin())];
    }
    [[nodiscard]] std::string write(E value) const {
        auto const at = std::find(values.begin(), values.end(), value);
        return at == values.end() ? std::string() : std::string(names[static_cast<std::size_t>(at - values.begin())]);
    }
};

/// Enumerators 0 .. names.size()-1 in their order.
template <class E>
OneOf<E> in_order(std::string_view what, std::vector<std::string_view> names) {
    OneOf<E> choice{what, std::move(names), {}};
    for (std::size_t i = 0; i < choice.names.size(); ++i)
        choice.values.push_back(static_cast<E>(i));
    return choice;
}

/// The same, with the names that name_of gives.
template <class E>
OneOf<E> all_of(std::string_view what, std::uint32_t count) {
    std::vector<std::string_view> names;
    for (std::uint32_t i = 0; i < count; ++i)
        names.push_back(name_of(static_cast<E>(i)));
    return in_order<E>(what, std::move(names));
}

/// A value that may be absent: not written then, and present once it was read.
template <class Look>
struct Maybe {
    Look look;
    [[nodiscard]] std::string type() const { return look.type(); }
    [[nodiscard]] auto read(std::string_view text) const { return look.read(text); }
    template <class T>
    [[nodiscard]] std::string write(std::optional<T> const& value) const {
        return value ? look.write(*value) : std::string();
    }
};

// --- rows -----------------------------------------------------------------------------------------------------------

/// Adds rows to a section whose values live in `part(plan, index)`, one struct for all of them.
template <class Part>
class Rows {
public:
    Rows(Section& section, Part part) : section_(section), part_(part) {}

    template <class Owner, class Field, class Look>
    Rows& row(std::string_view name, Field Owner::*member, Look look, std::string_view help) {
        Key key;
        key.name = name;
        key.type = look.type();
        key.help = help;
        key.text_of = [part = part_, member, look](WorldPlan const& plan, std::size_t index) {
            return std::string(look.write(part(plan, index).*member));
        };
        key.take = [part = part_, member, look](WorldPlan& plan, std::size_t index, std::string_view text) {
            auto value = look.read(text);
            if (!value)
                return value.error();
            if constexpr (std::is_arithmetic_v<Field>)
                part(plan, index).*member = static_cast<Field>(*value);
            else
                part(plan, index).*member = std::move(*value);
            return std::string();
        };
        section_.keys.push_back(std::move(key));
        return *this;
    }

private:
    Section& section_;
    Part part_;
};

/// A section whose struct is `member` of the plan.
template <class T>
auto part_of(T WorldPlan::*member) {
    return [member](auto& plan, std::size_t) -> auto& { return plan.*member; };
}
/// The index-th element of a repeated section.
template <class T>
auto element_of(std::vector<T> WorldPlan::*member) {
    return [member](auto& plan, std::size_t index) -> auto& { return (plan.*member)[index]; };
}
template <class T>
void repeat(Section& section, std::vector<T> WorldPlan::*member) {
    section.repeated = true;
    section.count = [member](WorldPlan const& plan) { return (plan.*member).size(); };
    section.append = [member](WorldPlan& plan) { (plan.*member).emplace_back(); };
}

// The longer sections have a file of their own.
[[nodiscard]] Section policy_section();
[[nodiscard]] Section fault_section();

}  // namespace ronde::sim
