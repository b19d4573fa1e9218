#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loadline::document {

/// How many bytes from the beginning a terminal shows as they are. It would act on a control character (C0 but
/// newlines, DEL, C1), show text in another order after a character that embeds, overrides or isolates a direction of
/// writing, and make of bytes that are not UTF-8 what it likes.
std::size_t visible_prefix(std::string_view text);

/// The text with all of that told by its number: "\u001b[2J", "\u202e", "\xff". Where JSON and YAML quote a text, the
/// first two mean in it what they stand for. A backslash stays one, so what is visible is returned as it is.
std::string visible(std::string_view text);

}  // namespace loadline::document
