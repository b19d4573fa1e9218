#pragma once

#include <cstdint>
#include <vector>

#include "brain/workloads/pod_draft.h"
#include "hosts/controllers/job_backoff.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {

/// Whether the finalizer holds it that keeps a pod of a Job from vanishing before it is counted.
bool is_tracked(const kube::ObjectMeta& pod);

/// Lets go of a pod that is counted.
Action untrack(const kube::ObjectMeta& pod);

/// Adoptions and releases of pods (ownership.h) as the Job controller does them: what is adopted is tracked from then
/// on, what is released not any more.
std::vector<Action> with_tracking(std::vector<Action> claims);

/// How often the pods of an index have failed before: what a pod tells the one that replaces it.
struct IndexFailures {
  std::int64_t counted = 0;
  std::int64_t ignored = 0;  ///< by the podFailurePolicy

  [[nodiscard]] std::int64_t all() const { return counted + ignored; }
};
IndexFailures index_failures(const kube::ObjectMeta& pod);
/// Those of the pod that takes the failed one's place.
IndexFailures after_failure(const kube::Job& job, const kube::Pod& failed);

/// Tells them to the pod that will be made.
void note(const IndexFailures& failures, workloads::PodDraft& draft);

/// The active pods of an indexed Job that must go, whatever it wants: without an index, beyond the completions, or one
/// of several of an index, of which the one most worth keeping stays. The others are left in `active`.
JobPods take_misfits(JobPods& active, std::int64_t completions, Instant now);

}  // namespace loadline::controllers
