#include "brain/cluster/facts/volume_matching.h"

#include <gtest/gtest.h>

#include "brain/cluster/ledgers/volumes.h"

namespace loadline::cluster {
namespace {

using kube::AccessMode;

kube::Quantity size(const char* text) { return *kube::Quantity::parse(text); }

kube::PersistentVolumeClaim claim_of(const char* amount) {
  kube::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.namespace_ = "default";
  claim.spec.access_modes = {AccessMode::kReadWriteOnce};
  claim.spec.storage_class_name = "fast";
  claim.spec.requests["storage"] = size(amount);
  return claim;
}

kube::PersistentVolume volume_of(const char* name, const char* amount) {
  kube::PersistentVolume volume;
  volume.metadata.name = name;
  volume.access_modes = {AccessMode::kReadWriteOnce};
  volume.storage_class_name = "fast";
  volume.capacity["storage"] = size(amount);
  volume.phase = "Available";
  return volume;
}

bool everywhere(const kube::PersistentVolume&) { return true; }
bool nowhere(const kube::PersistentVolume&) { return false; }

TEST(VolumeMatching, AVolumeMustBeWhatTheClaimAsksFor) {
  constexpr struct {
    const char* what;
    void (*change)(kube::PersistentVolumeClaim&, kube::PersistentVolume&);
    bool matches;
  } kCases[] = {
      {"nothing changed", [](auto&, auto&) {}, true},
      {"too small", [](auto&, auto& volume) { volume.capacity["storage"] = size("1023Mi"); }, false},
      {"another class", [](auto&, auto& volume) { volume.storage_class_name = "slow"; }, false},
      {"the class by annotation",
       [](auto& claim, auto&) { claim.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "slow"; },
       false},
      {"another volume mode", [](auto& claim, auto&) { claim.spec.volume_mode = kube::VolumeMode::kBlock; }, false},
      {"another attributes class", [](auto&, auto& volume) { volume.volume_attributes_class_name = "gold"; }, false},
      {"being deleted", [](auto&, auto& volume) { volume.metadata.deletion_timestamp.emplace(); }, false},
      {"not available", [](auto&, auto& volume) { volume.phase = "Released"; }, false},
      {"an access mode missing", [](auto& claim, auto&) { claim.spec.access_modes = {AccessMode::kReadWriteMany}; },
       false},
      {"an access mode to spare", [](auto&, auto& volume) { volume.access_modes.push_back(AccessMode::kReadOnlyMany); },
       true},
      {"a selector that does not match",
       [](auto& claim, auto&) { claim.spec.selector = kube::LabelSelector{{{"disk", "ssd"}}, {}}; }, false},
      {"a selector that matches",
       [](auto& claim, auto& volume) {
         claim.spec.selector = kube::LabelSelector{{{"disk", "ssd"}}, {}};
         volume.metadata.labels["disk"] = "ssd";
       },
       true},
      {"another claim's", [](auto&, auto& volume) { volume.claim_ref = {"", "default", "other", ""}; }, false},
      {"the claim's, be it of another phase",
       [](auto&, auto& volume) {
         volume.claim_ref = {"", "default", "data", ""};
         volume.phase = "Bound";
       },
       true},
      {"of an earlier claim of the name",
       [](auto& claim, auto& volume) {
         claim.metadata.uid = "2";
         volume.claim_ref = {"", "default", "data", "1"};
       },
       false},
  };
  for (const auto& test : kCases) {
    kube::PersistentVolumeClaim claim = claim_of("1Gi");
    kube::PersistentVolume volume = volume_of("v", "1Gi");
    test.change(claim, volume);
    EXPECT_EQ(find_volume_in_reach(claim, {&volume}, {}, everywhere) != nullptr, test.matches) << test.what;
    EXPECT_EQ(find_volume_anywhere(claim, {&volume}, false) != nullptr, test.matches) << test.what;
    EXPECT_EQ(find_volume_in_reach(claim, {&volume}, {}, nowhere), nullptr) << test.what;
    EXPECT_EQ(find_volume_in_reach(claim, {&volume}, {&volume}, everywhere), nullptr) << test.what;
  }
}

TEST(VolumeMatching, TheSmallestLargeEnoughVolumeIsTakenAndTheFirstAmongEquals) {
  const kube::PersistentVolume small = volume_of("small", "1Gi");
  const kube::PersistentVolume big = volume_of("big", "20Gi");
  const kube::PersistentVolume first = volume_of("first", "10Gi");
  const kube::PersistentVolume second = volume_of("second", "10Gi");
  const std::vector<const kube::PersistentVolume*> volumes = {&small, &big, &first, &second};
  EXPECT_EQ(find_volume_in_reach(claim_of("5Gi"), volumes, {}, everywhere), &first);
  EXPECT_EQ(find_volume_in_reach(claim_of("5Gi"), volumes, {&first}, everywhere), &second);
  EXPECT_EQ(find_volume_anywhere(claim_of("5Gi"), volumes, false), &first);
  EXPECT_EQ(find_volume_anywhere(claim_of("5Gi"), volumes, true), nullptr) << "the scheduler will";
}

TEST(VolumeMatching, TheControllerPrefersFewerAccessModesToASmallerVolume) {
  kube::PersistentVolume many = volume_of("many", "5Gi");
  many.access_modes.push_back(AccessMode::kReadWriteMany);
  const kube::PersistentVolume few = volume_of("few", "50Gi");
  EXPECT_EQ(find_volume_anywhere(claim_of("5Gi"), {&many, &few}, false), &few);
  EXPECT_EQ(find_volume_in_reach(claim_of("5Gi"), {&many, &few}, {}, everywhere), &many);
}

TEST(VolumeMatching, AReservedVolumeIsPreferredAndIfOutOfReachNothingElseIs) {
  kube::PersistentVolume reserved = volume_of("reserved", "50Gi");
  reserved.claim_ref = {"", "default", "data", ""};
  const kube::PersistentVolume free = volume_of("free", "1Gi");
  EXPECT_EQ(find_volume_in_reach(claim_of("1Gi"), {&free, &reserved}, {}, everywhere), &reserved);
  EXPECT_EQ(find_volume_anywhere(claim_of("1Gi"), {&free, &reserved}, true), &reserved);
  const auto only_free = [](const kube::PersistentVolume& volume) { return volume.metadata.name == "free"; };
  EXPECT_EQ(find_volume_in_reach(claim_of("1Gi"), {&free, &reserved}, {}, only_free), nullptr);
}

}  // namespace
}  // namespace loadline::cluster
