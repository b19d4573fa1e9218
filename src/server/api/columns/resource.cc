#include <array>
#include <string>

#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kResourceClaimColumns = {
    kName,
    TableColumn{"State", "string", "", "Whether the claim is pending, allocated, reserved."},
    kAge,
};

std::string state(const Value& claim) {
  const bool is_allocated = at(claim, "status", "allocation") != nullptr;
  std::string text = is_being_deleted(claim) ? "deleted" : is_allocated ? "" : "pending";
  if (!is_allocated) return text;
  text += text.empty() ? "allocated" : ",allocated";
  return elements_at(claim, "status", "reservedFor").empty() ? text : text + ",reserved";
}

void write_resource_claim(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(state(object));
  cells.age(object);
}

constexpr std::array kResourceSliceColumns = {
    kName,
    TableColumn{"Node", "string", "", "The node that has the devices."},
    TableColumn{"Driver", "string", "", "The driver that offers the devices."},
    TableColumn{"Pool", "string", "", "The pool that the devices belong to."},
    kAge,
};

void write_resource_slice(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "nodeName"));
  cells.text(text_at(object, "spec", "driver"));
  cells.text(text_at(object, "spec", "pool", "name"));
  cells.age(object);
}

constexpr std::array kDeviceTaintRuleColumns = {
    kName,
    TableColumn{"Key", "string", "", "The key of the taint."},
    TableColumn{"Value", "string", "", "The value of the taint."},
    TableColumn{"Effect", "string", "", "What the taint does to pods."},
    TableColumn{"TimeAdded", "string", "", "The time since devices have the taint."},
    kAge,
};

void write_device_taint_rule(const Value& object, CellWriter& cells) {
  const auto added = time_at(object, "spec", "taint", "timeAdded");
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "taint", "key"));
  cells.text(text_at(object, "spec", "taint", "value"));
  cells.text(text_at(object, "spec", "taint", "effect"));
  cells.text(added ? cells.since(added) : "");
  cells.age(object);
}

constexpr std::array kResourceKinds = {
    KindColumns{"resource.k8s.io", "DeviceClass", kNameAndAge, write_name_and_age},
    KindColumns{"resource.k8s.io", "ResourceClaim", kResourceClaimColumns, write_resource_claim},
    KindColumns{"resource.k8s.io", "ResourceClaimTemplate", kNameAndAge, write_name_and_age},
    KindColumns{"resource.k8s.io", "ResourceSlice", kResourceSliceColumns, write_resource_slice},
    KindColumns{"resource.k8s.io", "DeviceTaintRule", kDeviceTaintRuleColumns, write_device_taint_rule},
};

}  // namespace

std::span<const KindColumns> resource_columns() { return kResourceKinds; }

}  // namespace loadline::api
