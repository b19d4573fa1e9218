#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/kai/pod_group.h"

namespace loadline::scheduler {

/// What a PodGroup of KAI is told by.
struct KaiGroupFacts {
  std::string uid;                 // of the group's object
  std::optional<std::string> why;  ///< why it does not start; nothing: no pod of it waits for a node
  friend bool operator==(const KaiGroupFacts&, const KaiGroupFacts&) = default;
};

/// The reason in KAI's words: `Node-Pool 'gpu': …` where the group goes from pool to pool (schedulingBackoff 1).
[[nodiscard]] std::string kai_message(const kube::KaiPodGroup& group, const std::string& why);

/// Makes the group's schedulingConditions say so: the last one is UnschedulableOnNodePool, of the pool that the group's
/// label kai.scheduler/node-pool names, or "default"; once no pod waits there is none, of no pool. Nothing if they do.
/// Beside the message, `reasons` say the same by codes; that is left out. Refused if another writer was faster.
/// Source: RecordJobStatusEvent, setPodGroupSchedulingCondition and clearPodGroupSchedulingCondition,
/// pkg/scheduler/cache/status_updater/default_status_updater.go, KAI v0.17.
[[nodiscard]] std::vector<watching::Action> say_group_status(const watching::Observed<kube::KaiPodGroup>& group,
                                                             const KaiGroupFacts& facts, Instant now);

}  // namespace loadline::scheduler
