#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/condition.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kNamespaceColumns = {
    kName,
    TableColumn{"Status", "string", "", "The phase of the namespace."},
    kAge,
};

void write_namespace(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "status", "phase"));
  cells.age(object);
}

constexpr std::array kConfigMapColumns = {
    kName,
    TableColumn{"Data", "string", "", "How many keys there are."},
    kAge,
};

void write_config_map(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(static_cast<std::int64_t>(members_at(object, "data").size() + members_at(object, "binaryData").size()));
  cells.age(object);
}

constexpr std::array kSecretColumns = {
    kName,
    TableColumn{"Type", "string", "", "What the secret is for."},
    TableColumn{"Data", "string", "", "How many keys there are."},
    kAge,
};

void write_secret(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "type"));
  cells.integer(static_cast<std::int64_t>(members_at(object, "data").size()));
  cells.age(object);
}

constexpr std::array kServiceAccountColumns = {kName, kAge};

void write_service_account(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.age(object);
}

constexpr std::array kPodTemplateColumns = {
    kName,
    TableColumn{"Containers", "string", "", "The names of the template's containers."},
    TableColumn{"Images", "string", "", "The images of the template's containers."},
    TableColumn{"Pod Labels", "string", "", "The labels that pods of the template get."},
};

void write_pod_template(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  write_containers(at(object, "template"), cells);
  cells.text(formatted_labels(members_at(object, "template", "metadata", "labels")));
}

constexpr std::array kResourceQuotaColumns = {
    kName,
    TableColumn{"Request", "string", "", "What is used of what may be requested."},
    TableColumn{"Limit", "string", "", "What is used of what limits may add up to."},
    kAge,
};

void write_resource_quota(const Value& object, CellWriter& cells) {
  std::vector<const document::Member*> hard;
  for (const document::Member& member : members_at(object, "status", "hard")) hard.push_back(&member);
  std::ranges::sort(hard, {}, &document::Member::key);
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const document::Member* member : hard) {
    auto& column = member->key.starts_with("limits.") ? limits : requests;
    const Value* used = at(object, "status", "used", std::string_view(member->key));
    column.push_back(member->key + ": " + scalar_text(used, "0") + "/" + scalar_text(&member->value, "0"));
  }
  cells.text(name_of(object));
  cells.text(joined(requests, ", "));
  cells.text(joined(limits, ", "));
  cells.age(object);
}

constexpr std::array kComponentStatusColumns = {
    kName,
    TableColumn{"Status", "string", "", "Whether the component is healthy."},
    TableColumn{"Message", "string", "", "What it says about its health."},
    TableColumn{"Error", "string", "", "What is wrong with it."},
};

void write_component_status(const Value& object, CellWriter& cells) {
  const Value* healthy = kube::find_condition(object, "Healthy", {"conditions"});
  cells.text(name_of(object));
  cells.text(healthy == nullptr ? "Unknown" : is_true(healthy) ? "Healthy" : "Unhealthy");
  cells.text(healthy == nullptr ? "" : text_at(*healthy, "message"));
  cells.text(healthy == nullptr ? "" : text_at(*healthy, "error"));
}

constexpr std::array kCoreKinds = {
    KindColumns{"", "Namespace", kNamespaceColumns, write_namespace},
    KindColumns{"", "ConfigMap", kConfigMapColumns, write_config_map},
    KindColumns{"", "Secret", kSecretColumns, write_secret},
    KindColumns{"", "ServiceAccount", kServiceAccountColumns, write_service_account},
    KindColumns{"", "PodTemplate", kPodTemplateColumns, write_pod_template},
    KindColumns{"", "ResourceQuota", kResourceQuotaColumns, write_resource_quota},
    KindColumns{"", "ComponentStatus", kComponentStatusColumns, write_component_status},
};

}  // namespace

std::span<const KindColumns> core_columns() { return kCoreKinds; }

}  // namespace loadline::api
