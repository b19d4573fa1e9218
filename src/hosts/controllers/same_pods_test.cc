#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "brain/workloads/daemon_nodes.h"
#include "brain/workloads/expansion.h"
#include "foundation/base/rng.h"
#include "hosts/controllers/daemon_set.h"
#include "hosts/controllers/deployment.h"
#include "hosts/controllers/job.h"
#include "hosts/controllers/replica_set.h"
#include "hosts/controllers/stateful_set.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::ContainerEq;

constexpr workloads::Gates kGates{.workload_with_job = true};

/// What a plan and a controller must agree on: everything but characters that are drawn by chance, and what a plan does
/// not know (revisions) or does not read (the subdomain, variables).
std::string text_of(const kube::Pod& pod) {
  const kube::ObjectMeta& metadata = pod.metadata;
  kube::StringMap labels = metadata.labels;
  labels.erase("controller-revision-hash");
  std::vector<std::string> claims;
  for (const kube::Volume& volume : pod.spec->volumes) {
    const auto& claim = volume.persistent_volume_claim;
    if (claim) claims.push_back(volume.name + '=' + claim->claim_name);
  }
  const bool is_named = metadata.controller()->kind == "StatefulSet";
  return fmt::format("{} of {} {}: {} {} {} {} on '{}' with '{}'", is_named ? metadata.name : metadata.generate_name,
                     metadata.controller()->kind, metadata.controller()->name, labels, metadata.annotations,
                     metadata.finalizers, claims, workloads::daemon_target(*pod.spec), pod.spec->pod_group_name);
}

/// A cluster whose controllers are about to act; a plan is asked before what they will create.
class Agreement {
 public:
  explicit Agreement(std::uint64_t seed) : rng_(seed) {
    cluster_.finalizers_hold = true;
    cluster_.add(make_deployment_controller());
    cluster_.add(make_replica_set_controller());
    cluster_.add(make_replication_controller());
    cluster_.add(make_stateful_set_controller());
    cluster_.add(make_daemon_set_controller());
    cluster_.add(make_job_controller(kGates));
    cluster_.add(make_job_orphan_controller());
    for (int i = 0; i < 4; ++i) {
      cluster_.apply(fmt::format("{{kind: Node, metadata: {{name: n{}, labels: {{pool: p{}}}}}}}", i, i % 2));
    }
  }

  [[nodiscard]] int below(int bound) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(bound))); }

  void apply(const std::string& yaml) { cluster_.apply(yaml); }

  /// Sets a number of the object, which is found by its name.
  template <class Kind>
  void set(std::string_view name, document::Names names, std::int64_t number) {
    cluster_.set<Kind>(name, names, Value(number));
  }

  /// Some pods end, and some are gone.
  void disturb() {
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (pod->view.finished()) continue;
      const int what = below(8);
      if (what == 0) cluster_.caches.of<kube::Pod>().erase(pod->key());
      if (what == 1) end(*pod, "Failed");
      if (what == 2 && pod->metadata().controller()->kind == "Job") end(*pod, "Succeeded");
    }
  }

  /// Compares what a plan says with what controllers do.
  void check() {
    const std::multiset<std::string> planned = plan();
    std::set<std::string> before;
    for (const auto& pod : cluster_.all<kube::Pod>()) before.insert(pod->metadata().uid);
    for (int i = 0; i < 6; ++i) {
      cluster_.settle();
      run_pending();
      cluster_.wait(Duration::seconds(2000));  // longer than any back-off
    }
    std::multiset<std::string> created;
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (!before.contains(pod->metadata().uid)) created.insert(text_of(pod->view));
    }
    EXPECT_THAT(created, ContainerEq(planned));
  }

  void check_and_disturb(int times) {
    for (int i = 0; i < times; ++i) {
      check();
      disturb();
    }
    check();
  }

 private:
  void run_pending() {
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (pod->view.status.phase == kube::PodPhase::kPending) cluster_.set_ready(*pod, true);
    }
  }

  void end(const Observed<kube::Pod>& pod, const std::string& phase) {
    const std::string yaml = "{phase: " + phase + ", containerStatuses: [{name: a, state: {terminated: {exitCode: " +
                             (phase == "Failed" ? "1" : "0") + ", finishedAt: '" + format_rfc3339(cluster_.now) +
                             "'}}}]}";
    cluster_.set<kube::Pod>(pod.metadata().name, {"status"}, document::read_yaml(yaml, "test").documents.at(0));
  }

  template <class Kind>
  void copy(std::string_view name_space, kube::Objects& objects) const {
    for (const auto& [name, object] : cluster_.caches.of<Kind>().in(std::string(name_space))) {
      objects.of<Kind>().push_back(object->view);
    }
  }

  [[nodiscard]] std::multiset<std::string> plan() const {
    kube::Objects objects;
    copy<kube::Node>("", objects);
    copy<kube::Deployment>("default", objects);
    copy<kube::ReplicaSet>("default", objects);
    copy<kube::ReplicationController>("default", objects);
    copy<kube::StatefulSet>("default", objects);
    copy<kube::DaemonSet>("default", objects);
    copy<kube::Job>("default", objects);
    copy<kube::Workload>("default", objects);
    copy<kube::PodGroup>("default", objects);
    copy<kube::Pod>("default", objects);
    std::multiset<std::string> texts;
    for (const auto& created : workloads::expand(objects, cluster_.now, 1, kGates).pods)
      texts.insert(text_of(created.pod));
    return texts;
  }

  Rng rng_;
  testing::TestCluster cluster_;
};

constexpr std::string_view kTemplate = R"({metadata: {labels: {app: x}, annotations: {note: kept}},
  spec: {containers: [{name: a}], volumes: [{name: tmp, emptyDir: {}}, {name: data, emptyDir: {}}]}})";

/// A workload of the group apps.
std::string apps_yaml(std::string_view kind, std::string_view name, const std::string& spec) {
  return fmt::format(
      "{{apiVersion: apps/v1, kind: {}, metadata: {{name: {}}}, spec: {{selector: {{matchLabels: {{app: x}}}}, {}}}}}",
      kind, name, spec);
}

std::string replicas_yaml(int replicas) { return fmt::format("replicas: {}, template: {}", replicas, kTemplate); }

/// Calls `run` with one cluster after the other.
template <class Run>
void for_each_seed(Run run) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Agreement agreement(seed);
    run(agreement);
  }
}

TEST(SamePods, OfReplicaSets) {
  for_each_seed([](Agreement& agreement) {
    agreement.apply(apps_yaml("ReplicaSet", "web", replicas_yaml(agreement.below(6))));
    agreement.check_and_disturb(3);
    agreement.set<kube::ReplicaSet>("web", {"spec", "replicas"}, agreement.below(8));
    agreement.check();
  });
}

TEST(SamePods, OfReplicationControllers) {
  for_each_seed([](Agreement& agreement) {
    agreement.apply("{apiVersion: v1, kind: ReplicationController, metadata: {name: web}, spec: {selector: {app: x}, " +
                    replicas_yaml(agreement.below(6)) + "}}");
    agreement.check_and_disturb(3);
  });
}

TEST(SamePods, OfDeployments) {
  for_each_seed([](Agreement& agreement) {
    agreement.apply(apps_yaml("Deployment", "web", replicas_yaml(agreement.below(6))));
    agreement.check_and_disturb(3);
    agreement.set<kube::Deployment>("web", {"spec", "replicas"}, agreement.below(8));
    agreement.check();
  });
}

TEST(SamePods, OfStatefulSets) {
  for_each_seed([](Agreement& agreement) {
    const std::string claims =
        agreement.below(2) == 0 ? "[]" : "[{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]";
    agreement.apply(apps_yaml("StatefulSet", "db",
                              fmt::format("{}, ordinals: {{start: {}}}, serviceName: db, "
                                          "podManagementPolicy: Parallel, volumeClaimTemplates: {}",
                                          replicas_yaml(agreement.below(6)), agreement.below(3), claims)));
    agreement.check_and_disturb(3);
    agreement.set<kube::StatefulSet>("db", {"spec", "replicas"}, agreement.below(8));
    agreement.check();
  });
}

TEST(SamePods, OfDaemonSets) {
  for_each_seed([](Agreement& agreement) {
    agreement.apply(apps_yaml("DaemonSet", "agent",
                              fmt::format("template: {{metadata: {{labels: {{app: x}}}}, spec: {{"
                                          "containers: [{{name: a}}], nodeSelector: {{pool: p{}}}}}}}",
                                          agreement.below(2))));
    agreement.check_and_disturb(4);
  });
}

constexpr std::string_view kJobTemplate = R"({metadata: {labels: {app: x, job-name: job,
  batch.kubernetes.io/job-name: job, controller-uid: job-uid, batch.kubernetes.io/controller-uid: job-uid}},
  spec: {restartPolicy: Never, containers: [{name: a}]}})";

TEST(SamePods, OfJobs) {
  for_each_seed([](Agreement& agreement) {
    const bool is_indexed = agreement.below(2) == 0;
    const bool counts = is_indexed || agreement.below(3) > 0;
    agreement.apply(fmt::format(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {}, uid: job-uid}}, spec: {{parallelism: {}, "
        "completions: {}, completionMode: {}, backoffLimit: 1000, suspend: false, "
        "podReplacementPolicy: TerminatingOrFailed, selector: {{matchLabels: {{app: x}}}}, template: {}}}}}",
        agreement.below(3) == 0 ? "a-name-that-is-so-long-that-it-has-to-be-cut-for-its-pods" : "job",
        agreement.below(5), counts ? std::to_string(1 + agreement.below(7)) : "null",
        is_indexed ? "Indexed" : "NonIndexed", kJobTemplate));
    agreement.check_and_disturb(5);
  });
}

}  // namespace
}  // namespace loadline::controllers
