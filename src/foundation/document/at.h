#pragma once

#include <initializer_list>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

using Names = std::initializer_list<std::string_view>;

/// The value that these names lead to, through objects; null if one of them is not there.
const Value* find_at(const Value& value, Names names);

/// The value at the end of the path; null if there is none.
Value value_at(const Value& value, Names names);

/// The string there; empty if there is none.
std::string_view text_at(const Value& value, Names names);

/// The items of the array there, which live as long as `value`; none if there is no array.
const Array& items_at(const Value& value, Names names);

/// The value with `changed` there; objects that are missing on the way are made. Copies only the path, and nothing that
/// was moved in and that no other value shares.
/// REQUIRES: what is on the way is an object, null or absent.
Value with_at(Value value, Names names, Value changed);

/// The value without what is there; the same value if there is nothing. Copies as little.
Value without_at(Value value, Names names);

}  // namespace loadline::document
