#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

using JobPods = std::vector<const Observed<kube::Pod>*>;

/// When a pod ended: when its last container did; else when it ceased to be ready, began to be deleted, or was made.
/// Source: getFinishedTime in pkg/controller/job/backoff_utils.go, v1.36.
Instant finished_at(const kube::Pod& pod);

/// How long after so many failures in a row no pod is made again: 10 s, doubling up to 10 min, since the last one.
Duration remaining_backoff(std::int64_t failures, std::optional<Instant> last_failure, Instant now);

/// The failures of a Job's pods since the last success, as they were noticed.
struct JobBackoff {
  std::string job;  ///< its uid
  std::int64_t failures = 0;
  std::optional<Instant> last_failure;
  std::set<std::string> noticed;  ///< uids of the ended pods that are in here and not in the Job's counters yet

  /// Takes note of ended pods, each once.
  void notice(const JobPods& succeeded, const JobPods& failed);
};

}  // namespace loadline::controllers
