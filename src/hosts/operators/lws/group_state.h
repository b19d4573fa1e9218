#pragma once

#include <string_view>
#include <vector>

#include "hosts/operators/lws/group_status.h"
#include "hosts/watching/caches.h"
#include "objects/kube/apps/apps.h"

namespace loadline::operators {

/// The groups whose leaders, and whose workers' StatefulSets where groups have workers, are there. `leaders`: the
/// StatefulSet that makes the leaders; null: there are no groups yet. `revision`: the key of the newest.
/// Source: kubernetes-sigs/lws v0.9.0, updateConditions and getReplicaStates in
/// pkg/controllers/leaderworkerset_controller.go.
[[nodiscard]] std::vector<CountedGroup> groups_of(const kube::LeaderWorkerSet& set,
                                                  const watching::Observed<kube::StatefulSet>* leaders,
                                                  const watching::Caches& caches, std::string_view revision);

}  // namespace loadline::operators
