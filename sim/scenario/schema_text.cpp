#include "scenario/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr std::string_view kValues =
    "Values: durations 20us, 1.5ms, 2s; sizes 64, 4KiB, 2.5MB; counts 98304, 98k (98 000), 96Ki (98 304); shares 2%,\n"
    "0.05%, 300ppm; rates 10Gbit/s, 1.25GB/s; ranks 0-15, 17. Delays: a duration, or uniform 10us..50us,\n"
    "exponential 1ms, normal 1.26s 70ms, lognormal 20us 300 (median, sigma in thousandths), bimodal 20us 5s 2%,\n"
    "empirical 1us 2us 9us (quantiles). Plain numbers, true and false stand bare, all else in quotes.\n";

struct Head {
    std::string title;
    WorldPlan plain;  ///< whose values are the defaults
};

Head head_of(Section const& section) {
    Head head{fmt::format(fmt::runtime(section.repeated ? "[[{}]]" : "[{}]"), section.name), {}};
    if (section.name.empty())
        head.title = "top of the file";
    if (section.repeated)
        section.append(head.plain);
    return head;
}

std::string default_text(Section const& section, Key const& key, WorldPlan const& plain) {
    bool const required =
        std::find(section.required.begin(), section.required.end(), key.name) != section.required.end();
    return required ? "required" : key.text_of(plain, 0);
}

}  // namespace

std::string schema_text() {
    std::string text(kValues);
    for (Section const& section : schema()) {
        Head const head = head_of(section);
        text += fmt::format("\n{}: {}\n", head.title, section.help);
        for (Key const& key : section.keys) {
            text += fmt::format("  {:<19}{:<20}{}\n", key.name, default_text(section, key, head.plain), key.help);
            // Long lists of words get a line of their own.
            text += fmt::format("  {:<19}{:<20}({})\n", "", "", key.type);
        }
    }
    text += "\nkinds of fault:\n";
    for (FaultShape const& shape : fault_shapes()) {
        text += fmt::format("  {:<19}{}", name_of(shape.kind), shape.help);
        text += shape.duration.empty() ? "" : fmt::format("; duration: {}", shape.duration);
        text += shape.amount.empty() ? "" : fmt::format("; amount: {}", shape.amount);
        text += "\n";
    }
    return text;
}

std::string schema_markdown() {
    std::string text;
    for (Section const& section : schema()) {
        Head const head = head_of(section);
        text += fmt::format("### {}\n\n{}\n\n| key | default | value | meaning |\n|---|---|---|---|\n",
                            section.name.empty() ? "Top of the file" : "`" + head.title + "`", section.help);
        for (Key const& key : section.keys) {
            std::string const plain = default_text(section, key, head.plain);
            std::string const shown = plain.empty() ? "–" : plain == "required" ? plain : "`" + plain + "`";
            text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, shown, key.type, key.help);
        }
        text += "\n";
    }
    text += "### Kinds of fault\n\n| kind | what happens | `duration` | `amount` |\n|---|---|---|---|\n";
    for (FaultShape const& shape : fault_shapes())
        text += fmt::format("| `{}` | {} | {} | {} |\n", name_of(shape.kind), shape.help,
                            shape.duration.empty() ? "–" : shape.duration, shape.amount.empty() ? "–" : shape.amount);
    return text;
}

}  // namespace ronde::sim
