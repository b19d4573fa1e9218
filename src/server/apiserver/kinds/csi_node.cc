#include "objects/kube/storage/storage_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_node(const Value& object) { return typed_errors<kube::CsiNode>(object, kube::kCsiNodeSchema); }

/// A driver that stays on a node stays as it is, but for how many volumes it can attach.
void check_node_change(const CheckedField& object, const CheckedField& old) {
  const CheckedField drivers = object.at({"spec", "drivers"});
  kube::FieldErrors none;
  for (const CheckedField& before : old.at({"spec", "drivers"}).elements()) {
    for (const CheckedField& now : drivers.elements()) {
      if (before.at("name").text() != now.at("name").text()) continue;
      const Value kept = now.value().without("allocatable");
      const Value old_kept = before.value().without("allocatable");
      if (CheckedField(none, kept).is_same_as(CheckedField(none, old_kept))) continue;
      drivers.invalid(kept, "field is immutable");
    }
  }
}

kube::FieldErrors typed_capacity(const Value& object) {
  return typed_errors<kube::CsiStorageCapacity>(object, kube::kCsiStorageCapacitySchema);
}

void check_capacity_change(const CheckedField& object, const CheckedField& old) {
  object.at("nodeTopology").unchanged_from(old.at("nodeTopology"));
  object.at("storageClassName").unchanged_from(old.at("storageClassName"));
}

}  // namespace

// What drivers report of nodes and of storage.
// Source: pkg/registry/storage/{csinode,csistoragecapacity} and pkg/apis/storage/validation, v1.36.
std::unique_ptr<const Strategy> make_csi_node_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits, Rules{typed_node, nullptr, check_node_change, nullptr});
}

std::unique_ptr<const Strategy> make_csi_storage_capacity_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits, Rules{typed_capacity, nullptr, check_capacity_change, nullptr});
}

}  // namespace loadline::apiserver
