#include "hosts/extension/extender_request.h"

#include <algorithm>
#include <vector>

#include "foundation/document/writer.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::extension {
namespace {

std::string json(std::string_view text) { return document::write_json(document::Value(text)); }

std::string json_of(const kube::Pod& pod) {
  kube::Pod named = pod;
  named.metadata.uid = placement::uid_of(pod);
  return document::write_json(kube::encode_object(kube::kPodSchema, &named));
}

/// Comma-separated.
template <class Items, class Write>
std::string list(const Items& items, Write&& write) {
  std::string text;
  for (const auto& item : items) text.append(text.empty() ? "" : ",").append(write(item));
  return text;
}

}  // namespace

const std::string& ExtenderRequests::json_of(const kube::Node& node) {
  std::string& text = encoded_[&node];
  if (text.empty()) text = document::write_json(kube::encode_object(kube::kNodeSchema, &node));
  return text;
}

std::string ExtenderRequests::about_nodes(const kube::Pod& pod, std::span<const kube::Node* const> nodes) {
  std::string text = "{\"Pod\":" + extension::json_of(pod);
  if (nodes_ == Nodes::kNames) {
    const auto name = [](const kube::Node* node) { return json(node->metadata.name); };
    return text + ",\"Nodes\":null,\"NodeNames\":[" + list(nodes, name) + "]}";
  }
  const auto whole = [this](const kube::Node* node) -> const std::string& { return json_of(*node); };
  return text + ",\"Nodes\":{\"metadata\":{},\"items\":[" + list(nodes, whole) + "]},\"NodeNames\":null}";
}

std::string ExtenderRequests::about_preemption(const kube::Pod& pod,
                                               std::span<const placement::ShownCandidate> candidates) {
  std::vector<placement::ShownCandidate> sorted(candidates.begin(), candidates.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.node->metadata.name < b.node->metadata.name; });
  const auto victim = [this](const kube::Pod* each) {
    return nodes_ == Nodes::kNames ? "{\"UID\":" + json(placement::uid_of(*each)) + "}" : extension::json_of(*each);
  };
  const auto entry = [&](const placement::ShownCandidate& candidate) {
    return json(candidate.node->metadata.name) + ":{\"Pods\":[" + list(candidate.victims, victim) +
           "],\"NumPDBViolations\":" + std::to_string(candidate.budget_violations) + "}";
  };
  const std::string victims = "{" + list(sorted, entry) + "}";
  const bool names = nodes_ == Nodes::kNames;
  return "{\"Pod\":" + extension::json_of(pod) + ",\"NodeNameToVictims\":" + (names ? "null" : victims) +
         ",\"NodeNameToMetaVictims\":" + (names ? victims : "null") + "}";
}

std::string ExtenderRequests::about_binding(const kube::Pod& pod, std::string_view node) {
  return "{\"PodName\":" + json(pod.metadata.name) + ",\"PodNamespace\":" + json(pod.metadata.namespace_) +
         ",\"PodUID\":" + json(placement::uid_of(pod)) + ",\"Node\":" + json(node) + "}";
}

}  // namespace loadline::extension
