#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/volume_books.h"
#include "brain/engine/registry.h"
#include "brain/placement/scheduler.h"
#include "brain/placement/testing/history_books.h"
#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"
#include "brain/placement/testing/random_storage.h"

namespace loadline::placement::testing {

class History : public PlacementFixture, public ::testing::WithParamInterface<int> {
 protected:
  History() : random_(static_cast<std::uint64_t>(GetParam()) + 77) {}

  cluster::NodeId any_node() { return cluster_.nodes()[random_.below(cluster_.node_count())]; }
  cluster::PodId any_placed() {
    std::vector<cluster::PodId> placed;
    for (const auto& [pod, object] : objects_.pods) {
      if (cluster_.pod(pod).node.valid()) placed.push_back(pod);
    }
    return placed.empty() ? cluster::PodId{} : placed[random_.below(placed.size())];
  }

  cluster::testing::PodBuilder random_template(int number) {
    cluster::testing::PodBuilder builder = random_.pod("t" + std::to_string(number));
    if (storage_.is_set_up() && random_.chance(60)) {
      storage_.mount(builder);
    } else if (random_.chance(30)) {
      builder.in("team");
    }
    if (random_.chance(30)) builder.owned_by("ReplicaSet", random_.one_of({"rs1", "rs2"}));
    if (random_.chance(15)) {
      for (const char* name : {"first1", "first2", "first3"}) builder.requires_nodes(cluster::testing::named(name));
    }
    if (random_.chance(20)) {
      kube::PodAffinityTerm term =
          cluster::testing::pods_with("app", random_.one_of({"web", "db"}), random_.one_of({kHostname, kZone}));
      term.namespace_selector = cluster::testing::selecting("colour", "red");
      builder.prefers_away_from(50, term);
    }
    return builder;
  }

  // ---- pods --------------------------------------------------------------------------------------------------------

  void schedule() { serve(create()); }

  /// A pod of some template, which waits for its turn.
  cluster::PodId create() {
    cluster::testing::PodBuilder builder = templates_[random_.below(templates_.size())];
    builder.pod().metadata.name = "p" + std::to_string(++made_);
    if (random_.chance(15)) builder.label("job", builder.pod().metadata.name);  // a shape of its own
    cluster_.volumes().add_ephemeral_claims(builder);
    const cluster::PodId id = add(builder);
    objects_.pods[id] = builder.build();
    return id;
  }

  void serve(cluster::PodId id) {
    const Decision decision = decide(id);
    if (decision.attempt.scheduled()) {
      consume(id, decision);
      place(id, decision.attempt.node);
    } else if (decision.preemption.node.valid()) {
      cluster_.nominate(id, decision.preemption.node);
      for (const cluster::PodId victim : decision.preemption.chosen()->victims) remove(victim);
    } else {
      remove(id);
    }
  }

  virtual void consume(cluster::PodId /*pod*/, const Decision& decision) {
    const cluster::PodId placeholder = decision.attempt.consumes;
    if (!placeholder.valid()) return;
    cluster_.consume(placeholder);
    remove_placeholder(placeholder);
  }

  void place(cluster::PodId pod, cluster::NodeId node) {
    scheduler().reserve(pod, node);
    storage_.note(cluster_.volumes().take_choices());
    cluster_.nominate(pod, cluster::NodeId{});
    cluster_.place(pod, node);
    start(pod);
  }

  void start(cluster::PodId pod) {
    const Instant now = Instant{} + Duration::seconds(++made_);
    cluster_.set_started(pod, now);
    objects_.pods[pod].status.start_time = now;
  }

  void remove(cluster::PodId pod) {
    cluster_.remove_pod(pod);
    const kube::Pod& object = objects_.pods.at(pod);
    cluster_.volumes().remove_ephemeral_claims(object.metadata.namespace_, object.metadata.name, *object.spec);
    objects_.pods.erase(pod);
  }

  /// What a watch says of a pod that runs.
  void update_pod(cluster::PodId pod) {
    kube::Pod& object = objects_.pods[pod];
    switch (random_.below(5)) {
      case 0:
        object.metadata.labels["app"] = random_.one_of({"web", "db", "train"});
        break;
      case 1: {
        kube::ContainerStatus status;
        status.name = "main";
        status.resources.emplace().requests["cpu"] = cluster::testing::quantity(random_.one_of({"50m", "2"}));
        object.status.container_statuses = {status};
        break;
      }
      case 2:
        object.metadata.deletion_timestamp = Instant{} + Duration::seconds(1);
        break;
      case 3: {
        kube::PodSpec bound = *object.spec;
        bound.node_name = cluster_.node_name(cluster_.pod(pod).node);
        object.spec = std::make_shared<const kube::PodSpec>(bound);
        break;
      }
      default:
        object.status.phase = kube::PodPhase::kRunning;  // which nothing reads
    }
    cluster_.update_pod(pod, object);
  }

  void happen_to_pods(std::uint64_t what) {
    const cluster::PodId pod = any_placed();
    if (what < 50 || !pod.valid()) {
      schedule();
    } else if (what < 65) {
      remove(pod);
    } else if (what < 85) {
      update_pod(pod);
    } else if (what < 90) {
      cluster_.set_terminating(pod, false);
      objects_.pods[pod].metadata.deletion_timestamp = Instant{};
    } else {
      serve_nominated();
    }
  }

  void serve_nominated() {
    for (const cluster::NodeId node : cluster_.nodes()) {
      if (cluster_.nominated_to(node).empty()) continue;
      const cluster::PodId pod = cluster_.nominated_to(node).front();
      const Decision decision = decide(pod);
      if (!decision.attempt.scheduled()) return remove(pod);
      consume(pod, decision);
      return place(pod, decision.attempt.node);
    }
  }

  // ---- reservations ------------------------------------------------------------------------------------------------

  virtual void happen_to_reservations() {
    const std::string name = random_.one_of({"room1", "room2"});
    const auto& all = cluster_.reservations().all();
    const auto known = std::ranges::find(all, name, [&](auto id) { return cluster_.reservations().at(id).name; });
    if (known == all.end()) return reserve(name, random_.one_of({"web", "db", "train"}));
    if (random_.chance(30)) return serve_placeholders(*known);
    const std::vector<cluster::PodId> placeholders = cluster_.reservations().at(*known).placeholders;
    cluster_.remove_reservation(*known);
    for (const cluster::PodId each : placeholders) objects_.placeholders.erase(each);
    objects_.reservations.erase(name);
  }

  void reserve(const std::string& name, const std::string& app) {
    objects_.reservations[name] = {app};
    const cluster::ReservationId id =
        cluster_.add_reservation(reservation_for(name, objects_.reservations[name], cluster_.symbols()));
    cluster::testing::PodBuilder shape = random_.pod(name);
    shape.label("app", app).never_preempts();
    for (std::uint64_t i = 1 + random_.below(4); i > 0; --i) {
      shape.pod().metadata.name = name + ".reserved." + std::to_string(++made_);
      const kube::Pod object = shape.build();
      objects_.placeholders[cluster_.add_placeholder(id, object)] = object;
    }
    serve_placeholders(id);
  }

  /// Those that wait have their turn.
  void serve_placeholders(cluster::ReservationId id) {
    for (const cluster::PodId each : cluster_.reservations().at(id).placeholders) {
      if (cluster_.pod(each).node.valid()) continue;
      const Decision decision = decide(each);
      if (decision.attempt.scheduled()) cluster_.place(each, decision.attempt.node);
    }
  }

  void remove_placeholder(cluster::PodId placeholder) {
    cluster_.remove_pod(placeholder);
    objects_.placeholders.erase(placeholder);
  }

  // ---- nodes -------------------------------------------------------------------------------------------------------

  void happen_to_nodes(std::uint64_t what) {
    if (what < 25) {
      const std::string name = random_.chance(30) && !gone_.empty() ? gone_.back() : "n" + std::to_string(++made_);
      std::erase(gone_, name);
      if (!cluster_.find_node(name).valid()) add(random_.node(name));  // a transaction may have brought it back
    } else if (what < 45 && cluster_.node_count() > 2) {
      remove_node(any_node());
    } else {
      update_node(any_node());
    }
  }

  void remove_node(cluster::NodeId node) {
    gone_.emplace_back(cluster_.node_name(node));
    const std::vector<cluster::PodId> hopeful = cluster_.nominated_to(node);
    for (const cluster::PodId pod : hopeful) remove(pod);
    for (const cluster::PodId pod : cluster_.remove_node(node)) {
      EXPECT_FALSE(cluster_.pod(pod).node.valid());
      if (!cluster_.pod(pod).reservation.valid()) remove(pod);
    }
  }

  void update_node(cluster::NodeId id) {
    kube::Node node = cluster_.node_object(id);
    const kube::Node other = random_.node(node.metadata.name);
    switch (random_.below(8)) {
      case 0:
        node.metadata.labels = other.metadata.labels;
        break;
      case 1:
      case 2:
        relabel(node);
        break;
      case 3:
        node.taints = other.taints;
        break;
      case 4:
        node.allocatable = other.allocatable;
        break;
      case 5:
        node.images = {{{"model"}, static_cast<std::int64_t>(1 + random_.below(3)) << 29}};
        break;
      case 6:
        node.unschedulable = !node.unschedulable;
        break;
      default:
        heartbeat(id, node);
        return;
    }
    cluster_.update_node(id, node);
  }

  /// Domains of several nodes, of the empty text, and none.
  void relabel(kube::Node& node) {
    const std::string key = random_.one_of({kHostname, kZone});
    if (random_.chance(30)) {
      node.metadata.labels.erase(key);
    } else {
      node.metadata.labels[key] = random_.one_of({node.metadata.name, "shared", "", ""});
    }
  }

  /// Nothing that decisions read, so no change log lists it.
  void heartbeat(cluster::NodeId id, kube::Node node) {
    const auto mark = cluster_.changes().end();
    node.conditions = {{"Ready", "True", "KubeletReady", ""}};
    cluster_.update_node(id, node);
    EXPECT_EQ(cluster_.changes().end(), mark);
    EXPECT_EQ(cluster_.node_object(id).conditions.size(), 1U);
  }

  // ---- all else ----------------------------------------------------------------------------------------------------

  void happen_elsewhere() {
    const std::string name = random_.one_of({"one", "two"});
    const std::string replica_set = random_.one_of({"rs1", "rs2"});
    switch (random_.below(8)) {
      case 0: {
        const std::string space = random_.one_of({"default", "team"});
        objects_.namespaces[space] = {{"colour", random_.one_of({"red", "blue"})}};
        cluster_.set_namespace(space, objects_.namespaces[space]);
        break;
      }
      case 1:
        objects_.namespaces.erase("team");
        cluster_.remove_namespace("team");
        break;
      case 2: {
        kube::Service service;
        service.metadata = metadata_of(name);
        service.selector = {{"app", random_.one_of({"web", "db", "train"})}};
        objects_.services[name] = service;
        cluster_.set_service(service);
        break;
      }
      case 3:
        objects_.services.erase(name);
        cluster_.remove_service("default", name);
        break;
      case 4:
        return set_budget(name);
      case 5:
        objects_.replica_sets[replica_set] = random_.one_of({"web", "db", "train"});
        set_replica_set(cluster_, replica_set, objects_.replica_sets[replica_set]);
        break;
      case 6:
        objects_.replica_sets.erase(replica_set);
        cluster_.remove_controller("ReplicaSet", "default", replica_set);
        break;
      default:
        objects_.budgets.erase(name);
        cluster_.remove_budget("default", name);
    }
  }

  void set_budget(const std::string& name) {
    kube::PodDisruptionBudget& budget = objects_.budgets[name];
    budget.metadata = metadata_of(name);
    budget.selector = cluster::testing::selecting("app", random_.one_of({"web", "db"}));
    budget.disruptions_allowed = static_cast<std::int32_t>(random_.below(2));
    cluster_.set_budget(budget, *budget.disruptions_allowed);
  }

  void happen() {
    const std::uint64_t what = random_.below(100);
    if (storage_.is_set_up() && random_.chance(10)) return storage_.happen();
    if (random_.chance(5)) return happen_to_reservations();
    if (what < 65) return happen_to_pods(random_.below(100));
    if (what < 88) return happen_to_nodes(random_.below(100));
    if (what < 96) return happen_elsewhere();
    scheduler().reclaim();
    EXPECT_EQ(cluster_.reclaimable(), 0U);
  }

  // ---- what must hold ----------------------------------------------------------------------------------------------

  void expect_counts_to_be_current() {
    for (std::size_t i = 0; i < cluster_.counter_slots(); ++i) {
      const cluster::CounterId id{i};
      const cluster::Counter again = cluster_.recount(id);
      EXPECT_EQ(cluster_.counter(id).pods, again.pods);
      EXPECT_EQ(cluster_.counter(id).nodes, again.nodes);
      EXPECT_EQ(cluster_.counter(id).total, again.total);
      EXPECT_EQ(cluster_.counter(id).domains, again.domains);
    }
    for (std::size_t i = 0; i < cluster_.affinity_term_count_slots(); ++i) {
      const cluster::AffinityTermCountId id{i};
      EXPECT_EQ(cluster_.affinity_term_count(id).pods, cluster_.recount(id).pods);
      EXPECT_EQ(cluster_.affinity_term_count(id).total, cluster_.recount(id).total);
    }
  }

  /// The books equal those of a cluster that is filled with what is there now, and so do decisions of every detail.
  void expect_no_trace() {
    cluster::Cluster fresh;
    fill(fresh);
    expect_books_of(fresh);
    EXPECT_EQ(cluster_.pod_count(), fresh.pod_count());
    expect_decisions_of(fresh, templates_, Detail::kDecision);
  }

  void fill(cluster::Cluster& fresh) const {
    storage_.fill(fresh.volumes());
    testing::fill(fresh, cluster_, objects_);
  }

  void expect_books_of(const cluster::Cluster& fresh) {
    ASSERT_EQ(fresh.node_count(), cluster_.node_count());
    for (std::size_t i = 0; i < fresh.node_count(); ++i) {
      EXPECT_EQ(books_of(cluster_, cluster_.scan_order()[i]), books_of(fresh, fresh.scan_order()[i]));
    }
    EXPECT_EQ(cluster::testing::books_of(cluster_.volumes()), cluster::testing::books_of(fresh.volumes()));
    EXPECT_EQ(books_of_reservations(cluster_), books_of_reservations(fresh));
  }

  /// `quickest` is the least detail that is asked for. In a transaction no pod has claims of its own.
  void expect_decisions_of(cluster::Cluster& fresh, const std::vector<cluster::testing::PodBuilder>& askers,
                           Detail quickest) {
    Scheduler anew = Scheduler::make(fresh, engine::registry(), configuration_, extensions_).value();
    for (cluster::testing::PodBuilder builder : askers) {
      builder.pod().metadata.name = "asking";
      const kube::Pod asking = builder;
      if (has_own_claims(asking)) {
        cluster_.volumes().add_ephemeral_claims(asking);
        fresh.volumes().add_ephemeral_claims(asking);
      }
      const cluster::PodId here = add(builder);
      const cluster::PodId there = fresh.add_pod(asking);
      const Decision decision = decide(here, quickest);
      EXPECT_EQ(text_of(cluster_, decision), text_of(fresh, anew.decide(there)));
      EXPECT_EQ(text_of(cluster_, decision), text_of(cluster_, decide(here, Detail::kFull)));
      cluster_.remove_pod(here);
      fresh.remove_pod(there);
      if (!has_own_claims(asking)) continue;
      cluster_.volumes().remove_ephemeral_claims(asking.metadata.namespace_, "asking", *asking.spec);
      fresh.volumes().remove_ephemeral_claims(asking.metadata.namespace_, "asking", *asking.spec);
    }
  }

  RandomObjects random_;
  Objects objects_;
  RandomStorage storage_{random_, cluster_};
  std::vector<cluster::testing::PodBuilder> templates_;
  std::vector<std::string> gone_;
  int made_ = 0;
};

}  // namespace loadline::placement::testing
