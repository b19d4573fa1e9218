// The pod that a plan makes in the place of one that is gone is the one that the controllers make: of the same name as
// far as names are not drawn by chance, with the same labels and annotations, and equal in all that a decision reads.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/shapes/shape_key.h"
#include "brain/workloads/replacement.h"
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

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::ContainerEq;

/// So many random workloads of each kind: `LOADLINE_REPLACED_WORKLOADS=1000` for the whole property.
std::uint64_t workloads_a_kind() {
  const char* wanted = std::getenv("LOADLINE_REPLACED_WORKLOADS");
  return wanted == nullptr ? 40 : std::strtoull(wanted, nullptr, 10);
}

std::string made_as(const kube::Pod& pod) {
  const kube::ObjectMeta& metadata = pod.metadata;
  kube::StringMap labels = metadata.labels;
  labels.erase("controller-revision-hash");  // a plan does not know revisions
  const bool is_named = metadata.controller()->kind == "StatefulSet";
  return fmt::format("{} of {} {}: {} {} {}", is_named ? metadata.name : metadata.generate_name,
                     metadata.controller()->kind, metadata.controller()->name, labels, metadata.annotations,
                     cluster::spec_key(*pod.spec));
}

std::string pod_template(int milli_cpus) {
  return fmt::format(
      "{{metadata: {{labels: {{app: x}}, annotations: {{note: n{0}}}}}, spec: {{containers: [{{name: a, resources: "
      "{{requests: {{cpu: {0}m}}}}}}], volumes: [{{name: tmp, emptyDir: {{}}}}, {{name: data, emptyDir: {{}}}}]}}}}",
      milli_cpus);
}

Value read(const std::string& yaml) { return document::read_yaml(yaml, "test").documents.at(0); }

/// A workload that lives: it is scaled and changed, and its pods are resized, end, and are lost.
class Life {
 public:
  explicit Life(std::uint64_t seed) : rng_(seed), seed_(seed) {
    cluster_.finalizers_hold = true;
    cluster_.add(make_deployment_controller());
    cluster_.add(make_replica_set_controller());
    cluster_.add(make_replication_controller());
    cluster_.add(make_stateful_set_controller());
    cluster_.add(make_daemon_set_controller());
    cluster_.add(make_job_controller({}));
    cluster_.add(make_job_orphan_controller());
    for (int i = 0; i < 5; ++i) {
      cluster_.apply(fmt::format("{{kind: Node, metadata: {{name: n{}, labels: {{pool: p{}}}}}}}", i, i % 2));
    }
  }

  [[nodiscard]] int below(int bound) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(bound))); }
  [[nodiscard]] bool chance(int one_in) { return below(one_in) == 0; }

  void apply(const std::string& yaml) { cluster_.apply(yaml); }

  template <class Kind>
  void set(std::string_view name, document::Names names, Value value) {
    cluster_.set<Kind>(name, names, std::move(value));
  }

  /// Until nothing happens any more: a rollout is over, or waits for pods that do not come.
  void settle() {
    for (int i = 0; i < 8; ++i) {
      cluster_.settle();
      cluster_.run_pods();
      cluster_.wait(Duration::seconds(2000));  // longer than any back-off
    }
  }

  /// Some pods ask for other amounts than their template, in place; some have ended.
  void disturb() {
    for (const auto& pod : running()) {
      if (chance(3) && may_resize) {
        const Value containers = read(fmt::format("[{{name: a, resources: {{requests: {{cpu: {}m}}}}}}]", below(900)));
        cluster_.set<kube::Pod>(pod->metadata().name, {"spec", "containers"}, containers);
      } else if (chance(6) && pod->metadata().controller()->kind == "Job") {
        const char* const phase = chance(2) ? "Failed" : "Succeeded";
        end(*pod, phase);
      }
    }
    settle();
  }

  /// Pods go one after the other, as drains have them go: before each, a plan says what follows.
  void lose_pods() {
    std::vector<ObjectPtr<kube::Pod>> chosen = running();
    std::erase_if(chosen, [&](const auto&) { return chance(2); });
    for (const auto& pod : chosen) {
      if (cluster_.get<kube::Pod>(pod->metadata().name) == nullptr) continue;
      lose(*cluster_.get<kube::Pod>(pod->metadata().name));
    }
  }

  [[nodiscard]] int lost() const { return lost_; }

  /// A plan does not read ControllerRevisions: of a pod that its set's partition keeps back, it knows what it was.
  bool may_resize = true;

 private:
  [[nodiscard]] std::vector<ObjectPtr<kube::Pod>> running() const {
    std::vector<ObjectPtr<kube::Pod>> pods;
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (!pod->view.finished() && !pod->is_being_deleted()) pods.push_back(pod);
    }
    return pods;
  }

  void lose(const Observed<kube::Pod>& pod) {
    ++lost_;
    const kube::Pod gone = pod.view;
    std::set<std::string> before;
    for (const auto& each : cluster_.all<kube::Pod>()) before.insert(each->metadata().uid);
    const std::multiset<std::string> planned = plan(gone);
    cluster_.caches.of<kube::Pod>().erase(pod.key());
    settle();
    std::multiset<std::string> created;
    for (const auto& each : cluster_.all<kube::Pod>()) {
      if (!before.contains(each->metadata().uid)) created.insert(made_as(each->view));
    }
    ASSERT_THAT(created, ContainerEq(planned)) << "seed " << seed_ << ", in the place of " << made_as(gone);
  }

  [[nodiscard]] std::multiset<std::string> plan(const kube::Pod& gone) const {
    kube::Objects objects;
    copy<kube::Node>("", objects);
    copy<kube::Deployment>("default", objects);
    copy<kube::ReplicaSet>("default", objects);
    copy<kube::ReplicationController>("default", objects);
    copy<kube::StatefulSet>("default", objects);
    copy<kube::DaemonSet>("default", objects);
    copy<kube::Job>("default", objects);
    copy<kube::Pod>("default", objects);
    const workloads::Owners owners(objects);
    const workloads::WorkloadReference owner = owners.owner_of(gone);
    std::vector<const kube::Pod*> siblings;
    for (const kube::Pod& pod : objects.of<kube::Pod>()) {
      const bool counts = pod.metadata.uid != gone.metadata.uid && !pod.finished();
      if (counts && owners.owner_of(pod) == owner) siblings.push_back(&pod);
    }
    const kube::Objects nothing_made;
    const auto next = workloads::Replacements(objects, nothing_made, 1).replace(gone, owner, siblings, 0);
    return next ? std::multiset<std::string>{made_as(next->pod)} : std::multiset<std::string>();
  }

  template <class Kind>
  void copy(std::string_view name_space, kube::Objects& objects) const {
    for (const auto& [name, object] : cluster_.caches.of<Kind>().in(std::string(name_space))) {
      objects.of<Kind>().push_back(object->view);
    }
  }

  void end(const Observed<kube::Pod>& pod, const std::string& phase) {
    cluster_.set<kube::Pod>(
        pod.metadata().name, {"status"},
        read("{phase: " + phase + ", containerStatuses: [{name: a, state: {terminated: {exitCode: " +
             (phase == "Failed" ? "1" : "0") + ", finishedAt: '" + format_rfc3339(cluster_.now) + "'}}}]}"));
  }

  Rng rng_;
  std::uint64_t seed_;
  int lost_ = 0;
  testing::TestCluster cluster_;
};

std::string app_yaml(std::string_view kind, std::string_view name, const std::string& spec) {
  return fmt::format(
      "{{apiVersion: apps/v1, kind: {}, metadata: {{name: {}}}, spec: {{selector: {{matchLabels: {{app: x}}}}, {}}}}}",
      kind, name, spec);
}

/// Each random workload is made by `begin`, and lives through resizes, losses and what `change` does to it.
template <class Begin, class Change>
void live(Begin begin, Change change) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < workloads_a_kind(); ++seed) {
    Life life(seed);
    begin(life);
    life.settle();
    for (int i = 0; i < 3; ++i) {
      life.disturb();
      life.lose_pods();
      if (::testing::Test::HasFatalFailure()) return;
      change(life);
      if (life.chance(2)) life.settle();
    }
    lost += life.lost();
  }
  ::testing::Test::RecordProperty("pods_lost", lost);
  std::printf("%llu workloads, %d pods lost and replaced alike\n", static_cast<unsigned long long>(workloads_a_kind()),
              lost);
}

template <class Kind>
void change_template(Life& life, std::string_view name) {
  life.set<Kind>(name, {"spec", "template"}, read(pod_template(100 + life.below(5))));
}

template <class Kind>
void scale(Life& life, std::string_view name) {
  life.set<Kind>(name, {"spec", "replicas"}, Value(std::int64_t{life.below(7)}));
}

TEST(SameReplacements, OfReplicaSets) {
  live(
      [](Life& life) {
        life.apply(
            app_yaml("ReplicaSet", "web", fmt::format("replicas: {}, template: {}", life.below(6), pod_template(100))));
      },
      [](Life& life) {
        if (life.chance(2)) scale<kube::ReplicaSet>(life, "web");
        if (life.chance(2)) change_template<kube::ReplicaSet>(life, "web");
        life.settle();
      });
}

TEST(SameReplacements, OfReplicationControllers) {
  live(
      [](Life& life) {
        life.apply(
            fmt::format("{{apiVersion: v1, kind: ReplicationController, metadata: {{name: web}}, spec: "
                        "{{selector: {{app: x}}, replicas: {}, template: {}}}}}",
                        life.below(6), pod_template(100)));
      },
      [](Life& life) {
        if (life.chance(2)) change_template<kube::ReplicationController>(life, "web");
        life.settle();
      });
}

TEST(SameReplacements, OfDeployments) {
  live(
      [](Life& life) {
        life.apply(app_yaml(
            "Deployment", "web",
            fmt::format("replicas: {}, paused: {}, template: {}", life.below(6), life.chance(4), pod_template(100))));
      },
      [](Life& life) {
        if (life.chance(2)) scale<kube::Deployment>(life, "web");
        if (life.chance(2)) change_template<kube::Deployment>(life, "web");
        life.settle();
      });
}

TEST(SameReplacements, OfStatefulSets) {
  live(
      [](Life& life) {
        const char* const claims =
            life.chance(2) ? "[]" : "[{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]";
        const int replicas = life.below(6);
        const int partition = life.chance(2) ? 0 : life.below(6);
        const bool is_on_delete = life.chance(2);
        life.may_resize = is_on_delete || partition == 0;
        const std::string strategy =
            is_on_delete ? "{type: OnDelete}"
                         : fmt::format("{{type: RollingUpdate, rollingUpdate: {{partition: {}}}}}", partition);
        life.apply(app_yaml("StatefulSet", "db",
                            fmt::format("replicas: {}, ordinals: {{start: {}}}, serviceName: db, "
                                        "podManagementPolicy: Parallel, updateStrategy: {}, volumeClaimTemplates: {}, "
                                        "template: {}",
                                        replicas, life.below(3), strategy, claims, pod_template(100))));
      },
      [](Life& life) {
        if (life.chance(3)) scale<kube::StatefulSet>(life, "db");
        if (life.chance(2)) change_template<kube::StatefulSet>(life, "db");
        life.settle();
      });
}

TEST(SameReplacements, OfDaemonSets) {
  live(
      [](Life& life) {
        const char* const strategy = life.chance(2) ? "{type: OnDelete}" : "{type: RollingUpdate}";
        life.apply(app_yaml("DaemonSet", "agent",
                            fmt::format("updateStrategy: {}, template: {}", strategy, pod_template(100))));
      },
      [](Life& life) {
        if (life.chance(2)) change_template<kube::DaemonSet>(life, "agent");
        life.settle();
      });
}

constexpr std::string_view kTrackedPods = R"({metadata: {labels: {app: x, job-name: job,
  batch.kubernetes.io/job-name: job, controller-uid: job-uid, batch.kubernetes.io/controller-uid: job-uid}},
  spec: {restartPolicy: Never, containers: [{name: a, resources: {requests: {cpu: 100m}}}]}})";

TEST(SameReplacements, OfJobs) {
  live(
      [](Life& life) {
        const bool is_indexed = life.chance(2);
        const bool counts = is_indexed || !life.chance(3);
        life.apply(fmt::format(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: job, uid: job-uid}}, spec: {{parallelism: {}, "
            "completions: {}, completionMode: {}, backoffLimit: 1000, suspend: false, "
            "podReplacementPolicy: TerminatingOrFailed, selector: {{matchLabels: {{app: x}}}}, template: {}}}}}",
            life.below(5), counts ? std::to_string(1 + life.below(9)) : "null", is_indexed ? "Indexed" : "NonIndexed",
            kTrackedPods));
      },
      [](Life& life) {
        life.set<kube::Job>("job", {"spec", "parallelism"}, Value(std::int64_t{life.below(5)}));
        life.settle();
      });
}

}  // namespace
}  // namespace loadline::controllers
