#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::schema {

/// What clients may send and see, known at run time: built-in kinds come from the published tables, custom ones from
/// their CustomResourceDefinition, and everything generic (strict checking, defaults, the patches, protobuf, OpenAPI)
/// walks a document and its Type together. The tables in kube/ are the other face: the typed structs that decisions
/// read. A test keeps both in agreement.

/// The JSON type of a value, and what Go's decoder makes of it.
enum class Form : std::uint8_t {
  kAny,  ///< any JSON value (apiextensions JSON, x-kubernetes-preserve-unknown-fields without a type)
  kString,
  kBytes,  ///< base64 in JSON, bytes in protobuf
  kInt32,
  kInt64,
  kNumber,
  kBoolean,
  kQuantity,
  kIntOrString,
  kTime,       ///< RFC 3339, seconds
  kMicroTime,  ///< RFC 3339, microseconds
  kDuration,   ///< metav1.Duration, "1m30s"
  kRawObject,  ///< runtime.RawExtension: an object of any kind
  kFieldsV1,   ///< the set in a managedFields entry
  kObject,     ///< the fields below
  kMap,        ///< string to `element`
  kList,       ///< of `element`
};

/// How server-side apply sees a list (x-kubernetes-list-type).
enum class ListKind : std::uint8_t { kAtomic, kSet, kMap };

struct Type;
struct ValueRules;  // what a CustomResourceDefinition demands of a value beyond its form: structural_schema.h

/// One field of an object, in the order of Go's struct.
struct Field {
  std::string name;
  const Type* type = nullptr;
  bool is_required = false;  ///< OpenAPI's `required`
  /// Go leaves a zero value that is no pointer unwritten. False for a struct that Go always writes, as `{}` (or `null`,
  /// a zero time), whatever its omitempty says.
  bool omits_empty = false;
  bool is_pointer = false;        ///< a Go pointer: a written zero is kept
  bool merges = false;            ///< strategic merge: lists merge by `merge_key`, maps member by member
  bool replaces = false;          ///< strategic merge: the patch's value takes the place of the whole object
  bool retains_keys = false;      ///< strategic merge: keys that `$retainKeys` does not name go
  std::string merge_key;          ///< empty: the elements themselves are the keys
  std::uint32_t tag = 0;          ///< protobuf's field number; 0: not in protobuf
  std::uint32_t inside = 0;       ///< number of the embedded message that carries the field in protobuf; 0: none does
  std::uint32_t inside_that = 0;  ///< number of a message embedded in that one, which carries it; 0: none does
  document::Value initial;  ///< OpenAPI's `default`, {} and "" included; null: none. Objects are defaulted elsewhere
};

/// What a value may look like. Types form a graph with cycles (JSONSchemaProps); they live in a TypeSet and never move.
struct Type {
  Form form = Form::kAny;
  std::string name;                   ///< "io.k8s.api.core.v1.Pod"; empty for the anonymous ones: lists, maps, scalars
  std::vector<Field> fields;          ///< kObject
  const Type* element = nullptr;      ///< kMap and kList
  ListKind list = ListKind::kAtomic;  ///< kList
  bool states_list = false;           ///< kList: its x-kubernetes-list-type is published, not only implied
  std::vector<std::string> keys;      ///< kList of ListKind::kMap: the fields that tell its elements apart
  bool is_atomic = false;             ///< kObject and kMap: server-side apply replaces it whole
  bool is_wrapped = false;            ///< kList that is a message of its own in protobuf (Verbs, ExtraValue)
  bool is_nullable = false;           ///< null is a value (CustomResourceDefinitions only)
  bool preserves_unknown = false;     ///< fields without a row stay
  bool is_embedded_object = false;    ///< has apiVersion, kind and metadata of its own
  std::shared_ptr<const ValueRules> rules;  ///< null for built-in kinds

  /// The field of that name, or null. O(fields).
  [[nodiscard]] const Field* find(std::string_view field_name) const {
    for (const Field& field : fields) {
      if (field.name == field_name) return &field;
    }
    return nullptr;
  }

  /// The place of that name among the fields; their number if there is none. Documents mostly keep the order of Go's
  /// struct, so a caller that walks one says where the search begins: behind the field before.
  [[nodiscard]] std::size_t place_of(std::string_view field_name, std::size_t next) const {
    for (std::size_t i = next; i < fields.size(); ++i) {
      if (fields[i].name == field_name) return i;
    }
    for (std::size_t i = 0; i < next && i < fields.size(); ++i) {
      if (fields[i].name == field_name) return i;
    }
    return fields.size();
  }
};

/// Owns types. Addresses are stable.
class TypeSet {
 public:
  Type& add() { return types_.emplace_back(); }
  [[nodiscard]] const std::deque<Type>& types() const { return types_; }

 private:
  std::deque<Type> types_;
};

}  // namespace loadline::schema
