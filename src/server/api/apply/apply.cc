#include "server/api/apply/apply.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/schema/conform.h"
#include "server/api/apply/field_ownership.h"
#include "server/api/apply/typed_fields.h"
#include "server/api/apply/typed_merge.h"

namespace loadline::api {

using schema::GroupVersionKind;
using schema::Type;
using schema::zero_value;
namespace {

using document::Value;
using Operation = ManagedFieldsEntry::Operation;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kMaxAnnotationBytes = 256UL * 1024;

tl::unexpected<ApplyError> refused(ApplyError::Kind kind, std::string message) {
  return tl::unexpected<ApplyError>(ApplyError{kind, std::move(message), {}});
}

std::string string_at(const Value& object, document::Names names) {
  return std::string(document::text_at(object, names));
}

std::string kind_text(std::string_view api_version, std::string_view kind) {
  // Go's GroupVersionKind writes the core group as an empty one.
  const std::string prefix = api_version.find('/') == std::string_view::npos ? "/" : "";
  return prefix + std::string(api_version) + ", Kind=" + std::string(kind);
}

/// "default/d1; apps/v1, Kind=Deployment".
std::string object_text(const Value& object) {
  return string_at(object, {"metadata", "namespace"}) + "/" + string_at(object, {"metadata", "name"}) + "; " +
         kind_text(document::text_at(object, {"apiVersion"}), document::text_at(object, {"kind"}));
}

/// Fields in conflict, by manager.
struct Conflict {
  ManagedFieldsEntry manager;
  FieldSet::Path path;
};

std::vector<Conflict> list_conflicts(ManagedFields managers) {
  std::ranges::sort(managers, {}, [](const ManagedFieldsEntry& entry) { return entry.identifier(); });
  std::vector<Conflict> conflicts;
  for (const ManagedFieldsEntry& entry : managers) {
    entry.fields.for_each([&](const FieldSet::Path& path) { conflicts.push_back({entry, path}); });
  }
  return conflicts;
}

std::string manager_text(const ManagedFieldsEntry& entry) {
  std::string text = document::write_json(Value(entry.manager));
  if (!entry.subresource.empty()) text += " with subresource " + document::write_json(Value(entry.subresource));
  if (entry.operation == Operation::kUpdate) text += " using " + entry.api_version;
  return text;
}

tl::unexpected<ApplyError> conflict_error(const std::vector<Conflict>& conflicts) {
  ApplyError error;
  error.kind = ApplyError::Kind::kConflict;
  for (const Conflict& conflict : conflicts) {
    error.causes.push_back({"conflict with " + manager_text(conflict.manager), readable_path(conflict.path)});
  }
  if (conflicts.size() == 1) {
    error.message = "Apply failed with 1 conflict: " + error.causes[0].message + ": " + error.causes[0].field;
    return tl::unexpected<ApplyError>(std::move(error));
  }
  error.message = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    const bool is_new = i == 0 || !conflicts[i].manager.is_same_manager(conflicts[i - 1].manager);
    if (i > 0) error.message += "\n";
    if (is_new) error.message += "conflicts with " + manager_text(conflicts[i].manager) + ":\n";
    error.message += "- " + error.causes[i].field;
  }
  return tl::unexpected<ApplyError>(std::move(error));
}

/// The merged document without the fields that the manager applied before and that no manager owns any more.
Value pruned(const Value& merged, const FieldSet& last, const ManagedFields& entries, const Type& type) {
  if (last.empty()) return merged;
  const Value bare = without_fields(merged, with_named_fields(last, type), type);
  // What others own, or the manager applies now, comes back; so does what is in what was removed, but was never
  // applied.
  std::vector<FieldSet> of_managers;
  of_managers.reserve(entries.size());
  for (const ManagedFieldsEntry& entry : entries) of_managers.push_back(entry.fields);
  const FieldSet owned = FieldSet::united(std::move(of_managers));
  const FieldSet all = with_named_fields(field_set_of(merged, type), type);
  const auto named = [&type](const FieldSet& set) { return with_named_fields(set, type); };
  const FieldSet kept = named(field_set_of(bare, type)).united(named(owned));
  const Value with_owned = without_fields(merged, all.without(kept), type);
  const FieldSet gone = all.without(named(field_set_of(with_owned, type)));
  return without_fields(merged, gone.intersected(named(last)), type);
}

struct Applied {
  Value object;
  ManagedFields entries;
};

/// One application of a configuration.
class Application {
 public:
  Application(const Value& live, const Value& applied, std::string_view manager, const FieldManagement& management)
      : live_(live), applied_(applied), management_(management) {
    self_.manager = manager.empty() ? "unknown" : manager;
    self_.operation = Operation::kApply;
    self_.api_version = management.api_version;
    self_.subresource = management.subresource;
  }

  tl::expected<Applied, ApplyError> run(ManagedFields entries, bool force, const FieldSet* tolerated);

 private:
  const Value& live_;
  const Value& applied_;
  const FieldManagement& management_;
  ManagedFieldsEntry self_;
};

/// `tolerated`: conflicts on these fields count as forced if there are no others. Null: none do.
tl::expected<Applied, ApplyError> Application::run(ManagedFields entries, bool force, const FieldSet* tolerated) {
  const Type& type = *management_.type;
  FieldOwnership ownership(std::move(entries), management_);
  ownership.reconcile();
  auto merged = merge_typed(live_, applied_, type);
  if (!merged) {
    return refused(ApplyError::Kind::kInternal, "failed to merge config: " + merged.error().message);
  }
  ManagedFieldsEntry self = self_;
  self.fields = ownership.allowed(field_set_of(applied_, type));
  FieldSet last;
  if (ManagedFieldsEntry* former = ownership.find(self_)) {
    last = former->fields;
    self.time = former->time;
    *former = self;
  } else {
    ownership.entries().push_back(self);
  }
  Value object = pruned(*merged, last, ownership.entries(), type);

  const FieldChanges changes = ownership.changes(live_, object);
  ManagedFields conflicts = ownership.conflicts(changes, &self_);
  if (!conflicts.empty() && !force) {
    if (tolerated != nullptr) {
      for (ManagedFieldsEntry& entry : conflicts) entry.fields = entry.fields.without(*tolerated);
    }
    const auto listed = list_conflicts(conflicts);
    if (!listed.empty()) return conflict_error(listed);
  }
  ownership.take(changes, &self_);
  const bool is_changed = !document::same_document(live_, object);
  if (ManagedFieldsEntry* mine = ownership.find(self_)) {
    mine->fields = without_identity(mine->fields);
    if (is_changed) mine->time = management_.now;
    if (mine->fields.empty())
      std::erase_if(ownership.entries(), [](const auto& entry) { return entry.fields.empty(); });
  }
  return Applied{is_changed ? std::move(object) : Value(live_), std::move(ownership.entries())};
}

/// What kubectl applied on the client's side and is still so: it may take that over without a conflict.
std::optional<FieldSet> client_side_fields(const Value& live, const FieldManagement& management) {
  const std::string text = string_at(live, {"metadata", "annotations", kLastApplied});
  if (text.empty()) return std::nullopt;
  const document::Reading reading = document::read_json(text, kLastApplied);
  if (reading.documents.size() != 1 || !reading.problems.empty()) return std::nullopt;
  const Value& last = reading.documents[0];
  if (document::text_at(last, {"apiVersion"}) != management.api_version) return std::nullopt;
  // Nor may the live object have elements twice.
  if (!check_typed(last, *management.type) || !check_typed(live, *management.type)) return std::nullopt;
  const FieldChanges changes = compare_fields(last, live, *management.type);
  return field_set_of(last, *management.type).without(changes.modified).without(changes.added).without(changes.removed);
}

/// A document as Go's encoder writes a map: sorted, safe within HTML, with a newline.
std::string annotation_text(const Value& document) {
  return document::write_go_json(document::with_sorted_members(document)) + "\n";
}

/// kubectl's annotation, if there is one, says what it applied last, whichever way.
Value with_last_applied(const Value& object, const Value& applied) {
  const Value* annotations = document::find_at(object, {"metadata", "annotations"});
  if (document::text_at(object, {"metadata", "annotations", kLastApplied}).empty()) return object;
  const std::string text = annotation_text(document::without_at(applied, {"metadata", "annotations", kLastApplied}));
  std::size_t bytes = std::string_view(kLastApplied).size() + text.size();
  for (const document::Member& member : annotations->object()) {
    if (member.key != kLastApplied && member.value.is_string()) {
      bytes += member.key.size() + member.value.string().size();
    }
  }
  if (bytes > kMaxAnnotationBytes) return document::without_at(object, {"metadata", "annotations", kLastApplied});
  return document::with_at(object, {"metadata", "annotations", kLastApplied}, Value(text));
}

/// An object of the kind before anything was set.
Value empty_object(const GroupVersionKind& kind, const FieldManagement& management) {
  if (!management.is_custom) return zero_value(*management.type);
  return Value(document::Object{{"apiVersion", Value(kind.api_version()), {}}, {"kind", Value(kind.kind), {}}});
}

/// What is wrong with the configuration itself.
std::optional<ApplyError> find_fault(const Value& applied, const GroupVersionKind& kind, const Type& type) {
  using enum ApplyError::Kind;
  const std::string api_version = string_at(applied, {"apiVersion"});
  const std::string name = string_at(applied, {"kind"});
  if (api_version != kind.api_version() || name != kind.kind) {
    return ApplyError{kBadRequest, "invalid object type: " + kind_text(api_version, name), {}};
  }
  const Value* managed_fields = document::find_at(applied, {"metadata", "managedFields"});
  if (managed_fields != nullptr && managed_fields->is_array()) {
    return ApplyError{kBadRequest, "metadata.managedFields must be nil", {}};
  }
  if (const auto checked = check_typed(applied, type); !checked) {
    const std::string object = object_text(applied);
    return ApplyError{
        kInternal, "failed to create typed patch object (" + object + "): " + checked.error().message, {}};
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Value, ApplyError> apply(const Value& live, const Value& applied, std::string_view manager, bool force,
                                      const GroupVersionKind& kind, const FieldManagement& management) {
  auto decoded = decode_managed_fields(document::find_at(live, {"metadata", "managedFields"}));
  if (!decoded) {
    const std::string message = "failed to decode managed fields: " + decoded.error().message;
    return refused(ApplyError::Kind::kInternal, message);
  }
  if (auto fault = find_fault(applied, kind, *management.type)) return tl::unexpected<ApplyError>(std::move(*fault));

  const Value before = document::without_at(live, {"metadata", "managedFields"});
  if (decoded->empty()) {
    // Fields that are there already have an owner, but managedFields does not say which.
    FieldOwnership ownership({}, management);
    const Value nothing = empty_object(kind, management);
    ownership.update(nothing, before, "before-first-apply");
    decoded = std::move(ownership.entries());
  }
  std::optional<FieldSet> tolerated;
  if (manager == "kubectl" && !force) tolerated = client_side_fields(before, management);
  Application application(before, applied, manager, management);
  auto result = application.run(std::move(*decoded), force, tolerated ? &*tolerated : nullptr);
  if (!result) return tl::unexpected<ApplyError>(std::move(result.error()));
  if (manager == "kubectl") result->object = with_last_applied(result->object, applied);
  return with_managed_fields(result->object, std::move(result->entries));
}

}  // namespace loadline::api
