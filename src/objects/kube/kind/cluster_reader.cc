#include "objects/kube/kind/cluster_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

using document::Mark;
using document::Value;

namespace {

enum class Role : std::uint8_t { kControlPlane, kWorker };

struct Entry {
  Role role = Role::kControlPlane;
  StringMap labels;
};

struct Cluster {
  std::string name;
  std::vector<Entry> nodes;
};

}  // namespace

inline constexpr std::string_view kRoleNames[] = {"control-plane", "worker"};
inline constexpr Enumeration kRole{kRoleNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<Role> = &kRole;

namespace {

constexpr Field kEntryFields[] = {
    field<&Entry::role>("role"),
    field<&Entry::labels>("labels"),
};
constexpr Schema kEntrySchema{"io.x-k8s.kind.v1alpha4.Node", kEntryFields};

constexpr Field kClusterFields[] = {
    field<&Cluster::name>("name"),
    field<&Cluster::nodes>("nodes", kEntrySchema),
};
constexpr Schema kClusterSchema{"io.x-k8s.kind.v1alpha4.Cluster", kClusterFields};

constexpr std::string_view kVersion = "kind.x-k8s.io/v1alpha4";
constexpr std::string_view kCapacityPrefix = "loadline.dev/capacity.";
constexpr std::string_view kRoleLabel = "node-role.kubernetes.io/control-plane";

struct Amount {
  std::string_view resource;
  std::string_view quantity;
};

/// What a node has unless its labels say otherwise: a developer's machine.
constexpr Amount kNodeCapacity[] = {
    {"cpu", "8"},
    {"memory", "32Gi"},
    {"pods", "110"},
    {"ephemeral-storage", "100Gi"},
};

/// The resource behind a capacity label: label names hold no "/", so it is written "__".
std::string resource_of(std::string_view label) {
  std::string resource(label.substr(kCapacityPrefix.size()));
  if (const std::size_t at = resource.find("__"); at != std::string::npos) resource.replace(at, 2, "/");
  return resource;
}

void take_capacity(Decoder& decoder, const Value* labels, const Path& path, Node& node) {
  for (const Amount& amount : kNodeCapacity) {
    if (const Result<Quantity> quantity = Quantity::parse(amount.quantity)) {
      node.capacity[std::string(amount.resource)] = *quantity;
    }
  }
  const StringMap all = std::exchange(node.metadata.labels, {});
  for (const auto& [name, text] : all) {
    if (!name.starts_with(kCapacityPrefix)) {
      node.metadata.labels.emplace(name, text);
      continue;
    }
    const Result<Quantity> quantity = Quantity::parse(text);
    if (quantity) {
      node.capacity[resource_of(name)] = *quantity;
    } else {
      const Value* value = labels == nullptr ? nullptr : labels->find(name);
      const Path labels_path(path, "labels");
      decoder.report(value == nullptr ? Mark{} : value->mark(), Path::key(labels_path, name),
                     "Invalid value: " + quoted(text) + ": " + quantity.error().message,
                     "write an amount such as \"64\" or \"512Gi\"");
    }
  }
  node.allocatable = node.capacity;
}

/// The labels that kubelet and kubeadm give a node.
void add_standard_labels(Role role, Node& node) {
  StringMap& labels = node.metadata.labels;
  labels["kubernetes.io/hostname"] = node.metadata.name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  labels["beta.kubernetes.io/os"] = "linux";
  labels["beta.kubernetes.io/arch"] = "amd64";
  if (role == Role::kControlPlane) {
    labels[std::string(kRoleLabel)] = "";
    labels["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
  }
}

Node make_node(const std::string& cluster, const Entry& entry, std::size_t number_of_role, bool is_only) {
  Node node;
  node.metadata.name = cluster + "-" + std::string(kRoleNames[static_cast<std::size_t>(entry.role)]);
  if (number_of_role > 1) node.metadata.name += std::to_string(number_of_role);
  node.metadata.labels = entry.labels;
  add_standard_labels(entry.role, node);
  // kind lets pods onto the control plane where there is no other node.
  if (entry.role == Role::kControlPlane && !is_only) {
    node.taints.push_back({std::string(kRoleLabel), "", TaintEffect::kNoSchedule, std::nullopt});
  }
  node.conditions.push_back({"Ready", "True", "KubeletReady", "kubelet is posting ready status"});
  return node;
}

void check_version(Decoder& decoder, const Value& value) {
  const Value* version = value.find("apiVersion");
  if (version == nullptr || !version->is_string() || version->string() == kVersion) return;
  decoder.report(version->mark(), std::string("apiVersion"), "unknown apiVersion: " + version->string(),
                 "write \"apiVersion: " + std::string(kVersion) + "\"");
}

/// The map with the texts of its scalars.
Value as_written(const Value& map, const Value* texts) {
  if (!map.is_object() || texts == nullptr || !texts->is_object()) return map;
  document::Object members = map.object();
  for (document::Member& member : members) {
    if (member.value.is_string() || member.value.is_object() || member.value.is_array()) continue;
    const Value* text = texts->find(member.key);
    const bool has_text = text != nullptr && text->is_string() && !member.value.is_null();
    member.value = Value(has_text ? text->string() : std::string(), member.value.mark());
  }
  return Value(std::move(members), map.mark());
}

Value with_map_as_written(const Value& object, const Value& texts, std::string_view field) {
  if (!object.is_object()) return object;
  const Value* map = object.find(field);
  return map == nullptr ? object : object.with(field, as_written(*map, texts.find(field)));
}

}  // namespace

bool is_kind_cluster(const Value& document) {
  return document::text_at(document, {"kind"}) == "Cluster" &&
         document::text_at(document, {"apiVersion"}).starts_with("kind.x-k8s.io/");
}

Value with_texts_as_written(const Value& cluster, const Value& texts) {
  REQUIRES(cluster.is_object());
  Value whole = with_map_as_written(cluster, texts, "runtimeConfig");
  const Value* nodes = whole.find("nodes");
  const Value* written = texts.find("nodes");
  if (nodes == nullptr || !nodes->is_array() || written == nullptr || !written->is_array()) return whole;
  document::Array entries = nodes->array();
  for (std::size_t i = 0; i < std::min(entries.size(), written->array().size()); ++i) {
    entries[i] = with_map_as_written(entries[i], written->array()[i], "labels");
  }
  return whole.with("nodes", Value(std::move(entries), nodes->mark()));
}

std::vector<Node> read_kind_cluster(Decoder& decoder, const Value& value) {
  REQUIRES(value.is_object());
  check_version(decoder, value);
  const Path root(&kClusterSchema);
  Cluster cluster;
  decode_object(decoder, value, root, kClusterSchema, &cluster);
  if (cluster.name.empty()) cluster.name = "kind";
  if (cluster.nodes.empty()) cluster.nodes.emplace_back();

  const Path list(root, "nodes");
  const Value* entries = value.find("nodes");
  std::vector<Node> nodes;
  std::size_t count_of_role[2] = {};
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Entry& entry = cluster.nodes[i];
    const Value* source =
        entries == nullptr || !entries->is_array() || entries->array().size() <= i ? nullptr : &entries->array()[i];
    std::size_t& number = count_of_role[static_cast<std::size_t>(entry.role)];
    Node node = make_node(cluster.name, entry, ++number, cluster.nodes.size() == 1);
    take_capacity(decoder, source == nullptr ? nullptr : source->find("labels"), Path::element(list, i), node);
    node.metadata.source = decoder.position(source == nullptr ? value.mark() : source->mark());
    nodes.push_back(std::move(node));
  }
  if (count_of_role[0] == 0) {
    decoder.report(entries == nullptr ? value.mark() : entries->mark(), list,
                   "must have at least one control-plane node", "add \"- role: control-plane\"");
  }
  return nodes;
}

}  // namespace loadline::kube
