#pragma once

#include <string>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// What a typed server makes of a document that it reads and writes again.
struct Conformed {
  /// Known fields only, in the order of Go's struct; meaningless if there is an error.
  document::Value value;
  /// What strict decoding complains of, in its words and order: `unknown field "spec.containers[0].imagee"`,
  /// `duplicate field "spec.x"`. At most 100, each once.
  std::vector<std::string> findings;
  /// Why the document cannot be read at all, in Go's words:
  /// `json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container`. Empty: it
  /// can.
  std::string error;
};

/// The document after Go's decoder and encoder: names case-sensitive; unknown fields and nulls dropped; empty values
/// dropped where Go says omitempty, zero values added where it does not (`"resources":{}`, `"status":{}`); maps sorted;
/// quantities, times and base64 in canonical form. Raw extensions and fields of any type stay as they are.
/// What does not change is shared with the input. O(size).
///
/// What the document shares with `conforming` (may be null), an earlier version of it that went through here, is taken
/// as it is, at no cost: so a change costs what it changes.
///
/// `duplicates` are what the reader of the document complained of; those it would not have seen (below a field that is
/// unknown here) are left out. The reader keeps the first of two equal keys, where Go keeps the last.
///
/// A value's type in errors is Go's where the schema tells it: named strings ("v1.Protocol") read "string".
/// Source: sigs.k8s.io/json and encoding/json as the API server's serializer uses them, v1.36.
[[nodiscard]] Conformed conform(const document::Value& value, const Type& type, const Diagnostics& duplicates = {},
                                const document::Value* conforming = nullptr);

/// What Go's encoder writes for a value that was never set: `""`, 0, false, null for lists and maps, and an object with
/// the zero values of its fields.
[[nodiscard]] document::Value zero_value(const Type& type);

}  // namespace loadline::schema
