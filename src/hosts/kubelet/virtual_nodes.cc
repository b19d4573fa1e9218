#include "hosts/kubelet/virtual_nodes.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/kubelet/node_report.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::kubelet {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

/// "a" to "z", "aa", ….
std::string zone_letter(std::size_t number) {
  std::string letters(1, static_cast<char>('a' + number % 26));
  return number < 26 ? letters : zone_letter(number / 26 - 1) + letters;
}

std::vector<capacity::Zone> zones_of(const NodeGeneration& generation) {
  std::vector<capacity::Zone> zones;
  for (std::size_t i = 0; i < generation.zones; ++i) {
    zones.push_back({generation.region, generation.region + zone_letter(i)});
  }
  if (zones.empty()) zones.push_back({generation.region, generation.region + "a"});
  return zones;
}

/// What the machine itself knows: which GPUs wait for a plugin, and nothing of what befell the one that it is like.
void annotate(const capacity::NodeTemplate& nodes, kube::Node& node) {
  kube::StringMap& annotations = node.metadata.annotations;
  if (const capacity::NodeShape* said = nodes.shape()) {
    const capacity::NodeShape shape = capacity::with_instance_type(*said);
    if (shape.needs_device_plugin && shape.gpu != nullptr) {
      annotations[std::string(kGpus)] = std::to_string(shape.gpus);
    }
    return;
  }
  annotations.erase(std::string(kUnready));
  annotations.erase(std::string(kInterruption));
  std::erase_if(node.taints, [](const kube::Taint& taint) { return taint.key == kInterruption; });
  node.metadata.creation_timestamp.reset();
}

Value document_of(const kube::Node& node) {
  const auto zone = node.metadata.labels.find(kZone);
  const std::string place = zone == node.metadata.labels.end() ? std::string() : zone->second;
  Value document =
      kube::encode_object(kube::kNodeSchema, &node).with("apiVersion", Value("v1")).with("kind", Value("Node"));
  return document::with_at(std::move(document), {"spec", "providerID"},
                           Value(fmt::format("loadline:///{}/{}", place, node.metadata.name)));
}

}  // namespace

Result<std::vector<Value>> generate_nodes(const NodeGeneration& generation) {
  Result<std::vector<kube::Node>> made =
      capacity::make_nodes(generation.templates, generation.there, zones_of(generation));
  if (!made) return tl::unexpected(std::move(made.error()));
  std::vector<Value> documents;
  for (const capacity::NodeTemplate& nodes : generation.templates) {
    for (std::size_t i = 0; i < nodes.count; ++i) {
      kube::Node& node = (*made)[documents.size()];
      annotate(nodes, node);
      documents.push_back(
          make_virtual(document_of(node), documents.size(), generation.kubelet_version, generation.now));
    }
  }
  return documents;
}

Value make_virtual(Value node, std::size_t index, const std::string& kubelet_version, Instant now) {
  if (document::find_at(node, {"metadata", "annotations", kVirtualNode}) == nullptr) {
    node = document::with_at(std::move(node), {"metadata", "annotations", kVirtualNode}, Value("virtual"));
  }
  constexpr std::size_t kRanges = 1U << 16;
  if (document::find_at(node, {"spec", "podCIDR"}) == nullptr && index < kRanges) {
    const Value range(fmt::format("10.{}.{}.0/24", index >> 8, index & 255));
    node = document::with_at(std::move(node), {"spec", "podCIDR"}, range);
    node = document::with_at(std::move(node), {"spec", "podCIDRs"}, Value(document::Array{range}));
  }
  watching::Observed<kube::Node> observed;
  observed.view = watching::read_view<kube::Node>(node);
  observed.document = node;
  NodeReport report;
  report.kubelet_version = kubelet_version;
  report.now = now;
  report.is_heartbeat = true;
  const std::size_t network = index / 254;  // of 254 hosts: neither .0 nor .255
  report.address = fmt::format("172.{}.{}.{}", 16 + network / 256 % 16, network % 256, index % 254 + 1);
  const Value patch = node_status_patch(observed, report);
  const Value* status = patch.find("status");
  if (status == nullptr) return node;
  const Value* there = node.find("status");
  const Value base = there != nullptr && there->is_object() ? *there : Value(Object());
  return std::move(node).with("status", *document::merge_patch(base, *status));
}

}  // namespace loadline::kubelet
