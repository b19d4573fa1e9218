#include "simulation/queue_drafts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loadline::simulation {
namespace {

constexpr const char* kVersion = "apiVersion: kueue.x-k8s.io/v1beta2";

std::string quota_text(const QuotaDraft& quota) {
  std::string text = fmt::format("name: {}, nominalQuota: {}", quota.resource, quota.nominal);
  if (quota.borrowing) text += fmt::format(", borrowingLimit: {}", *quota.borrowing);
  if (quota.lending) text += fmt::format(", lendingLimit: {}", *quota.lending);
  return "{" + text + "}";
}

}  // namespace

std::string flavor_manifest(const std::string& name, const std::string& node_label, const std::string& value) {
  const std::string labels = node_label.empty() ? "" : fmt::format("nodeLabels: {{{}: {}}}", node_label, value);
  return fmt::format("{{{}, kind: ResourceFlavor, metadata: {{name: {}}}, spec: {{{}}}}}", kVersion, name, labels);
}

std::string ClusterQueueDraft::resource_groups() const {
  std::vector<std::string> of_flavors;
  std::vector<std::string> covered;
  for (const Flavor& flavor : flavors) {
    std::vector<std::string> texts;
    covered.clear();
    for (const QuotaDraft& quota : flavor.quotas) {
      texts.push_back(quota_text(quota));
      covered.push_back(quota.resource);
    }
    of_flavors.push_back(fmt::format("{{name: {}, resources: [{}]}}", flavor.name, fmt::join(texts, ", ")));
  }
  return fmt::format("resourceGroups: [{{coveredResources: [{}], flavors: [{}]}}]", fmt::join(covered, ", "),
                     fmt::join(of_flavors, ", "));
}

std::string ClusterQueueDraft::manifest() const {
  const std::string of_cohort = cohort.empty() ? "" : fmt::format("cohortName: {}, ", cohort);
  const std::string stop = stop_policy.empty() ? "" : fmt::format(", stopPolicy: {}", stop_policy);
  return fmt::format(
      "{{{}, kind: ClusterQueue, metadata: {{name: {}}}, spec: {{{}queueingStrategy: {}, namespaceSelector: {{}}, "
      "flavorFungibility: {{whenCanBorrow: {}}}, {}{}{}}}}}",
      kVersion, name, of_cohort, is_strict ? "StrictFIFO" : "BestEffortFIFO",
      tries_next_before_borrowing ? "TryNextFlavor" : "MayStopSearch", resource_groups(), preemption, stop);
}

std::string local_queue_manifest(const std::string& name_space, const std::string& name,
                                 const std::string& cluster_queue) {
  return fmt::format("{{{}, kind: LocalQueue, metadata: {{name: {}, namespace: {}}}, spec: {{clusterQueue: {}}}}}",
                     kVersion, name, name_space, cluster_queue);
}

std::string priority_class_manifest(const std::string& name, int value) {
  return fmt::format("{{{}, kind: WorkloadPriorityClass, metadata: {{name: {}}}, value: {}}}", kVersion, name, value);
}

kube::ResourceReference kueue_resource(const std::string& plural, const std::string& name_space,
                                       const std::string& name) {
  return {"kueue.x-k8s.io", "v1beta2", plural, name_space, name};
}

}  // namespace loadline::simulation
