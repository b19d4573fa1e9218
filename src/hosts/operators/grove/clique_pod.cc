#include "hosts/operators/grove/clique_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "brain/workloads/pod_clique_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/operators/grove/clique_status.h"
#include "hosts/operators/grove/grove_objects.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kWaiter = "grove-initc";
constexpr std::string_view kWaiterImage = "grove-initc:v0.1.0-alpha.11";
constexpr std::string_view kTokenVolume = "sa-token-secret-vol";
constexpr std::string_view kPodVolume = "pod-info-vol";
constexpr std::string_view kForever = "forever";

/// What a virtual node goes by: nothing of Grove runs there that could look for pods.
std::string waiting_annotation() { return fmt::format("{}.{}", kubelet::kRunTime, kWaiter); }

Value variable(std::string_view name, std::string value) {
  return Value(Object{{"name", Value(name), {}}, {"value", Value(std::move(value)), {}}});
}

Value field_reference(std::string path) { return Value(Object{{"fieldPath", Value(std::move(path)), {}}}); }

std::string path_of_label(std::string_view label) { return fmt::format("metadata.labels['{}']", label); }

Array variables(const kube::PodClique& clique, const workloads::PodDraft& draft) {
  const std::string& set = clique.metadata.labels.find(kube::kPartOf)->second;
  const std::string& replica = clique.metadata.labels.find(kube::kGroveSetIndex)->second;
  return {
      variable("GROVE_PCS_NAME", set), variable("GROVE_PCS_INDEX", replica),
      variable("GROVE_PCLQ_NAME", clique.metadata.name),
      variable("GROVE_HEADLESS_SERVICE",
               fmt::format("{}.{}.svc.cluster.local", draft.subdomain, clique.metadata.namespace_)),
      Value(Object{
          {"name", Value("GROVE_PCLQ_POD_INDEX"), {}},
          {"valueFrom", Value(Object{{"fieldRef", field_reference(path_of_label(kube::kGrovePodIndex)), {}}}), {}}})};
}

Value extended(Value value, document::Names names, const Array& more) {
  Array items = document::items_at(value, names);
  items.insert(items.end(), more.begin(), more.end());
  return document::with_at(std::move(value), names, Value(std::move(items)));
}

Value with_variables(Value pod, const Array& added) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    Array containers = document::items_at(pod, {"spec", list});
    if (containers.empty()) continue;
    for (Value& container : containers) container = extended(std::move(container), {"env"}, added);
    pod = document::with_at(std::move(pod), {"spec", list}, Value(std::move(containers)));
  }
  return pod;
}

Value mount(std::string_view volume, std::string_view path) {
  return Value(Object{{"name", Value(volume), {}}, {"readOnly", Value(true), {}}, {"mountPath", Value(path), {}}});
}

Value file_of_field(std::string_view name, std::string path) {
  return Value(Object{{"path", Value(name), {}}, {"fieldRef", field_reference(std::move(path)), {}}});
}

Value with_waiter(Value pod, const kube::PodClique& clique, const kube::PodCliqueSet& set) {
  Array arguments;
  for (const std::string& parent : clique.spec.starts_after) {
    arguments.emplace_back(fmt::format("--podcliques={}:{}", parent, needed_before(set, clique, parent)));
  }
  Value container(Object{{"name", Value(kWaiter), {}},
                         {"image", Value(kWaiterImage), {}},
                         {"args", Value(std::move(arguments)), {}},
                         {"volumeMounts",
                          Value(Array{mount(kPodVolume, "/var/grove/pod-info"),
                                      mount(kTokenVolume, "/var/run/secrets/kubernetes.io/serviceaccount")}),
                          {}}});
  Value token(
      Object{{"secretName", Value(token_name(set.metadata.name)), {}}, {"defaultMode", Value(std::int64_t{420}), {}}});
  Value fields(Object{{"items",
                       Value(Array{file_of_field("namespace", "metadata.namespace"),
                                   file_of_field("podgangname", path_of_label(kube::kGrovePodGang))}),
                       {}}});
  pod = extended(std::move(pod), {"spec", "initContainers"}, {std::move(container)});
  pod = extended(std::move(pod), {"spec", "volumes"},
                 {Value(Object{{"name", Value(kTokenVolume), {}}, {"secret", std::move(token), {}}}),
                  Value(Object{{"name", Value(kPodVolume), {}}, {"downwardAPI", std::move(fields), {}}})});
  return document::with_at(std::move(pod), {"metadata", "annotations", waiting_annotation()}, Value(kForever));
}

bool has_failing_container(const Value& pod, std::string_view list) {
  return std::ranges::any_of(document::items_at(pod, {"status", list}), [](const Value& status) {
    const Value* const code = document::find_at(status, {"lastState", "terminated", "exitCode"});
    return code != nullptr && code->is_integer() && code->integer() != 0;
  });
}

}  // namespace

CliquePods::CliquePods(const watching::Observed<kube::PodClique>& clique, const kube::PodCliqueSet& set)
    : clique_(clique), set_(set) {
  const workloads::PodDraft draft = workloads::clique_pods_draft(clique.view);
  Value metadata = document::value_at(clique.document, {"metadata"});
  Value pods(Object{{"metadata",
                     Value(Object{{"labels", document::value_at(metadata, {"labels"}), {}},
                                  {"annotations", document::value_at(metadata, {"annotations"}), {}}}),
                     {}},
                    {"spec", document::value_at(clique.document, {"spec", "podSpec"}), {}}});
  prototype_ = controllers::pod_from_template(
      pods, draft, controllers::controller_reference(watching::kind_name<kube::PodClique>(), clique.metadata()));
  prototype_ = with_variables(std::move(prototype_), variables(clique.view, draft));
  Value gate(Object{{"name", Value(kube::kGroveGate), {}}});
  prototype_ = document::with_at(std::move(prototype_), {"spec", "schedulingGates"}, Value(Array{std::move(gate)}));
  if (!clique.view.spec.starts_after.empty()) prototype_ = with_waiter(std::move(prototype_), clique.view, set);
}

Value CliquePods::pod(std::int64_t index) const {
  return controllers::with_draft(prototype_, workloads::clique_pod_draft(clique_.view, index));
}

std::int32_t needed_before(const kube::PodCliqueSet& set, const kube::PodClique& clique, std::string_view parent) {
  const std::string replica = clique.metadata.labels.find(kube::kGroveSetIndex)->second;
  const std::string prefix = fmt::format("{}-{}-", set.metadata.name, replica);
  for (const kube::CliqueTemplate& each : set.cliques) {
    const kube::CliqueScalingGroup* const group = workloads::scaling_group_of(set, each.name);
    const bool is_it = group == nullptr ? parent == prefix + each.name
                                        : parent.starts_with(fmt::format("{}{}-", prefix, group->name)) &&
                                              parent.ends_with('-' + each.name);
    if (is_it) return least_available(each.spec);
  }
  return 0;
}

bool waits_for_others(const kube::ObjectMeta& pod) {
  const auto found = pod.annotations.find(waiting_annotation());
  return found != pod.annotations.end() && found->second == kForever;
}

Value end_of_waiting() {
  Value annotations(Object{{waiting_annotation(), Value("0s"), {}}});
  return Value(Object{{"metadata", Value(Object{{"annotations", std::move(annotations), {}}}), {}}});
}

bool has_failed_before(const Value& pod) {
  return has_failing_container(pod, "initContainerStatuses") || has_failing_container(pod, "containerStatuses");
}

}  // namespace loadline::operators
