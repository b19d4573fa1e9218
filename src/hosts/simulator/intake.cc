#include "hosts/simulator/intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/admission/group_priority.h"
#include "brain/admission/quota_usage.h"
#include "brain/cluster/facts/topology_objects.h"
#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/expansion.h"
#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/owner_groups.h"
#include "brain/workloads/success_records.h"
#include "hosts/simulator/runtime_class_notes.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/defaults.h"
#include "objects/kube/registry.h"

namespace loadline::simulator {
namespace {

template <class Kind>
WorkloadName workload_name(const Kind& object) {
  return {std::string(workloads::kind_name<Kind>()), object.metadata.namespace_, object.metadata.name};
}

/// Order of creation: the order of reading, files as they were first met.
class ReadingOrder {
 public:
  using Position = std::pair<std::size_t, std::uint32_t>;  // file, line

  Position operator()(const SourcePosition& at) {
    if (!at.file) return {files_.size(), 0};
    return {files_.try_emplace(*at.file, files_.size()).first->second, at.line};
  }

 private:
  std::map<std::string, std::size_t> files_;
};

Diagnostic& note(Intake& intake, const kube::ObjectMeta& metadata, const std::string& subject, std::string message) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.at = metadata.source;
  diagnostic.subject = subject;
  diagnostic.message = std::move(message);
  return intake.notes.emplace_back(std::move(diagnostic));
}

/// Quotas name extended resources in ways that Kubernetes accepts and never counts.
void note_idle_quotas(const kube::Objects& objects, Intake& intake) {
  for (const kube::ResourceQuota& quota : objects.of<kube::ResourceQuota>()) {
    for (const auto& [resource, amount] : quota.hard) {
      const std::optional<std::string> counts = admission::name_that_counts(resource);
      if (!counts) continue;
      const workloads::WorkloadReference subject{"ResourceQuota", quota.metadata.namespace_, quota.metadata.name};
      Diagnostic& diagnostic = note(intake, quota.metadata, subject.to_string(),
                                    "limits nothing: quotas count extended resources as requests only");
      diagnostic.path = "spec.hard[" + resource + "]";
      diagnostic.hint = "write " + *counts;
    }
  }
}

void admit(Arrival& arrival, admission::Admission& admission) {
  arrival.rejection = admission.admit(arrival.pod, spec_of(arrival.workload));
}

/// Pods that are yet to be created, in the order in which their authors wrote them or their workloads. There may be
/// very many, so each stays where it is until it is admitted. REQUIRES: they outlive this.
class Waiting {
 public:
  explicit Waiting(const workloads::Owners& owners) : owners_(owners) {}

  void add(const kube::Pod& written) { pods_.push_back({order_(written.metadata.source), &written, nullptr}); }
  void add(workloads::CreatedPod& created) {
    pods_.push_back({order_(created.pod.metadata.source), nullptr, &created});
  }

  void admit_all(admission::Admission& admission, Intake& intake) {
    std::ranges::stable_sort(pods_, {}, &Entry::position);
    intake.created.reserve(intake.created.size() + pods_.size());
    for (const Entry& entry : pods_) {
      if (entry.created != nullptr && entry.created->order != nullptr) {
        workloads::CreatedPod& later = *entry.created;
        intake.awaited.push_back({{std::move(later.pod), std::move(later.workload)}, std::move(later.order)});
      } else {
        admit(arrive(entry, intake.created), admission);
      }
    }
  }

 private:
  struct Entry {
    ReadingOrder::Position position;
    const kube::Pod* written = nullptr;
    workloads::CreatedPod* created = nullptr;
  };

  Arrival& arrive(const Entry& entry, std::vector<Arrival>& arrivals) const {
    if (entry.created != nullptr) {
      return arrivals.emplace_back(std::move(entry.created->pod), std::move(entry.created->workload));
    }
    Arrival& arrival = arrivals.emplace_back(*entry.written, owners_.owner_of(*entry.written));
    if (!arrival.pod.metadata.from_cluster()) kube::prepare_for_create(arrival.pod);
    return arrival;
  }

  const workloads::Owners& owners_;
  ReadingOrder order_;
  std::vector<Entry> pods_;
};

/// Calls `act` with the objects of each kind that quotas count, in the order of their admission.
template <class Objects, class Act>
void for_each_counted_kind(Objects& objects, Act act) {
  const auto act_on_each = [&]<class... Kinds>() { (act(objects.template of<Kinds>()), ...); };
  act_on_each.template operator()<kube::Service, kube::ConfigMap, kube::ResourceQuota, kube::PersistentVolumeClaim,
                                  kube::ReplicationController, kube::Deployment, kube::ReplicaSet, kube::StatefulSet,
                                  kube::DaemonSet, kube::Job, kube::CronJob>();
}

void admit_objects(const kube::Objects& objects, admission::Admission& admission, Intake& intake) {
  for_each_counted_kind(objects, [&](const auto& of_kind) {
    for (const auto& object : of_kind) {
      const admission::Verdict verdict = admission.admit(object);
      if (verdict) intake.refused.push_back({workload_name(object), verdict->message});
    }
  });
}

kube::Objects without_refused(kube::Objects objects, const std::vector<RefusedObject>& refused) {
  std::set<WorkloadName> names;
  for (const RefusedObject& each : refused) names.insert(each.object);
  for_each_counted_kind(objects, [&](auto& of_kind) {
    std::erase_if(of_kind, [&](const auto& each) { return names.contains(workload_name(each)); });
  });
  return objects;
}

/// Those that stand for themselves.
void collect_workloads(const kube::Objects& objects, Intake& intake) {
  workloads::for_each_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) {
      if (object.metadata.controller() == nullptr) intake.workloads.push_back(workload_name(object));
    }
  });
}

/// The claims that come with created pods.
void admit_claims(std::vector<kube::PersistentVolumeClaim> claims, admission::Admission& admission, Intake& intake) {
  for (kube::PersistentVolumeClaim& claim : claims) {
    if (const admission::Verdict verdict = admission.admit(claim)) {
      intake.refused.push_back({workload_name(claim), verdict->message});
    } else {
      intake.claims.push_back(std::move(claim));
    }
  }
}

/// Pods that are on a node are admitted at once, since they were there before; those without one wait.
void take_written_pods(const kube::Objects& objects, const workloads::Owners& owners, admission::Admission& admission,
                       Intake& intake, Waiting& waiting) {
  const auto is_on_node = [](const kube::Pod& pod) { return !pod.finished() && !pod.spec->node_name.empty(); };
  intake.existing.reserve(static_cast<std::size_t>(std::ranges::count_if(objects.of<kube::Pod>(), is_on_node)));
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    if (pod.finished()) continue;
    if (!is_on_node(pod)) {
      waiting.add(pod);
      continue;
    }
    Arrival& arrival = intake.existing.emplace_back(pod, owners.owner_of(pod));
    admit(arrival, admission);
    if (!arrival.rejection) continue;
    intake.created.push_back(std::move(arrival));
    intake.existing.pop_back();
  }
}

void take_created_pods(std::vector<workloads::CreatedPod>& pods, Waiting& waiting) {
  CreatedPodDefaults defaults;
  for (workloads::CreatedPod& created : pods) {
    defaults.set(created.pod);
    kube::prepare_for_create(created.pod);
    waiting.add(created);
  }
}

/// A pod belongs to one group, whatever names it gives: told once for each workload.
void note_contradiction(const Arrival& arrival, std::set<std::string>& told, Intake& intake) {
  const std::vector<cluster::spellings::NamedGroup> named =
      cluster::spellings::groups_named_by(arrival.pod.metadata, *arrival.pod.spec);
  for (const cluster::spellings::NamedGroup& other : named) {
    const cluster::spellings::NamedGroup& first = named.front();
    if (other.group.name == first.group.name) continue;
    const std::string subject = arrival.workload.to_string();
    if (!told.insert(subject).second) return;
    Diagnostic& diagnostic = note(intake, arrival.pod.metadata, subject,
                                  fmt::format("its pods name the pod group {} here, but {} in {}, which counts",
                                              other.group.name, first.group.name, first.field));
    diagnostic.path = other.field;
    diagnostic.hint = "name one group";
  }
}

void note_contradictions(Intake& intake) {
  std::set<std::string> told;
  for (const std::vector<Arrival>* arrivals : {&intake.existing, &intake.created}) {
    const workloads::WorkloadReference* last = nullptr;
    for (const Arrival& arrival : *arrivals) {
      const bool is_like_the_last = last != nullptr && *last == arrival.workload;
      if (!is_like_the_last) note_contradiction(arrival, told, intake);
      last = &arrival.workload;
    }
  }
  for (const AwaitedArrival& each : intake.awaited) note_contradiction(each.arrival, told, intake);
}

/// Services and controllers, by what they select.
void add_pod_owners(const kube::Objects& objects, cluster::Cluster& cluster) {
  cluster::PodOwnerIndex& owners = cluster.change_owners();
  for (const kube::Service& service : objects.of<kube::Service>()) owners.add_service(service);
  for (const auto& controller : objects.of<kube::ReplicationController>()) {
    const auto selector = cluster::PodSelector::of_labels(controller.selector, cluster.symbols());
    owners.add_controller("ReplicationController", controller.metadata, selector);
  }
  for (const auto& controller : objects.of<kube::ReplicaSet>()) {
    const auto selector = cluster::PodSelector::of(controller.selector, cluster.symbols());
    owners.add_controller("ReplicaSet", controller.metadata, selector);
  }
  for (const auto& controller : objects.of<kube::StatefulSet>()) {
    const auto selector = cluster::PodSelector::of(controller.selector, cluster.symbols());
    owners.add_controller("StatefulSet", controller.metadata, selector);
  }
}

}  // namespace

void CreatedPodDefaults::set(kube::Pod& pod) {
  const auto [found, fresh] = defaulted_.try_emplace(pod.spec, nullptr);
  if (fresh) {
    kube::set_defaults(pod);
    found->second = pod.spec;
  }
  pod.spec = found->second;
}

admission::SpecFrom spec_of(const workloads::WorkloadReference& workload) {
  bool is_custom = false;
  workloads::for_kind(workload.kind, [&]<class Kind>() { is_custom = kube::kind_of<Kind>().is_custom; });
  return is_custom ? admission::SpecFrom::kCustomResource : admission::SpecFrom::kValidated;
}

Arrival admitted(kube::Pod pod, const workloads::WorkloadReference& workload, admission::Admission& admission) {
  Arrival arrival{std::move(pod), workload};
  admit(arrival, admission);
  return arrival;
}

namespace {

void add_groups(const kube::Objects& objects, const admission::PriorityClasses& classes, cluster::Cluster& cluster) {
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    for (const Kind& group : objects.of<Kind>()) {
      cluster.set_group(admission::with_priority(classes, cluster::spellings::describe(group, cluster.symbols())));
    }
  });
}

}  // namespace

void count_succeeded_pods(const kube::Objects& objects, cluster::Cluster& cluster) {
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    if (pod.status.phase != kube::PodPhase::kSucceeded) continue;
    const std::optional<cluster::GroupName> group = cluster::spellings::group_of(pod);
    if (group) cluster.add_succeeded(pod.metadata.namespace_, *group, workloads::succeeded_pod(pod));
  }
  for (const workloads::GroupRecord& each : workloads::success_records(objects)) {
    cluster.record_succeeded(each.group.first, each.group.second, each.record);
  }
}

void add_made_objects(const kube::Objects& made, const admission::PriorityClasses& classes, cluster::Cluster& cluster) {
  add_pod_owners(made, cluster);
  add_groups(made, classes, cluster);
}

void fill_cluster(const kube::Objects& objects, cluster::Cluster& cluster) {
  for (const kube::Namespace& name_space : objects.of<kube::Namespace>()) {
    cluster.set_namespace(name_space.metadata.name, name_space.metadata.labels);
  }
  for (const kube::Node& node : objects.of<kube::Node>()) cluster.add_node(node);
  add_pod_owners(objects, cluster);
  cluster::set_topologies(objects, cluster);
  add_groups(objects, admission::PriorityClasses(objects.of<kube::PriorityClass>()), cluster);
  cluster::VolumeCatalog& volumes = cluster.volumes();
  for (const auto& storage_class : objects.of<kube::StorageClass>()) volumes.add(storage_class);
  for (const auto& volume : objects.of<kube::PersistentVolume>()) volumes.add(volume);
  for (const auto& node : objects.of<kube::CsiNode>()) volumes.add(node);
  for (const auto& driver : objects.of<kube::CsiDriver>()) volumes.add(driver);
  for (const auto& capacity : objects.of<kube::CsiStorageCapacity>()) volumes.add(capacity);
  for (const auto& attachment : objects.of<kube::VolumeAttachment>()) volumes.add(attachment);
}

namespace {

/// What controllers make, groups among it; the pods are not admitted yet.
std::vector<workloads::CreatedPod> make_pods(const kube::Objects& objects, admission::Admission& admission,
                                             const PlanOptions& options, std::uint64_t seed, Intake& intake) {
  workloads::Expansion expansion = workloads::expand(objects, options.now, seed, options.gates);
  const bool all_whole = options.policy.gang.workloads == gang::GangWorkloads::kWhole;
  workloads::group_whole_workloads(
      objects, all_whole ? workloads::WholeWorkloads::kAll : workloads::WholeWorkloads::kThatAsk,
      gang::holds_room_for_later_parts(options.policy.gang) ? workloads::LaterParts::kHoldRoom
                                                            : workloads::LaterParts::kComeAsTheyAre,
      expansion);
  workloads::group_pods_of_owners(objects, expansion);
  intake.made = std::move(expansion.made);
  intake.revised = std::move(expansion.revised);
  for (const workloads::Note& each : expansion.notes) note(intake, {}, each.workload.to_string(), each.message);
  admit_claims(std::move(expansion.claims), admission, intake);
  return std::move(expansion.pods);
}

}  // namespace

Intake take_in_made(const kube::Objects& objects, admission::Admission& admission, const PlanOptions& options,
                    std::uint64_t seed) {
  Intake intake;
  const workloads::Owners owners(objects);
  Waiting waiting(owners);
  std::vector<workloads::CreatedPod> created = make_pods(objects, admission, options, seed, intake);
  take_created_pods(created, waiting);
  waiting.admit_all(admission, intake);
  return intake;
}

Intake take_in(const kube::Objects& input, admission::Admission& admission, const PlanOptions& options) {
  Intake intake;
  admit_objects(input, admission, intake);
  // A cluster can have many pods, so they are copied only if something is to be left out.
  std::optional<kube::Objects> admitted;
  if (!intake.refused.empty()) admitted = without_refused(input, intake.refused);
  const kube::Objects& objects = admitted ? *admitted : input;
  intake.claims = objects.of<kube::PersistentVolumeClaim>();
  collect_workloads(objects, intake);
  note_idle_quotas(objects, intake);

  const workloads::Owners owners(objects);
  Waiting waiting(owners);
  std::vector<workloads::CreatedPod> created = make_pods(objects, admission, options, options.seed, intake);
  take_written_pods(objects, owners, admission, intake, waiting);
  take_created_pods(created, waiting);
  waiting.admit_all(admission, intake);
  note_contradictions(intake);
  for (Diagnostic& each : note_runtime_classes(input, intake.created)) intake.notes.push_back(std::move(each));
  return intake;
}

}  // namespace loadline::simulator
