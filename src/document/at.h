#pragma once

#include <initializer_list>
#include <string_view>

#include "document/value.h"

namespace loadline::document {

using Names = std::initializer_list<std::string_view>;

/// The value that these names lead to, through objects; null if one of them is not there.
const Value* find_at(const Value& value, Names names);

/// The string there; empty if there is none.
std::string_view text_at(const Value& value, Names names);

/// A copy with `changed` there; objects that are missing on the way are made. Copies only the path.
/// REQUIRES: what is on the way is an object, null or absent.
Value with_at(const Value& value, Names names, Value changed);

/// A copy without what is there; the same value if there is nothing.
Value without_at(const Value& value, Names names);

}  // namespace loadline::document
