#include "brain/capacity/node_template.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "brain/capacity/instance_types.h"
#include "brain/capacity/named_node.h"

namespace loadline::capacity {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kTroubleTaints = "node.kubernetes.io/";

// ---- names ---------------------------------------------------------------------------------------------------------

std::string prefix_of(const NodeTemplate& nodes) {
  if (!nodes.name.empty()) return nodes.name;
  if (const std::string* like = nodes.like()) return *like + "-added";
  const GpuModel* gpu = nodes.shape()->gpu;
  return gpu != nullptr ? fmt::format("gpu-{}", gpu->name) : "node";
}

/// Numbers the names of each prefix, past those that are taken.
class Names {
 public:
  /// `there` outlives it.
  Names(std::span<const NodeTemplate> templates, const std::vector<kube::Node>& there) {
    for (const kube::Node& node : there) taken_.insert(node.metadata.name);
    for (const NodeTemplate& nodes : templates) {
      // Numbers of the same width sort as they count; those of "-added" are not known beforehand.
      const bool is_added = nodes.like() != nullptr && nodes.name.empty();
      most_[prefix_of(nodes)] += is_added ? 0 : nodes.count;
    }
  }

  std::string next(const std::string& prefix) {
    const std::size_t width = std::to_string(most_[prefix]).size();
    while (true) {
      std::string name = fmt::format("{}-{:0{}}", prefix, ++last_[prefix], width);
      if (!taken_.contains(name)) return name;
    }
  }

 private:
  std::unordered_set<std::string_view> taken_;
  std::map<std::string, std::size_t> most_;
  std::map<std::string, std::size_t> last_;
};

// ---- of a shape ----------------------------------------------------------------------------------------------------

kube::Quantity mebibytes(std::int64_t count) {
  return kube::Quantity::of(count << 20, kube::Quantity::Format::kBinarySI);
}

/// What pods may have of the capacity: of a known instance type less than the machine has, unless the author said how
/// much there is.
kube::ResourceList allocatable_of(const NodeShape& said, const kube::ResourceList& capacity) {
  kube::ResourceList allocatable = capacity;
  const InstanceType* const type = find_instance_type(said.instance_type);
  if (type == nullptr) return allocatable;
  if (!said.capacity.contains("cpu")) {
    allocatable["cpu"] = kube::Quantity::of_milli(type->allocatable_millicpus);
  }
  if (!said.capacity.contains("memory")) allocatable["memory"] = mebibytes(type->allocatable_mib);
  return allocatable;
}

/// What the shape has, with what goes without saying.
kube::ResourceList complete_capacity(const NodeShape& shape) {
  const std::int64_t cpus = shape.gpu != nullptr ? shape.gpu->cpus * shape.gpus : 8;
  const std::int64_t gib = shape.gpu != nullptr ? shape.gpu->memory_gib * shape.gpus : 32;
  const auto bytes = [](std::int64_t count) { return mebibytes(count << 10); };
  kube::ResourceList capacity = shape.capacity;
  capacity.try_emplace("cpu", kube::Quantity::of(cpus));
  capacity.try_emplace("memory", bytes(gib));
  capacity.try_emplace("ephemeral-storage", bytes(shape.gpu != nullptr ? 1000 : 100));
  capacity.try_emplace("pods", kube::Quantity::of(110));
  if (shape.gpu != nullptr && !shape.needs_device_plugin)
    capacity.try_emplace("nvidia.com/gpu", kube::Quantity::of(shape.gpus));
  return capacity;
}

void add_gpu_labels(const NodeShape& shape, const std::string& instance_type, kube::StringMap& labels) {
  const GpuModel& model = *shape.gpu;
  labels["nvidia.com/gpu.present"] = "true";
  labels["nvidia.com/gpu.product"] = model.product;
  labels["nvidia.com/gpu.count"] = std::to_string(shape.gpus);
  labels["nvidia.com/gpu.memory"] = std::to_string(model.memory);
  labels["nvidia.com/gpu.family"] = model.family;
  labels["nvidia.com/gpu.compute.major"] = model.compute_major;
  labels["nvidia.com/gpu.compute.minor"] = model.compute_minor;
  labels["nvidia.com/gpu.machine"] = instance_type;
  labels["nvidia.com/gpu.mode"] = "compute";
  labels["nvidia.com/cuda.driver-version.full"] = "570.133.20";
  labels["nvidia.com/cuda.runtime-version.full"] = "12.8";
  labels["nvidia.com/mig.capable"] = model.is_mig_capable ? "true" : "false";
  if (model.is_mig_capable) labels["nvidia.com/mig.strategy"] = "single";
  if (shape.needs_device_plugin) return;
  labels["nvidia.com/gpu.replicas"] = "1";
  labels["nvidia.com/gpu.sharing-strategy"] = "none";
  labels["nvidia.com/mps.capable"] = "false";
}

std::string instance_type_of(const NodeShape& shape, const kube::ResourceList& capacity) {
  if (!shape.instance_type.empty()) return shape.instance_type;
  if (shape.gpu != nullptr) return fmt::format("virtual.{}x{}", shape.gpu->name, shape.gpus);
  return fmt::format("virtual.{}x{}", capacity.find("cpu")->second.value(),
                     capacity.find("memory")->second.value() >> 30);
}

/// A node of the shape that has no name and no zone yet.
kube::Node unnamed(const NodeShape& said) {
  const NodeShape shape = with_instance_type(said);
  kube::Node node;
  node.capacity = complete_capacity(shape);
  node.allocatable = allocatable_of(said, node.capacity);
  node.taints = shape.taints;
  kube::StringMap& labels = node.metadata.labels;
  const std::string type = instance_type_of(shape, node.capacity);
  for (const char* prefix : {"kubernetes.io/", "beta.kubernetes.io/"}) {
    labels[std::string(prefix) + "arch"] = shape.arch;
    labels[std::string(prefix) + "os"] = "linux";
  }
  labels["node.kubernetes.io/instance-type"] = type;
  if (!shape.capacity_type.empty()) labels["karpenter.sh/capacity-type"] = shape.capacity_type;
  if (shape.gpu != nullptr) add_gpu_labels(shape, type, labels);
  for (const auto& [key, value] : shape.labels) labels[key] = value;
  return node;
}

kube::Node named(kube::Node node, const std::string& name, const Zone* zone) {
  node.metadata.name = name;
  kube::StringMap& labels = node.metadata.labels;
  labels.try_emplace(std::string(kHostname), name);
  if (zone == nullptr) return node;
  if (!zone->region.empty()) labels.try_emplace(std::string(kRegion), zone->region);
  labels.try_emplace(std::string(kZone), zone->name);
  return node;
}

// ---- like a node ---------------------------------------------------------------------------------------------------

kube::Node copy_of(const kube::Node& like, const std::string& name) {
  kube::Node node = like;
  node.metadata.name = name;
  node.metadata.uid.clear();
  node.metadata.owner_references.clear();
  node.metadata.finalizers.clear();
  node.metadata.deletion_timestamp.reset();
  node.metadata.deletion_grace_period_seconds.reset();
  node.metadata.labels.insert_or_assign(std::string(kHostname), name);
  node.unschedulable = false;
  std::erase_if(node.taints, [](const kube::Taint& taint) { return taint.key.starts_with(kTroubleTaints); });
  node.conditions.clear();  // no kubelet has said anything yet
  return node;
}

/// The node of that name, of those that are there and those that were made so far.
Result<kube::Node> original(const std::string& name, const std::vector<kube::Node>& there,
                            const std::vector<kube::Node>& made) {
  std::vector<std::string_view> names;
  names.reserve(there.size() + made.size());
  for (const kube::Node& node : there) names.push_back(node.metadata.name);
  for (const kube::Node& node : made) names.push_back(node.metadata.name);
  const Result<std::size_t> found = find_named(name, names);
  if (!found) return tl::unexpected(found.error());
  return *found < there.size() ? there[*found] : made[*found - there.size()];
}

std::string label_of(const kube::Node& node, std::string_view key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? std::string() : found->second;
}

}  // namespace

const std::string* NodeTemplate::like() const {
  const LikeNode* like = std::get_if<LikeNode>(&machine);
  return like != nullptr ? &like->node : nullptr;
}

const NodeShape* NodeTemplate::shape() const { return std::get_if<NodeShape>(&machine); }

NodeShape with_instance_type(NodeShape shape) {
  const InstanceType* const type = find_instance_type(shape.instance_type);
  if (type == nullptr) return shape;
  if (shape.arch == NodeShape().arch) shape.arch = type->arch;
  shape.capacity.try_emplace("cpu", kube::Quantity::of(type->cpus));
  shape.capacity.try_emplace("memory", mebibytes(type->memory_mib));
  shape.capacity.try_emplace("pods", kube::Quantity::of(type->pods));
  if (shape.gpu != nullptr || type->devices == 0) return shape;
  shape.gpu = find_gpu_model(type->gpu_model);
  shape.gpus = type->devices;
  if (shape.gpu == nullptr) {
    shape.capacity.try_emplace(std::string(type->resource), kube::Quantity::of(type->devices));
    shape.gpus = 0;
  }
  return shape;
}

NodeTemplate nodes_like(std::string node, std::size_t count) { return {count, {}, LikeNode{std::move(node)}}; }

std::vector<Zone> zones_of(const std::vector<kube::Node>& nodes) {
  std::set<Zone> seen;
  std::vector<Zone> zones;
  for (const kube::Node& node : nodes) {
    const Zone zone{label_of(node, kRegion), label_of(node, kZone)};
    if (!zone.name.empty() && seen.insert(zone).second) zones.push_back(zone);
  }
  return zones;
}

Result<std::vector<kube::Node>> make_nodes(std::span<const NodeTemplate> templates,
                                           const std::vector<kube::Node>& there, std::span<const Zone> zones) {
  Names names(templates, there);
  std::vector<kube::Node> made;
  for (const NodeTemplate& nodes : templates) {
    const std::string prefix = prefix_of(nodes);
    const std::string* const like = nodes.like();
    const Result<kube::Node> model = like != nullptr ? original(*like, there, made) : unnamed(*nodes.shape());
    if (!model) return tl::unexpected(model.error());
    for (std::size_t i = 0; i < nodes.count; ++i) {
      const Zone* const zone = zones.empty() ? nullptr : &zones[made.size() % zones.size()];
      const std::string name = names.next(prefix);
      made.push_back(like != nullptr ? copy_of(*model, name) : named(*model, name, zone));
    }
  }
  return made;
}

}  // namespace loadline::capacity
