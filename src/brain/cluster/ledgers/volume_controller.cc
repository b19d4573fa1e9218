// The part of VolumeCatalog that stands for the persistent volume controller and the provisioners.
#include <optional>
#include <utility>

#include "brain/cluster/facts/csi_migration.h"
#include "brain/cluster/facts/volume_matching.h"
#include "brain/cluster/ledgers/volumes.h"
#include "foundation/base/contract.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::cluster {
namespace {

constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";

std::optional<std::string> label(const SelectedNode& node, const std::string& key) {
  const Symbol symbol = node.symbols.find(key);
  if (!symbol.valid()) return std::nullopt;
  const Symbol value = node.labels.find(symbol);
  if (!value.valid()) return std::nullopt;
  return std::string(node.symbols.text(value));
}

bool allows(const kube::NodeSelectorTerm& term, const SelectedNode& node) {
  for (const kube::NodeSelectorRequirement& requirement : term.match_expressions) {
    const std::optional<std::string> value = label(node, requirement.key);
    bool found = false;
    for (const std::string& allowed : requirement.values) found = found || value == allowed;
    if (!found) return false;
  }
  return !term.match_expressions.empty();
}

/// The keys that tell where a volume of the class can be used.
std::vector<std::string> topology_keys(const kube::StorageClass& storage_class, const kube::CsiNode* csi_node,
                                       const SelectedNode& node) {
  const std::string_view wanted = driver_of_provisioner(storage_class.provisioner);
  if (csi_node != nullptr) {
    for (const kube::CsiNodeDriver& driver : csi_node->drivers) {
      if (driver.name == wanted && !driver.topology_keys.empty()) return driver.topology_keys;
    }
  }
  std::vector<std::string> keys;
  for (const kube::NodeSelectorTerm& term : storage_class.allowed_topologies) {
    if (!allows(term, node)) continue;
    for (const kube::NodeSelectorRequirement& requirement : term.match_expressions) keys.push_back(requirement.key);
    break;
  }
  return keys;
}

std::optional<kube::NodeSelector> affinity_to(const SelectedNode& node, const std::vector<std::string>& keys) {
  kube::NodeSelectorTerm term;
  for (const std::string& key : keys) {
    if (std::optional<std::string> value = label(node, key)) {
      term.match_expressions.push_back({key, kube::NodeSelectorOperator::kIn, {std::move(*value)}});
    }
  }
  if (term.match_expressions.empty()) return std::nullopt;
  return kube::NodeSelector{{std::move(term)}};
}

/// A volume that was provisioned for no node in particular lies somewhere in the allowed topologies.
std::optional<kube::NodeSelector> affinity_to_allowed(const kube::StorageClass& storage_class) {
  kube::NodeSelector affinity;
  for (const kube::NodeSelectorTerm& term : storage_class.allowed_topologies) {
    if (!term.match_expressions.empty()) affinity.terms.push_back(term);
  }
  if (affinity.terms.empty()) return std::nullopt;
  return affinity;
}

/// What a driver would publish once a volume of the size is made.
void shrink(kube::CsiStorageCapacity& capacity, const kube::Quantity& size) {
  if (!capacity.capacity) return;
  *capacity.capacity -= size;
  if (capacity.capacity->sign() < 0) capacity.capacity = kube::Quantity();
  if (capacity.maximum_volume_size && *capacity.maximum_volume_size > *capacity.capacity) {
    capacity.maximum_volume_size = capacity.capacity;
  }
}

}  // namespace

void VolumeCatalog::bind_immediate_claims() {
  REQUIRES(!undo_.is_open());
  controller_runs_ = true;
  for (const auto& [number, key] : claim_order_) sync(claims_.find(key)->second);
}

void VolumeCatalog::sync(kube::PersistentVolumeClaim& claim) {
  if (claim.metadata.annotations.contains(kBindCompletedAnnotation)) return sync_bound(claim);
  if (!claim.spec.volume_name.empty()) return sync_named(claim);
  const bool late = binds_late(claim);
  if (const kube::PersistentVolume* found = find_volume_anywhere(claim, candidates(claim), late)) {
    bind(claim, *found);
    return;
  }
  // A claim from before there was a default class gets it now.
  if (!names_class(claim)) {
    if (const kube::StorageClass* found = default_class()) {
      claim.spec.storage_class_name = found->metadata.name;
      return sync(claim);
    }
  }
  if (!late && provision_anywhere(claim)) return;
  claim.phase = "Pending";
}

void VolumeCatalog::sync_bound(kube::PersistentVolumeClaim& claim) {
  const auto found = volumes_.find(claim.spec.volume_name);
  if (found == volumes_.end() || (found->second.claim_ref && !belongs_to(found->second, claim))) {
    claim.phase = "Lost";
    return;
  }
  bind_pair(claim, found->second);
}

void VolumeCatalog::sync_named(kube::PersistentVolumeClaim& claim) {
  const auto found = volumes_.find(claim.spec.volume_name);
  if (found != volumes_.end()) {
    const bool free = !found->second.claim_ref && satisfies(found->second, claim);
    if (free || belongs_to(found->second, claim)) return bind_pair(claim, found->second);
  }
  claim.phase = "Pending";
}

bool VolumeCatalog::provision_anywhere(kube::PersistentVolumeClaim& claim) {
  const kube::StorageClass* found = storage_class(class_of(claim));
  if (found == nullptr || found->provisioner.empty() || found->provisioner == kNoProvisioner) return false;
  provision(claim, *found, affinity_to_allowed(*found));
  return true;
}

void VolumeCatalog::provision(const kube::PersistentVolumeClaim& claim, const SelectedNode& node,
                              const kube::CsiStorageCapacity* capacity) {
  kube::PersistentVolumeClaim& mine = own(claim);
  REQUIRES(storage_class(class_of(claim)) != nullptr);
  const kube::StorageClass& found = *storage_class(class_of(claim));
  remember(mine);
  if (others_bind_) hold(mine);
  mine.metadata.annotations.insert_or_assign(std::string(kSelectedNodeAnnotation), std::string(node.name));
  if (others_bind_) return choose({mine.metadata.namespace_, mine.metadata.name, {}});
  if (capacity != nullptr) {
    const auto source = capacities_.find(capacity->metadata.namespace_ + "/" + capacity->metadata.name);
    if (source != capacities_.end()) {
      remember(source->second);
      shrink(source->second, storage_of(mine.spec.requests));
    }
  }
  provision(mine, found, affinity_to(node, topology_keys(found, csi_node(node.name), node)));
}

void VolumeCatalog::provision(kube::PersistentVolumeClaim& claim, const kube::StorageClass& storage_class,
                              std::optional<kube::NodeSelector> affinity) {
  kube::PersistentVolume made;
  std::string name = "pvc-" + claim.metadata.uid;
  if (claim.metadata.uid.empty()) name = "pvc-" + claim.metadata.namespace_ + "-" + claim.metadata.name;
  made.metadata.name = name;
  for (int copy = 2; volume(made.metadata.name) != nullptr; ++copy)
    made.metadata.name = name + "-" + std::to_string(copy);
  made.metadata.annotations[std::string(kProvisionedBy)] = storage_class.provisioner;
  made.capacity["storage"] = storage_of(claim.spec.requests);
  made.access_modes = claim.spec.access_modes;
  made.storage_class_name = storage_class.metadata.name;
  made.volume_mode = claim.spec.volume_mode;
  made.volume_attributes_class_name = claim.spec.volume_attributes_class_name;
  made.node_affinity = std::move(affinity);
  made.csi_driver = driver_of_provisioner(storage_class.provisioner);
  made.csi_volume_handle = made.metadata.name;
  kube::PersistentVolume& mine = insert(std::move(made));
  if (undo_.is_open()) {
    undo_.record([name = mine.metadata.name](VolumeCatalog& catalog) { catalog.erase(catalog.volumes_.find(name)); });
  }
  bind_pair(claim, mine);
}

}  // namespace loadline::cluster
