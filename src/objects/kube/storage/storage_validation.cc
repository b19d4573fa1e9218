#include <map>
#include <set>

#include "objects/kube/core/volume_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/storage/storage.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kMaxNodeId = 256;
constexpr std::size_t kMaxDriverName = 63;

NameProblems driver_name_problems(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxDriverName) problems.emplace_back("must be no more than 63 characters");
  for (std::string& problem : dns_subdomain_problems(lower_case(name))) problems.push_back(std::move(problem));
  return problems;
}

using TopologyTerm = std::map<std::string, std::set<std::string>>;

TopologyTerm validate_topology_term(FieldReport& report, const Path& at, const NodeSelectorTerm& term) {
  TopologyTerm values_by_key;
  const Path expressions(at, "matchLabelExpressions");
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const NodeSelectorRequirement& requirement = term.match_expressions[i];
    const Path place = Path::element(expressions, i);
    const Path values(place, "values");
    if (requirement.values.empty()) report.required(values);
    std::set<std::string> seen;
    for (std::size_t j = 0; j < requirement.values.size(); ++j) {
      if (!seen.insert(requirement.values[j]).second) report.duplicate(Path::element(values, j), requirement.values[j]);
    }
    const Path key(place, "key");
    validate_label_key(report, key, requirement.key);
    if (values_by_key.contains(requirement.key)) report.duplicate(key, requirement.key);
    values_by_key[requirement.key] = std::move(seen);
  }
  return values_by_key;
}

void validate_topology_keys(FieldReport& report, const Path& at, const std::vector<std::string>& keys) {
  std::set<std::string_view> seen;
  for (const std::string& key : keys) {
    if (key.empty()) report.required(at);
    if (!seen.insert(key).second) report.duplicate(at, key);
    report.invalid_name(at, key, qualified_name_problems(key));
  }
}

}  // namespace

FieldErrors validate(const StorageClass& storage_class) {
  FieldReport report;
  validate_metadata(report, storage_class.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path provisioner(root, "provisioner");
  if (storage_class.provisioner.empty()) {
    report.required(provisioner);
  } else {
    const std::string lower = lower_case(storage_class.provisioner);
    report.invalid_name(provisioner, lower, qualified_name_problems(lower));
  }
  const Path topologies(root, "allowedTopologies");
  std::set<TopologyTerm> seen;
  for (std::size_t i = 0; i < storage_class.allowed_topologies.size(); ++i) {
    const Path place = Path::element(topologies, i);
    if (!seen.insert(validate_topology_term(report, place, storage_class.allowed_topologies[i])).second) {
      report.duplicate(Path(place, "matchLabelExpressions"), "");
    }
  }
  return report.take();
}

FieldErrors validate(const CsiNode& csi_node) {
  FieldReport report;
  validate_metadata(report, csi_node.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path drivers(spec, "drivers");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < csi_node.drivers.size(); ++i) {
    const CsiNodeDriver& driver = csi_node.drivers[i];
    const Path place = Path::element(drivers, i);
    validate_csi_driver_name(report, Path(place, "name"), driver.name);
    if (driver.node_id.empty()) report.required(Path(place, "nodeID"));
    if (driver.node_id.size() > kMaxNodeId) {
      report.invalid(Path(place, "nodeID"), driver.node_id, "must be 256 characters or less");
    }
    const Path allocatable(place, "allocatable");
    if (driver.allocatable_count) report.not_negative(Path(allocatable, "count"), *driver.allocatable_count);
    if (!names.insert(driver.name).second) report.duplicate(Path(place, "name"), driver.name);
    validate_topology_keys(report, place, driver.topology_keys);
  }
  return report.take();
}

FieldErrors validate(const CsiDriver& csi_driver) {
  FieldReport report;
  validate_metadata(report, csi_driver.metadata, NamespaceRule::kForbidden, driver_name_problems);
  return report.take();
}

FieldErrors validate(const CsiStorageCapacity& capacity) {
  FieldReport report;
  validate_metadata(report, capacity.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  validate_label_selector(report, Path(root, "nodeTopology"), capacity.node_topology);
  report.invalid_name(Path(root, "storageClassName"), capacity.storage_class_name,
                      dns_subdomain_problems(capacity.storage_class_name));
  if (capacity.capacity && capacity.capacity->sign() < 0) {
    report.invalid(Path(root, "capacity"), capacity.capacity->to_string(), "must be greater than or equal to 0");
  }
  return report.take();
}

FieldErrors validate(const VolumeAttachment& attachment) {
  FieldReport report;
  validate_metadata(report, attachment.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_csi_driver_name(report, Path(spec, "attacher"), attachment.attacher);
  report.invalid_name(Path(spec, "nodeName"), attachment.node_name, dns_subdomain_problems(attachment.node_name));
  if (!attachment.persistent_volume_name.empty()) {
    const Path source(spec, "source");
    report.invalid_name(Path(source, "persistentVolumeName"), attachment.persistent_volume_name,
                        dns_subdomain_problems(attachment.persistent_volume_name));
  }
  return report.take();
}

}  // namespace loadline::kube
