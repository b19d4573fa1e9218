#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::placement::testing {

/// Storage that comes, changes and goes in a cluster, from a seed: classes whose claims wait for a pod (one whose
/// volumes a provisioner makes, one whose driver counts what is left, one whose volumes people make by hand), claims
/// that are bound already, limits of nodes, and, where others bind, their answers. Claims are in "default".
class RandomStorage {
 public:
  RandomStorage(RandomObjects& random, cluster::Cluster& cluster) : random_(random), cluster_(cluster) {}

  /// Before it there is no storage at all.
  void set_up() { set_up(random_.chance(40)); }
  void set_up(bool others_bind) {
    others_bind_ = others_bind;
    if (others_bind_) catalog().leave_binding_to_others();
    set_up_classes(catalog());
    for (const char* pool : {"pool-a", "pool-b", "pool-everywhere"}) publish_capacity(pool);
    for (int i = 0; i < kClaims; ++i) renew_claim("c" + std::to_string(i));
    for (int i = 0; i < 6; ++i) add_volume();
    for (const char* claim : {"bound0", "bound1"}) add_bound(claim);
    if (!others_bind_ && random_.chance(50)) catalog().bind_immediate_claims();
  }
  [[nodiscard]] bool is_set_up() const { return !catalog().all_claims().empty(); }

  /// What the catalog cannot tell to another: classes and drivers; what it can.
  void fill(cluster::VolumeCatalog& fresh) const {
    if (!is_set_up()) return;
    if (others_bind_) fresh.leave_binding_to_others();
    set_up_classes(fresh);
    for (const auto& [name, node] : csi_nodes_) fresh.add(node);
    for (const auto& [key, capacity] : catalog().capacities()) fresh.add(capacity);
    for (const kube::PersistentVolume& volume : catalog().all_volumes()) fresh.add(volume);
    for (const kube::PersistentVolumeClaim& claim : catalog().all_claims()) fresh.add(claim);
    for (const auto& [name, attachment] : attachments_) fresh.add(attachment);
  }

  /// The pod uses a claim that others use too, or one of its own, or both.
  void mount(cluster::testing::PodBuilder& builder) {
    const std::uint64_t what = random_.below(4);
    if (what != 0) {
      const std::string claim =
          what == 1 && random_.chance(40) ? random_.one_of({"bound0", "bound1", "never was"}) : any_claim();
      kube::Volume volume;
      volume.name = "shared";
      volume.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{claim, false};
      builder.spec().volumes.push_back(std::move(volume));
    }
    if (what > 1) return;
    kube::Volume volume;
    volume.name = "own";
    volume.ephemeral_claim.emplace();
    volume.ephemeral_claim->spec.storage_class_name = random_.one_of({"made", "counted", "counted", "hand"});
    volume.ephemeral_claim->spec.requests["storage"] = any_size();
    builder.spec().volumes.push_back(std::move(volume));
  }

  /// Others learn of what was chosen, and will bind it.
  void note(std::vector<cluster::ChosenVolume> choices) {
    for (cluster::ChosenVolume& choice : choices) unanswered_.push_back(std::move(choice));
    while (!unanswered_.empty() && random_.chance(60)) answer();
  }

  void happen() {
    switch (random_.below(9)) {
      case 0:
      case 1:
        return renew_claim(any_claim());
      case 2:
        return add_volume();
      case 3:
        return catalog().remove_volume("by-hand" + std::to_string(random_.below(kVolumes)));
      case 4:
        return publish_capacity(random_.one_of({"pool-a", "pool-b", "pool-everywhere"}));
      case 5:
        return limit_node();
      case 6:
        return attach();
      default:
        if (!unanswered_.empty()) answer();
    }
  }

 private:
  static constexpr int kClaims = 8;
  static constexpr int kVolumes = 12;
  static constexpr const char* kDriver = "disks.example.com";
  static constexpr const char* kCounting = "counting.example.com";

  [[nodiscard]] cluster::VolumeCatalog& catalog() { return cluster_.volumes(); }
  [[nodiscard]] const cluster::VolumeCatalog& catalog() const { return cluster_.volumes(); }
  kube::Quantity any_size() { return cluster::testing::quantity(random_.one_of({"1Gi", "3Gi", "6Gi"})); }
  std::string any_claim() { return "c" + std::to_string(random_.below(kClaims)); }

  static kube::ObjectMeta named(const std::string& name, const std::string& name_space = "") {
    kube::ObjectMeta metadata;
    metadata.name = name;
    metadata.namespace_ = name_space;
    return metadata;
  }

  static void set_up_classes(cluster::VolumeCatalog& catalog) {
    using kube::VolumeBindingMode;
    catalog.add(kube::StorageClass{named("made"), kDriver, VolumeBindingMode::kWaitForFirstConsumer, {}});
    catalog.add(kube::StorageClass{named("counted"),
                                   kCounting,
                                   VolumeBindingMode::kWaitForFirstConsumer,
                                   {cluster::testing::label_in(kZone, {"a", "b"})}});
    catalog.add(kube::StorageClass{
        named("hand"), std::string(cluster::kNoProvisioner), VolumeBindingMode::kWaitForFirstConsumer, {}});
    catalog.add(kube::StorageClass{named("early"), kDriver, VolumeBindingMode::kImmediate, {}});
    kube::CsiDriver driver;
    driver.metadata = named(kCounting);
    driver.storage_capacity = true;
    catalog.add(std::move(driver));
  }

  kube::PersistentVolumeClaim make_claim(const std::string& name, const std::string& class_name) {
    kube::PersistentVolumeClaim claim;
    claim.metadata = named(name, "default");
    claim.spec.access_modes = {random_.chance(15) ? kube::AccessMode::kReadWriteOncePod
                                                  : kube::AccessMode::kReadWriteOnce};
    claim.spec.storage_class_name = class_name;
    claim.spec.requests["storage"] = any_size();
    return claim;
  }

  /// The claim, and what was made for it, is deleted and comes again.
  void renew_claim(const std::string& name) {
    if (const kube::PersistentVolumeClaim* claim = catalog().claim("default", name)) {
      if (random_.chance(70)) catalog().remove_volume(claim->spec.volume_name);
      catalog().remove_claim("default", name);
    }
    catalog().add(make_claim(name, random_.one_of({"made", "made", "counted", "counted", "hand", "hand", "early"})));
  }

  kube::PersistentVolume make_volume(const std::string& name, const std::string& class_name) {
    kube::PersistentVolume volume;
    volume.metadata = named(name);
    volume.access_modes = {kube::AccessMode::kReadWriteOnce, kube::AccessMode::kReadWriteOncePod};
    volume.storage_class_name = class_name;
    volume.capacity["storage"] = any_size();
    if (random_.chance(40)) volume.csi_driver = kDriver;
    volume.csi_volume_handle = name;
    return volume;
  }

  void add_volume() {
    const std::string name = "by-hand" + std::to_string(random_.below(kVolumes));
    kube::PersistentVolume volume = make_volume(name, random_.one_of({"hand", "hand", "hand", "made"}));
    if (random_.chance(70)) {
      volume.node_affinity = kube::NodeSelector{{cluster::testing::label_in(kZone, {random_.one_of({"a", "b", "c"})})}};
    }
    if (random_.chance(15)) volume.claim_ref = kube::ObjectReference{"", "default", any_claim(), ""};
    catalog().add(std::move(volume));
  }

  void add_bound(const std::string& claim_name) {
    kube::PersistentVolume volume = make_volume("of-" + claim_name, "early");
    volume.node_affinity = kube::NodeSelector{{cluster::testing::label_in(kZone, {random_.one_of({"a", "b"})})}};
    bind(make_claim(claim_name, "early"), std::move(volume));
  }

  /// As the API server tells of it.
  void bind(kube::PersistentVolumeClaim claim, kube::PersistentVolume volume) {
    volume.claim_ref = kube::ObjectReference{"PersistentVolumeClaim", "default", claim.metadata.name, ""};
    volume.phase = claim.phase = "Bound";
    claim.spec.volume_name = volume.metadata.name;
    claim.metadata.annotations[std::string(cluster::kBindCompletedAnnotation)] = "yes";
    claim.status_capacity = volume.capacity;
    catalog().add(std::move(volume));
    catalog().add(std::move(claim));
  }

  void answer() {
    const cluster::ChosenVolume choice = unanswered_.back();
    unanswered_.pop_back();
    const kube::PersistentVolumeClaim* claim = catalog().claim(choice.name_space, choice.claim);
    if (claim == nullptr || cluster::fully_bound(*claim)) return;
    if (choice.volume.empty()) return bind(*claim, make_volume("pvc-" + choice.claim, *claim->spec.storage_class_name));
    if (const kube::PersistentVolume* volume = catalog().volume(choice.volume)) bind(*claim, *volume);
  }

  void publish_capacity(const std::string& name) {
    kube::CsiStorageCapacity capacity;
    capacity.metadata = named(name, "kube-system");
    capacity.storage_class_name = "counted";
    if (name == "pool-a") capacity.node_topology = kube::LabelSelector{{{kZone, "a"}}, {}};
    if (name == "pool-b") capacity.node_topology = kube::LabelSelector{{{kZone, "b"}}, {}};
    if (name == "pool-everywhere") capacity.node_topology.emplace();
    capacity.capacity = cluster::testing::quantity(random_.one_of({"2Gi", "10Gi", "30Gi"}));
    if (random_.chance(30)) capacity.maximum_volume_size = cluster::testing::quantity("5Gi");
    catalog().add(std::move(capacity));
  }

  void limit_node() {
    const std::string name(cluster_.node_name(cluster_.nodes()[random_.below(cluster_.node_count())]));
    kube::CsiNode node;
    node.metadata = named(name);
    const auto limit = static_cast<std::int32_t>(1 + random_.below(3));
    node.drivers = {{kDriver, name, {random_.one_of({kZone, kHostname})}, limit}, {kCounting, name, {kZone}, {}}};
    csi_nodes_[name] = node;
    catalog().add(std::move(node));
  }

  void attach() {
    const std::string name = random_.one_of({"attachment0", "attachment1"});
    catalog().remove_attachment(name);
    attachments_.erase(name);
    if (random_.chance(50)) return;
    const std::string node(cluster_.node_name(cluster_.nodes()[random_.below(cluster_.node_count())]));
    attachments_[name] = {named(name), kDriver, node, "by-hand" + std::to_string(random_.below(kVolumes))};
    catalog().add(attachments_[name]);
  }

  RandomObjects& random_;
  cluster::Cluster& cluster_;
  bool others_bind_ = false;
  std::map<std::string, kube::CsiNode> csi_nodes_;
  std::map<std::string, kube::VolumeAttachment> attachments_;
  std::vector<cluster::ChosenVolume> unanswered_;
};

}  // namespace loadline::placement::testing
