#include "hosts/kubelet/node_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "hosts/kubelet/annotations.h"
#include "hosts/kubelet/node_report.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/encoder.h"
#include "objects/kube/scalars.h"

namespace loadline::kubelet {
namespace {

using document::Object;
using document::Value;

constexpr std::size_t kMostNodes = 200'000;
constexpr std::int64_t kMostGpusOfNode = 1024;

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<void> read_amount(std::string_view resource, std::string_view text, NodeShape& shape) {
  const Result<kube::Quantity> amount = kube::Quantity::parse(text);
  if (!amount || amount->sign() <= 0) return failure(fmt::format("{:?} is no amount of {}", text, resource));
  shape.capacity[std::string(resource)] = *amount;
  return {};
}

Result<void> read_label(std::string_view text, NodeShape& shape) {
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  if (!kube::is_qualified_name(key) || !kube::label_value_problems(value).empty()) {
    return failure(fmt::format("{:?} is no label: write label=KEY=VALUE", text));
  }
  shape.labels[std::string(key)] = value;
  return {};
}

Result<void> read_taint(std::string_view text, NodeShape& shape) {
  const std::size_t colon = text.rfind(':');
  const std::string_view effect = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  kube::Taint taint;
  if (effect == "NoSchedule") {
    taint.effect = kube::TaintEffect::kNoSchedule;
  } else if (effect == "PreferNoSchedule") {
    taint.effect = kube::TaintEffect::kPreferNoSchedule;
  } else if (effect == "NoExecute") {
    taint.effect = kube::TaintEffect::kNoExecute;
  } else {
    return failure(
        fmt::format("{:?} is no taint: write taint=KEY[=VALUE]:NoSchedule (or PreferNoSchedule, NoExecute)", text));
  }
  const std::string_view rest = text.substr(0, colon);
  const std::size_t equals = rest.find('=');
  taint.key = rest.substr(0, equals);
  if (equals != std::string_view::npos) taint.value = rest.substr(equals + 1);
  if (!kube::is_qualified_name(taint.key) || !kube::label_value_problems(taint.value).empty()) {
    return failure(fmt::format("{:?} is no taint: its key or value is not valid", text));
  }
  shape.taints.push_back(std::move(taint));
  return {};
}

Result<void> read_name(std::string_view text, NodeShape& shape) {
  if (!kube::dns_subdomain_problems(text).empty() || text.size() > 200) {
    return failure(fmt::format("{:?} cannot begin the names of nodes", text));
  }
  shape.name = text;
  return {};
}

Result<void> read_setting(std::string_view key, std::string_view value, NodeShape& shape) {
  if (key == "cpu" || key == "memory" || key == "pods") return read_amount(key, value, shape);
  if (key == "storage") return read_amount("ephemeral-storage", value, shape);
  if (key == "gpu") return parse_gpu(value, shape);
  if (key == "label") return read_label(value, shape);
  if (key == "taint") return read_taint(value, shape);
  if (key == "name") return read_name(value, shape);
  if (key == "instance-type" || key == "arch") {
    if (!kube::label_value_problems(value).empty()) return failure(fmt::format("{:?} is no label value", value));
    (key == "arch" ? shape.arch : shape.instance_type) = value;
    return {};
  }
  if (key == "capacity-type") {
    if (value != "spot" && value != "on-demand")
      return failure(fmt::format("capacity-type is spot or on-demand, not {:?}", value));
    shape.capacity_type = value;
    return {};
  }
  if (key == "device-plugin") {
    if (value != "required") return failure(fmt::format("device-plugin can only be \"required\", not {:?}", value));
    shape.needs_device_plugin = true;
    return {};
  }
  return failure(
      fmt::format("{:?} says nothing about nodes; name, cpu, memory, storage, pods, gpu, device-plugin, "
                  "instance-type, capacity-type, arch, label and taint do",
                  key));
}

// ---- documents -----------------------------------------------------------------------------------------------------

/// "a" to "z", "aa", ….
std::string zone_letter(std::size_t number) {
  std::string letters(1, static_cast<char>('a' + number % 26));
  return number < 26 ? letters : zone_letter(number / 26 - 1) + letters;
}

/// What the shape has, with what goes without saying.
kube::ResourceList complete_capacity(const NodeShape& shape) {
  const std::int64_t cpus = shape.gpu != nullptr ? shape.gpu->cpus * shape.gpus : 8;
  const std::int64_t gib = shape.gpu != nullptr ? shape.gpu->memory_gib * shape.gpus : 32;
  const auto bytes = [](std::int64_t count) {
    return kube::Quantity::of(count << 30, kube::Quantity::Format::kBinarySI);
  };
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

kube::Node make_node(const NodeShape& shape, const std::string& name, const std::string& region,
                     const std::string& zone) {
  kube::Node node;
  node.metadata.name = name;
  node.capacity = complete_capacity(shape);
  node.allocatable = node.capacity;
  node.taints = shape.taints;
  kube::StringMap& labels = node.metadata.labels;
  const std::string type = instance_type_of(shape, node.capacity);
  for (const char* prefix : {"kubernetes.io/", "beta.kubernetes.io/"}) {
    labels[std::string(prefix) + "arch"] = shape.arch;
    labels[std::string(prefix) + "os"] = "linux";
  }
  labels["kubernetes.io/hostname"] = name;
  labels["node.kubernetes.io/instance-type"] = type;
  labels["topology.kubernetes.io/region"] = region;
  labels["topology.kubernetes.io/zone"] = zone;
  if (!shape.capacity_type.empty()) labels["karpenter.sh/capacity-type"] = shape.capacity_type;
  if (shape.gpu != nullptr) add_gpu_labels(shape, type, labels);
  for (const auto& [key, value] : shape.labels) labels[key] = value;
  if (shape.gpu != nullptr && shape.needs_device_plugin) {
    node.metadata.annotations[std::string(kGpus)] = std::to_string(shape.gpus);
  }
  return node;
}

std::string prefix_of(const NodeShape& shape) {
  if (!shape.name.empty()) return shape.name;
  return shape.gpu != nullptr ? fmt::format("gpu-{}", shape.gpu->name) : "node";
}

/// Numbers of the same width sort as they count.
std::string numbered(const std::string& prefix, std::size_t number, std::size_t most) {
  return fmt::format("{}-{:0{}}", prefix, number, std::to_string(most).size());
}

}  // namespace

Result<void> parse_gpu(std::string_view text, NodeShape& shape) {
  const std::size_t colon = text.find(':');
  const std::string model = kube::lower_case(text.substr(0, colon));
  shape.gpu = find_gpu_model(model);
  if (shape.gpu == nullptr) return failure(fmt::format("{:?} is no GPU known here: {}", model, gpu_model_names()));
  const auto count = colon == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                     : read_number<std::int64_t>(text.substr(colon + 1));
  if (!count || *count < 1 || *count > kMostGpusOfNode) {
    return failure(fmt::format("{:?}: a node has 1 to {} GPUs; write MODEL[:COUNT]", text, kMostGpusOfNode));
  }
  shape.gpus = *count;
  return {};
}

Result<NodeShape> parse_node_shape(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto count = read_number<std::size_t>(text.substr(0, colon));
  if (!count || *count > kMostNodes) {
    return failure(fmt::format("{:?}: begin with a number of nodes, at most {}", text, kMostNodes));
  }
  NodeShape shape;
  shape.count = *count;
  if (colon == std::string_view::npos) return shape;
  for (const std::string_view setting : split(text.substr(colon + 1), ",")) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) return failure(fmt::format("{:?} is not KEY=VALUE", setting));
    if (auto read = read_setting(setting.substr(0, equals), setting.substr(equals + 1), shape); !read) {
      return tl::unexpected(std::move(read.error()));
    }
  }
  return shape;
}

std::vector<Value> generate_nodes(const NodeGeneration& generation) {
  std::map<std::string, std::size_t> most;
  for (const NodeShape& shape : generation.shapes) most[prefix_of(shape)] += shape.count;
  std::map<std::string, std::size_t> last;
  std::vector<Value> nodes;
  for (const NodeShape& shape : generation.shapes) {
    const std::string prefix = prefix_of(shape);
    for (std::size_t i = 0; i < shape.count; ++i) {
      const std::string name = numbered(prefix, ++last[prefix], most[prefix]);
      const std::string zone =
          generation.region + zone_letter(nodes.size() % std::max<std::size_t>(generation.zones, 1));
      const kube::Node node = make_node(shape, name, generation.region, zone);
      Value document =
          kube::encode_object(kube::kNodeSchema, &node).with("apiVersion", Value("v1")).with("kind", Value("Node"));
      document = document::with_at(std::move(document), {"spec", "providerID"},
                                   Value(fmt::format("loadline:///{}/{}", zone, name)));
      nodes.push_back(make_virtual(std::move(document), nodes.size(), generation.kubelet_version, generation.now));
    }
  }
  return nodes;
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
  controllers::Observed<kube::Node> observed;
  observed.view = controllers::read_view<kube::Node>(node);
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
