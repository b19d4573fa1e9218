#include "hosts/advice/probe.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

kube::PersistentVolumeClaim claim(const std::string& name) {
  kube::PersistentVolumeClaim claim;
  claim.metadata.name = name;
  claim.metadata.namespace_ = "default";
  claim.spec.storage_class_name = "by-hand";
  claim.spec.access_modes = {kube::AccessMode::kReadWriteOnce};
  claim.spec.requests["storage"] = quantity("1Gi");
  return claim;
}

PodBuilder with_claim(const std::string& name) {
  PodBuilder builder = pod(name);
  kube::Volume volume;
  volume.name = "data";
  volume.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{name, false};
  builder.spec().volumes.push_back(std::move(volume));
  return builder;
}

/// Once the node takes pods, the first in line takes the only volume: a remedy of the second that leaves out what the
/// first one claims beside its place would be no remedy.
TEST(Probe, ThoseBeforeTakeTheirVolumesToo) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a").allocatable("cpu", "4").cordoned()};
  kube::StorageClass& storage_class = objects.of<kube::StorageClass>().emplace_back();
  storage_class.metadata.name = "by-hand";
  storage_class.provisioner = "kubernetes.io/no-provisioner";
  storage_class.volume_binding_mode = kube::VolumeBindingMode::kWaitForFirstConsumer;
  kube::PersistentVolume& volume = objects.of<kube::PersistentVolume>().emplace_back();
  volume.metadata.name = "only";
  volume.capacity["storage"] = quantity("1Gi");
  volume.access_modes = {kube::AccessMode::kReadWriteOnce};
  volume.storage_class_name = "by-hand";
  objects.of<kube::PersistentVolumeClaim>() = {claim("first"), claim("second")};
  objects.of<kube::Pod>() = {with_claim("first"), with_claim("second")};
  const auto planning = std::move(*simulator::Planning::make(objects, {}, {}));
  ASSERT_EQ(planning->pods().size(), 2U);
  const UntriedRemedy uncordon{{Uncordon{"a"}}, {}, 0};
  EXPECT_TRUE(probe(*planning, 0, uncordon).has_value());
  EXPECT_FALSE(probe(*planning, 1, uncordon).has_value());
}

}  // namespace
}  // namespace loadline::advice
