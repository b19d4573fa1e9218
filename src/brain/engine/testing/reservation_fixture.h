#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"

namespace loadline::engine::testing {

using cluster::NodeId;
using cluster::PodId;
using cluster::ReservationId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::selecting;

/// A cluster, what is reserved in it, and a dispatcher that takes its turns.
class ReservationFixture : public ::testing::Test {
 protected:
  static constexpr const char* kZone = "topology.kubernetes.io/zone";

  /// Waits for its turn.
  PodId add(const PodBuilder& builder) {
    const PodId id = cluster_.add_pod(builder);
    dispatcher().add(id);
    return id;
  }
  PodId runs(const PodBuilder& builder, NodeId where) {
    const PodId id = cluster_.add_pod(builder);
    cluster_.place(id, where);
    return id;
  }
  /// Room for so many pods of the label app=APP, which waits for its turn.
  ReservationId reserve(const std::string& app, int pods, PodBuilder shape) {
    kube::Reservation asked;
    asked.metadata.name = "room-for-" + app;
    asked.selector = selecting("app", app);
    const ReservationId id = dispatcher().keeper().open(asked, 0);
    shape.label("app", app).never_preempts();
    dispatcher().keeper().keep(id, asked, {{"", shape.build(), static_cast<std::size_t>(pods)}});
    return id;
  }
  static PodBuilder wanting(const std::string& app, int cpus, std::int32_t priority = 0) {
    return pod(app).label("app", app).request("cpu", std::to_string(cpus)).priority(priority);
  }

  static kube::PodGroup group_of(const std::string& name, std::int32_t min_count) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = min_count;
    return group;
  }

  /// Takes all turns, as a host does.
  void settle() {
    while (const std::optional<decision::Unit> next = dispatcher().next()) {
      for (decision::PodTurn& turn : dispatcher().take(*next).pods) {
        for (const PodId victim : turn.victims) victims_.push_back(victim);
        turns_[turn.pod] = std::move(turn);
      }
    }
  }
  [[nodiscard]] std::string node_of(PodId id) const {
    const NodeId at = cluster_.pod(id).node;
    return at.valid() ? std::string(cluster_.node_name(at)) : "";
  }
  [[nodiscard]] std::vector<std::string> held(ReservationId id) const {
    std::vector<std::string> nodes;
    for (const PodId placeholder : cluster_.reservations().at(id).placeholders) nodes.push_back(node_of(placeholder));
    return nodes;
  }
  [[nodiscard]] std::int32_t consumed(ReservationId id) const { return cluster_.reservations().at(id).consumed; }

  Dispatcher& dispatcher() {
    if (!dispatcher_) {
      dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{}));
    }
    return *dispatcher_;
  }

  cluster::Cluster cluster_;
  std::optional<Dispatcher> dispatcher_;
  std::map<PodId, decision::PodTurn> turns_;
  std::vector<PodId> victims_;
};

}  // namespace loadline::engine::testing
