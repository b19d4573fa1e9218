#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/controller.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/caches.h"
#include "objects/schema/published.h"

namespace loadline::controllers::testing {

using document::Value;

/// Caches, what feeds them, and a runner of controllers, in one: actions are carried out at once, the way an API server
/// would as far as controllers can tell, and are seen at once.
class TestCluster {
 public:
  Caches caches;
  Instant now = *parse_rfc3339("2026-01-01T00:00:00Z");
  std::vector<std::string> events;  ///< "Normal SuccessfulCreate Created pod: web-00001"
  std::vector<std::string> done;    ///< "create pods web-00001", in order
  /// Says no to an action.
  std::function<std::optional<kube::Status>(const Action&)> refuse = [](const Action&) { return std::nullopt; };
  bool pods_end_at_once = true;  ///< a pod that is deleted is gone; otherwise it is being deleted until end_pods()
  bool finalizers_hold = false;  ///< what has finalizers is being deleted until they are gone
  std::optional<Duration> again_after;  ///< what the last reconciliation wished for

  /// From now on so many objects are created, and no more; what is tried counts in `tried`.
  void allow_creations(std::size_t most) {
    refuse = [this, most](const Action& action) -> std::optional<kube::Status> {
      if (action.verb != Action::Verb::kCreate || tried++ < most) return std::nullopt;
      return kube::Status{403, "Forbidden", "exceeded quota", {}};
    };
  }
  std::size_t tried = 0;

  /// Puts every object of a YAML text.
  void apply(std::string_view yaml) {
    for (const Value& object : document::read_yaml(yaml, "test").documents) {
      const Value key_of = object;
      put_kind(std::string(document::text_at(object, {"kind"})), object);
    }
  }

  template <class Kind>
  [[nodiscard]] ObjectPtr<Kind> get(std::string_view name) const {
    return caches.of<Kind>().find("default", name);
  }
  template <class Kind>
  [[nodiscard]] std::vector<ObjectPtr<Kind>> all() const {
    std::vector<ObjectPtr<Kind>> objects;
    for (const auto& [name, object] : caches.of<Kind>().in("default")) objects.push_back(object);
    return objects;
  }

  /// Replaces what the names lead to, and counts a new generation if it is a part of the specification.
  template <class Kind>
  void set(std::string_view name, document::Names names, Value value) {
    const auto before = get<Kind>(name);
    ASSERT_NE(before, nullptr) << name;
    Value object = document::with_at(before->document, names, std::move(value));
    put<Kind>(bump_generation(before->document, std::move(object)));
  }

  /// All pods of a phase other than Running become Running and Ready, or not ready.
  void run_pods(const std::function<bool(const kube::Pod&)>& ready = [](const kube::Pod&) { return true; }) {
    for (const auto& pod : all<kube::Pod>()) {
      if (pod->view.status.phase == kube::PodPhase::kRunning || pod->is_being_deleted()) continue;
      set_ready(*pod, ready(pod->view));
    }
  }
  void set_ready(const Observed<kube::Pod>& pod, bool ready) {
    const std::string yaml = "{phase: Running, conditions: [{type: Ready, status: '" +
                             std::string(ready ? "True" : "False") + "', lastTransitionTime: '" + format_rfc3339(now) +
                             "'}]}";
    put<kube::Pod>(pod.document.with("status", document::read_yaml(yaml, "test").documents.at(0)));
  }
  /// Pods that are being deleted are gone.
  void end_pods() {
    for (const auto& pod : all<kube::Pod>()) {
      if (pod->is_being_deleted()) caches.of<kube::Pod>().erase(pod->key());
    }
  }

  // ---- controllers --------------------------------------------------------------------------------------------------
  Controller& add(std::unique_ptr<Controller> controller) {
    auto& entry = running_.emplace_back(std::make_unique<Running>());
    entry->controller = std::move(controller);
    Adding to(*this, *entry);
    entry->controller->subscribe(to);
    return *entry->controller;
  }

  /// Asks controllers about what concerns them until nothing does any more. A key that failed waits for the next call.
  void settle() {
    for (auto& entry : running_) {
      for (auto& [key, failures] : entry->failures) entry->keys.insert(key);
    }
    int rounds = 0;
    while (step()) ASSERT_LT(++rounds, 20'000) << "it does not settle";
  }
  /// One question to one controller; false if there is none to ask.
  bool step() {
    for (auto& entry : running_) {
      if (entry->keys.empty()) continue;
      const ObjectKey key = *entry->keys.begin();
      entry->keys.erase(entry->keys.begin());
      ask(*entry, key);
      return true;
    }
    return false;
  }
  /// Time passes, and everything is looked at anew.
  void wait(Duration span) {
    now = now + span;
    for (auto& entry : running_) entry->keys.insert(entry->seen.begin(), entry->seen.end());
    settle();
  }

  /// Carries out what a controller asked for; what failed is answered.
  std::vector<FailedAction> carry_out(const Reconciliation& reconciliation) {
    for (const Event& event : reconciliation.events) say(event, "");
    for (const auto& actions : reconciliation.steps) {
      std::vector<FailedAction> failures;
      for (const Action& action : actions) {
        if (auto failure = perform(action)) failures.push_back(std::move(*failure));
      }
      if (!failures.empty()) return failures;
    }
    for (const Event& event : reconciliation.events_when_done) say(event, "");
    return {};
  }

 private:
  struct Running {
    std::unique_ptr<Controller> controller;
    Keys keys;
    Keys seen;
    std::map<ObjectKey, std::vector<FailedAction>> failures;
  };

  class Adding final : public Subscriptions {
   public:
    Adding(TestCluster& cluster, Running& entry) : cluster_(cluster), entry_(entry) {}
    [[nodiscard]] Caches& caches() override { return cluster_.caches; }

   protected:
    std::function<void(const ObjectKey&)> adder() override {
      return [this_entry = &entry_](const ObjectKey& key) {
        this_entry->keys.insert(key);
        this_entry->seen.insert(key);
      };
    }
    void needs(AnyCache&) override {}

   private:
    TestCluster& cluster_;
    Running& entry_;
  };

  void ask(Running& entry, const ObjectKey& key) {
    const std::vector<FailedAction> failures = std::exchange(entry.failures[key], {});
    entry.failures.erase(key);
    const Reconciliation result = entry.controller->reconcile(key, {caches, now, failures});
    again_after = result.again_after;
    auto failed = carry_out(result);
    if (!failed.empty()) {
      entry.failures[key] = std::move(failed);
      entry.keys.erase(key);
    }
  }

  // ---- the API server -----------------------------------------------------------------------------------------------
  static FailedAction no(const Action& action, int code, std::string reason, std::string message) {
    return {action, {code, std::move(reason), std::move(message), {}}};
  }

  std::optional<FailedAction> perform(const Action& action) {
    std::optional<FailedAction> failure;
    std::string name = action.of.name;
    if (auto status = refuse(action)) {
      failure = FailedAction{action, *status};
    } else {
      failure = perform_by_kind(action, name);
    }
    if (failure && action.said_if_failed) say(*action.said_if_failed, failure->status.message);
    if (!failure && action.said_when_done) say(*action.said_when_done, action.names_the_object ? name : "");
    static constexpr const char* kVerbs[] = {"create ", "update ", "patch ", "delete "};
    if (!failure) {
      done.push_back(kVerbs[static_cast<std::size_t>(action.verb)] + action.of.plural +
                     (action.of.subresource.empty() ? "" : "/" + action.of.subresource) + ' ' + name);
    }
    return failure;
  }

  std::optional<FailedAction> perform_by_kind(const Action& action, std::string& name) {
    AnyCache* cache = cache_of(action.of);
    if (cache == nullptr) return std::nullopt;
    const ObjectKey key{action.of.name_space, action.of.name};
    const Value* found = cache->document(key);
    if (action.of.subresource == "eviction") {
      if (found != nullptr) end(*cache, Value(*found));
      return std::nullopt;
    }
    if (action.verb == Action::Verb::kCreate) return make(*cache, action, name);
    if (action.verb == Action::Verb::kDelete) {
      const bool is_meant = found != nullptr && (action.options.uid.empty() ||
                                                 action.options.uid == document::text_at(*found, {"metadata", "uid"}));
      if (is_meant) end(*cache, Value(*found));
      return std::nullopt;
    }
    const bool is_applied = action.verb == Action::Verb::kPatch && action.patch_type == kube::PatchType::kApply;
    if (found == nullptr && is_applied) return make(*cache, action, name);
    if (found == nullptr) return no(action, 404, "NotFound", action.of.name + " not found");
    const Value before = *found;
    return action.verb == Action::Verb::kPatch ? change_by_patch(*cache, before, action)
                                               : replace(*cache, before, action);
  }

  template <class IsMeant>
  AnyCache* cache_where(IsMeant is_meant) {
    AnyCache* found = nullptr;
    caches.for_each([&](AnyCache& cache) {
      if (is_meant(cache.kind())) found = &cache;
    });
    return found;
  }

  /// Null if no controller of the test reads the kind: then none will miss what is written of it.
  AnyCache* cache_of(const kube::ResourceReference& resource) {
    return cache_where(
        [&](const KindName& name) { return name.plural == resource.plural && name.group == resource.group; });
  }

  std::optional<FailedAction> make(AnyCache& cache, const Action& action, std::string& name) {
    Value object = action.document;
    name = document::text_at(object, {"metadata", "name"});
    if (name.empty()) {
      char number[16];
      std::snprintf(number, sizeof number, "%05d", ++names_);
      name = std::string(document::text_at(object, {"metadata", "generateName"})) + number;
    }
    if (cache.document({action.of.name_space, name}) != nullptr) {
      return no(action, 409, "AlreadyExists", action.of.plural + " \"" + name + "\" already exists");
    }
    object = document::with_at(std::move(object), {"metadata", "name"}, Value(name));
    object = document::with_at(std::move(object), {"metadata", "namespace"}, Value(action.of.name_space));
    put(cache, std::move(object));
    return std::nullopt;
  }

  std::optional<FailedAction> replace(AnyCache& cache, const Value& found, const Action& action) {
    if (revision_of(action.document) != revision_of(found)) {
      return no(action, 409, "Conflict", "the object has been modified");
    }
    const bool is_status = action.of.subresource == "status";
    const Value* kept = found.find(is_status ? "spec" : "status");
    Value object = action.document;
    if (kept != nullptr) object = std::move(object).with(is_status ? "spec" : "status", *kept);
    if (document::same_document(object, found)) return std::nullopt;
    if (finalizers_hold && is_being_deleted(found) && finalizers_of(object).empty()) {
      cache.erase(key_of(found));
      return std::nullopt;
    }
    put(cache, is_status ? std::move(object) : bump_generation(found, std::move(object)));
    return std::nullopt;
  }

  /// Merge patches, strategic ones as far as they are about ownerReferences and the conditions of a status, and what is
  /// applied, as far as nothing is taken away.
  std::optional<FailedAction> change_by_patch(AnyCache& cache, const Value& found, const Action& action) {
    Value patch_document = action.document;
    Value object = found;
    if (const Value* references = document::find_at(patch_document, {"metadata", "ownerReferences"})) {
      if (action.patch_type == kube::PatchType::kStrategic) {
        object = with_references(std::move(object), *references);
        patch_document = document::without_at(std::move(patch_document), {"metadata", "ownerReferences"});
      }
    }
    if (action.patch_type == kube::PatchType::kStrategic) object = with_finalizers(std::move(object), patch_document);
    if (action.patch_type == kube::PatchType::kStrategic) {
      patch_document = with_merged_conditions(object, std::move(patch_document));
    }
    object = *document::merge_patch(object, patch_document);
    if (!document::same_document(object, found)) put(cache, bump_generation(found, object));
    if (finalizers_hold && is_being_deleted(found) && finalizers_of(object).empty()) cache.erase(key_of(found));
    return std::nullopt;
  }

  static document::Array finalizers_of(const Value& object) {
    const Value* found = document::find_at(object, {"metadata", "finalizers"});
    return found == nullptr || !found->is_array() ? document::Array() : found->array();
  }

  /// Adds and removes what the patch says, and takes that out of it.
  static Value with_finalizers(Value object, Value& patch_document) {
    constexpr std::string_view kRemoved = "$deleteFromPrimitiveList/finalizers";
    document::Array finalizers = finalizers_of(object);
    const document::Array before = finalizers;
    if (const Value* removed = document::find_at(patch_document, {"metadata", kRemoved})) {
      for (const Value& finalizer : removed->array()) std::erase(finalizers, finalizer);
    }
    for (const Value& finalizer : finalizers_of(patch_document)) finalizers.push_back(finalizer);
    patch_document = document::without_at(std::move(patch_document), {"metadata", kRemoved});
    patch_document = document::without_at(std::move(patch_document), {"metadata", "finalizers"});
    if (finalizers == before) return object;
    return document::with_at(std::move(object), {"metadata", "finalizers"}, Value(std::move(finalizers)));
  }

  static Value with_merged_conditions(const Value& object, Value patch) {
    const Value* changes = document::find_at(patch, {"status", "conditions"});
    if (changes == nullptr) return patch;
    const Value* current = document::find_at(object, {"status", "conditions"});
    document::Array conditions = current == nullptr ? document::Array() : current->array();
    for (const Value& change : changes->array()) {
      std::erase_if(conditions, [&](const Value& one) { return *one.find("type") == *change.find("type"); });
      document::Object condition = change.object();
      std::erase_if(condition, [](const document::Member& member) { return member.value.is_null(); });
      conditions.emplace_back(std::move(condition));
    }
    patch = document::with_at(std::move(patch), {"status", "conditions"}, Value(std::move(conditions)));
    return document::without_at(std::move(patch), {"status", "$setElementOrder/conditions"});
  }

  static Value with_references(Value object, const Value& changes) {
    const Value* current = document::find_at(object, {"metadata", "ownerReferences"});
    document::Array references = current == nullptr ? document::Array() : current->array();
    for (const Value& change : changes.array()) {
      std::erase_if(references, [&](const Value& reference) { return *reference.find("uid") == *change.find("uid"); });
      if (change.find("$patch") == nullptr) references.push_back(change);
    }
    return document::with_at(std::move(object), {"metadata", "ownerReferences"}, Value(std::move(references)));
  }

  void end(AnyCache& cache, const Value& object) {
    const bool is_held = finalizers_hold && !finalizers_of(object).empty();
    if (is_held || (cache.kind().kind == "Pod" && !pods_end_at_once)) {
      if (is_being_deleted(object)) return;
      put(cache, document::with_at(object, {"metadata", "deletionTimestamp"}, Value(format_rfc3339(now))));
    } else {
      cache.erase(key_of(object));
    }
  }

  static bool is_being_deleted(const Value& object) {
    return document::find_at(object, {"metadata", "deletionTimestamp"}) != nullptr;
  }

  // ---- objects ------------------------------------------------------------------------------------------------------
  void put_kind(const std::string& kind, const Value& object) {
    const std::string_view version = document::text_at(object, {"apiVersion"});
    const std::size_t slash = version.find('/');
    const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    AnyCache* cache = cache_where([&](const KindName& name) {
      return name.kind == kind && (version.empty() || name.group == group);  // several projects have a PodGroup
    });
    ASSERT_NE(cache, nullptr) << "no controller of this test reads " << kind;
    put(*cache, object);
  }
  template <class Kind>
  void put(Value object) {
    put(caches.of<Kind>(), std::move(object));
  }
  void put(AnyCache& cache, Value object) {
    const auto fill = [&](std::string_view field, Value value) {
      if (document::find_at(object, {"metadata", field}) != nullptr) return;
      object = document::with_at(std::move(object), {"metadata", field}, std::move(value));
    };
    const std::string number = std::to_string(++revision_);
    if (!is_cluster_wide(cache.kind())) fill("namespace", Value("default"));
    fill("uid", Value("uid-" + number));
    fill("generation", Value(std::int64_t{1}));
    fill("creationTimestamp", Value(format_rfc3339(now)));
    cache.put(document::with_at(std::move(object), {"metadata", "resourceVersion"}, Value(number)));
  }

  static bool is_cluster_wide(const KindName& kind) {
    const schema::Resource* resource = schema::find_published(kind.api_version(), kind.kind);
    if (resource != nullptr) return !resource->is_namespaced;
    const kube::KindInfo* custom = kube::find_kind(kind.api_version(), kind.kind);
    return custom == nullptr || custom->scope != kube::Scope::kNamespaced;
  }

  static Value bump_generation(const Value& before, Value after) {
    const Value* old_spec = before.find("spec");
    const Value* spec = after.find("spec");
    if (old_spec == nullptr || spec == nullptr || document::same_document(*old_spec, *spec)) return after;
    const Value* generation = document::find_at(before, {"metadata", "generation"});
    return document::with_at(std::move(after), {"metadata", "generation"}, Value(generation->integer() + 1));
  }

  void say(const Event& event, const std::string& more) {
    events.push_back((event.type == Event::Type::kNormal ? "Normal " : "Warning ") + event.reason + ' ' +
                     event.message + more);
  }

  std::vector<std::unique_ptr<Running>> running_;
  std::uint64_t revision_ = 0;
  int names_ = 0;
};

}  // namespace loadline::controllers::testing
