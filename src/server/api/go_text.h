#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::api {

/// A decoded JSON value as Go's fmt writes it with %v: `map[a:1 b:[x <nil>]]`, members by key. Errors quote values so.
std::string go_text(const document::Value& value);

/// The same with %#v: `map[string]interface {}{"a":1}`, `[]interface {}{"x"}`.
std::string go_syntax(const document::Value& value);

/// A scalar with %s, which complains of what is no string: `%!s(int64=1)`.
std::string go_string_verb(const document::Value& value);

/// The name of the Go type that JSON decodes a value to: "map[string]interface {}", "[]interface {}", "string",
/// "int64".
std::string_view go_type_name(const document::Value& value);

}  // namespace loadline::api
