#pragma once

#include <string>

#include "foundation/document/value.h"

namespace loadline::document {

/// The same document with the members of every object in order of their names, as Go marshals maps.
Value with_sorted_members(const Value& value);

/// JSON as Go's json.Marshal writes it into annotations, managed fields and messages: compact, `<`, `>` and `&` as
/// escapes, so that it is safe within HTML.
std::string write_go_json(const Value& value);

/// The same, at the end of `text`.
void append_go_json(std::string& text, const Value& value);

}  // namespace loadline::document
