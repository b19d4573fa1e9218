#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

/// Whether two values are the same document: the order of members is no difference, while `==` keeps it.
/// O(size), and O(1) for what they share.
bool same_document(const Value& a, const Value& b);

/// Whether two values are the same text, array or object in memory, so that what is known of one holds for the other.
/// Equal ones need not be. O(1).
bool are_shared(const Value& a, const Value& b);

/// The member of that name in `earlier`, an earlier version of an object (may be null, or no object), where the member
/// stood at `place` in the later one. Null if there is none. O(1) if it stands there still.
const Value* earlier_member(const Value* earlier, std::string_view key, std::size_t place);
/// Likewise of an array.
const Value* earlier_element(const Value* earlier, std::size_t place);

/// An object without those members of `names` that `earlier` (may be null, or no object) has with the same values.
Value without_same(const Value& object, const Value* earlier, std::initializer_list<std::string_view> names);

}  // namespace loadline::document
