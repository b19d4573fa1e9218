#include "hosts/controllers/stateful_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/core/volume.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kDb = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, uid: db-uid}
spec:
  replicas: 3
  serviceName: db
  podManagementPolicy: OrderedReady
  revisionHistoryLimit: 10
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: a, image: 'db:1'}], volumes: [{name: tmp, emptyDir: {}}]}
  volumeClaimTemplates:
  - apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
    status: {phase: Pending}
)";

class StatefulSetTest : public ::testing::Test {
 protected:
  StatefulSetTest() { cluster_.add(make_stateful_set_controller()); }

  const kube::StatefulSetStatus& status() const { return cluster_.get<kube::StatefulSet>("db")->view.status; }
  std::vector<std::string> pods() const {
    std::vector<std::string> names;
    for (const auto& pod : cluster_.all<kube::Pod>()) names.push_back(pod->metadata().name);
    return names;
  }
  std::string revision_of(const std::string& pod) const {
    return cluster_.get<kube::Pod>(pod)->metadata().labels.at("controller-revision-hash");
  }
  void set_image(const std::string& image) {
    cluster_.set<kube::StatefulSet>("db", {"spec", "template", "spec", "containers"},
                                    document::read_yaml("[{name: a, image: '" + image + "'}]", "t").documents.at(0));
  }
  void set(document::Names names, const std::string& yaml) {
    const Value read = document::read_yaml("x: " + yaml, "t").documents.at(0);
    cluster_.set<kube::StatefulSet>("db", names, *read.find("x"));
  }
  void converge() {
    for (int i = 0; i < 30; ++i) {
      cluster_.settle();
      cluster_.run_pods();
    }
    cluster_.settle();
  }
  testing::TestCluster cluster_;
};

TEST_F(StatefulSetTest, StartsPodsInOrderWithTheirClaims) {
  cluster_.apply(kDb);
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0"));
  EXPECT_THAT(cluster_.events,
              ElementsAre("Normal SuccessfulCreate Create Claim data-db-0 Pod db-0 in StatefulSet db success",
                          "Normal SuccessfulCreate Create Pod db-0 in StatefulSet db successful"));
  const auto& pod = cluster_.get<kube::Pod>("db-0")->document;
  EXPECT_EQ(document::text_at(pod, {"metadata", "labels", "statefulset.kubernetes.io/pod-name"}), "db-0");
  EXPECT_EQ(document::text_at(pod, {"metadata", "labels", "apps.kubernetes.io/pod-index"}), "0");
  EXPECT_EQ(document::text_at(pod, {"spec", "hostname"}), "db-0");
  EXPECT_EQ(document::text_at(pod, {"spec", "subdomain"}), "db");
  const Value volumes =
      document::read_yaml("[{name: data, persistentVolumeClaim: {claimName: data-db-0}}, {name: tmp, emptyDir: {}}]",
                          "t")
          .documents.at(0);
  EXPECT_TRUE(document::same_document(*document::find_at(pod, {"spec", "volumes"}), volumes));
  const auto claim = cluster_.get<kube::PersistentVolumeClaim>("data-db-0");
  EXPECT_EQ(claim->metadata().labels, (kube::StringMap{{"app", "db"}}));
  EXPECT_THAT(claim->metadata().owner_references, IsEmpty());

  cluster_.run_pods();
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0", "db-1"));
  converge();
  EXPECT_THAT(pods(), ElementsAre("db-0", "db-1", "db-2"));
  EXPECT_EQ(status().replicas, 3);
  EXPECT_EQ(status().ready_replicas, 3);
  EXPECT_EQ(status().available_replicas, 3);
  EXPECT_EQ(status().current_replicas, 3);
  EXPECT_EQ(status().updated_replicas, 3);
  EXPECT_EQ(status().current_revision, status().update_revision);
  EXPECT_EQ(status().observed_generation, 1);
}

TEST_F(StatefulSetTest, ARevisionOfAFormerSetIsAsGood) {
  cluster_.apply(kDb);
  converge();
  const std::string before = revision_of("db-0");
  cluster_.caches.of<kube::StatefulSet>().erase({"default", "db"});
  for (const auto& pod : cluster_.all<kube::Pod>()) cluster_.caches.of<kube::Pod>().erase(pod->key());
  std::string again(kDb);
  again.replace(again.find("db-uid"), 6, "new-uid");
  cluster_.apply(again);
  converge();
  EXPECT_EQ(revision_of("db-0"), before) << "the garbage collector has not taken it yet";
  EXPECT_FALSE(status().collision_count.value_or(0) > 0);
}

TEST_F(StatefulSetTest, KeepsItsHistoryAsKubectlReadsIt) {
  cluster_.apply(kDb);
  converge();
  const auto revisions = cluster_.all<ControllerRevision>();
  ASSERT_THAT(revisions, SizeIs(1));
  EXPECT_EQ(revisions[0]->metadata().name, status().current_revision);
  EXPECT_EQ(revision_of("db-0"), status().current_revision);
  EXPECT_EQ(revisions[0]->document.find("revision")->integer(), 1);
  EXPECT_EQ(document::text_at(revisions[0]->document, {"data", "spec", "template", "$patch"}), "replace");
  EXPECT_EQ(revisions[0]->metadata().labels.at("controller.kubernetes.io/hash"),
            revisions[0]->metadata().name.substr(3));
  EXPECT_EQ(revisions[0]->metadata().controller()->uid, "db-uid");
}

TEST_F(StatefulSetTest, RollsFromTheHighestPodDownAndBack) {
  cluster_.apply(kDb);
  converge();
  const std::string first = status().current_revision;
  cluster_.events.clear();
  set_image("db:2");
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains("Normal SuccessfulDelete Delete Pod db-2 in StatefulSet db successful"));
  EXPECT_EQ(revision_of("db-2"), status().update_revision);
  EXPECT_EQ(revision_of("db-1"), first) << "the next goes when the last is available";
  EXPECT_EQ(status().current_revision, first);
  converge();
  EXPECT_NE(status().current_revision, first);
  EXPECT_EQ(revision_of("db-0"), status().update_revision);
  EXPECT_EQ(cluster_.get<kube::Pod>("db-0")->view.spec->containers[0].image, "db:2");

  set_image("db:1");
  converge();
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(2));
  EXPECT_EQ(status().current_revision, first);
  EXPECT_EQ(cluster_.get<ControllerRevision>(first)->document.find("revision")->integer(), 3);
}

TEST_F(StatefulSetTest, KeepsPodsBelowThePartitionAtTheirRevision) {
  cluster_.apply(kDb);
  converge();
  set({"spec", "updateStrategy", "rollingUpdate", "partition"}, "2");
  set_image("db:2");
  converge();
  EXPECT_EQ(revision_of("db-2"), status().update_revision);
  EXPECT_EQ(revision_of("db-1"), status().current_revision);
  cluster_.caches.of<kube::Pod>().erase({"default", "db-0"});
  converge();
  EXPECT_EQ(revision_of("db-0"), status().current_revision);
  EXPECT_EQ(cluster_.get<kube::Pod>("db-0")->view.spec->containers[0].image, "db:1");
  EXPECT_EQ(status().updated_replicas, 1);
  EXPECT_EQ(status().current_replicas, 2);
}

TEST_F(StatefulSetTest, ReplacesManyAtATimeWhereItMay) {
  cluster_.apply(kDb);
  set({"spec", "podManagementPolicy"}, "Parallel");
  set({"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"}, "2");
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(3)) << "all at once";
  converge();
  cluster_.pods_end_at_once = false;
  set_image("db:2");
  cluster_.settle();
  EXPECT_TRUE(cluster_.get<kube::Pod>("db-2")->is_being_deleted());
  EXPECT_TRUE(cluster_.get<kube::Pod>("db-1")->is_being_deleted());
  EXPECT_FALSE(cluster_.get<kube::Pod>("db-0")->is_being_deleted());
}

TEST_F(StatefulSetTest, LeavesPodsAloneOnDelete) {
  cluster_.apply(kDb);
  converge();
  set({"spec", "updateStrategy"}, "{type: OnDelete}");
  set_image("db:2");
  converge();
  EXPECT_NE(revision_of("db-2"), status().update_revision);
  cluster_.caches.of<kube::Pod>().erase({"default", "db-2"});
  converge();
  EXPECT_EQ(revision_of("db-2"), status().update_revision);
}

TEST_F(StatefulSetTest, ScalesDownFromTheHighestOneAtATime) {
  cluster_.apply(kDb);
  converge();
  cluster_.pods_end_at_once = false;
  set({"spec", "replicas"}, "1");
  cluster_.settle();
  EXPECT_TRUE(cluster_.get<kube::Pod>("db-2")->is_being_deleted());
  EXPECT_FALSE(cluster_.get<kube::Pod>("db-1")->is_being_deleted());
  cluster_.end_pods();
  cluster_.settle();
  EXPECT_TRUE(cluster_.get<kube::Pod>("db-1")->is_being_deleted());
  cluster_.end_pods();
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0"));
  EXPECT_THAT(cluster_.all<kube::PersistentVolumeClaim>(), SizeIs(3)) << "claims stay";
}

TEST_F(StatefulSetTest, CountsFromTheFirstOrdinal) {
  cluster_.apply(kDb);
  set({"spec", "ordinals"}, "{start: 5}");
  converge();
  EXPECT_THAT(pods(), ElementsAre("db-5", "db-6", "db-7"));
  set({"spec", "ordinals"}, "{start: 6}");
  converge();
  EXPECT_THAT(pods(), ElementsAre("db-6", "db-7", "db-8"));
}

TEST_F(StatefulSetTest, ReplacesPodsThatFinished) {
  cluster_.apply(kDb);
  converge();
  cluster_.set<kube::Pod>("db-1", {"status", "phase"}, Value("Failed"));
  cluster_.settle();
  EXPECT_EQ(cluster_.get<kube::Pod>("db-1")->view.status.phase, kube::PodPhase::kPending);
}

TEST_F(StatefulSetTest, GivesClaimsTheOwnersOfItsPolicy) {
  cluster_.apply(kDb);
  set({"spec", "persistentVolumeClaimRetentionPolicy"}, "{whenDeleted: Delete, whenScaled: Delete}");
  converge();
  const auto owner = [&](const std::string& claim) {
    const auto& owners = cluster_.get<kube::PersistentVolumeClaim>(claim)->metadata().owner_references;
    return owners.size() == 1 ? owners[0].kind + "/" + owners[0].name : std::to_string(owners.size());
  };
  EXPECT_EQ(owner("data-db-0"), "StatefulSet/db");
  EXPECT_EQ(owner("data-db-2"), "StatefulSet/db");
  set({"spec", "replicas"}, "2");
  cluster_.settle();
  EXPECT_EQ(owner("data-db-2"), "Pod/db-2");
  EXPECT_EQ(owner("data-db-1"), "StatefulSet/db");
  // Scaled up again before the garbage collector took the claim: the pod has to wait for a new one.
  set({"spec", "replicas"}, "3");
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0", "db-1"));
  cluster_.caches.of<kube::PersistentVolumeClaim>().erase({"default", "data-db-2"});
  converge();
  EXPECT_THAT(pods(), ElementsAre("db-0", "db-1", "db-2"));
  set({"spec", "persistentVolumeClaimRetentionPolicy"}, "{whenDeleted: Retain, whenScaled: Retain}");
  converge();
  EXPECT_EQ(owner("data-db-0"), "0");
}

TEST_F(StatefulSetTest, KeepsNoMoreHistoryThanItIsTold) {
  cluster_.apply(kDb);
  set({"spec", "revisionHistoryLimit"}, "1");
  for (const char* image : {"db:1", "db:2", "db:3", "db:4"}) {
    set_image(image);
    converge();
  }
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(2));
}

TEST_F(StatefulSetTest, AdoptsOnlyPodsOfItsNames) {
  cluster_.apply("{kind: Pod, metadata: {name: db-0, labels: {app: db}}, spec: {containers: [{name: a}]}}");
  cluster_.apply("{kind: Pod, metadata: {name: other-0, labels: {app: db}}, spec: {containers: [{name: a}]}}");
  cluster_.apply(kDb);
  converge();
  EXPECT_NE(cluster_.get<kube::Pod>("db-0")->metadata().controller(), nullptr);
  EXPECT_EQ(cluster_.get<kube::Pod>("other-0")->metadata().controller(), nullptr);
}

TEST_F(StatefulSetTest, WaitsForAClaimThatIsBeingDeleted) {
  cluster_.apply(
      "{kind: PersistentVolumeClaim, metadata: {name: data-db-0, deletionTimestamp: "
      "'2026-01-01T00:00:00Z'}, spec: {}}");
  cluster_.apply(kDb);
  cluster_.settle();
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Warning FailedCreate Create Pod db-0 in StatefulSet db failed error: pvc "
                                        "data-db-0 is being deleted"));
  cluster_.caches.of<kube::PersistentVolumeClaim>().erase({"default", "data-db-0"});
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0"));
}

TEST_F(StatefulSetTest, MakesABatchOfPodsHoweverManyAreWanted) {
  cluster_.allow_creations(700);
  cluster_.apply(kDb);
  set({"spec", "volumeClaimTemplates"}, "[]");
  set({"spec", "podManagementPolicy"}, "Parallel");
  set({"spec", "replicas"}, "2147483647");
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(699)) << "and a revision";
  EXPECT_LT(cluster_.tried, 1300U) << "a batch was tried that could not be made whole";
  set({"spec", "replicas"}, "2");
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(2));
}

TEST_F(StatefulSetTest, RollsBackFromTheLastOrdinalOnlyIfThatIsThere) {
  cluster_.apply(kDb);
  set({"spec", "podManagementPolicy"}, "Parallel");
  converge();
  cluster_.allow_creations(1);  // the revision
  set({"spec", "replicas"}, "2147483647");
  set_image("db:2");
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("db-0", "db-1", "db-2")) << "the last one, which would go first, is not there";
}

}  // namespace
}  // namespace loadline::controllers
