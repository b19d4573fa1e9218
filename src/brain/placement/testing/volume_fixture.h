#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/cycle.h"
#include "brain/placement/plugin.h"

namespace loadline::placement {

/// A small cluster with storage, and one plugin's view of it. For tests.
class VolumeFixture : public ::testing::Test {
 protected:
  static kube::Quantity size(const std::string& text) { return *kube::Quantity::parse(text); }

  static kube::Volume uses_claim(const std::string& claim) {
    kube::Volume volume;
    volume.name = claim;
    volume.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{claim, false};
    return volume;
  }

  static kube::Volume uses_ephemeral(const std::string& name, const std::string& class_name) {
    kube::Volume volume;
    volume.name = name;
    volume.ephemeral_claim.emplace();
    volume.ephemeral_claim->spec.storage_class_name = class_name;
    volume.ephemeral_claim->spec.requests["storage"] = size("1Gi");
    return volume;
  }

  static kube::NodeSelector in_values(const std::string& key, const std::vector<std::string>& values) {
    return {{{{{key, kube::NodeSelectorOperator::kIn, values}}, {}}}};
  }

  cluster::NodeId add_node(const std::string& name, kube::StringMap labels = {}) {
    kube::Node node;
    node.metadata.name = name;
    node.metadata.labels = std::move(labels);
    return cluster_.add_node(node);
  }

  cluster::PodId add_pod(const std::string& name, std::vector<kube::Volume> volumes,
                         const std::string& name_space = "default") {
    kube::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = name_space;
    auto spec = std::make_shared<kube::PodSpec>();
    spec->volumes = std::move(volumes);
    pod.spec = std::move(spec);
    last_pod_ = pod;
    return cluster_.add_pod(pod);
  }

  void add_class(const std::string& name, const std::string& provisioner, kube::VolumeBindingMode mode,
                 std::vector<kube::NodeSelectorTerm> allowed = {}) {
    cluster_.volumes().add(kube::StorageClass{named(name), provisioner, mode, std::move(allowed)});
  }

  static kube::PersistentVolumeClaim make_claim(const std::string& name, const std::string& class_name,
                                                const std::string& amount = "1Gi") {
    kube::PersistentVolumeClaim claim;
    claim.metadata = named(name, "default");
    claim.spec.access_modes = {kube::AccessMode::kReadWriteOnce};
    claim.spec.storage_class_name = class_name;
    claim.spec.requests["storage"] = size(amount);
    return claim;
  }

  static kube::PersistentVolume make_volume(const std::string& name, const std::string& class_name,
                                            const std::string& amount = "1Gi") {
    kube::PersistentVolume volume;
    volume.metadata = named(name);
    volume.access_modes = {kube::AccessMode::kReadWriteOnce};
    volume.storage_class_name = class_name;
    volume.capacity["storage"] = size(amount);
    return volume;
  }

  /// Adds a claim and a volume that are bound to each other.
  void add_bound(const std::string& claim_name, kube::PersistentVolume volume) {
    const std::string volume_name = volume.metadata.name;
    kube::PersistentVolumeClaim claim = make_claim(claim_name, volume.storage_class_name, "0");
    cluster_.volumes().add(std::move(volume));
    cluster_.volumes().add(std::move(claim));
    cluster_.volumes().bind(*cluster_.volumes().claim("default", claim_name), *cluster_.volumes().volume(volume_name));
  }

  static kube::ObjectMeta named(const std::string& name, const std::string& name_space = "") {
    kube::ObjectMeta metadata;
    metadata.name = name;
    metadata.namespace_ = name_space;
    return metadata;
  }

  Cycle cycle(cluster::PodId pod) { return {cluster_, profile_, rejections_, pod}; }

  static std::string text(const Rejection& rejection) {
    std::string text;
    for (const Reason& reason : rejection.reasons) text += (text.empty() ? "" : ", ") + reason.text();
    if (rejection.code == Code::kUnresolvable) text += " (unresolvable)";
    if (rejection.code == Code::kError) text += " (error)";
    return text;
  }

  /// "passes", "skipped", or the rejection with its code; a rejection of the pod as a whole is marked "anywhere: ".
  std::string judge(const Plugin& plugin, cluster::PodId pod, cluster::NodeId node) {
    Cycle one = cycle(pod);
    const PreFilterResult result = plugin.pre_filter(one);
    if (result.skip) return "skipped";
    if (result.rejection) return "anywhere: " + text(*result.rejection);
    const RejectionId rejection = plugin.filter(one, node);
    return rejection == kPassed ? "passes" : text(rejections_.at(rejection));
  }

  /// Places the pod as a scheduler would, the plugin's reservation included.
  void reserve(const Plugin& plugin, cluster::PodId pod, cluster::NodeId node) {
    Cycle one = cycle(pod);
    EXPECT_FALSE(plugin.pre_filter(one).rejection);
    EXPECT_EQ(plugin.filter(one, node), kPassed);
    plugin.reserve(one, node);
    cluster_.place(pod, node);
  }

  cluster::Cluster cluster_;
  Profile profile_;
  RejectionTable rejections_;
  kube::Pod last_pod_;
};

}  // namespace loadline::placement
