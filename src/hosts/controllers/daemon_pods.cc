#include "hosts/controllers/daemon_pods.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>
#include <utility>

#include "brain/workloads/daemon_nodes.h"
#include "brain/workloads/daemon_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// The template's tolerations, as they stand there, and those that every daemon has.
Value tolerations_of(const Value& spec, const kube::PodSpec& view) {
  const kube::PodSpec daemon = workloads::with_daemon_tolerations(view);
  const Value* own = spec.find("tolerations");
  Array tolerations = own != nullptr && own->is_array() ? own->array() : Array();
  for (std::size_t i = 0; i < daemon.tolerations.size(); ++i) {
    const kube::Toleration& toleration = daemon.tolerations[i];
    if (i >= tolerations.size()) {
      tolerations.push_back(Value(Object{{"key", Value(toleration.key), {}},
                                         {"operator", Value("Exists"), {}},
                                         {"effect", Value(kube::name_of(toleration.effect)), {}}}));
    } else if (!toleration.toleration_seconds) {
      tolerations[i] = Value(tolerations[i]).without("tolerationSeconds");
    }
  }
  return Value(std::move(tolerations));
}

bool has_label(const kube::Pod& pod, std::string_view label, const std::string& value) {
  const auto found = pod.metadata.labels.find(label);
  return !value.empty() && found != pod.metadata.labels.end() && found->second == value;
}

}  // namespace

DaemonPodsByNode by_node(const std::vector<const DaemonPod*>& pods) {
  DaemonPodsByNode nodes;
  for (const DaemonPod* pod : pods) {
    if (pod->view.finished() && pod->is_being_deleted()) continue;
    std::string node = workloads::daemon_target(*pod->view.spec);
    if (!node.empty()) nodes[std::move(node)].push_back(pod);
  }
  const auto key = [](const DaemonPod* pod) {
    return std::tuple(pod->view.spec->node_name.empty(), pod->metadata().creation_timestamp,
                      std::string_view(pod->metadata().name));
  };
  for (auto& [node, on_node] : nodes) {
    std::sort(on_node.begin(), on_node.end(), [&](const DaemonPod* a, const DaemonPod* b) { return key(a) < key(b); });
  }
  return nodes;
}

bool DaemonTemplate::is_of(const kube::Pod& pod) const {
  return has_label(pod, kube::kControllerRevisionHash, hash) ||
         has_label(pod, kube::kPodTemplateGeneration, generation);
}

std::string template_generation(const kube::ObjectMeta& daemon_set) {
  const auto found = daemon_set.annotations.find(kube::kTemplateGeneration);
  if (found == daemon_set.annotations.end()) return "";
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::to_string(number) : "";
}

Value daemon_pod(const Observed<kube::DaemonSet>& daemon_set, const DaemonTemplate& of) {
  workloads::PodDraft draft = workloads::shared_draft(daemon_set.view);
  if (!of.generation.empty()) draft.labels.emplace_back(kube::kPodTemplateGeneration, of.generation);
  draft.labels.emplace_back(kube::kControllerRevisionHash, of.hash);
  Value pod = pod_from_template(document::value_at(daemon_set.document, {"spec", "template"}), draft,
                                controller_reference(kind_name<kube::DaemonSet>(), daemon_set.metadata()));
  Value tolerations = tolerations_of(*pod.find("spec"), *daemon_set.view.template_.spec);
  return document::with_at(std::move(pod), {"spec", "tolerations"}, std::move(tolerations));
}

}  // namespace loadline::controllers
