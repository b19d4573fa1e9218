#include "server/apiserver/resources/custom_definitions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/condition.h"
#include "objects/schema/custom/definition_reader.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/custom_definition_status.h"
#include "server/apiserver/resources/storage_hash.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";
constexpr std::string_view kFinalizer = "customresourcecleanup.apiextensions.k8s.io";
constexpr std::size_t kDefinitionsPerTask = 4;
constexpr std::size_t kObjectsPerTask = 200;

store::Key key_of(const std::string& name) { return {std::string(kDefinitions), "", name}; }

bool has_cleanup(const Value& definition) {
  const std::vector<std::string_view> finalizers = finalizers_of(definition);
  return std::find(finalizers.begin(), finalizers.end(), kFinalizer) != finalizers.end();
}

/// The names that were accepted, in place of those that were asked for.
Value with_accepted_names(const Value& definition) {
  const Value* accepted = document::find_at(definition, {"status", "acceptedNames"});
  if (accepted == nullptr || document::text_at(*accepted, {"kind"}).empty()) return definition;
  return document::with_at(definition, {"spec", "names"}, *accepted);
}

/// A version that is not served cannot be what objects are read in; then the preferred one is.
std::string kept_version(const std::vector<std::shared_ptr<const schema::Resource>>& resources) {
  std::string best;
  for (const auto& resource : resources) {
    if (resource->kind.version == resource->storage_version) return resource->storage_version;
    if (best.empty() || schema::is_preferred(resource->kind.version, best)) best = resource->kind.version;
  }
  return best;
}

}  // namespace

CustomDefinitions::CustomDefinitions(const ServerContext& context, BuiltInKinds& built_in,
                                     std::function<void()> changed)
    : context_(context),
      built_in_(built_in),
      changed_(std::move(changed)),
      object_meta_(*context.catalog.find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")),
      writer_(context, "system:apiserver", "kube-apiserver"),
      queue_(context, kDefinitionsPerTask, [this](const std::string& name) { reconcile(name); }),
      follower_(context.store, std::string(kDefinitions),
                [this](const store::ObjectPtr& object, bool gone) { on_definition(object, gone); }) {}

void CustomDefinitions::on_definition(const store::ObjectPtr& object, bool gone) {
  const std::string name(object->name());
  if (gone) {
    // A definition of the same name may be there again already.
    const Value now = writer_.get(key_of(name));
    if (now.is_null() || uid_of(now) == uid_of(object->document())) stop_serving(name);
    queue_group(ResourceName(name).group);
    return;
  }
  serve(name, object->document());
  queue_.add(name);
}

void CustomDefinitions::queue_group(std::string_view group) {
  const auto listing = context_.store.list(kDefinitions, {});
  if (!listing) return;
  store::Listing definitions = *listing;
  for (const store::ObjectPtr* object = definitions.next(); object != nullptr; object = definitions.next()) {
    if (ResourceName((*object)->name()).group == group) queue_.add(std::string((*object)->name()));
  }
}

void CustomDefinitions::reconcile(const std::string& name) {
  const Value definition = writer_.get(key_of(name));
  if (definition.is_null()) return;
  if (is_being_deleted(definition) && has_cleanup(definition)) return terminate(name, definition);

  TakenNames taken;
  auto listing = context_.store.list(kDefinitions, {});
  const ResourceName of(name);
  for (const store::ObjectPtr* other = listing ? listing->next() : nullptr; other != nullptr; other = listing->next()) {
    if (ResourceName((*other)->name()).group == of.group) taken.add((*other)->document());
  }
  const Instant now = context_.loop.now();
  const Value settled = with_names_settled(definition, taken, now);
  if (settled == definition) return;
  const auto status = [&](const Value& /*old*/) -> Answer<Value> { return settled; };
  const Answer<Written> written = writer_.change(key_of(name), status, Writer::Target::kStatus);
  if (!written) return queue_.add_later(name);
  serve(name, written->object);
  // A name may have become free.
  if (document::find_at(definition, {"status", "acceptedNames"}) != nullptr) queue_group(of.group);
}

// ---- The catalog ----------------------------------------------------------------------------------------------------

/// By a kind of the platform's own, which stays.
bool CustomDefinitions::is_taken(const ResourceName& name) const {
  const auto known = context_.catalog.find_resource(name.group, name.plural);
  return known != nullptr && !known->is_custom;
}

void CustomDefinitions::serve(const std::string& name, const Value& definition) {
  const ResourceName of(name);
  if (is_taken(of)) return;
  if (!kube::has_true_condition(definition, "Established")) {
    if (registered_.contains(name)) stop_serving(name);
    return;
  }
  const Value whole = with_accepted_names(definition);
  const Value* names = document::find_at(whole, {"spec", "names"});
  Registered wanted{std::string(uid_of(definition)), generation_of(definition), is_being_deleted(definition),
                    names == nullptr ? Value() : *names};
  if (wanted.is_terminating) wanted.generation = 0;  // deletion counts as a change, and is none to the resource
  const auto known = registered_.find(name);
  if (known != registered_.end() && known->second.uid == wanted.uid && known->second.names == wanted.names &&
      known->second.generation == wanted.generation && known->second.is_terminating == wanted.is_terminating) {
    return;
  }
  const auto resources = schema::read_definition(whole, object_meta_);
  const std::string kept = kept_version(resources);
  context_.catalog.remove(of.group, of.plural);
  built_in_.leave(name);
  for (const auto& resource : resources) {
    auto own = std::make_shared<schema::Resource>(*resource);
    own->storage_version = kept;
    own->storage_hash = storage_hash({own->kind.group, kept, own->kind.kind});
    // Nothing is created any more; what is left can be changed, so that it can go.
    if (wanted.is_terminating) std::erase(own->verbs, "create");
    context_.catalog.add(std::move(own));
  }
  registered_.insert_or_assign(name, std::move(wanted));
  changed_();
}

void CustomDefinitions::stop_serving(const std::string& name) {
  emptied_.erase(name);
  if (registered_.erase(name) == 0) return;
  const ResourceName of(name);
  context_.catalog.remove(of.group, of.plural);
  built_in_.add(name);
  changed_();
}

// ---- Deletion -------------------------------------------------------------------------------------------------------

void CustomDefinitions::terminate(const std::string& name, const Value& definition) {
  const Instant now = context_.loop.now();
  const auto in_progress = [&](const Value& old) -> Answer<Value> {
    return with_terminating(old, true, "InstanceDeletionInProgress", "CustomResource deletion is in progress", now);
  };
  if (!writer_.change(key_of(name), in_progress, Writer::Target::kStatus)) return queue_.add_later(name);
  if (is_taken(ResourceName(name))) {
    return finish(name, "OverlappingBuiltInResource", "instances overlap with built-in resources in storage");
  }
  if (!kube::has_true_condition(definition, "Established")) {
    return finish(name, "NeverEstablished", "resource was never established");
  }
  if (remove_some(name)) return queue_.add(name);
  if (context_.store.count(name) == 0) return finish(name, "InstanceDeletionCompleted", "removed all instances");
  std::unique_ptr<Follower>& follower = emptied_[name];
  if (follower != nullptr) return;
  follower =
      std::make_unique<Follower>(context_.store, name, [this, name](const store::ObjectPtr& /*object*/, bool gone) {
        if (gone) queue_.add(name);
      });
}

void CustomDefinitions::finish(const std::string& name, std::string_view reason, std::string_view message) {
  const Instant now = context_.loop.now();
  const auto cleaned = [&](const Value& old) -> Answer<Value> {
    std::vector<std::string_view> finalizers = finalizers_of(old);
    std::erase(finalizers, kFinalizer);
    return with_finalizers(with_terminating(old, false, reason, message, now), finalizers);
  };
  if (!writer_.change(key_of(name), cleaned, Writer::Target::kStatus)) queue_.add_later(name);
}

bool CustomDefinitions::remove_some(const std::string& resource) {
  auto listing = context_.store.list(resource, {});
  if (!listing) return false;
  std::size_t removed = 0;
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    if (is_marked_as_deleted(**object)) continue;
    if (removed == kObjectsPerTask) return true;
    if (writer_.remove((*object)->key(), {})) ++removed;
  }
  return removed > 0;
}

}  // namespace loadline::apiserver
