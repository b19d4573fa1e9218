#include "brain/workloads/ray_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "brain/workloads/container_document.h"
#include "brain/workloads/controller.h"
#include "objects/kube/core/container_schema.h"
#include "objects/kube/encoder.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kKubeRay = "ray.io/kuberay-operator";
constexpr std::string_view kHeadGroup = "headgroup";  // the group label of heads
constexpr std::string_view kApplicationName = "app.kubernetes.io/name";
constexpr std::string_view kCreatedBy = "app.kubernetes.io/created-by";
constexpr std::size_t kMaxPodNamePrefix = 50;

bool is_true(const kube::StringMap& annotations, std::string_view name) {
  const auto found = annotations.find(name);
  return found != annotations.end() && kube::lower_case(found->second) == "true";
}

std::string identifier(const kube::RayCluster& cluster, std::string_view type) {
  return fmt::format("{}-{}", cluster.metadata.name, type);
}

/// Labels of the group replace the template's, and both replace KubeRay's, but for those by which it finds its pods.
PodDraft::Entries labels_of(const kube::RayCluster& cluster, std::string_view type, std::string_view group,
                            const kube::StringMap& group_labels, const kube::PodTemplateSpec& pod_template) {
  const PodDraft::Entries replaceable = {{kube::kRayNode, "yes"},
                                         {kube::kRayIdentifier, identifier(cluster, type)},
                                         {kApplicationName, "kuberay"},
                                         {kCreatedBy, "kuberay-operator"}};
  const PodDraft::Entries fixed = {{kube::kRayCluster, cluster.metadata.name},
                                   {kube::kRayNodeType, std::string(type)},
                                   {kube::kRayGroup, std::string(group)}};
  PodDraft::Entries labels;
  for (const auto& each : replaceable) {
    if (!pod_template.metadata.labels.contains(each.first)) labels.push_back(each);
  }
  labels.insert(labels.end(), group_labels.begin(), group_labels.end());
  labels.insert(labels.end(), fixed.begin(), fixed.end());
  return labels;
}

std::string pod_base(std::string_view prefix, std::string_view type) {
  return kube::lower_case(fmt::format("{}-{}-", prefix.substr(0, kMaxPodNamePrefix), type));
}

const std::string& ray_image(const kube::PodTemplateSpec& pod_template) {
  static const auto& none = *new std::string();
  const auto& containers = pod_template.spec->containers;
  return containers.empty() ? none : containers.front().image;
}

/// Where Ray's global control service listens.
std::string head_port(const kube::RayCluster& cluster) {
  const auto chosen = cluster.spec.head.start_params.find("port");
  return chosen == cluster.spec.head.start_params.end() ? "6379" : chosen->second;
}

/// In which workers wait until the head answers.
Value waiting_container(const kube::RayCluster& cluster, const kube::RayWorkerGroup& group) {
  const Amounts each = {{"cpu", "200m"}, {"memory", "256Mi"}};
  const std::string wait = fmt::format("until ray health-check --address {}.{}.svc.cluster.local:{}; do sleep 5; done",
                                       head_service_name(cluster), cluster.metadata.namespace_, head_port(cluster));
  return container_document("wait-gcs-ready", ray_image(group.template_), each, each)
      .with("command", Value(Array{Value("/bin/bash"), Value("-c"), Value("--")}))
      .with("args", Value(Array{Value(wait)}));
}

/// Ray's autoscaler, as a sidecar of the head.
Value autoscaler_container(const kube::RayCluster& cluster) {
  const auto& options = cluster.spec.autoscaler;
  const std::string& image =
      options && !options->image.empty() ? options->image : ray_image(cluster.spec.head.template_);
  const Amounts each = {{"cpu", "500m"}, {"memory", "512Mi"}};
  Value container = container_document("autoscaler", image, each, each);
  if (!options || !options->resources) return container;
  return std::move(container).with("resources",
                                   kube::encode_object(kube::kResourceRequirementsSchema, &*options->resources));
}

/// What heads and workers alike get.
PodDraft node_draft(const kube::RayCluster& cluster) {
  PodDraft draft;
  if (keeps_own_command(cluster)) {
    draft.annotations.emplace_back(kube::kRayOverwriteCommand, "true");
  }
  const auto& options = cluster.spec.autoscaler;
  if (cluster.spec.has_autoscaler && options && options->version == "v2") draft.restart_policy = "Never";
  return draft;
}

std::string worker_problem(const kube::RayWorkerGroup& group, bool has_autoscaler) {
  const auto min = group.min_replicas;
  const auto max = group.max_replicas;
  if (group.template_.spec->containers.empty()) return "workerGroupSpec should have at least one container";
  if (min && *min < 0) return fmt::format("worker group {} has negative minReplicas {}", group.name, *min);
  if (max && *max < 0) return fmt::format("worker group {} has negative maxReplicas {}", group.name, *max);
  if (min && max && *min > *max) {
    return fmt::format("worker group {} has minReplicas {} greater than maxReplicas {}", group.name, *min, *max);
  }
  if (has_autoscaler && group.suspend) {
    return fmt::format("worker group {} cannot be suspended with Autoscaler enabled", group.name);
  }
  return {};
}

}  // namespace

bool is_fault_tolerant(const kube::RayCluster& cluster) {
  return cluster.spec.is_fault_tolerant || is_true(cluster.metadata.annotations, kube::kRayFaultTolerance);
}

bool keeps_own_command(const kube::RayCluster& cluster) {
  return is_true(cluster.metadata.annotations, kube::kRayOverwriteCommand);
}

bool is_managed_elsewhere(std::string_view managed_by) { return !managed_by.empty() && managed_by != kKubeRay; }

std::string problem_of(const kube::RayClusterSpec& cluster) {
  if (cluster.head.template_.spec->containers.empty()) return "headGroupSpec should have at least one container";
  for (const kube::RayWorkerGroup& group : cluster.worker_groups) {
    std::string problem = worker_problem(group, cluster.has_autoscaler);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::int64_t wanted_replicas(const kube::RayWorkerGroup& group) {
  if (group.suspend) return 0;
  const std::int32_t least = group.min_replicas.value_or(0);
  const std::int32_t asked = std::max(group.replicas.value_or(least), least);
  return group.max_replicas ? std::min(asked, *group.max_replicas) : asked;
}

std::int64_t wanted_workers(const kube::RayWorkerGroup& group) {
  return wanted_replicas(group) * std::max(group.hosts_per_replica, 0);
}

std::int64_t least_workers(const kube::RayWorkerGroup& group) {
  const std::int64_t least = std::min<std::int64_t>(wanted_replicas(group), group.min_replicas.value_or(0));
  return std::max<std::int64_t>(least, 0) * std::max(group.hosts_per_replica, 0);
}

PodDraft head_draft(const kube::RayCluster& cluster) {
  const kube::RayHeadGroup& head = cluster.spec.head;
  PodDraft draft = node_draft(cluster);
  draft.generate_name = pod_base(cluster.metadata.name, kRayHead);
  draft.labels = labels_of(cluster, kRayHead, kHeadGroup, head.labels, head.template_);
  draft.annotations.emplace_back(kube::kRayFaultTolerance, is_fault_tolerant(cluster) ? "true" : "false");
  if (cluster.spec.has_autoscaler) draft.containers.push_back(autoscaler_container(cluster));
  return draft;
}

PodDraft worker_draft(const kube::RayCluster& cluster, const kube::RayWorkerGroup& group) {
  PodDraft draft = node_draft(cluster);
  draft.generate_name = pod_base(fmt::format("{}-{}", cluster.metadata.name, group.name), kRayWorker);
  draft.labels = labels_of(cluster, kRayWorker, group.name, group.labels, group.template_);
  draft.init_containers.push_back(waiting_container(cluster, group));
  return draft;
}

PodDraft host_draft(const kube::RayWorkerGroup& group, const RayHost& host) {
  PodDraft draft;
  draft.labels = {{kube::kRayReplicaIndex, std::to_string(host.replica)}};
  if (group.hosts_per_replica > 1) {
    draft.labels.emplace_back(kube::kRayReplicaName, host.replica_name);
    draft.labels.emplace_back(kube::kRayHostIndex, std::to_string(host.host));
  }
  return draft;
}

std::string head_service_name(const kube::RayCluster& cluster) {
  const std::string& chosen = cluster.spec.head.custom_service_name;
  return chosen.empty() ? fmt::format("{}-head-svc", cluster.metadata.name) : chosen;
}

namespace {

kube::Service service_of(const kube::RayCluster& cluster, std::string name, kube::StringMap selector) {
  kube::Service service;
  service.metadata.name = std::move(name);
  service.metadata.namespace_ = cluster.metadata.namespace_;
  service.metadata.owner_references.push_back(
      {"ray.io/v1", "RayCluster", cluster.metadata.name, cluster.metadata.uid, true});
  service.metadata.source = cluster.metadata.source;
  service.selector = std::move(selector);
  return service;
}

/// It selects by labels that an author may have written otherwise; only of the application's name is that heeded.
kube::StringMap head_selector(const kube::RayCluster& cluster) {
  kube::StringMap selector = {{std::string(kube::kRayCluster), cluster.metadata.name},
                              {std::string(kube::kRayNodeType), std::string(kRayHead)},
                              {std::string(kube::kRayIdentifier), identifier(cluster, kRayHead)},
                              {std::string(kApplicationName), "kuberay"},
                              {std::string(kCreatedBy), "kuberay-operator"}};
  const kube::StringMap& labels = cluster.spec.head.template_.metadata.labels;
  if (const auto written = labels.find(kApplicationName); written != labels.end()) {
    selector.insert_or_assign(std::string(kApplicationName), written->second);
  }
  return selector;
}

}  // namespace

std::vector<kube::Service> services_of(const kube::RayCluster& cluster) {
  const std::string& name = cluster.metadata.name;
  std::vector<kube::Service> services = {service_of(cluster, head_service_name(cluster), head_selector(cluster))};
  const auto& groups = cluster.spec.worker_groups;
  if (std::ranges::any_of(groups, [](const kube::RayWorkerGroup& group) { return group.hosts_per_replica > 1; })) {
    services.push_back(service_of(
        cluster, name + "-headless",
        {{std::string(kube::kRayCluster), name}, {std::string(kube::kRayNodeType), std::string(kRayWorker)}}));
    services.back().metadata.labels = {{std::string(kube::kRayHeadlessService), name}};
  }
  const auto serves = cluster.metadata.annotations.find(kube::kRayServeService);
  if (serves != cluster.metadata.annotations.end() && serves->second == "true") {
    services.push_back(service_of(cluster, name + "-serve-svc", {{std::string(kube::kRayCluster), name}}));
  }
  return services;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

std::string label_of(const kube::Pod& pod, std::string_view name) {
  const auto found = pod.metadata.labels.find(name);
  return found == pod.metadata.labels.end() ? std::string() : found->second;
}

std::optional<std::int64_t> index_in(const std::string& label) {
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), index);
  const bool is_index = !label.empty() && error == std::errc() && end == label.data() + label.size() && index >= 0;
  return is_index ? std::optional(index) : std::nullopt;
}

/// A replica of which pods are there.
struct Replica {
  std::optional<std::int64_t> index;
  std::string name;
  std::set<std::int64_t> hosts;
};

/// Of a group with several hosts a replica, pods that name none belong to none, as KubeRay has it.
std::vector<Replica> replicas_among(std::span<const kube::Pod* const> pods, bool has_several_hosts) {
  std::map<std::string, Replica> replicas;
  for (const kube::Pod* const pod : pods) {
    const std::string name = has_several_hosts ? label_of(*pod, kube::kRayReplicaName) : pod->metadata.name;
    if (name.empty()) continue;
    Replica& replica = replicas[name];
    replica.name = name;
    replica.index = index_in(label_of(*pod, kube::kRayReplicaIndex));
    replica.hosts.insert(index_in(label_of(*pod, kube::kRayHostIndex)).value_or(0));
  }
  std::vector<Replica> result;
  for (auto& [name, replica] : replicas) result.push_back(std::move(replica));
  std::ranges::stable_sort(result, {}, &Replica::index);
  return result;
}

class RayExpansion {
 public:
  RayExpansion(const kube::RayCluster& cluster, const WorkloadReference& workload, const View& view,
               Expansion& expansion)
      : cluster_(cluster), workload_(workload), view_(view), expansion_(expansion) {
    existing_ = view.existing.controlled_by("RayCluster", cluster.metadata);
    std::erase_if(existing_, [](const kube::Pod* pod) { return !is_active(*pod); });
  }

  void run() {
    const std::size_t before = expansion_.pods.size();
    make_head();
    for (const kube::RayWorkerGroup& group : cluster_.spec.worker_groups) make_workers(group);
    if (expansion_.pods.size() > before) make_services();
  }

 private:
  void make_head() {
    const bool is_there = std::ranges::any_of(
        existing_, [](const kube::Pod* pod) { return label_of(*pod, kube::kRayNodeType) == kRayHead; });
    if (is_there || is_done_with_heads()) return;
    PodMaker maker = maker_of(cluster_.spec.head.template_);
    maker.share(head_draft(cluster_));
    expansion_.pods.push_back(maker.make());
  }

  /// A cluster whose job a container of its head submitted has no use for a second head.
  [[nodiscard]] bool is_done_with_heads() const {
    if (!is_true(cluster_.metadata.annotations, kube::kRayKeepsNoHead)) return false;
    return std::ranges::any_of(cluster_.status.conditions, [](const kube::MetaCondition& condition) {
      return condition.type == "RayClusterProvisioned" && condition.status == "True";
    });
  }

  /// KubeRay gives up a replica of which a host is missing, and makes another: here it gets the hosts that it lacks,
  /// which is as many pods.
  void make_workers(const kube::RayWorkerGroup& group) {
    const std::int64_t wanted = wanted_workers(group) > 0 ? wanted_replicas(group) : 0;
    std::vector<Replica> replicas = replicas_among(workers_of(group), group.hosts_per_replica > 1);
    add_replicas(group, wanted, replicas);
    PodMaker maker = maker_of(group.template_);
    maker.share(worker_draft(cluster_, group));
    for (std::int64_t number = 0; number < wanted; ++number) {
      const Replica& replica = replicas[static_cast<std::size_t>(number)];
      for (std::int64_t host = 0; host < group.hosts_per_replica; ++host) {
        if (replica.hosts.contains(host)) continue;
        expansion_.pods.push_back(maker.make(host_draft(group, {replica.index.value_or(0), replica.name, host})));
      }
    }
  }

  /// Those that are missing get the lowest indexes that are free.
  void add_replicas(const kube::RayWorkerGroup& group, std::int64_t wanted, std::vector<Replica>& replicas) const {
    std::set<std::int64_t> taken;
    for (const Replica& replica : replicas) taken.insert(replica.index.value_or(-1));
    const Names names(view_.seed, fmt::format("RayCluster {}/{}/{}", cluster_.metadata.namespace_,
                                              cluster_.metadata.name, group.name));
    std::int64_t index = 0;
    while (static_cast<std::int64_t>(replicas.size()) < wanted) {
      while (taken.contains(index)) ++index;
      replicas.push_back({index, names.generate(group.name + '-', static_cast<std::uint64_t>(index)), {}});
      ++index;
    }
  }

  [[nodiscard]] std::vector<const kube::Pod*> workers_of(const kube::RayWorkerGroup& group) const {
    std::vector<const kube::Pod*> workers;
    for (const kube::Pod* const pod : existing_) {
      const bool is_worker = label_of(*pod, kube::kRayNodeType) == kRayWorker;
      if (is_worker && label_of(*pod, kube::kRayGroup) == group.name) workers.push_back(pod);
    }
    return workers;
  }

  void make_services() {
    const auto& read = view_.objects.of<kube::Service>();
    for (kube::Service& service : services_of(cluster_)) {
      const bool is_there = std::ranges::any_of(read, [&](const kube::Service& each) {
        return each.metadata.name == service.metadata.name && each.metadata.namespace_ == service.metadata.namespace_;
      });
      if (!is_there) expansion_.made.of<kube::Service>().push_back(std::move(service));
    }
  }

  [[nodiscard]] PodMaker maker_of(const kube::PodTemplateSpec& pod_template) const {
    return {view_, workload_, "ray.io/v1", "RayCluster", cluster_.metadata, pod_template, existing_};
  }

  const kube::RayCluster& cluster_;
  const WorkloadReference& workload_;
  const View& view_;
  Expansion& expansion_;
  std::vector<const kube::Pod*> existing_;  // those that are active
};

}  // namespace

void expand_ray_cluster(const kube::RayCluster& cluster, const WorkloadReference& workload, const View& view,
                        Expansion& expansion) {
  if (is_managed_elsewhere(cluster.spec.managed_by)) {
    expansion.notes.push_back({workload, fmt::format("is left to {}", cluster.spec.managed_by)});
    return;
  }
  if (const std::string problem = problem_of(cluster.spec); !problem.empty()) {
    expansion.notes.push_back({workload, fmt::format("gets no pods from KubeRay: {}", problem)});
    return;
  }
  if (cluster.spec.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  RayExpansion(cluster, workload, view, expansion).run();
}

void expand(const kube::RayCluster& cluster, const View& view, Expansion& expansion) {
  const kube::ObjectMeta& metadata = cluster.metadata;
  expand_ray_cluster(cluster, view.owners.top_of({"RayCluster", metadata.namespace_, metadata.name}), view, expansion);
}

}  // namespace loadline::workloads
