#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/defaults/default_fields.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// A field of an object, or of an object below it: the fields on the way there, and the field itself.
using FieldChain = std::vector<const Field*>;

/// A field that an object lacks, with what it gets.
struct MissingField {
  std::size_t row = 0;  ///< in ObjectDefaults::rows()
  document::Value value;
};

/// The rows of default_fields() for the objects of one type.
class ObjectDefaults {
 public:
  struct Row {
    const DefaultField* field = nullptr;
    FieldChain path;
    FieldChain condition;   ///< the field that the row's condition speaks of; empty: none
    FieldChain source;      ///< the field that the value comes from; empty: none does
    document::Value value;  ///< unless it comes from another field
  };
  static constexpr std::uint64_t kAllRows = ~std::uint64_t{0};
  using IsWanted = std::function<bool(const FieldChain&)>;
  /// Whether the value of a field that is there counts for nothing.
  using IsUnreadable = std::function<bool(const FieldChain&)>;

  /// `is_wanted`, if given, says which fields are to be filled in; others are as far as those depend on them.
  /// REQUIRES: the table names fields that the type has, and not more than 64 for one type.
  explicit ObjectDefaults(const Type& type, const IsWanted& is_wanted = nullptr);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  /// What the object lacks, in the order of the table. What is not of its type is left alone, except fields that
  /// `is_unreadable`, which count as absent. `open` has a bit for each row: rows that the caller knows to give nothing
  /// need not be looked at. O(rows × members).
  [[nodiscard]] std::vector<MissingField> missing_in(const document::Value& object,
                                                     const IsUnreadable& is_unreadable = nullptr,
                                                     std::uint64_t open = kAllRows) const;

 private:
  std::vector<Row> rows_;
};

/// What Go's `omitempty` leaves out of a document: null, false, 0, "", and what has no elements.
[[nodiscard]] bool is_empty(const document::Value& value);

/// `map` with the entries of `others` whose keys it lacks, sorted as Go writes maps; nothing if it lacks none. Null
/// counts as empty.
[[nodiscard]] std::optional<document::Value> with_missing_entries(const document::Value* map,
                                                                  const document::Value* others);

/// Whether Go writes the object of that field even if it is not there: a struct that is no pointer.
[[nodiscard]] inline bool is_always_written(const Field& field) {
  return field.type->form == Form::kObject && !field.is_pointer && !field.omits_empty;
}

}  // namespace loadline::schema
