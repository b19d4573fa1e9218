#include "brain/cluster/ledgers/volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/cluster/testing/volume_books.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::cluster {
namespace {

using kube::VolumeBindingMode;

kube::Quantity size_of(const char* text) { return *kube::Quantity::parse(text); }

struct VolumeCatalogTest : ::testing::Test {
  VolumeCatalog catalog;

  static kube::ObjectMeta named(const std::string& name, const std::string& name_space = "") {
    kube::ObjectMeta metadata;
    metadata.name = name;
    metadata.namespace_ = name_space;
    return metadata;
  }

  static kube::StorageClass make_class(const std::string& name, const std::string& provisioner,
                                       VolumeBindingMode mode = VolumeBindingMode::kImmediate) {
    return {named(name), provisioner, mode, {}};
  }

  static kube::PersistentVolumeClaim make_claim(const std::string& name, std::optional<std::string> class_name) {
    kube::PersistentVolumeClaim claim;
    claim.metadata = named(name, "default");
    claim.spec.storage_class_name = std::move(class_name);
    claim.spec.requests["storage"] = size_of("1Gi");
    return claim;
  }

  static kube::PersistentVolume make_volume(const std::string& name, const std::string& class_name,
                                            const char* amount = "1Gi") {
    kube::PersistentVolume volume;
    volume.metadata = named(name);
    volume.storage_class_name = class_name;
    volume.capacity["storage"] = size_of(amount);
    return volume;
  }

  void add_default_class(const std::string& name, int seconds, const char* annotation) {
    kube::StorageClass made = make_class(name, "d");
    made.metadata.annotations[annotation] = "true";
    made.metadata.creation_timestamp = Instant{} + Duration::seconds(seconds);
    catalog.add(std::move(made));
  }

  const kube::PersistentVolumeClaim& claim(const std::string& name) { return *catalog.claim("default", name); }
};

TEST_F(VolumeCatalogTest, TheNewestMarkedClassIsTheDefaultByNameAmongEquals) {
  constexpr char kMark[] = "storageclass.kubernetes.io/is-default-class";
  EXPECT_EQ(catalog.default_class(), nullptr);
  catalog.add(make_class("unmarked", "d"));
  EXPECT_EQ(catalog.default_class(), nullptr);
  add_default_class("old", 1, kMark);
  add_default_class("new-b", 2, kMark);
  add_default_class("new-a", 2, "storageclass.beta.kubernetes.io/is-default-class");
  EXPECT_EQ(catalog.default_class()->metadata.name, "new-a");
}

TEST_F(VolumeCatalogTest, OnlyAClaimThatNamesNoClassGetsTheDefault) {
  add_default_class("standard", 1, "storageclass.kubernetes.io/is-default-class");
  catalog.add(make_claim("open", std::nullopt));
  catalog.add(make_claim("none", ""));
  kube::PersistentVolumeClaim annotated = make_claim("annotated", std::nullopt);
  annotated.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "other";
  catalog.add(std::move(annotated));
  EXPECT_EQ(class_of(claim("open")), "standard");
  EXPECT_EQ(class_of(claim("none")), "");
  EXPECT_EQ(class_of(claim("annotated")), "other");
}

TEST_F(VolumeCatalogTest, AClaimFromBeforeTheDefaultClassPrefersAVolumeWithoutClass) {
  catalog.add(make_claim("lucky", std::nullopt));
  catalog.add(make_claim("late", std::nullopt));
  catalog.add(make_volume("v", ""));
  add_default_class("standard", 1, "storageclass.kubernetes.io/is-default-class");
  catalog.bind_immediate_claims();
  EXPECT_EQ(claim("lucky").spec.volume_name, "v");
  EXPECT_EQ(class_of(claim("lucky")), "");
  EXPECT_EQ(class_of(claim("late")), "standard");
  EXPECT_EQ(claim("late").spec.volume_name, "pvc-default-late");
}

TEST_F(VolumeCatalogTest, ImmediateClaimsAreBoundOrProvisionedAndOthersWait) {
  catalog.add(make_class("fast", "d"));
  catalog.add(make_class("manual", "kubernetes.io/no-provisioner"));
  catalog.add(make_class("lazy", "d", VolumeBindingMode::kWaitForFirstConsumer));
  catalog.add(make_volume("v", "fast", "5Gi"));
  catalog.add(make_volume("lazy-volume", "lazy"));
  for (const char* name : {"first", "second"}) catalog.add(make_claim(name, "fast"));
  for (const char* class_name : {"manual", "lazy", "missing", ""})
    catalog.add(make_claim(std::string("c-") + class_name, class_name));
  catalog.bind_immediate_claims();
  EXPECT_EQ(claim("first").spec.volume_name, "v");
  EXPECT_EQ(claim("second").spec.volume_name, "pvc-default-second");
  EXPECT_TRUE(fully_bound(claim("first")) && fully_bound(claim("second")));
  EXPECT_EQ(catalog.volume("v")->claim_ref->name, "first");
  EXPECT_EQ(catalog.volume("pvc-default-second")->phase, "Bound");
  for (const char* name : {"c-manual", "c-lazy", "c-missing", "c-"}) {
    EXPECT_FALSE(fully_bound(claim(name))) << name;
    EXPECT_EQ(claim(name).phase, "Pending") << name;
  }
}

TEST_F(VolumeCatalogTest, ClaimsAddedLaterAreBoundAsTheyCome) {
  catalog.add(make_class("fast", "d"));
  catalog.bind_immediate_claims();
  catalog.add(make_claim("data", "fast"));
  EXPECT_TRUE(fully_bound(claim("data")));
}

TEST_F(VolumeCatalogTest, AClaimThatNamesItsVolumeGetsItIfItMay) {
  catalog.add(make_class("lazy", "d", VolumeBindingMode::kWaitForFirstConsumer));
  catalog.add(make_volume("free", "lazy"));
  catalog.add(make_volume("other-class", "x"));
  kube::PersistentVolume taken = make_volume("taken", "lazy");
  taken.claim_ref = kube::ObjectReference{"", "default", "absent", "1"};
  catalog.add(std::move(taken));
  for (const char* volume : {"free", "other-class", "taken", "nowhere"}) {
    kube::PersistentVolumeClaim made = make_claim(std::string("wants-") + volume, "lazy");
    made.spec.volume_name = volume;
    catalog.add(std::move(made));
  }
  catalog.bind_immediate_claims();
  EXPECT_TRUE(fully_bound(claim("wants-free")));
  EXPECT_FALSE(fully_bound(claim("wants-other-class")));
  EXPECT_FALSE(fully_bound(claim("wants-taken")));
  EXPECT_FALSE(fully_bound(claim("wants-nowhere")));
}

TEST_F(VolumeCatalogTest, AWaitingClaimGetsAVolumeReservedForItAtOnce) {
  catalog.add(make_class("lazy", "d", VolumeBindingMode::kWaitForFirstConsumer));
  kube::PersistentVolume reserved = make_volume("reserved", "lazy");
  reserved.claim_ref = kube::ObjectReference{"", "default", "data", ""};
  catalog.add(std::move(reserved));
  catalog.add(make_claim("data", "lazy"));
  catalog.bind_immediate_claims();
  EXPECT_EQ(claim("data").spec.volume_name, "reserved");
}

TEST_F(VolumeCatalogTest, ABoundClaimWithoutItsVolumeIsLost) {
  kube::PersistentVolume stolen = make_volume("stolen", "");
  stolen.claim_ref = kube::ObjectReference{"", "default", "thief", "1"};
  catalog.add(std::move(stolen));
  catalog.add(make_volume("free", ""));
  for (const char* volume : {"gone", "stolen", "free"}) {
    kube::PersistentVolumeClaim made = make_claim(std::string("had-") + volume, "");
    made.spec.volume_name = volume;
    made.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
    catalog.add(std::move(made));
  }
  catalog.bind_immediate_claims();
  EXPECT_EQ(claim("had-gone").phase, "Lost");
  EXPECT_EQ(claim("had-stolen").phase, "Lost");
  EXPECT_EQ(claim("had-free").phase, "Bound");
}

TEST_F(VolumeCatalogTest, AnImmediateVolumeLiesInTheAllowedTopologies) {
  kube::StorageClass zonal = make_class("zonal", "kubernetes.io/gce-pd");
  zonal.allowed_topologies = {{{{"zone", kube::NodeSelectorOperator::kIn, {"a", "b"}}}, {}}};
  const kube::NodeSelector allowed{zonal.allowed_topologies};
  catalog.add(std::move(zonal));
  catalog.add(make_claim("data", "zonal"));
  catalog.bind_immediate_claims();
  const kube::PersistentVolume& made = *catalog.volume(claim("data").spec.volume_name);
  EXPECT_EQ(made.node_affinity, allowed);
  EXPECT_EQ(made.csi_driver, "pd.csi.storage.gke.io");
}

TEST_F(VolumeCatalogTest, EphemeralClaimsComeAndGoWithTheirPod) {
  catalog.add(make_class("fast", "d"));
  catalog.bind_immediate_claims();
  kube::Volume scratch;
  scratch.name = "scratch";
  scratch.ephemeral_claim.emplace();
  scratch.ephemeral_claim->metadata.labels["app"] = "x";
  scratch.ephemeral_claim->spec.storage_class_name = "fast";
  auto spec = std::make_shared<kube::PodSpec>();
  spec->volumes = {scratch};
  kube::Pod pod;
  pod.metadata = named("p", "default");
  pod.spec = spec;
  catalog.add_ephemeral_claims(pod);
  ASSERT_NE(catalog.claim("default", "p-scratch"), nullptr);
  EXPECT_EQ(claim("p-scratch").metadata.labels.at("app"), "x");
  EXPECT_EQ(claim("p-scratch").metadata.controller()->name, "p");
  const std::string made = claim("p-scratch").spec.volume_name;
  EXPECT_NE(catalog.volume(made), nullptr);

  catalog.add(make_claim("q-scratch", "fast"));
  catalog.remove_ephemeral_claims("default", "q", *spec);
  EXPECT_NE(catalog.claim("default", "q-scratch"), nullptr) << "it belongs to the user, not to a pod";
  catalog.remove_ephemeral_claims("default", "p", *spec);
  EXPECT_EQ(catalog.claim("default", "p-scratch"), nullptr);
  EXPECT_EQ(catalog.volume(made), nullptr);
}

TEST_F(VolumeCatalogTest, ReplacedVolumesLeaveNoTraceAmongTheCandidates) {
  catalog.add(make_volume("v", "fast"));
  const kube::PersistentVolumeClaim wanted = make_claim("data", "fast");
  EXPECT_EQ(catalog.candidates(wanted).size(), 1U);
  catalog.add(make_volume("v", "slow"));
  EXPECT_TRUE(catalog.candidates(wanted).empty());
  kube::PersistentVolume reserved = make_volume("v", "slow");
  reserved.claim_ref = kube::ObjectReference{"", "default", "data", ""};
  catalog.add(std::move(reserved));
  EXPECT_EQ(catalog.candidates(wanted).size(), 1U);
}

TEST_F(VolumeCatalogTest, WhatIsRemovedIsGone) {
  catalog.add(make_class("fast", "d"));
  catalog.add(make_volume("v", "fast"));
  catalog.add(make_claim("a", "fast"));
  catalog.add(make_claim("b", "fast"));
  kube::CsiNode csi_node;
  csi_node.metadata = named("n");
  catalog.add(csi_node);
  kube::CsiDriver driver;
  driver.metadata = named("d");
  catalog.add(driver);
  kube::CsiStorageCapacity capacity;
  capacity.metadata = named("c", "default");
  catalog.add(capacity);

  catalog.remove_volume("v");
  EXPECT_EQ(catalog.volume("v"), nullptr);
  EXPECT_TRUE(catalog.candidates(claim("a")).empty());
  catalog.remove_claim("default", "a");
  EXPECT_EQ(catalog.claim("default", "a"), nullptr);
  catalog.remove_storage_class("fast");
  EXPECT_EQ(catalog.storage_class("fast"), nullptr);
  catalog.remove_csi_node("n");
  EXPECT_EQ(catalog.csi_node("n"), nullptr);
  catalog.remove_csi_driver("d");
  EXPECT_EQ(catalog.csi_driver("d"), nullptr);
  catalog.remove_capacity("default", "c");
  EXPECT_TRUE(catalog.capacities().empty());
  catalog.remove_volume("never was");
  catalog.remove_claim("default", "never was");
  catalog.remove_attachment("never was");

  // A claim that comes again is the youngest.
  catalog.add(make_claim("a", ""));
  const auto claims = catalog.all_claims();
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].metadata.name, "b");
  EXPECT_EQ(claims[1].metadata.name, "a");
}

TEST_F(VolumeCatalogTest, AnAttachmentMovesWithItsNode) {
  kube::VolumeAttachment attachment;
  attachment.metadata = named("x");
  attachment.node_name = "n";
  catalog.add(attachment);
  attachment.node_name = "m";
  catalog.add(attachment);
  EXPECT_EQ(catalog.attachments_to("n").size(), 0U);
  EXPECT_EQ(catalog.attachments_to("m").size(), 1U);
  catalog.remove_attachment("x");
  EXPECT_EQ(catalog.attachments_to("m").size(), 0U);
}

// ---- in a transaction -----------------------------------------------------------------------------------------------

struct VolumeTransactionTest : VolumeCatalogTest {
  SymbolTable symbols;
  LabelSet labels{{{"zone", "a"}}, symbols};
  SelectedNode node{"n", labels, symbols};

  void SetUp() override {
    catalog.add(make_class("lazy", "d", VolumeBindingMode::kWaitForFirstConsumer));
    for (const char* name : {"v1", "v2", "v3"}) catalog.add(make_volume(name, "lazy", "2Gi"));
    for (const char* name : {"a", "b", "c"}) catalog.add(make_claim(name, "lazy"));
    kube::CsiNode csi_node;
    csi_node.metadata = named("n");
    csi_node.drivers = {{"d", "n", {"zone"}, std::nullopt}};
    catalog.add(std::move(csi_node));
    kube::CsiStorageCapacity pool;
    pool.metadata = named("pool", "default");
    pool.capacity = size_of("10Gi");
    pool.maximum_volume_size = size_of("10Gi");
    catalog.add(std::move(pool));
  }

  const kube::PersistentVolume& volume(const std::string& name) { return *catalog.volume(name); }
  void bind(const std::string& claim_name, const std::string& volume_name) {
    catalog.bind(claim(claim_name), volume(volume_name));
  }
  void provision(const std::string& claim_name) {
    catalog.provision(claim(claim_name), node, &catalog.capacities().at("default/pool"));
  }

  /// "claim=volume", or "claim=?" for one that is to be made.
  std::vector<std::string> take_choices() {
    std::vector<std::string> texts;
    for (const ChosenVolume& choice : catalog.take_choices()) {
      texts.push_back(choice.claim + '=' + (choice.volume.empty() ? "?" : choice.volume));
    }
    return texts;
  }
};

TEST_F(VolumeTransactionTest, WhatIsRolledBackWasNeverBoundOrProvisioned) {
  const std::string before = testing::books_of(catalog);
  const std::vector<const void*> addresses = testing::addresses_in(catalog);
  catalog.begin();
  bind("a", "v2");
  provision("b");
  EXPECT_TRUE(fully_bound(claim("a")));
  EXPECT_EQ(claim("b").spec.volume_name, "pvc-default-b");
  EXPECT_EQ(catalog.capacities().at("default/pool").capacity, size_of("9Gi"));
  catalog.roll_back();
  EXPECT_EQ(testing::books_of(catalog), before);
  EXPECT_EQ(testing::addresses_in(catalog), addresses);
  EXPECT_EQ(catalog.volume("pvc-default-b"), nullptr);

  provision("b");  // again, as if for the first time
  EXPECT_EQ(claim("b").spec.volume_name, "pvc-default-b");
  catalog.roll_back();
  EXPECT_EQ(testing::books_of(catalog), before);
  catalog.end();
}

TEST_F(VolumeTransactionTest, WhatHadBeenReservedBeforeStaysReserved) {
  kube::PersistentVolume reserved = make_volume("kept", "lazy");
  reserved.claim_ref = kube::ObjectReference{"", "default", "a", ""};
  catalog.add(std::move(reserved));
  const std::string before = testing::books_of(catalog);
  catalog.begin();
  bind("a", "kept");
  EXPECT_EQ(volume("kept").claim_ref->kind, "PersistentVolumeClaim");
  catalog.roll_back();
  catalog.end();
  EXPECT_EQ(testing::books_of(catalog), before);
  EXPECT_EQ(volume("kept").claim_ref->kind, "");
}

TEST_F(VolumeTransactionTest, OnlyTheStepsSinceTheMarkAreUndone) {
  catalog.begin();
  bind("a", "v1");
  const std::string between = testing::books_of(catalog);
  catalog.begin();
  bind("b", "v2");
  catalog.roll_back();
  EXPECT_EQ(testing::books_of(catalog), between);
  bind("c", "v3");
  catalog.end();  // as a commit leaves it
  EXPECT_TRUE(fully_bound(claim("c")));
  catalog.roll_back();
  catalog.end();
  EXPECT_FALSE(fully_bound(claim("a")));
  EXPECT_FALSE(fully_bound(claim("c")));
}

TEST_F(VolumeTransactionTest, WhatWasNotRolledBackStays) {
  catalog.begin();
  bind("a", "v1");
  provision("b");
  const std::string after = testing::books_of(catalog);
  catalog.end();
  EXPECT_EQ(testing::books_of(catalog), after);
  EXPECT_EQ(catalog.undoable(), 0U) << "nothing is left to undo";
  bind("c", "v3");
  EXPECT_EQ(catalog.undoable(), 0U) << "outside of a transaction nothing is kept";
}

TEST_F(VolumeTransactionTest, WhatIsGivenBackIsAsItWasGiven) {
  catalog.leave_binding_to_others();
  const std::string before = testing::books_of(catalog);
  bind("a", "v1");
  provision("b");
  const std::vector<ChosenVolume> chosen = catalog.take_choices();
  EXPECT_NE(testing::books_of(catalog), before);
  catalog.give_back(chosen);
  EXPECT_EQ(testing::books_of(catalog), before);
  catalog.give_back(chosen);
  EXPECT_EQ(testing::books_of(catalog), before) << "there is nothing more to give back";
}

TEST_F(VolumeTransactionTest, WhatCameSinceTheChoiceIsNotGivenBack) {
  catalog.leave_binding_to_others();
  bind("a", "v1");
  const std::vector<ChosenVolume> chosen = catalog.take_choices();
  catalog.add(kube::PersistentVolume(volume("v1")));  // as an API server tells of what was written
  const std::string written = testing::books_of(catalog);
  catalog.give_back(chosen);
  EXPECT_EQ(testing::books_of(catalog), written);
}

TEST_F(VolumeTransactionTest, AChoiceForTwoPodsIsGivenBackByTheLast) {
  catalog.leave_binding_to_others();
  const std::string before = testing::books_of(catalog);
  provision("b");
  const std::vector<ChosenVolume> first = catalog.take_choices();
  const std::string chosen = testing::books_of(catalog);
  provision("b");
  const std::vector<ChosenVolume> second = catalog.take_choices();
  catalog.give_back(first);
  EXPECT_EQ(testing::books_of(catalog), chosen);
  catalog.give_back(first);
  EXPECT_EQ(testing::books_of(catalog), chosen) << "it was given back";
  catalog.give_back(second);
  EXPECT_EQ(testing::books_of(catalog), before);
}

TEST_F(VolumeTransactionTest, AChoiceThatIsRolledBackKeepsNothing) {
  catalog.leave_binding_to_others();
  catalog.begin();
  bind("a", "v1");
  const std::vector<ChosenVolume> chosen = catalog.take_choices();
  catalog.roll_back();
  catalog.end();
  kube::PersistentVolume changed = volume("v1");
  changed.metadata.annotations["is"] = "changed";
  catalog.add(std::move(changed));
  catalog.give_back(chosen);
  EXPECT_EQ(volume("v1").metadata.annotations.count("is"), 1U);
}

TEST_F(VolumeTransactionTest, EachPodsChoicesAreTakenAfterItsTurn) {
  catalog.leave_binding_to_others();
  const std::string before = testing::books_of(catalog);
  catalog.begin();
  bind("a", "v1");
  provision("b");
  EXPECT_THAT(take_choices(), ::testing::ElementsAre("a=v1", "b=?"));
  catalog.begin();
  bind("c", "v2");
  EXPECT_THAT(take_choices(), ::testing::ElementsAre("c=v2"));
  catalog.roll_back();
  EXPECT_THAT(take_choices(), ::testing::IsEmpty()) << "the first pod's were taken";
  bind("c", "v3");
  EXPECT_THAT(take_choices(), ::testing::ElementsAre("c=v3"));
  catalog.end();
  catalog.roll_back();
  catalog.end();
  EXPECT_THAT(take_choices(), ::testing::IsEmpty());
  EXPECT_EQ(testing::books_of(catalog), before);
}

TEST_F(VolumeTransactionTest, ChoicesFromBeforeAreThereToBeTakenAgain) {
  catalog.leave_binding_to_others();
  bind("a", "v1");
  catalog.begin();
  bind("b", "v2");
  EXPECT_THAT(take_choices(), ::testing::ElementsAre("a=v1", "b=v2"));
  provision("c");
  catalog.roll_back();
  catalog.end();
  EXPECT_THAT(take_choices(), ::testing::ElementsAre("a=v1"));
}

using VolumeTransactionDeathTest = VolumeTransactionTest;

TEST_F(VolumeTransactionDeathTest, ObjectsNeitherComeNorGoInATransaction) {
  catalog.begin();
  EXPECT_DEATH(catalog.add(make_volume("v4", "lazy")), "contract violated");
  EXPECT_DEATH(catalog.add(make_claim("d", "lazy")), "contract violated");
  EXPECT_DEATH(catalog.remove_volume("v1"), "contract violated");
  EXPECT_DEATH(catalog.remove_claim("default", "a"), "contract violated");
  catalog.end();
}

}  // namespace
}  // namespace loadline::cluster
