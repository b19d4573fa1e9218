#include "server/apiserver/builtin_controllers/namespace_sweeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/conditions.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::text_at;
using document::Value;

constexpr std::string_view kNamespaces = "namespaces";
constexpr std::string_view kPods = "pods";
constexpr std::string_view kFinalizer = "kubernetes";
constexpr std::size_t kDeletionsPerTask = 200;
constexpr std::size_t kCrowd = 1000;

store::Key key_of(const std::string& name) { return {std::string(kNamespaces), "", name}; }

bool waits_for_sweeper(const Value& name_space) {
  const Value* finalizers = document::find_at(name_space, {"spec", "finalizers"});
  if (!is_being_deleted(name_space) || finalizers == nullptr || !finalizers->is_array()) return false;
  const Array& names = finalizers->array();
  return std::find(names.begin(), names.end(), Value(kFinalizer)) != names.end();
}

struct Condition {
  std::string_view type;
  bool is_true;
  std::string reason;
  std::string message;
};

std::string listed(const std::map<std::string, std::size_t>& counts, std::string_view words) {
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [name, count] : counts)
    texts.push_back(fmt::format("{} {} {} resource instances", name, words, count));
  return joined(texts, ", ");
}

/// "pods." and "deployments.apps", as upstream writes them.
std::string shown(const std::string& resource) {
  return resource.find('.') == std::string::npos ? resource + "." : resource;
}

}  // namespace

NamespaceSweeper::NamespaceSweeper(const ServerContext& context)
    : context_(context),
      writer_(context, "system:serviceaccount:kube-system:namespace-controller", "kube-controller-manager"),
      queue_(context, 1, [this](const std::string& name) { sweep(name); }) {}

void NamespaceSweeper::on_object(const store::ObjectPtr& object, bool gone) {
  if (object->resource() == kNamespaces) {
    const std::string name(object->name());
    if (gone || !waits_for_sweeper(object->document())) {
      terminating_.erase(name);
      crowded_.erase(name);
    } else if (terminating_.insert(name).second) {
      queue_.add(name);
    }
    return;
  }
  if (terminating_.empty()) return;
  const auto swept = terminating_.find(object->name_space());
  if (swept == terminating_.end()) return;
  // Looking through very many objects for each that goes would take all the time there is.
  if (crowded_.contains(*swept)) return queue_.add_later(*swept);
  queue_.add(*swept);
}

void NamespaceSweeper::sweep(const std::string& name) {
  if (!waits_for_sweeper(writer_.get(key_of(name)))) return;
  Remains remains;
  std::size_t budget = kDeletionsPerTask;
  sweep_resource(std::string(kPods), name, budget, remains);
  if (remains.has_more_to_delete) return queue_.add(name);
  note_crowd(name, remains);
  if (!remains.objects.empty()) {
    // Pods may need what else is there until they end. Upstream does not report them yet.
    return write_conditions(name, {});
  }
  std::set<std::string> resources;  // a resource has versions
  for (const auto& resource : context_.catalog.all()) {
    if (resource->is_namespaced && resource->allows("delete")) resources.insert(resource->group_resource());
  }
  resources.erase(std::string(kPods));
  resources.erase("events.events.k8s.io");  // the same as events
  for (const std::string& resource : resources) sweep_resource(resource, name, budget, remains);
  if (remains.has_more_to_delete) return queue_.add(name);
  note_crowd(name, remains);
  write_conditions(name, remains);
  if (remains.objects.empty()) let_go(name);
}

void NamespaceSweeper::note_crowd(const std::string& name, const Remains& remains) {
  if (remains.total > kCrowd) {
    crowded_.insert(name);
  } else {
    crowded_.erase(name);
  }
}

void NamespaceSweeper::sweep_resource(const std::string& resource, const std::string& name_space, std::size_t& budget,
                                      Remains& remains) {
  if (context_.store.count(resource) == 0 || remains.has_more_to_delete) return;
  store::ListOptions in_namespace;
  in_namespace.name_space = name_space;
  auto listing = context_.store.list(resource, in_namespace);
  if (!listing) return;
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    const store::Key key = (*object)->key();
    store::ObjectPtr left = *object;
    if (!is_marked_as_deleted(*left)) {
      if (budget == 0) {
        remains.has_more_to_delete = true;
        return;
      }
      --budget;
      DeleteOptions options;
      options.propagation = Propagation::kBackground;
      const Answer<Written> removed = writer_.remove(key, options);
      if (!removed) queue_.add_later(name_space);
      left = context_.store.get(key);
    }
    if (left == nullptr) continue;
    ++remains.objects[shown(resource)];
    ++remains.total;
    if (left->text().find("\"finalizers\"") == std::string_view::npos) continue;
    const Value document = left->document();
    for (const std::string_view finalizer : finalizers_of(document)) ++remains.finalizers[std::string(finalizer)];
  }
}

void NamespaceSweeper::write_conditions(const std::string& name, const Remains& remains) {
  std::vector<Condition> conditions = {
      {"NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", false, "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      {"NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"},
      {"NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers", "All content-preserving finalizers finished"}};
  if (!remains.objects.empty()) {
    conditions[3] = {"NamespaceContentRemaining", true, "SomeResourcesRemain",
                     "Some resources are remaining: " + listed(remains.objects, "has")};
  }
  if (!remains.finalizers.empty()) {
    conditions[4] = {"NamespaceFinalizersRemaining", true, "SomeFinalizersRemain",
                     "Some content in the namespace has finalizers remaining: " + listed(remains.finalizers, "in")};
  }
  const Instant now = context_.loop.now();
  const auto described = [&](const Value& old) -> Answer<Value> {
    Value changed = old;
    for (const Condition& condition : conditions) {
      changed = with_state(changed, condition.type, condition.is_true ? "True" : "False", condition.reason,
                           condition.message, now);
    }
    return changed;
  };
  if (!writer_.change(key_of(name), described, Writer::Target::kStatus)) queue_.add_later(name);
}

void NamespaceSweeper::let_go(const std::string& name) {
  const auto finalized = [](const Value& old) -> Answer<Value> {
    Array others;
    const Value* finalizers = document::find_at(old, {"spec", "finalizers"});
    if (finalizers != nullptr && finalizers->is_array()) {
      std::copy_if(finalizers->array().begin(), finalizers->array().end(), std::back_inserter(others),
                   [](const Value& finalizer) { return finalizer != Value(kFinalizer); });
    }
    if (others.empty()) return document::without_at(old, {"spec", "finalizers"});
    return document::with_at(old, {"spec", "finalizers"}, Value(std::move(others)));
  };
  const Answer<Written> written = writer_.change(key_of(name), finalized, Writer::Target::kOther);
  if (!written && written.error().code != 404) queue_.add_later(name);
}

}  // namespace loadline::apiserver
