#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

enum class JsonStyle { kCompact, kIndented };

/// Writes JSON as Go's encoder does: members in the value's order, `<`, `>`, `&` escaped only where JSON itself
/// requires it, floats in the shortest form that reads back equal. Indented: four spaces, as kubectl prints.
std::string write_json(const Value& value, JsonStyle style = JsonStyle::kCompact);

/// The same, compact, at the end of `text`.
void append_json(std::string& text, const Value& value);
/// A JSON string, quoted and escaped, at the end of `text`.
void append_json(std::string& text, std::string_view string);

/// Writes block-style YAML as kubectl prints it: two spaces, sequences not indented below their key, strings quoted
/// only where a YAML 1.1 reader would take them for something else.
std::string write_yaml(const Value& value);

/// A float as Go's encoding/json writes it: shortest digits, exponent form below 1e-6 and from 1e21 on.
std::string format_number(double number);

}  // namespace loadline::document
