#include "server/apiserver/builtin_controllers/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/builtin_controllers/mention.h"
#include "server/apiserver/builtin_controllers/object_head.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::text_at;
using document::Value;

constexpr std::size_t kObjectsPerTask = 50;
constexpr std::size_t kOrphansPerTask = 100;
constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

const Array& owner_references(const Value& object) {
  static const auto& none = *new Array();
  const Value* references = document::find_at(object, {"metadata", "ownerReferences"});
  return references != nullptr && references->is_array() ? references->array() : none;
}

bool blocks(const Value& reference) {
  const Value* value = reference.find("blockOwnerDeletion");
  return value != nullptr && value->is_boolean() && value->boolean();
}

bool has_finalizer(const Value& object, std::string_view name) {
  const std::vector<std::string_view> names = finalizers_of(object);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool waits_for_dependents(const Value& object) {
  return is_being_deleted(object) && has_finalizer(object, kForeground);
}

std::vector<Ownership::Owner> owners_of(const Value& object) {
  std::vector<Ownership::Owner> owners;
  for (const Value& reference : owner_references(object)) {
    owners.push_back({Ownership::uid(text_at(reference, {"uid"})), blocks(reference)});
  }
  return owners;
}

schema::GroupVersionKind kind_of(const Value& reference) {
  const std::string_view version = text_at(reference, {"apiVersion"});
  const std::size_t slash = version.find('/');
  const bool is_core = slash == std::string_view::npos;
  return {std::string(is_core ? std::string_view() : version.substr(0, slash)),
          std::string(is_core ? version : version.substr(slash + 1)), std::string(text_at(reference, {"kind"}))};
}

}  // namespace

struct GarbageCollector::References {
  std::size_t solid = 0;
  std::set<std::string, std::less<>> dangling;  // uids
  std::set<std::string, std::less<>> waiting;   // of owners that wait for their dependents
};

GarbageCollector::GarbageCollector(const ServerContext& context)
    : context_(context),
      writer_(context, "system:serviceaccount:kube-system:generic-garbage-collector", "kube-controller-manager"),
      queue_(context, kObjectsPerTask, [this](const store::Key& key) { reconcile(key); }) {}

// ---- What happens ---------------------------------------------------------------------------------------------------

void GarbageCollector::on_object(const store::ObjectPtr& object, bool gone) {
  if (gone) return on_gone(object);
  const Value document =
      mentions(*object, "ownerReferences\"") || mentions(*object, "deletionTimestamp\"") ? head_of(*object) : Value();
  const std::vector<Ownership::Owner> owners = owners_of(document);
  const std::vector<Ownership::Owner> before = ownership_.set(object, owners);
  if (owners != before) {
    if (!owners.empty()) queue_.add(object->key());
    queue_waiting_owners(before);  // they may wait for one less
  }
  if (document.is_null() || !is_being_deleted(document)) return;
  const bool starts_waiting =
      has_finalizer(document, kForeground) && waiting_.emplace(Ownership::uid(uid_of(document)), object->key()).second;
  if (starts_waiting || has_finalizer(document, kOrphan)) queue_.add(object->key());
  if (!starts_waiting) return;
  for (const Ownership::Dependent* dependent : ownership_.dependents(Ownership::uid(uid_of(document)))) {
    queue_.add(dependent->object->key());
  }
}

void GarbageCollector::on_gone(const store::ObjectPtr& object) {
  const Ownership::Uid uid = Ownership::uid(uid_of(head_of(*object)));
  queue_waiting_owners(ownership_.set(object, {}));
  waiting_.erase(uid);
  for (const Ownership::Dependent* dependent : ownership_.dependents(uid)) queue_.add(dependent->object->key());
}

void GarbageCollector::queue_waiting_owners(const std::vector<Ownership::Owner>& owners) {
  for (const Ownership::Owner& owner : owners) {
    const auto waiting = waiting_.find(owner.uid);
    if (waiting != waiting_.end()) queue_.add(waiting->second);
  }
}

void GarbageCollector::on_new_kinds() {
  for (const store::Key& key : std::exchange(unresolved_, {})) queue_.add(key);
}

// ---- What is done about it ------------------------------------------------------------------------------------------

void GarbageCollector::reconcile(const store::Key& key) {
  const Value object = head_at(key);
  if (object.is_null()) return;
  if (!is_being_deleted(object)) return collect(key, object);
  if (has_finalizer(object, kOrphan)) return orphan_dependents(key, object);
  if (has_finalizer(object, kForeground)) delete_dependents(key, object);
}

Value GarbageCollector::head_at(const store::Key& key) const {
  const store::ObjectPtr object = context_.store.get(key);
  return object == nullptr ? Value() : head_of(*object);
}

void GarbageCollector::collect(const store::Key& key, const Value& object) {
  if (owner_references(object).empty()) return;
  References references;
  if (!classify(key, object, references)) return;
  if (references.solid > 0) {
    std::set<std::string, std::less<>> gone = std::move(references.dangling);
    gone.merge(references.waiting);
    if (!gone.empty() && !cut_loose(key, gone)) queue_.add_later(key);
    return;
  }
  const auto& dependents = ownership_.dependents(Ownership::uid(uid_of(object)));
  if (!references.waiting.empty() && !dependents.empty()) {
    // Objects that own each other would wait for each other for ever.
    const bool is_circle = std::any_of(dependents.begin(), dependents.end(), [](const Ownership::Dependent* dependent) {
      return waits_for_dependents(head_of(*dependent->object));
    });
    if (is_circle) unblock_owners(key);
    return remove(key, object, Propagation::kForeground);
  }
  remove(key, object,
         has_finalizer(object, kOrphan)       ? Propagation::kOrphan
         : has_finalizer(object, kForeground) ? Propagation::kForeground
                                              : Propagation::kBackground);
}

bool GarbageCollector::classify(const store::Key& key, const Value& object, References& references) {
  for (const Value& reference : owner_references(object)) {
    const auto kind = context_.catalog.find_kind(kind_of(reference));
    if (kind == nullptr) {
      unresolved_.insert(key);
      return false;
    }
    // A namespaced owner of an object of the cluster: a mistake that deletes nothing.
    if (kind->is_namespaced && key.name_space.empty()) return false;
    const store::Key owner_key{kind->group_resource(), kind->is_namespaced ? key.name_space : std::string(),
                               std::string(text_at(reference, {"name"}))};
    const Value owner = head_at(owner_key);
    const std::string uid(text_at(reference, {"uid"}));
    if (owner.is_null() || uid_of(owner) != uid) {
      references.dangling.insert(uid);
    } else if (waits_for_dependents(owner)) {
      references.waiting.insert(uid);
    } else {
      ++references.solid;
    }
  }
  return true;
}

void GarbageCollector::orphan_dependents(const store::Key& key, const Value& owner) {
  const std::string uid(uid_of(owner));
  std::vector<store::Key> some;
  for (const Ownership::Dependent* dependent : ownership_.dependents(Ownership::uid(uid))) {
    if (some.size() == kOrphansPerTask) break;
    some.push_back(dependent->object->key());
  }
  if (some.empty()) return remove_finalizer(key, kOrphan);
  for (const store::Key& dependent : some) {
    if (!cut_loose(dependent, {uid})) return queue_.add_later(key);
    // The index is told of it later; for this owner it is done now.
    if (const store::ObjectPtr changed = context_.store.get(dependent)) {
      ownership_.set(changed, owners_of(head_of(*changed)));
    }
  }
  // If the disk fails, they are as they were, and so is the index.
  context_.store.when_durable(context_.store.revision(),
                              [this, alive = std::weak_ptr<int>(alive_), some](const Result<void>& durable) {
                                if (durable || alive.expired()) return;
                                for (const store::Key& dependent : some) {
                                  const store::ObjectPtr object = context_.store.get(dependent);
                                  if (object != nullptr) ownership_.set(object, owners_of(head_of(*object)));
                                }
                              });
  queue_.add(key);
}

void GarbageCollector::delete_dependents(const store::Key& key, const Value& owner) {
  if (!ownership_.has_blocking_dependents(Ownership::uid(uid_of(owner)))) remove_finalizer(key, kForeground);
}

bool GarbageCollector::cut_loose(const store::Key& key, const std::set<std::string, std::less<>>& owners) {
  const auto loosened = [&](const Value& old) -> Answer<Value> {
    Array kept;
    for (const Value& reference : owner_references(old)) {
      if (!owners.contains(text_at(reference, {"uid"}))) kept.push_back(reference);
    }
    if (kept.size() == owner_references(old).size()) return old;
    return with_metadata(old, "ownerReferences", kept.empty() ? Value() : Value(std::move(kept)));
  };
  const Answer<Written> written = writer_.change(key, loosened);
  return written.has_value() || written.error().code == 404;
}

void GarbageCollector::unblock_owners(const store::Key& key) {
  const auto unblocked = [](const Value& old) -> Answer<Value> {
    Array references;
    for (const Value& reference : owner_references(old)) {
      references.push_back(blocks(reference) ? reference.with("blockOwnerDeletion", Value(false)) : reference);
    }
    return with_metadata(old, "ownerReferences", Value(std::move(references)));
  };
  if (!writer_.change(key, unblocked)) queue_.add_later(key);
}

void GarbageCollector::remove_finalizer(const store::Key& key, std::string_view finalizer) {
  const auto without_finalizer = [&](const Value& old) -> Answer<Value> {
    std::vector<std::string_view> names = finalizers_of(old);
    std::erase(names, finalizer);
    return with_finalizers(old, names);
  };
  const Answer<Written> written = writer_.change(key, without_finalizer);
  if (!written && written.error().code != 404) queue_.add_later(key);
}

void GarbageCollector::remove(const store::Key& key, const Value& object, Propagation propagation) {
  DeleteOptions options;
  options.uid = std::string(uid_of(object));
  options.propagation = propagation;
  const Answer<Written> removed = writer_.remove(key, options);
  if (!removed && removed.error().code != 404) queue_.add_later(key);
}

}  // namespace loadline::apiserver
