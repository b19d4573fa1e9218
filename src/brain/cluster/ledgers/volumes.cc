#include "brain/cluster/ledgers/volumes.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "foundation/base/contract.h"
#include "objects/kube/core/ephemeral_claims.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::cluster {
namespace {

constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";

std::string key_of(std::string_view name_space, std::string_view name) {
  std::string key;
  key.reserve(name_space.size() + name.size() + 1);
  return key.append(name_space).append("/").append(name);
}

template <class Map>
auto* find_in(Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

template <class Map>
void erase_from(Map& map, std::string_view key) {
  const auto found = map.find(key);
  if (found != map.end()) map.erase(found);
}

}  // namespace

bool fully_bound(const kube::PersistentVolumeClaim& claim) {
  return !claim.spec.volume_name.empty() && claim.metadata.annotations.contains(kBindCompletedAnnotation);
}

kube::Quantity storage_of(const kube::ResourceList& resources) {
  const auto found = resources.find("storage");
  return found == resources.end() ? kube::Quantity() : found->second;
}

// ---- changes in -----------------------------------------------------------------------------------------------------

void VolumeCatalog::add(kube::StorageClass storage_class) {
  REQUIRES(!undo_.is_open());
  std::string name = storage_class.metadata.name;
  classes_.insert_or_assign(std::move(name), std::move(storage_class));
}

void VolumeCatalog::add(kube::PersistentVolume volume) {
  if (volume.phase.empty() || volume.phase == "Pending") {
    volume.phase = !volume.claim_ref || volume.claim_ref->uid.empty() ? "Available" : "Bound";
  }
  remove_volume(volume.metadata.name);
  insert(std::move(volume));
}

void VolumeCatalog::add(kube::PersistentVolumeClaim claim) {
  REQUIRES(!undo_.is_open());
  set_default_class(claim);
  const std::string key = key_of(claim.metadata.namespace_, claim.metadata.name);
  erase_from(given_claims_, key);
  const auto [entry, fresh] = claims_.insert_or_assign(key, std::move(claim));
  if (fresh) {
    claim_order_.emplace(claims_made_, key);
    claim_numbers_.emplace(key, claims_made_++);
  }
  if (controller_runs_) sync(entry->second);
}

void VolumeCatalog::add(kube::CsiNode node) {
  REQUIRES(!undo_.is_open());
  std::string name = node.metadata.name;
  csi_nodes_.insert_or_assign(std::move(name), std::move(node));
}

void VolumeCatalog::add(kube::CsiDriver driver) {
  REQUIRES(!undo_.is_open());
  std::string name = driver.metadata.name;
  csi_drivers_.insert_or_assign(std::move(name), std::move(driver));
}

void VolumeCatalog::add(kube::CsiStorageCapacity capacity) {
  REQUIRES(!undo_.is_open());
  std::string key = key_of(capacity.metadata.namespace_, capacity.metadata.name);
  capacities_.insert_or_assign(std::move(key), std::move(capacity));
}

void VolumeCatalog::add(kube::VolumeAttachment attachment) {
  remove_attachment(attachment.metadata.name);
  attachment_nodes_.insert_or_assign(attachment.metadata.name, attachment.node_name);
  std::vector<kube::VolumeAttachment>& there = attachments_[attachment.node_name];
  there.push_back(std::move(attachment));
}

void VolumeCatalog::remove_storage_class(std::string_view name) {
  REQUIRES(!undo_.is_open());
  erase_from(classes_, name);
}

void VolumeCatalog::remove_csi_node(std::string_view name) {
  REQUIRES(!undo_.is_open());
  erase_from(csi_nodes_, name);
}

void VolumeCatalog::remove_csi_driver(std::string_view name) {
  REQUIRES(!undo_.is_open());
  erase_from(csi_drivers_, name);
}

void VolumeCatalog::remove_capacity(std::string_view name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  erase_from(capacities_, key_of(name_space, name));
}

void VolumeCatalog::remove_claim(std::string_view name_space, std::string_view name) {
  remove_claim(key_of(name_space, name));
}

void VolumeCatalog::remove_claim(const std::string& key) {
  REQUIRES(!undo_.is_open());
  const auto number = claim_numbers_.find(key);
  if (number == claim_numbers_.end()) return;
  claim_order_.erase(number->second);
  claim_numbers_.erase(number);
  erase_from(given_claims_, key);
  erase_from(claims_, key);
}

void VolumeCatalog::remove_attachment(std::string_view name) {
  REQUIRES(!undo_.is_open());
  const auto node = attachment_nodes_.find(name);
  if (node == attachment_nodes_.end()) return;
  const auto there = attachments_.find(node->second);
  std::erase_if(there->second, [&](const auto& other) { return other.metadata.name == name; });
  if (there->second.empty()) attachments_.erase(there);
  attachment_nodes_.erase(node);
}

void VolumeCatalog::add_ephemeral_claims(const kube::Pod& pod) {
  for (kube::PersistentVolumeClaim& created : kube::ephemeral_claims(pod)) {
    if (claim(created.metadata.namespace_, created.metadata.name) == nullptr) add(std::move(created));
  }
}

void VolumeCatalog::remove_ephemeral_claims(std::string_view name_space, std::string_view pod,
                                            const kube::PodSpec& spec) {
  for (const kube::Volume& volume : spec.volumes) {
    if (!volume.ephemeral_claim) continue;
    const auto found = claims_.find(key_of(name_space, kube::ephemeral_claim_name(pod, volume)));
    if (found == claims_.end()) continue;
    const kube::OwnerReference* owner = found->second.metadata.controller();
    if (owner == nullptr || owner->kind != "Pod" || owner->name != pod) continue;
    remove_volume(found->second.spec.volume_name);
    remove_claim(std::string(found->first));
  }
}

void VolumeCatalog::set_default_class(kube::PersistentVolumeClaim& claim) const {
  if (kube::names_class(claim) || claim.metadata.from_cluster())
    return;  // the latter was admitted when there was no default
  if (const kube::StorageClass* found = default_class()) claim.spec.storage_class_name = found->metadata.name;
}

// ---- lookup ---------------------------------------------------------------------------------------------------------

const kube::StorageClass* VolumeCatalog::storage_class(std::string_view name) const { return find_in(classes_, name); }

const kube::PersistentVolume* VolumeCatalog::volume(std::string_view name) const { return find_in(volumes_, name); }

std::vector<kube::PersistentVolumeClaim> VolumeCatalog::all_claims() const {
  std::vector<kube::PersistentVolumeClaim> claims;
  claims.reserve(claim_order_.size());
  for (const auto& [number, key] : claim_order_) claims.push_back(claims_.find(key)->second);
  return claims;
}

std::vector<kube::PersistentVolume> VolumeCatalog::all_volumes() const {
  std::vector<kube::PersistentVolume> volumes;
  for (const auto& [name, volume] : volumes_) volumes.push_back(volume);
  return volumes;
}

const kube::PersistentVolumeClaim* VolumeCatalog::claim(std::string_view name_space, std::string_view name) const {
  return find_in(claims_, key_of(name_space, name));
}

const kube::CsiNode* VolumeCatalog::csi_node(std::string_view name) const { return find_in(csi_nodes_, name); }

const kube::CsiDriver* VolumeCatalog::csi_driver(std::string_view name) const { return find_in(csi_drivers_, name); }

const kube::StorageClass* VolumeCatalog::default_class() const {
  return kube::default_class(std::views::values(classes_));
}

std::span<const kube::VolumeAttachment> VolumeCatalog::attachments_to(std::string_view node) const {
  const std::vector<kube::VolumeAttachment>* there = find_in(attachments_, node);
  if (there == nullptr) return {};
  return *there;
}

bool VolumeCatalog::binds_late(const kube::PersistentVolumeClaim& claim) const {
  const kube::StorageClass* found = storage_class(kube::class_of(claim));
  return found != nullptr && found->volume_binding_mode == kube::VolumeBindingMode::kWaitForFirstConsumer;
}

std::vector<const kube::PersistentVolume*> VolumeCatalog::candidates(const kube::PersistentVolumeClaim& claim) const {
  std::vector<const kube::PersistentVolume*> found;
  const auto append = [&found](const Volumes* volumes) {
    if (volumes == nullptr) return;
    for (const auto& [name, volume] : *volumes) found.push_back(volume);
  };
  append(find_in(reserved_, key_of(claim.metadata.namespace_, claim.metadata.name)));
  append(find_in(unclaimed_, kube::class_of(claim)));
  return found;
}

// ---- indexes and binding --------------------------------------------------------------------------------------------

void VolumeCatalog::index(const kube::PersistentVolume& volume) {
  Volumes& volumes = volume.claim_ref ? reserved_[key_of(volume.claim_ref->namespace_, volume.claim_ref->name)]
                                      : unclaimed_[std::string(kube::class_of(volume))];
  volumes.insert_or_assign(volume.metadata.name, &volume);
}

void VolumeCatalog::unindex(const kube::PersistentVolume& volume) {
  ByName<Volumes>& lists = volume.claim_ref ? reserved_ : unclaimed_;
  const auto list = lists.find(volume.claim_ref ? key_of(volume.claim_ref->namespace_, volume.claim_ref->name)
                                                : std::string(kube::class_of(volume)));
  list->second.erase(volume.metadata.name);
  if (list->second.empty()) lists.erase(list);
}

/// REQUIRES: there is none of that name.
kube::PersistentVolume& VolumeCatalog::insert(kube::PersistentVolume volume) {
  std::string name = volume.metadata.name;
  const auto [entry, fresh] = volumes_.emplace(std::move(name), std::move(volume));
  REQUIRES(fresh);
  index(entry->second);
  return entry->second;
}

void VolumeCatalog::remove_volume(std::string_view name) {
  REQUIRES(!undo_.is_open());
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  erase_from(given_volumes_, name);
  erase(found);
}

void VolumeCatalog::erase(ByName<kube::PersistentVolume>::iterator volume) {
  unindex(volume->second);
  volumes_.erase(volume);
}

kube::PersistentVolumeClaim& VolumeCatalog::own(const kube::PersistentVolumeClaim& claim) {
  const auto found = claims_.find(key_of(claim.metadata.namespace_, claim.metadata.name));
  REQUIRES(found != claims_.end());
  return found->second;
}

void VolumeCatalog::bind(const kube::PersistentVolumeClaim& claim, const kube::PersistentVolume& volume) {
  REQUIRES(volumes_.contains(volume.metadata.name));
  kube::PersistentVolume& mine = volumes_.find(volume.metadata.name)->second;
  remember(mine);
  if (others_bind_) {
    hold(mine);
    reserve(mine, claim);
    return choose({claim.metadata.namespace_, claim.metadata.name, mine.metadata.name});
  }
  kube::PersistentVolumeClaim& own_claim = own(claim);
  remember(own_claim);
  bind_pair(own_claim, mine);
}

void VolumeCatalog::reserve(kube::PersistentVolume& volume, const kube::PersistentVolumeClaim& claim) {
  unindex(volume);
  if (!volume.claim_ref) volume.metadata.annotations.insert_or_assign(std::string(kBoundByController), "yes");
  volume.claim_ref = kube::ObjectReference{"PersistentVolumeClaim", claim.metadata.namespace_, claim.metadata.name,
                                           claim.metadata.uid};
  index(volume);
}

void VolumeCatalog::bind_pair(kube::PersistentVolumeClaim& claim, kube::PersistentVolume& volume) {
  reserve(volume, claim);
  volume.phase = "Bound";
  claim.spec.volume_name = volume.metadata.name;
  claim.metadata.annotations.insert_or_assign(std::string(kBindCompletedAnnotation), "yes");
  claim.phase = "Bound";
  claim.status_capacity = volume.capacity;
}

// ---- choices --------------------------------------------------------------------------------------------------------

void VolumeCatalog::choose(ChosenVolume choice) {
  choice.number = ++choices_made_;
  choices_.push_back(std::move(choice));
  undo_.record([](VolumeCatalog& catalog) { catalog.choices_.pop_back(); });
}

std::vector<ChosenVolume> VolumeCatalog::take_choices() {
  std::vector<ChosenVolume> taken = std::exchange(choices_, {});
  if (undo_.is_open() && !taken.empty()) undo_.record([taken](VolumeCatalog& catalog) { catalog.choices_ = taken; });
  return taken;
}

/// The choice that is made next is about to change the object. What was given is kept from the first choice on.
template <class Kind>
void VolumeCatalog::hold(ByName<Given<Kind>> VolumeCatalog::* all, const std::string& key, const Kind& object) {
  (this->*all).try_emplace(key, Given<Kind>{object, {}}).first->second.choices.push_back(choices_made_ + 1);
  undo_.record([all, key](VolumeCatalog& catalog) {
    const auto given = (catalog.*all).find(key);
    given->second.choices.pop_back();
    if (given->second.choices.empty()) (catalog.*all).erase(given);
  });
}

void VolumeCatalog::hold(const kube::PersistentVolumeClaim& claim) {
  hold(&VolumeCatalog::given_claims_, key_of(claim.metadata.namespace_, claim.metadata.name), claim);
}

void VolumeCatalog::hold(const kube::PersistentVolume& volume) {
  hold(&VolumeCatalog::given_volumes_, volume.metadata.name, volume);
}

void VolumeCatalog::give_back(std::span<const ChosenVolume> chosen) {
  REQUIRES(others_bind_ && !undo_.is_open());
  const auto let_go = [this](auto& all, const std::string& key, std::uint64_t choice) {
    const auto given = all.find(key);
    if (given == all.end() || std::erase(given->second.choices, choice) == 0) return;
    if (given->second.choices.empty()) add(std::move(all.extract(given).mapped().object));
  };
  for (const ChosenVolume& each : chosen) {
    let_go(given_claims_, key_of(each.name_space, each.claim), each.number);
    let_go(given_volumes_, each.volume, each.number);
  }
}

// ---- in a transaction -----------------------------------------------------------------------------------------------

/// What bind() and provision() may change of it.
void VolumeCatalog::remember(kube::PersistentVolumeClaim& claim) {
  if (!undo_.is_open()) return;
  undo_.record([&claim, volume_name = claim.spec.volume_name, annotations = claim.metadata.annotations,
                phase = claim.phase, capacity = claim.status_capacity](VolumeCatalog&) {
    claim.spec.volume_name = volume_name;
    claim.metadata.annotations = annotations;
    claim.phase = phase;
    claim.status_capacity = capacity;
  });
}

void VolumeCatalog::remember(kube::PersistentVolume& volume) {
  if (!undo_.is_open()) return;
  undo_.record([&volume, claim_ref = volume.claim_ref, annotations = volume.metadata.annotations,
                phase = volume.phase](VolumeCatalog& catalog) {
    catalog.unindex(volume);
    volume.claim_ref = claim_ref;
    volume.metadata.annotations = annotations;
    volume.phase = phase;
    catalog.index(volume);
  });
}

void VolumeCatalog::remember(kube::CsiStorageCapacity& capacity) {
  if (!undo_.is_open()) return;
  undo_.record([&capacity, amount = capacity.capacity, largest = capacity.maximum_volume_size](VolumeCatalog&) {
    capacity.capacity = amount;
    capacity.maximum_volume_size = largest;
  });
}

void VolumeCatalog::roll_back() {
  undo_.roll_back([this](const Step& undo) { undo(*this); });
}

}  // namespace loadline::cluster
