#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/path_element.h"

namespace loadline::api {

/// How structured merge sees a value of a type: what a schema of structured-merge-diff would say of it.
struct MergeShape {
  enum class Kind : std::uint8_t { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  bool is_atomic = false;  ///< a list or map that is owned and replaced whole

  friend bool operator==(const MergeShape&, const MergeShape&) = default;
};

/// For a type that allows more than one form, the value decides; a null or absent value counts as a map then.
MergeShape merge_shape(const schema::Type& type, const document::Value* value);

/// The type of a member, and whether the type names it (a key of a map is not named).
struct MemberType {
  const schema::Type* type = nullptr;  ///< null: no such field
  bool is_declared = false;
};
MemberType member_type(const schema::Type& type, std::string_view name);

/// Whether any field may be in the object: nothing is known of it.
bool is_untyped(const schema::Type& type);

/// The elements; null: there is no value, or it is no list.
inline const document::Array* list_or_null(const document::Value* value) {
  return value != nullptr && value->is_array() ? &value->array() : nullptr;
}
inline const document::Object* map_or_null(const document::Value* value) {
  return value != nullptr && value->is_object() ? &value->object() : nullptr;
}

/// The type of a list's elements.
const schema::Type& element_type(const schema::Type& type);

/// What tells an element of a set or of a list with keys apart; keys that the element lacks are defaulted.
/// REQUIRES: `list` is a list that is not atomic.
Result<PathElement> list_element(const schema::Type& list, const document::Value& element);

}  // namespace loadline::api
