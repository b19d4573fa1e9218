#pragma once

#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/field_set.h"

namespace loadline::api {

/// Every leaf and every element of a list that a document mentions: what its applier owns. Atomic lists and maps are
/// leaves. O(size * log(members)).
/// Source: structured-merge-diff v6, TypedValue.ToFieldSet.
FieldSet field_set_of(const document::Value& document, const schema::Type& type);

/// What a change did. No path is in more than one of the sets.
struct FieldChanges {
  FieldSet removed;
  FieldSet modified;
  FieldSet added;

  [[nodiscard]] bool empty() const { return removed.empty() && modified.empty() && added.empty(); }
};

/// Compares two documents of a type; what they share is not looked at. Elements of lists are compared by their keys.
/// Source: structured-merge-diff v6, TypedValue.Compare.
FieldChanges compare_fields(const document::Value& before, const document::Value& after, const schema::Type& type);

/// The set with all fields on the way to its members that the type names (not keys of maps, not elements of lists).
FieldSet with_named_fields(const FieldSet& set, const schema::Type& type);

/// The set with atomic lists and maps owned whole, where a type was granular before.
FieldSet reconciled(const FieldSet& set, const schema::Type& type);

}  // namespace loadline::api
