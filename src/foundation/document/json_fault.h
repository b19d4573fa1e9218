#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loadline::document {

/// The first thing that makes a text not one JSON value.
struct JsonFault {
  std::size_t offset = 0;
  std::string message;  ///< in the words of Go's JSON decoder
  std::string hint;     ///< what to write instead; may be empty
};

/// Looks for it by RFC 8259's grammar, slowly and in detail: for texts that the fast reader has refused.
/// Nothing if the grammar is kept. More than `max_depth` levels of nesting are a fault.
std::optional<JsonFault> find_json_fault(std::string_view text, std::size_t max_depth);

}  // namespace loadline::document
