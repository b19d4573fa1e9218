#include <fmt/format.h>

#include <utility>

#include "objects/kube/client.h"
#include "simulation/drafts.h"
#include "simulation/pick.h"
#include "simulation/workload.h"

// What users do with groups of pods.

namespace loadline::simulation {
namespace {

constexpr std::uint64_t kLargest = 7;

}  // namespace

/// The group's object comes before its pods or after them.
std::string Workload::add_group(GroupKind kind) {
  kube::ResourceReference group{"scheduling.k8s.io", "v1alpha2", "podgroups", pick_namespace()};
  const std::string name_of_group = name("gang");
  const std::uint64_t size = kind == GroupKind::kLasting ? 2 + random_.below(3) : 1 + random_.below(kLargest);
  const std::string manifest = draft_group(random_, name_of_group, size);
  groups_[group.name_space + "/" + name_of_group] = manifest;
  const bool is_early = random_.below(2) == 0;
  if (is_early) create(group, manifest);
  kube::ResourceReference named = group;
  named.name = name_of_group;
  const std::string members = add_grouped_pods(named, size, kind);
  if (!is_early) create(group, manifest);
  return fmt::format("creates {} with {}", name_of_group, members);
}

std::string Workload::add_grouped_pods(const kube::ResourceReference& group, std::uint64_t size, GroupKind kind) {
  const bool is_lasting = kind == GroupKind::kLasting || random_.below(3) == 0;
  const Purpose purpose = is_lasting ? Purpose::kService : Purpose::kTask;
  if (random_.below(3) != 0) return add_grouped_application(group, size, purpose);
  const std::string app = name("pod");
  const std::string pod = in_group(draft_pod(random_, app, purpose).text, group.name);
  for (std::uint64_t i = 0; i < size; ++i) {
    std::string manifest = pod;
    manifest.insert(manifest.find('{') + 1, fmt::format("name: {}-{}, ", app, i));
    manifest = fmt::format("{{{}}}", manifest);
    create({"", "v1", "pods", group.name_space}, manifest);
    pod_manifests_[fmt::format("{}/{}-{}", group.name_space, app, i)] = std::move(manifest);
  }
  return fmt::format("{} pods {}", size, app);
}

/// A Job, or what runs for ever: a Deployment.
std::string Workload::add_grouped_application(const kube::ResourceReference& group, std::uint64_t size,
                                              Purpose purpose) {
  const bool is_job = purpose == Purpose::kTask;
  const std::string app = name(is_job ? "job" : "web");
  const PodDraft pod = draft_pod(random_, app, purpose);
  Application application;
  application.tolerates_taints = pod.tolerates_taints;
  std::string spec;
  if (is_job) {
    application.of = {"batch", "v1", "jobs", group.name_space, app};
    application.kind = Application::Kind::kJob;
    spec = fmt::format("parallelism: {}, completions: {}, backoffLimit: {}", size, size + random_.below(3),
                       1 + random_.below(4));
  } else {
    application.of = {"apps", "v1", "deployments", group.name_space, app};
    spec = fmt::format("replicas: {}, selector: {{matchLabels: {{app: {}}}}}{}", size, app,
                       draft_rollout(random_, "deployments"));
  }
  application.manifest = fmt::format("{{metadata: {{name: {}}}, spec: {{{}, template: {{{}}}}}}}", app, spec,
                                     in_group(pod.text, group.name));
  ever_.push_back(application);
  launch(application);
  return fmt::format("{} pods of {}", size, app);
}

std::string Workload::obstruct_groups() {
  if (random_.below(2) == 0) {
    for (const auto& [node, object] : observer_.nodes()) {
      patch({"", "v1", "nodes", "", node}, "{spec: {unschedulable: true}}");
    }
    return "cordons all nodes";
  }
  std::size_t count = 0;
  for (const auto& [key, pod] : observer_.pods()) {
    if (group_of(pod).empty() || !pod.view.spec->node_name.empty() || random_.below(2) == 0) continue;
    remove({"", "v1", "pods", pod.metadata().namespace_, pod.metadata().name}, {});
    ++count;
  }
  return fmt::format("deletes {} pods of groups that wait", count);
}

/// The pods stay, and may find another object of that name.
std::string Workload::change_group() {
  const std::string picked = pick(groups_, random_);
  if (picked.empty()) return add_group();
  const std::size_t slash = picked.find('/');
  const kube::ResourceReference all{"scheduling.k8s.io", "v1alpha2", "podgroups", picked.substr(0, slash)};
  if (!observer_.groups().contains(picked)) {
    create(all, groups_.at(picked));
    return "creates " + picked + " again";
  }
  kube::ResourceReference of = all;
  of.name = picked.substr(slash + 1);
  remove(of, {});
  if (random_.below(2) == 0) return "deletes " + picked;
  create(all, groups_.at(picked));
  return "replaces " + picked;
}

}  // namespace loadline::simulation
