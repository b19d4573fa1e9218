#include "server/api/apply/field_ownership.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "server/api/apply/created_fields.h"

namespace loadline::api {
namespace {

using document::Array;
using document::Value;
using Operation = ManagedFieldsEntry::Operation;

constexpr const char* kAncientChanges = "ancient-changes";

void drop_empty(ManagedFields& entries) {
  std::erase_if(entries, [](const ManagedFieldsEntry& entry) { return entry.fields.empty() && !entry.is_unread; });
}

/// Whether a request asks to forget all managers.
bool resets_managers(const Value* list) {
  if (list == nullptr || !list->is_array()) return false;
  const document::Array& entries = list->array();
  return entries.empty() || (entries.size() == 1 && entries[0].is_object() && entries[0].object().empty());
}

ManagedFieldsEntry updater(std::string_view name, const FieldManagement& management) {
  ManagedFieldsEntry entry;
  entry.manager = name.empty() ? "unknown" : name;
  entry.api_version = management.api_version;
  entry.subresource = management.subresource;
  entry.time = management.now;
  return entry;
}

/// Wants the fields of the updater, and of those that may own something of what it changed: a kubelet that writes the
/// status need not know the owners of the parts of the spec. All entries are read if the resource is custom, since its
/// type may have changed meanwhile, or if there are so many managers that one of them may have to go.
WantsFields wants_concerned(const FieldChanges& changed, std::string_view name, const FieldManagement& management,
                            const Value* list) {
  const bool are_many = list != nullptr && list->is_array() && list->array().size() >= kMaxUpdateManagers;
  if (management.is_custom || are_many) return {};
  std::vector<std::string> places;  // as texts have them
  for (const FieldSet* set : {&changed.removed, &changed.modified, &changed.added}) {
    for (const FieldSet::Node& node : set->nodes()) places.push_back('"' + node.element.encoded() + '"');
  }
  return [places = std::move(places), self = updater(name, management)](const ManagedFieldsEntry& entry,
                                                                        std::string_view fields_v1) {
    return entry.is_same_manager(self) || std::ranges::any_of(places, [&](const std::string& place) {
             return fields_v1.find(place) != std::string_view::npos;
           });
  };
}

/// Those that the request brings, at the object itself, if they can be read; else those that there are.
ManagedFields entries_of(const Value* live_list, const Value& new_list, const FieldManagement& management,
                         const WantsFields& wants) {
  const bool counts = management.subresource.empty();
  if (counts && resets_managers(&new_list)) return {};
  auto decoded = counts ? decode_managed_fields(&new_list, wants, management.memo) : ManagedFields();
  if (!decoded || decoded->empty()) decoded = decode_managed_fields(live_list, wants, management.memo);
  return decoded ? std::move(*decoded) : ManagedFields();
}

/// A new object of which its creator owns those fields.
Value with_creator(Value object, std::string_view name, const FieldManagement& management, std::string fields_v1) {
  if (fields_v1.size() <= std::string_view("{}").size()) return object;
  Array list{encode_entry(updater(name, management), Value::unread(std::move(fields_v1)))};
  return document::with_at(std::move(object), {"metadata", "managedFields"}, Value(std::move(list)));
}

}  // namespace

const FieldSet& identity_fields() {
  static const FieldSet& identity = *new FieldSet(FieldSet::of_fields({{"apiVersion"},
                                                                       {"kind"},
                                                                       {"metadata"},
                                                                       {"metadata", "name"},
                                                                       {"metadata", "namespace"},
                                                                       {"metadata", "creationTimestamp"},
                                                                       {"metadata", "selfLink"},
                                                                       {"metadata", "uid"},
                                                                       {"metadata", "clusterName"},
                                                                       {"metadata", "generation"},
                                                                       {"metadata", "managedFields"},
                                                                       {"metadata", "resourceVersion"}}));
  return identity;
}

FieldSet without_identity(const FieldSet& set) { return set.without(identity_fields()); }

ManagedFieldsEntry* FieldOwnership::find(const ManagedFieldsEntry& manager) {
  const auto entry = std::ranges::find_if(
      entries_, [&manager](const ManagedFieldsEntry& other) { return other.is_same_manager(manager); });
  return entry == entries_.end() ? nullptr : &*entry;
}

void FieldOwnership::reconcile() {
  if (management_.serves) {
    std::erase_if(entries_, [this](const ManagedFieldsEntry& entry) { return !management_.serves(entry.api_version); });
  }
  for (ManagedFieldsEntry& entry : entries_) entry.fields = reconciled(entry.fields, *management_.type);
}

FieldSet FieldOwnership::allowed(const FieldSet& set) const {
  return management_.reset_fields == nullptr ? set : set.without_subtrees(*management_.reset_fields);
}

FieldChanges FieldOwnership::changes(const Value& before, const Value& after) const {
  const FieldChanges all = compare_fields(before, after, *management_.type);
  return {allowed(all.removed), allowed(all.modified), allowed(all.added)};
}

ManagedFields FieldOwnership::conflicts(const FieldChanges& changes, const ManagedFieldsEntry* manager) const {
  ManagedFields conflicts;
  const FieldSet changed = changes.modified.united(changes.added);
  for (const ManagedFieldsEntry& entry : entries_) {
    if (manager != nullptr && entry.is_same_manager(*manager)) continue;
    FieldSet fields = entry.fields.intersected(changed);
    if (fields.empty()) continue;
    conflicts.push_back(entry);
    conflicts.back().fields = std::move(fields);
  }
  return conflicts;
}

void FieldOwnership::take(const FieldChanges& changes, const ManagedFieldsEntry* manager) {
  if (entries_.empty()) return;
  const FieldSet changed = changes.modified.united(changes.added).united(changes.removed);
  for (ManagedFieldsEntry& entry : entries_) {
    if (manager != nullptr && entry.is_same_manager(*manager)) continue;
    entry.fields = entry.fields.without(changed);
  }
  drop_empty(entries_);
}

void FieldOwnership::update(const Value& before, const Value& after, std::string_view name) {
  update(changes(before, after), name);
}

void FieldOwnership::update(const FieldChanges& changed, std::string_view name) {
  reconcile();
  // The updater's own former entry loses what it changes now, and gets it back: so its time says when.
  take(changed, nullptr);
  const FieldSet owned = without_identity(allowed(changed.modified.united(changed.added)));
  if (owned.empty()) return;
  ManagedFieldsEntry self = updater(name, management_);
  self.fields = owned;
  if (ManagedFieldsEntry* former = find(self)) {
    former->fields = owned.united(former->fields);
    former->time = self.time;
  } else {
    entries_.push_back(std::move(self));
  }
}

namespace {

/// The entries of an object, by manager; there may be tens of thousands.
class EntriesByManager {
 public:
  explicit EntriesByManager(ManagedFields& entries) : entries_(entries), gone_(entries.size()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) places_.emplace(entries_[i].identifier(), i);
  }

  ManagedFieldsEntry* find(const ManagedFieldsEntry& manager) {
    const auto place = places_.find(manager.identifier());
    return place == places_.end() ? nullptr : &entries_[place->second];
  }
  void add(const ManagedFieldsEntry& entry) {
    places_.emplace(entry.identifier(), entries_.size());
    entries_.push_back(entry);
    gone_.push_back(false);
  }
  void erase(const ManagedFieldsEntry& manager) {
    const auto place = places_.find(manager.identifier());
    if (place == places_.end()) return;
    gone_[place->second] = true;
    places_.erase(place);
  }
  /// Takes those that were erased out of the list. The last call.
  void settle() {
    std::size_t index = 0;
    std::erase_if(entries_, [&](const ManagedFieldsEntry&) { return gone_[index++]; });
  }

 private:
  ManagedFields& entries_;
  std::vector<bool> gone_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

void FieldOwnership::cap() {
  const auto is_update = [](const ManagedFieldsEntry& entry) { return entry.operation == Operation::kUpdate; };
  if (std::ranges::count_if(entries_, is_update) <= static_cast<std::ptrdiff_t>(kMaxUpdateManagers)) return;
  std::vector<std::pair<std::pair<std::string, std::string>, ManagedFieldsEntry>> updaters;  // by time and identifier
  for (const ManagedFieldsEntry& entry : entries_) {
    if (is_update(entry)) updaters.push_back({{entry.time, entry.identifier()}, entry});
  }
  std::ranges::sort(updaters, {}, [](const auto& updater) -> const auto& { return updater.first; });

  struct Version {
    ManagedFieldsEntry oldest;
    std::vector<FieldSet> merged;  // those that its bucket is to have
  };
  std::map<std::string, Version> versions;
  EntriesByManager entries(entries_);
  std::size_t count = updaters.size();
  const auto bucket_of = [](const std::string& version) {
    ManagedFieldsEntry bucket;
    bucket.manager = kAncientChanges;
    bucket.api_version = version;
    return bucket;
  };
  for (const auto& [order, updater] : updaters) {
    if (count <= kMaxUpdateManagers) break;
    const auto [first, is_first] = versions.emplace(updater.api_version, Version{updater, {}});
    if (is_first) continue;
    ManagedFieldsEntry bucket = bucket_of(updater.api_version);
    Version& version = first->second;
    if (entries.find(bucket) == nullptr) {
      bucket.fields = version.oldest.fields;
      entries.erase(version.oldest);
      entries.add(bucket);
    }
    version.merged.push_back(updater.fields);
    entries.find(bucket)->time = updater.time;
    if (!updater.is_same_manager(bucket)) entries.erase(updater);
    --count;
  }
  for (auto& [name, version] : versions) {
    ManagedFieldsEntry* bucket = version.merged.empty() ? nullptr : entries.find(bucket_of(name));
    if (bucket == nullptr) continue;
    version.merged.push_back(bucket->fields);
    bucket->fields = FieldSet::united(std::move(version.merged));
  }
  entries.settle();
}

Value record_update(const Value& live, Value updated, std::string_view manager, const FieldManagement& management) {
  const Value* live_list = document::find_at(live, {"metadata", "managedFields"});
  const Value* found = document::find_at(updated, {"metadata", "managedFields"});
  const Value new_list = found == nullptr ? Value() : *found;
  const Value before = document::without_at(live, {"metadata", "managedFields"});
  Value after = document::without_at(std::move(updated), {"metadata", "managedFields"});
  const bool is_create = document::text_at(live, {"metadata", "uid"}).empty();
  // A new object is compared only if a manager owns some of it already.
  std::optional<FieldChanges> changed;
  if (!is_create) changed = FieldOwnership({}, management).changes(before, after);
  ManagedFields entries =
      entries_of(live_list, new_list, management,
                 changed ? wants_concerned(*changed, manager, management, live_list) : WantsFields());
  if (entries.empty()) {
    // An object without managers, because they were reset, gets none by an update.
    if (!is_create) return after;
    auto fields = created_fields_v1(live, after, *management.type, management.reset_fields);
    if (fields) return with_creator(std::move(after), manager, management, std::move(*fields));
  }
  FieldOwnership ownership(std::move(entries), management);
  ownership.update(changed ? *changed : ownership.changes(before, after), manager);
  ownership.cap();
  return with_managed_fields(after, std::move(ownership.entries()));
}

}  // namespace loadline::api
