#pragma once

#include "server/api/apply/managed_fields.h"
#include "server/api/apply/typed_fields.h"

namespace loadline::api {

/// How ownership of fields moves between managers; what recording an update and server-side apply have in common.
/// Source: structured-merge-diff v6, merge.Updater.

/// The entries of one object while they change.
class FieldOwnership {
 public:
  FieldOwnership(ManagedFields entries, const FieldManagement& management)
      : entries_(std::move(entries)), management_(management) {}

  [[nodiscard]] ManagedFields& entries() { return entries_; }
  [[nodiscard]] ManagedFieldsEntry* find(const ManagedFieldsEntry& manager);

  /// Brings the sets in line with the type, and drops those of versions that are gone.
  void reconcile();
  /// What changed, without fields that this endpoint cannot change.
  [[nodiscard]] FieldChanges changes(const document::Value& before, const document::Value& after) const;
  /// Others than `manager` (null: all) that own what was modified or added.
  [[nodiscard]] ManagedFields conflicts(const FieldChanges& changes, const ManagedFieldsEntry* manager) const;
  /// Takes from others than `manager` (null: all) what was changed or removed. Drops entries that own nothing.
  void take(const FieldChanges& changes, const ManagedFieldsEntry* manager);
  /// Records a change by an updater of that name: create, PUT or patch.
  void update(const document::Value& before, const document::Value& after, std::string_view name);
  void update(const FieldChanges& changed, std::string_view name);
  /// Merges the oldest updaters while there are too many.
  void cap();

  /// Without what this endpoint cannot change.
  [[nodiscard]] FieldSet allowed(const FieldSet& set) const;

 private:
  ManagedFields entries_;
  const FieldManagement& management_;
};

/// The fields of every object that no manager owns: its identity and what the server sets.
const FieldSet& identity_fields();
FieldSet without_identity(const FieldSet& set);

}  // namespace loadline::api
