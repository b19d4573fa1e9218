#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/decision/why_text.h"
#include "brain/engine/dispatcher.h"
#include "brain/placement/testing/placement_fixture.h"

namespace loadline::engine::testing {

using cluster::GroupId;
using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;

/// A cluster to fill, and a dispatcher that takes its turns.
class DispatcherFixture : public placement::testing::PlacementFixture {
 protected:
  Dispatcher& dispatcher() {
    if (!dispatcher_) {
      dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), configuration_, extensions_));
    }
    return *dispatcher_;
  }
  void describe(const std::string& name, std::int32_t min_count) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = min_count;
    cluster_.set_pod_group(group);
    if (const GroupId id = cluster_.find_group("default", name); id.valid()) dispatcher().group_changed(id);
  }
  PodId submit(const PodBuilder& builder) {
    const PodId id = add(builder);
    dispatcher().add(id);
    return id;
  }
  std::vector<PodId> submit(const PodBuilder& builder, const std::string& group, int count) {
    std::vector<PodId> pods;
    for (int i = 0; i < count; ++i) {
      PodBuilder member = builder;
      member.pod().metadata.name = group + '-' + std::to_string(i);
      pods.push_back(submit(member.group(group)));
    }
    return pods;
  }
  /// Takes all turns; victims are gone at once.
  std::vector<decision::Turn> take_turns() {
    std::vector<decision::Turn> turns;
    while (const std::optional<decision::Unit> unit = dispatcher().next()) {
      turns.push_back(dispatcher().take(*unit));
      std::vector<PodId> victims;
      for (const decision::PodTurn& each : turns.back().pods) {
        victims.insert(victims.end(), each.victims.begin(), each.victims.end());
      }
      for (const PodId victim : victims) {
        dispatcher().leaving(victim);
        cluster_.remove_pod(victim);
      }
      if (!victims.empty()) dispatcher().capacity_freed();
    }
    return turns;
  }
  std::size_t placed(const std::vector<PodId>& pods) {
    return static_cast<std::size_t>(
        std::ranges::count_if(pods, [&](PodId each) { return cluster_.pod(each).node.valid(); }));
  }
  /// What a host would tell of a pod, or of a group.
  [[nodiscard]] std::string said(const decision::PodTurn& turn) const { return decision::text(cluster_, turn.why); }
  [[nodiscard]] std::string said(const decision::Turn& turn) const { return decision::text(cluster_, turn.why); }
  [[nodiscard]] std::vector<std::string> messages(const decision::Turn& turn) const {
    std::vector<std::string> texts;
    for (const decision::PodTurn& each : turn.pods) texts.push_back(said(each));
    return texts;
  }

  std::optional<Dispatcher> dispatcher_;
};

}  // namespace loadline::engine::testing
