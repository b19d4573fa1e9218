#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brain/admission/rejection.h"
#include "brain/admission/runtime_class.h"
#include "foundation/base/result.h"
#include "hosts/advice/lint/empty_cluster.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/objects.h"

namespace loadline::advice::lint {

/// Where the pods of one workload could go if nothing else ran.
struct Fit {
  NodeNumbers takers;              ///< nodes that could run one of its pods
  NodeNumbers selected;            ///< nodes that its node selector and affinity allow
  NodeNumbers large;               ///< nodes with enough of everything it asks for; known only if `takers` is empty
  std::set<std::string> demanded;  ///< the resources that nodes have to have for it; known only if `takers` is empty
  Room room;                       ///< how many of its pods fit at once, of `asked`
  std::size_t asked = 0;           ///< its replicas, and what a rolling update adds; 0 if no node takes one
};

/// What a manifest's author wrote to have pods: a controller, or a pod that no controller made.
struct JudgedWorkload {
  std::string kind;
  const kube::ObjectMeta* metadata = nullptr;
  std::string template_path;                                     ///< "spec.template"; empty for a Pod
  std::string_view spec_field = ".spec";                         ///< where below that the pods' spec is
  std::string_view metadata_field = ".metadata";                 ///< and their labels
  bool judged = false;                                           ///< else it is context
  bool daemon = false;                                           ///< one pod a node
  std::int64_t replicas = 1;                                     ///< that run at once
  const std::optional<kube::LabelSelector>* selector = nullptr;  ///< of a controller that has one
  const kube::Deployment* deployment = nullptr;

  std::shared_ptr<const kube::PodSpec> written;  ///< with the API server's defaults
  /// A pod as it would be created: with defaults, what LimitRanges fill in, its priority, and what its RuntimeClass
  /// wants.
  kube::Pod pod;
  bool changed_by_limits = false;                          ///< a LimitRange filled something in
  std::optional<admission::Rejection> priority_rejection;  ///< its PriorityClass cannot be resolved
  std::optional<admission::Rejection> runtime_rejection;   ///< its RuntimeClass, or that it names none, refuses it
  std::optional<Fit> fit;  ///< of judged workloads whose pods are not bound by name, if there are nodes

  [[nodiscard]] const std::string& name_space() const { return metadata->namespace_; }
  /// "Deployment default/web".
  [[nodiscard]] std::string subject() const;
  /// The path of a field of its pod spec: "spec.template.spec.tolerations[0]".
  [[nodiscard]] std::string path(std::string_view field) const;
  [[nodiscard]] std::string labels_path() const;
  [[nodiscard]] std::int32_t priority() const { return pod.spec->priority.value_or(0); }
};

/// Whether an object is to be judged, or is only there to be taken into account.
using Judged = std::function<bool(const SourcePosition&)>;

/// Everything rules look at, worked out once.
class LintInput {
 public:
  /// Keeps references to `objects` and `configuration`. Errors: the configuration is inconsistent.
  /// O(workloads × nodes × filters + replicas × a decision).
  static Result<LintInput> make(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                                bool has_configuration, Judged judged);

  [[nodiscard]] const kube::Objects& objects() const { return *objects_; }
  [[nodiscard]] const kube::SchedulerConfiguration& configuration() const { return *configuration_; }
  /// The user gave a scheduler configuration.
  [[nodiscard]] bool has_configuration() const { return has_configuration_; }
  [[nodiscard]] bool judges(const kube::ObjectMeta& metadata) const { return judged_(metadata.source); }
  [[nodiscard]] bool judges(const SourcePosition& source) const { return judged_(source); }

  /// All workloads, judged ones and others, in the order of the kinds in kube::Objects.
  [[nodiscard]] const std::vector<JudgedWorkload>& workloads() const { return workloads_; }
  /// Pods of controllers that are not in the input, or exist already: their labels only.
  [[nodiscard]] const std::vector<const kube::Pod*>& other_pods() const { return other_pods_; }
  /// Pods that the workloads would get, with the labels that controllers and operators add. Made when first asked for,
  /// in O(pods): most inputs are judged by their templates alone.
  [[nodiscard]] const std::vector<kube::ObjectMeta>& made_pods() const;

  /// The nodes in good health: without cordons and passing taints.
  [[nodiscard]] const std::vector<kube::Node>& nodes() const { return empty_->nodes(); }
  [[nodiscard]] NodeNumbers nodes_matching(const kube::NodeSelectorTerm& term) const { return empty_->matching(term); }

  /// The input shows all pods there are: it has nodes, those of a live cluster come with its pods, and nothing in it
  /// may make pods that we do not know (kinds that were skipped).
  [[nodiscard]] bool knows_pods() const;
  /// Something in the input sets replicas that their manifests do not say: an autoscaler of pods.
  [[nodiscard]] bool scales_elsewhere() const;
  /// The input shows all PriorityClasses: an API server was asked for them, or it holds those of the cluster that is
  /// context, those of a live cluster, or a whole cluster that a user wrote by hand.
  [[nodiscard]] bool knows_classes() const;
  [[nodiscard]] bool has_class(std::string_view name) const;
  /// The same for StorageClasses and RuntimeClasses.
  [[nodiscard]] bool knows_storage_classes() const;
  [[nodiscard]] bool knows_runtime_classes() const;
  /// The input shows all PodGroups: those of a live cluster, if it has nodes of one, and nothing in it may make more.
  [[nodiscard]] bool knows_pod_groups() const;

 private:
  LintInput() = default;
  template <class Class>
  [[nodiscard]] bool knows_all_of(const std::vector<Class>& classes) const;
  void collect();
  void complete(JudgedWorkload& workload, const admission::RuntimeClasses& runtimes);
  void judge_fit(JudgedWorkload& workload);
  template <class Kind>
  void add_controller(const Kind& object);
  void add(JudgedWorkload workload, const kube::ObjectMeta& metadata, const kube::PodTemplateSpec& pod_template);
  void add_pods();

  const kube::Objects* objects_ = nullptr;
  const kube::SchedulerConfiguration* configuration_ = nullptr;
  bool has_configuration_ = false;
  Judged judged_;
  std::unique_ptr<EmptyCluster> empty_;
  std::vector<JudgedWorkload> workloads_;
  mutable std::optional<std::vector<kube::ObjectMeta>> made_pods_;
  std::vector<const kube::Pod*> other_pods_;
};

/// Whether an affinity term of `workload` selects pods of those labels in that namespace. Namespaces chosen by label
/// count as all.
[[nodiscard]] bool term_matches(const kube::PodAffinityTerm& term, std::string_view own_namespace,
                                std::string_view name_space, const kube::StringMap& labels);

/// The GPUs (and other accelerators) that pods of the spec ask for: resource names.
[[nodiscard]] std::vector<std::string> gpus_asked(const kube::PodSpec& spec);
[[nodiscard]] bool has_gpus(const kube::Node& node);

}  // namespace loadline::advice::lint
