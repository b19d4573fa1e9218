#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// What a controller puts on top of a template to make an object of it, as data with two appliers: a plan applies it to
/// structs (`apply`, below), a controller to documents (hosts/controllers/pod_template.h), which keep what no decision
/// reads.
struct ObjectDraft {
  using Entries = std::vector<std::pair<std::string_view, std::string>>;  // the names outlive the draft

  std::string name;           ///< empty: generated
  std::string generate_name;  ///< empty: as the shared draft says
  Entries labels;             ///< set, whatever the template says
  Entries annotations;
  std::vector<std::string_view> finalizers;  ///< added unless the template has them
};

/// The same for a pod. The pods of one workload share a draft of what all of them get; a draft of its own says what
/// tells one from the others.
struct PodDraft : ObjectDraft {
  /// A volume that is a claim; it takes the place of the template's volume of that name.
  struct ClaimVolume {
    std::string volume;
    std::string claim;
  };
  /// A variable of every container that does not declare it: the value of a field of the pod.
  struct Variable {
    std::string_view name;
    std::string field_path;
  };

  std::string hostname;
  std::string subdomain;
  std::vector<Variable> variables;
  std::vector<ClaimVolume> volumes;
  // Beside those of the template, as documents: a controller keeps all of them, a plan what decisions read.
  std::vector<document::Value> init_containers;
  std::vector<document::Value> containers;
  kube::StringMap node_selector;
  std::vector<kube::Toleration> tolerations;
  std::vector<kube::PodAffinityTerm> near;       ///< required
  std::vector<kube::PodAffinityTerm> away_from;  ///< the same
  std::string restart_policy;                    ///< empty: the template's
  std::string pod_group;                         ///< spec.schedulingGroup.podGroupName; empty: the template's
  std::string node;  ///< the only one the pod may go to: takes the place of the required node affinity
};

/// The draft that pods share which differ in name only: `<controller>-<5 characters>`.
[[nodiscard]] PodDraft replica_draft(std::string_view controller_name);

/// A term of affinity: pods with such labels in the same domain of a node label.
[[nodiscard]] kube::PodAffinityTerm domain_of_pods(std::string topology_key,
                                                   std::vector<kube::LabelSelectorRequirement> labels);

/// Puts labels, annotations and finalizers on the object; the name is the caller's.
void apply(const ObjectDraft& draft, kube::ObjectMeta& metadata);

/// Puts labels, annotations and finalizers on the pod, and volumes and node into a spec of its own; the name is the
/// caller's. What no decision reads is left out: variables, the subdomain, the restart policy, and the hostname where
/// nothing else needs a spec of its own, so that pods go on sharing one.
void apply(const PodDraft& draft, kube::Pod& pod);

/// The same for the template of an object that makes pods.
void apply(const PodDraft& draft, kube::PodTemplateSpec& pod_template);

/// The only field that node affinity may name.
inline constexpr std::string_view kNodeNameField = "metadata.name";

}  // namespace loadline::workloads
