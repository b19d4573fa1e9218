#include "hosts/kubelet/extended_resources.h"

#include <string>

#include "foundation/document/at.h"
#include "objects/kube/core/node.h"
#include "objects/kube/resource_names.h"

namespace loadline::kubelet {
namespace {

using document::Object;
using document::Value;

const kube::Quantity* find_amount(const kube::ResourceList& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? nullptr : &found->second;
}

}  // namespace

kube::ResourceList extended_capacity(const kube::Node& node) {
  kube::ResourceList amounts;
  for (const auto& [resource, amount] : node.capacity) {
    if (kube::is_extended_resource(resource)) amounts.emplace(resource, amount);
  }
  return amounts;
}

Object allocatable_changes(const watching::Observed<kube::Node>& node, const kube::ResourceList& before,
                           const Devices& devices) {
  Object changes;
  const kube::ResourceList capacity = extended_capacity(node.view);
  for (const auto& [resource, amount] : capacity) {
    const kube::Quantity* allocatable = find_amount(node.view.allocatable, resource);
    const kube::Quantity* earlier = find_amount(before, resource);
    const bool has_changed = earlier == nullptr || *earlier != amount;
    const bool is_due = allocatable == nullptr || (*allocatable != amount && has_changed);
    if (!is_due || devices.amounts.contains(resource)) continue;
    changes.push_back({resource, *document::find_at(node.document, {"status", "capacity", resource}), {}});
  }
  for (const auto& [resource, amount] : before) {
    const bool is_due = !capacity.contains(resource) && node.view.allocatable.contains(resource);
    if (is_due && !devices.amounts.contains(resource)) changes.push_back({resource, Value(), {}});
  }
  return changes;
}

}  // namespace loadline::kubelet
