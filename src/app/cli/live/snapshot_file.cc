#include "app/cli/live/snapshot_file.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "app/cli/live/cluster_reader.h"
#include "app/cli/up/manifests.h"
#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/kubelet/virtual_nodes.h"
#include "objects/kube/condition.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr std::string_view kKubeletVersion = "v1.36.2";  // of a node that does not say its own

std::string_view kind_of(const Value& object) { return document::text_at(object, {"kind"}); }
std::string_view name_of(const Value& object) { return document::text_at(object, {"metadata", "name"}); }

bool has_annotation(const Value& object, std::string_view key) {
  return document::find_at(object, {"metadata", "annotations", key}) != nullptr;
}

bool is_ready(const Value& node) {
  const Value* ready = kube::find_condition(node, "Ready");
  return ready == nullptr || document::text_at(*ready, {"status"}) == "True";  // or no kubelet said that it is not
}

/// A real machine as a virtual one. A dead one stays dead.
Value virtual_node(Value node, std::size_t index, Instant now) {
  const Value yes("true");
  if (!is_ready(node)) node = document::with_at(std::move(node), {"metadata", "annotations", kubelet::kUnready}, yes);
  return kubelet::make_virtual(std::move(node), index, std::string(kKubeletVersion), now);
}

bool ends_by_itself(const Value& pod) {
  const std::string_view phase = document::text_at(pod, {"status", "phase"});
  return phase != "Succeeded" && phase != "Failed" && document::text_at(pod, {"spec", "restartPolicy"}) != "Always";
}

int turn_of(const Value& object) {
  if (kind_of(object) == "Namespace") return 0;
  return kind_of(object) == "CustomResourceDefinition" ? 1 : 2;
}

}  // namespace

SnapshotFile read_snapshot(const std::vector<std::string>& paths, std::istream& standard_input, Instant now) {
  // A dump of an older cluster has them.
  const InputReading reading{kube::RetiredVersions::kAccepted, "loadline snapshot load -"};
  Manifests manifests = read_manifests(paths, reading, standard_input);
  SnapshotFile snapshot;
  snapshot.diagnostics = std::move(manifests.diagnostics);
  std::set<std::string, std::less<>> real_nodes;
  for (Value& node : manifests.nodes) {
    const bool is_real = !has_annotation(node, kubelet::kVirtualNode) && !has_annotation(node, kubelet::kKwokNode);
    if (is_real) real_nodes.emplace(name_of(node));
    snapshot.objects.push_back(is_real ? virtual_node(std::move(node), snapshot.nodes, now) : std::move(node));
    ++snapshot.nodes;
  }
  for (ManifestObject& each : manifests.objects) {
    if (is_of_every_cluster(each.object)) continue;
    Value object = std::move(each.object);
    const bool runs_on =
        kind_of(object) == "Pod" && real_nodes.contains(document::text_at(object, {"spec", "nodeName"}));
    if (runs_on && ends_by_itself(object) && !has_annotation(object, kubelet::kRunTime)) {
      object = document::with_at(std::move(object), {"metadata", "annotations", kubelet::kRunTime}, Value("forever"));
    }
    snapshot.objects.push_back(std::move(object));
  }
  std::ranges::stable_sort(snapshot.objects, {}, turn_of);
  return snapshot;
}

}  // namespace loadline::cli
