#include "hosts/controllers/volume_provisioning.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/csi_migration.h"
#include "brain/cluster/ledgers/volumes.h"
#include "foundation/document/at.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

Value requirement(std::string_view key, const std::vector<std::string>& values) {
  Array listed(values.begin(), values.end());
  return Value(
      Object{{"key", Value(key), {}}, {"operator", Value("In"), {}}, {"values", Value(std::move(listed)), {}}});
}

bool allows(const kube::NodeSelectorTerm& term, const kube::StringMap& labels) {
  const auto& requirements = term.match_expressions;
  return !requirements.empty() && std::all_of(requirements.begin(), requirements.end(), [&](const auto& wanted) {
    const auto found = labels.find(wanted.key);
    return found != labels.end() &&
           std::find(wanted.values.begin(), wanted.values.end(), found->second) != wanted.values.end();
  });
}

/// The labels by which the driver tells where a volume can be used.
std::vector<std::string> topology_keys(const kube::StorageClass& storage_class, const Observed<kube::Node>& node,
                                       const Caches& caches) {
  const std::string_view driver = cluster::driver_of_provisioner(storage_class.provisioner);
  if (const auto csi_node = caches.of<kube::CsiNode>().find("", node.metadata().name)) {
    for (const kube::CsiNodeDriver& on_node : csi_node->view.drivers) {
      if (on_node.name == driver && !on_node.topology_keys.empty()) return on_node.topology_keys;
    }
  }
  std::vector<std::string> keys;
  for (const kube::NodeSelectorTerm& term : storage_class.allowed_topologies) {
    if (!allows(term, node.metadata().labels)) continue;
    for (const auto& wanted : term.match_expressions) keys.push_back(wanted.key);
    break;
  }
  return keys;
}

Array terms_for(const kube::StorageClass& storage_class, const Observed<kube::Node>* node, const Caches& caches) {
  Array terms;
  const auto add = [&](Array requirements) {
    if (requirements.empty()) return;
    terms.emplace_back(Object{{"matchExpressions", Value(std::move(requirements)), {}}});
  };
  if (node != nullptr) {
    Array requirements;
    for (const std::string& key : topology_keys(storage_class, *node, caches)) {
      const auto found = node->metadata().labels.find(key);
      if (found != node->metadata().labels.end()) requirements.push_back(requirement(key, {found->second}));
    }
    add(std::move(requirements));
    return terms;
  }
  for (const kube::NodeSelectorTerm& term : storage_class.allowed_topologies) {
    Array requirements;
    for (const auto& wanted : term.match_expressions) requirements.push_back(requirement(wanted.key, wanted.values));
    add(std::move(requirements));
  }
  return terms;
}

}  // namespace

Value provisioned_volume(const ClaimObject& claim, const Observed<kube::StorageClass>& storage_class,
                         const Observed<kube::Node>* node, const Caches& caches) {
  const std::string name = "pvc-" + claim.metadata().uid;
  const std::string_view driver = cluster::driver_of_provisioner(storage_class.view.provisioner);
  Object spec;
  const auto copy = [&](const Value& from, document::Names names, std::string_view as) {
    if (const Value* found = document::find_at(from, names)) spec.push_back({std::string(as), *found, {}});
  };
  const std::string size = cluster::storage_of(claim.view.spec.requests).to_string();
  spec.push_back({"capacity", Value(Object{{"storage", Value(size), {}}}), {}});
  spec.push_back({"csi", Value(Object{{"driver", Value(driver), {}}, {"volumeHandle", Value(name), {}}}), {}});
  copy(claim.document, {"spec", "accessModes"}, "accessModes");
  spec.push_back({"claimRef", claim_reference(claim), {}});
  const std::string_view policy = text_at(storage_class.document, {"reclaimPolicy"});
  spec.push_back({"persistentVolumeReclaimPolicy", Value(policy.empty() ? "Delete" : policy), {}});
  spec.push_back({"storageClassName", Value(storage_class.metadata().name), {}});
  copy(storage_class.document, {"mountOptions"}, "mountOptions");
  copy(claim.document, {"spec", "volumeMode"}, "volumeMode");
  copy(claim.document, {"spec", "volumeAttributesClassName"}, "volumeAttributesClassName");
  if (Array terms = terms_for(storage_class.view, node, caches); !terms.empty()) {
    Object required{{"nodeSelectorTerms", Value(std::move(terms)), {}}};
    spec.push_back({"nodeAffinity", Value(Object{{"required", Value(std::move(required)), {}}}), {}});
  }
  Object annotations{{std::string(kProvisionedBy), Value(storage_class.view.provisioner), {}}};
  Object metadata{{"name", Value(name), {}}, {"annotations", Value(std::move(annotations)), {}}};
  return Value(Object{{"apiVersion", Value("v1"), {}},
                      {"kind", Value("PersistentVolume"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", Value(std::move(spec)), {}}});
}

}  // namespace loadline::controllers
