#include <array>
#include <set>
#include <string>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kNodeColumns = {
    kName,
    TableColumn{"Status", "string", "", "Whether the node is ready and takes pods."},
    TableColumn{"Roles", "string", "", "The roles that the node's labels give it."},
    kAge,
    TableColumn{"Version", "string", "", "The version of the kubelet."},
    TableColumn{"Internal-IP", "string", "", "The node's address inside of the cluster.", 1},
    TableColumn{"External-IP", "string", "", "The node's address outside of the cluster.", 1},
    TableColumn{"OS-Image", "string", "", "The operating system, as it names itself.", 1},
    TableColumn{"Kernel-Version", "string", "", "The version of the kernel, and the architecture.", 1},
    TableColumn{"Container-Runtime", "string", "", "The container runtime and its version.", 1},
};

/// Of several conditions with the type Ready, the last one counts.
std::string node_status(const Value& node) {
  std::string word = "Unknown";
  for (const Value& condition : elements_at(node, "status", "conditions")) {
    if (text_at(condition, "type") == "Ready") word = is_true(&condition) ? "Ready" : "NotReady";
  }
  return boolean_at(node, "spec", "unschedulable") ? word + ",SchedulingDisabled" : word;
}

std::string roles(const Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const document::Member& label : members_at(node, "metadata", "labels")) {
    const std::string_view key = label.key;
    if (key.starts_with(kPrefix)) {
      if (key.size() > kPrefix.size()) roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && label.value.is_string() && !label.value.string().empty()) {
      roles.insert(label.value.string());
    }
  }
  return joined(roles, ",");
}

std::string_view address(const Value& node, std::string_view type) {
  for (const Value& address : elements_at(node, "status", "addresses")) {
    if (text_at(address, "type") == type) return text_at(address, "address");
  }
  return "<none>";
}

std::string kernel(const Value& node) {
  std::string version(text_at(node, "status", "nodeInfo", "kernelVersion"));
  if (version.empty()) version = "<unknown>";
  const std::string_view architecture = text_at(node, "status", "nodeInfo", "architecture");
  if (!architecture.empty()) version.append(" (").append(architecture).append(")");
  return version;
}

void write_node(const Value& node, CellWriter& cells) {
  cells.text(name_of(node));
  cells.text(node_status(node));
  cells.text_or(roles(node), "<none>");
  cells.age(node);
  cells.text(text_at(node, "status", "nodeInfo", "kubeletVersion"));
  cells.text(address(node, "InternalIP"));
  cells.text(address(node, "ExternalIP"));
  cells.text_or(text_at(node, "status", "nodeInfo", "osImage"), "<unknown>");
  cells.text(kernel(node));
  cells.text_or(text_at(node, "status", "nodeInfo", "containerRuntimeVersion"), "<unknown>");
}

constexpr std::array<std::string_view, 3> kLeftOut = {"metadata.managedFields", "metadata.annotations",
                                                      "status.images"};

constexpr std::array kNodeKinds = {KindColumns{"", "Node", kNodeColumns, write_node, {}, kLeftOut}};

}  // namespace

std::span<const KindColumns> node_columns() { return kNodeKinds; }

}  // namespace loadline::api
