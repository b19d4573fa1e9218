#include "hosts/operators/kueue/management.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/unheld_kinds.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/observe.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/frameworks.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/objects.h"
#include "objects/kube/registry.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

constexpr std::size_t kMostOwners = 10;
constexpr std::string_view kDefaultQueue = "default";

/// The framework of a kind, or null. A kind's versions are one framework's: "Job.v1.batch".
const kube::KueueFramework* framework_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  const std::string name = fmt::format("{}.{}.{}", kind, version, group);
  const auto frameworks = kube::kueue_frameworks();
  const auto found = std::ranges::find(frameworks, name, &kube::KueueFramework::kind);
  return found == frameworks.end() ? nullptr : &*found;
}

bool is_external(const kube::KueueConfiguration& configuration, std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string name = fmt::format("{}.{}.{}", kind, api_version.substr(slash + 1), api_version.substr(0, slash));
  const auto& all = configuration.external_frameworks;
  return std::ranges::find(all, name) != all.end();
}

bool is_managed_kind(const kube::KueueConfiguration& configuration, const kube::OwnerReference& owner) {
  const kube::KueueFramework* framework = framework_of(owner.api_version, owner.kind);
  return (framework != nullptr && manages(configuration, framework->name) && !is_unheld(framework->name)) ||
         is_external(configuration, owner.api_version, owner.kind);
}

bool is_known_kind(const kube::KueueConfiguration& configuration, const kube::OwnerReference& owner) {
  return framework_of(owner.api_version, owner.kind) != nullptr ||
         is_external(configuration, owner.api_version, owner.kind) ||
         (owner.kind == "ReplicaSet" && owner.api_version == "apps/v1");
}

/// Nothing: it is not there, or of a kind that nothing here can read.
std::optional<Value> find_owner(const KnownObjects& objects, const kube::OwnerReference& owner,
                                std::string_view name_space) {
  const kube::KindInfo* info = kube::find_kind(owner.api_version, owner.kind);
  if (info == nullptr) return std::nullopt;
  return objects.find(watching::kind_name_of(*info), name_space, owner.name);
}

}  // namespace

bool has_queues(const KnownObjects& objects) {
  return objects.has_any(watching::kind_name<kube::ClusterQueue>()) ||
         objects.has_any(watching::kind_name<kube::LocalQueue>());
}

bool selects_namespace(const KnownObjects& objects, const kube::KueueConfiguration& configuration,
                       std::string_view name_space) {
  const std::optional<Value> found = objects.find(watching::kind_name<kube::Namespace>(), "", name_space);
  return found && kube::matches(configuration.managed_jobs_namespace_selector, watching::read_metadata(*found).labels);
}

tl::expected<std::optional<ManagedAncestor>, std::string> managed_ancestor(
    const KnownObjects& objects, const kube::KueueConfiguration& configuration, const Value& object) {
  std::set<std::string> seen;
  std::optional<ManagedAncestor> topmost;
  Value current = object;
  while (true) {
    const kube::ObjectMeta metadata = watching::read_metadata(current);
    if (!seen.insert(metadata.uid).second) return tl::unexpected(std::string("cyclic ownership"));
    const kube::OwnerReference* owner = metadata.controller();
    if (owner == nullptr || !is_known_kind(configuration, *owner)) return topmost;
    const std::optional<Value> above =
        find_owner(objects, *owner, document::text_at(object, {"metadata", "namespace"}));
    if (!above)
      return tl::unexpected(fmt::format("workload owner not found: {} \"{}\" not found", owner->kind, owner->name));
    if (document::text_at(*above, {"metadata", "uid"}) != owner->uid) return topmost;
    const std::string_view queue = queue_label(*above);
    if (is_managed_kind(configuration, *owner) && (configuration.manage_jobs_without_queue_name || !queue.empty())) {
      topmost = ManagedAncestor{owner->api_version, owner->kind, owner->name, owner->uid, std::string(queue)};
    }
    current = *above;
    if (seen.size() > kMostOwners) return tl::unexpected(std::string("managed owner chain limit reached"));
  }
}

bool has_managed_owner(const kube::KueueConfiguration& configuration, const Value& object) {
  const kube::ObjectMeta metadata = watching::read_metadata(object);
  return metadata.controller() != nullptr && is_managed_kind(configuration, *metadata.controller());
}

std::string_view queue_label(const Value& object) {
  return document::text_at(object, {"metadata", "labels", kube::kQueueName});
}

tl::expected<bool, std::string> is_created_suspended(const KnownObjects& objects,
                                                     const kube::KueueConfiguration& configuration, const Value& job) {
  const auto ancestor = managed_ancestor(objects, configuration, job);
  if (!ancestor) return tl::unexpected(ancestor.error());
  if (ancestor->has_value()) return false;
  if (!queue_label(job).empty()) return true;
  return configuration.manage_jobs_without_queue_name &&
         selects_namespace(objects, configuration, document::text_at(job, {"metadata", "namespace"}));
}

Value with_default_queue(const KnownObjects& objects, const kube::KueueConfiguration& configuration, Value job) {
  const std::string_view name_space = document::text_at(job, {"metadata", "namespace"});
  const bool applies = queue_label(job).empty() && has_default_queue(objects, name_space) &&
                       !has_managed_owner(configuration, job) && selects_namespace(objects, configuration, name_space);
  if (!applies) return job;
  return document::with_at(std::move(job), {"metadata", "labels", kube::kQueueName}, Value(kDefaultQueue));
}

bool has_default_queue(const KnownObjects& objects, std::string_view name_space) {
  return objects.find(watching::kind_name<kube::LocalQueue>(), name_space, kDefaultQueue).has_value();
}

}  // namespace loadline::operators::kueue
