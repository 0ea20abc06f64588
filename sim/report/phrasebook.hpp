/// The choices of a pretend world in words, for a person who makes them.
#pragma once

#include "engine/interactive_oracle.hpp"
#include "world/world.hpp"

#include <string>
#include <vector>

namespace ronde::sim {

/// Of a packet: how long it travels, and whether it is lost. Of a rank: when it starts, and whether it comes late.
/// Times are offered as the least, the quartiles and the most that the plan has for them. What else is chosen (the
/// lower bits of a time, what strangers do) means nothing by itself, and nobody is asked.
class WorldPhrasebook final : public Phrasebook {
public:
    /// The plan must outlive the phrasebook.
    explicit WorldPhrasebook(WorldPlan const& plan) : plan_(plan) {}
    /// The world that asks, as soon as there is one; it must outlive all choices.
    void speak_of(World const& world) noexcept { world_ = &world; }

    std::string question(Choice kind, std::uint64_t key, std::uint32_t n) override;
    std::vector<std::uint32_t> options(Choice kind, std::uint64_t key, std::uint32_t n) override;
    std::string meaning(Choice kind, std::uint64_t key, std::uint32_t n, std::uint32_t picked) override;

private:
    /// What a choice decides.
    enum class Matter : std::uint8_t { nothing, travel_time, loss, start, lateness, late_start };
    [[nodiscard]] static Matter matter_of(Choice kind, std::uint32_t n);
    /// Otherwise it is a yes or a no.
    [[nodiscard]] static bool is_time(Matter matter);
    /// In nanoseconds: what `picked` stands for, of a matter that is a time.
    [[nodiscard]] TimeNs time_ns(Matter matter, std::uint32_t n, std::uint32_t picked) const;
    /// Choices below this many of a million mean yes, of a matter that is none.
    [[nodiscard]] std::uint32_t yes_per_million(Matter matter) const;

    WorldPlan const& plan_;
    World const* world_ = nullptr;
};

}  // namespace ronde::sim
