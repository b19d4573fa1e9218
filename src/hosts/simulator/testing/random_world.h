#pragma once

#include <rapidcheck.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::simulator::testing {

using namespace cluster::testing;  // NOLINT: the fixtures' words

inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kClasses[] = {"low", "middle", "high"};
inline constexpr std::int32_t kPriorities[] = {10, 50, 100};

inline int below(int limit) { return *rc::gen::inRange(0, limit); }
inline std::string either(const std::string& a, const std::string& b) { return below(2) == 0 ? a : b; }

/// What makes placing hard, drawn at random, for a pod or a template.
inline PodBuilder random_pod(const std::string& name, bool may_overstay) {
  PodBuilder builder = pod(name).label("app", either("web", "db")).request("cpu", std::to_string(below(4)));
  builder.grace_period(10L * below(3));
  if (below(3) == 0) builder.request("memory", std::to_string(1 + below(4)) + "Gi");
  if (below(5) == 0) builder.request("nvidia.com/gpu", "1");
  if (below(5) == 0) builder.host_port(80 + below(2));
  if (below(5) == 0) builder.selects_nodes(kZone, either("a", "b"));
  if (below(6) == 0) builder.near(pods_with("app", either("web", "db"), kZone));
  if (below(6) == 0) builder.away_from(pods_with("app", either("web", "db"), either(kZone, "kubernetes.io/hostname")));
  if (below(5) == 0) {
    builder.spread(
        spread_over(kZone, 1 + below(2), kube::UnsatisfiableAction::kDoNotSchedule, selecting("app", "web")));
  }
  if (below(6) == 0) builder.never_preempts();
  if (may_overstay && below(4) == 0) {
    kube::Toleration toleration = tolerating("maintenance");
    if (below(2) == 0) toleration.toleration_seconds = below(40);
    builder.tolerates(toleration);
  }
  return builder;
}

/// A random cluster and what came of it.
struct World {
  kube::Objects objects;
  std::map<std::string, kube::Pod> pods;        // bare pods by name, as running or waiting
  std::map<std::string, PodBuilder> templates;  // of ReplicaSets

  World() {
    for (std::size_t i = 0; i < 3; ++i) {
      kube::PriorityClass priority_class;
      priority_class.metadata.name = kClasses[i];
      priority_class.value = kPriorities[i];
      objects.of<kube::PriorityClass>().push_back(priority_class);
    }
    const int nodes = 1 + below(4);
    for (int i = 0; i < nodes; ++i) add_node("n" + std::to_string(i));
    for (int i = below(6); i > 0; --i) add_running("running-" + std::to_string(i));
    for (int i = below(9); i > 0; --i) {
      const int priority = below(3);
      const std::string name = "waiting-" + std::to_string(i);
      PodBuilder builder = random_pod(name, true).priority_class(kClasses[priority]);
      objects.of<kube::Pod>().push_back(builder);
      pods[name] = builder.priority(kPriorities[priority]);
    }
    for (int i = below(3); i > 0; --i) add_replica_set("set-" + std::to_string(i));
    if (below(2) == 0) add_budget();
  }

  /// One controller of every kind, each perhaps, beside what is there; and a quota, perhaps.
  void add_controllers() {
    if (below(2) == 0) add_deployment("deployment");
    if (below(2) == 0) add_stateful_set("stateful");
    if (below(2) == 0) add_job("job");
    if (below(3) == 0) add_daemon_set("daemon");
    if (below(3) == 0) add_quota();
  }

  /// Room for pods of the other workloads, or for none of them.
  void add_reservations() {
    for (int i = below(3); i > 0; --i) {
      auto reservation = controller<kube::Reservation>("room-" + std::to_string(i));
      reservation.pods = 1 + below(3);
      const kube::Pod built = random_pod("", false).priority_class(kClasses[below(3)]);
      reservation.template_ = {built.metadata, built.spec};
      if (below(3) == 0) reservation.nodes = {"n0", "n1"};
      if (below(3) == 0) reservation.selector = selecting("nobody", "here");
      objects.of<kube::Reservation>().push_back(reservation);
    }
  }

  [[nodiscard]] Plan plan() const {
    PlanOptions options;
    options.now = Instant{} + Duration::seconds(1'700'000'000);
    return std::move(*make_plan(objects, {}, options));
  }

 private:
  void add_node(const std::string& name) {
    NodeBuilder builder = node(name);
    builder.allocatable("cpu", std::to_string(2 + below(4))).allocatable("memory", "8Gi");
    builder.allocatable("pods", std::to_string(2 + below(4)));
    if (below(4) != 0) builder.zone(either("a", "b"));
    if (below(3) == 0) builder.allocatable("nvidia.com/gpu", "2");
    if (below(6) == 0) builder.taint("maintenance", kube::TaintEffect::kNoExecute);
    if (below(8) == 0) builder.cordoned();
    objects.of<kube::Node>().push_back(builder);
  }

  /// One small pod on each of the first nodes at most, so that nothing is overcommitted to begin with.
  void add_running(const std::string& name) {
    const std::size_t where = pods.size();
    if (where >= objects.of<kube::Node>().size()) return;
    const int priority = below(3);
    PodBuilder builder = pod(name).label("app", either("web", "db")).request("cpu", std::to_string(1 + below(2)));
    builder.priority(kPriorities[priority]).on_node("n" + std::to_string(where)).exists().grace_period(10L * below(3));
    objects.of<kube::Pod>().push_back(builder);
    pods[name] = builder;
  }

  void add_replica_set(const std::string& name) {
    kube::ReplicaSet replica_set;
    replica_set.metadata.name = name;
    replica_set.metadata.namespace_ = "default";
    replica_set.replicas = below(4);
    replica_set.selector = selecting("set", name);
    const int priority = below(3);
    PodBuilder builder = random_pod("", false).label("set", name).priority_class(kClasses[priority]);
    const kube::Pod built = builder;
    replica_set.template_ = {built.metadata, built.spec};
    objects.of<kube::ReplicaSet>().push_back(replica_set);
    templates.emplace(name, builder.owned_by("ReplicaSet", name).priority(kPriorities[priority]));
  }

  template <class Kind>
  Kind controller(const std::string& name) {
    Kind object;
    object.metadata.name = name;
    object.metadata.namespace_ = "default";
    return object;
  }

  kube::PodTemplateSpec random_template(const std::string& name) {
    const kube::Pod built = random_pod("", false).label("set", name).priority_class(kClasses[below(3)]);
    return {built.metadata, built.spec};
  }

  void add_deployment(const std::string& name) {
    auto deployment = controller<kube::Deployment>(name);
    deployment.replicas = below(4);
    deployment.selector = selecting("set", name);
    deployment.template_ = random_template(name);
    objects.of<kube::Deployment>().push_back(deployment);
  }

  void add_stateful_set(const std::string& name) {
    auto stateful_set = controller<kube::StatefulSet>(name);
    stateful_set.replicas = below(4);
    stateful_set.selector = selecting("set", name);
    stateful_set.template_ = random_template(name);
    objects.of<kube::StatefulSet>().push_back(stateful_set);
  }

  void add_job(const std::string& name) {
    auto job = controller<kube::Job>(name);
    job.spec.parallelism = below(4);
    job.spec.indexed = below(2) == 0;
    if (job.spec.indexed || below(2) == 0) job.spec.completions = 1 + below(4);
    job.spec.template_ = random_template(name);
    objects.of<kube::Job>().push_back(job);
  }

  void add_daemon_set(const std::string& name) {
    auto daemon_set = controller<kube::DaemonSet>(name);
    daemon_set.selector = selecting("set", name);
    const kube::Pod built = pod("").label("set", name).request("cpu", "100m");
    daemon_set.template_ = {built.metadata, built.spec};
    objects.of<kube::DaemonSet>().push_back(daemon_set);
  }

  void add_quota() {
    auto quota = controller<kube::ResourceQuota>("quota");
    quota.hard["pods"] = quantity(std::to_string(3 + below(8)));
    objects.of<kube::ResourceQuota>().push_back(quota);
  }

  void add_budget() {
    kube::PodDisruptionBudget budget;
    budget.metadata.name = "web";
    budget.metadata.namespace_ = "default";
    budget.selector = selecting("app", "web");
    budget.min_available = kube::IntOrString{below(3), ""};
    objects.of<kube::PodDisruptionBudget>().push_back(budget);
  }
};

}  // namespace loadline::simulator::testing
