/// "did you mean …?": the word of a list that a misspelt one was most likely meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ronde::sim {

/// The nearest candidate by edits (insert, delete, replace, swap neighbours), or an empty text when none is near.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<std::string_view const> candidates);
/// "; did you mean same_rack?" or an empty text.
[[nodiscard]] std::string nearest_hint(std::string_view word, std::span<std::string_view const> candidates);
/// "star, ring or ring2"
[[nodiscard]] std::string list_text(std::span<std::string_view const> words);

}  // namespace ronde::sim
