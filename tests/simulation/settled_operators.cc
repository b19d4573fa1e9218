#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/condition.h"
#include "simulation/fields.h"
#include "simulation/settled.h"

// What has to hold of custom resources that operators run.
namespace loadline::simulation {
namespace {

using document::text_at;
using document::Value;

constexpr std::array kOfOperators = {
    KeptKind{"leaderworkerset.x-k8s.io", "leaderworkersets"},
    KeptKind{"jobset.x-k8s.io", "jobsets", "v1alpha2"},
    KeptKind{"kubeflow.org", "pytorchjobs"},
    KeptKind{"kubeflow.org", "mpijobs", "v2beta1"},
    KeptKind{"batch.volcano.sh", "jobs", "v1alpha1"},
    KeptKind{"scheduling.volcano.sh", "podgroups", "v1beta1"},
    KeptKind{"ray.io", "rayclusters"},
    KeptKind{"ray.io", "rayjobs"},
    KeptKind{"grove.io", "podcliquesets", "v1alpha1"},
    KeptKind{"grove.io", "podcliquescalinggroups", "v1alpha1"},
    KeptKind{"grove.io", "podcliques", "v1alpha1"},
    KeptKind{"scheduler.grove.io", "podgangs", "v1alpha1"},
};

bool has_ended(const Value& object) {
  const std::string_view volcano = text_at(object, {"status", "state", "phase"});
  const std::string_view ray = text_at(object, {"status", "jobDeploymentStatus"});
  return kube::has_true_condition(object, "Succeeded") || kube::has_true_condition(object, "Failed") ||
         volcano == "Completed" || volcano == "Failed" || ray == "Complete" || ray == "Failed";
}

bool is_suspended(const Value& object) {
  return is_true_at(object, {"spec", "suspend"}) || is_true_at(object, {"spec", "runPolicy", "suspend"});
}

/// A task of a Volcano Job waits for another one to run whole, of which a pod has failed. Nothing replaces that one
/// unless the Job says so, so the Job stays as it is, for ever.
bool waits_for_what_failed(const Value& object) {
  return std::ranges::any_of(document::items_at(object, {"spec", "tasks"}), [&](const Value& task) {
    return std::ranges::any_of(document::items_at(task, {"dependsOn", "name"}), [&](const Value& name) {
      return integer_at(object, {"status", "taskStatusCount", name.string(), "phase", "Failed"}) > 0;
    });
  });
}

}  // namespace

std::span<const KeptKind> kinds_of_operators() { return kOfOperators; }

void Settled::check_leader_worker_set(const Application& application, const Value& object) {
  const std::string& name = application.of.name;
  if (integer_at(object, {"status", "observedGeneration"}) != integer_at(object, {"metadata", "generation"})) {
    observer_.report(name + " was not looked at since it changed");
  }
  if (waits(application)) return;
  const std::int64_t groups = integer_at(object, {"spec", "replicas"}, 1);
  const std::int64_t pods = groups * integer_at(object, {"spec", "leaderWorkerTemplate", "size"}, 1);
  if (ready_pods(name) != pods) {
    observer_.report(fmt::format("{} has {} of {} pods ready", name, ready_pods(name), pods));
  }
  for (const std::string_view count : {"readyReplicas", "updatedReplicas", "replicas"}) {
    if (integer_at(object, {"status", count}) == groups) continue;
    observer_.report(
        fmt::format("{} should have {} groups: {}", name, groups, document::write_json(*object.find("status"))));
  }
  observer_.note("leaderworkersets");
}

void Settled::check_job_set(const Application& application, const Value& object) {
  if (!document::text_at(object, {"status", "terminalState"}).empty()) return observer_.note("jobsets");
  if (is_true_at(object, {"spec", "suspend"}) || waits(application)) return;
  observer_.report(application.of.name + " has not ended: " + document::write_json(object));
}

void Settled::check_ending(const Application& application, const Value& object) {
  if (has_ended(object)) return observer_.note(application.of.plural + "." + application.of.group);
  if (is_suspended(object) || waits(application)) return;
  if (waits_for_what_failed(object)) return observer_.note("tasks that wait for one that failed");
  observer_.report(application.of.name + " has not ended: " + document::write_json(object));
}

void Settled::check_ray_cluster(const Application& application, const Value& object) {
  if (waits(application)) return;
  const Value& group = document::items_at(object, {"spec", "workerGroupSpecs"}).at(0);
  const std::int64_t wanted = is_suspended(object) ? 0 : 1 + integer_at(group, {"replicas"});
  if (ready_pods(application.of.name) != wanted) {
    observer_.report(fmt::format("{} has {} of {} pods ready: {}", application.of.name, ready_pods(application.of.name),
                                 wanted, document::write_json(object)));
  }
  observer_.note("rayclusters");
}

void Settled::check_pod_clique_set(const Application& application, const Value& object) {
  if (waits(application)) return;
  const std::int64_t replicas = integer_at(object, {"spec", "replicas"});
  if (integer_at(object, {"status", "availableReplicas"}) != replicas) {
    observer_.report(application.of.name + " is not available: " + document::write_json(object));
  }
  if (integer_at(object, {"status", "observedGeneration"}) != integer_at(object, {"metadata", "generation"})) {
    observer_.report(application.of.name + " was not looked at since it changed");
  }
  observer_.note("podcliquesets");
}

}  // namespace loadline::simulation
