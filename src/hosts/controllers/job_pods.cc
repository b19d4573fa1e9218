#include "hosts/controllers/job_pods.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "brain/workloads/job.h"
#include "foundation/document/at.h"
#include "hosts/controllers/deletion_order.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/controllers/job_failure_policy.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::find_at;
using document::Value;
using document::with_at;

std::int64_t count_at(const kube::ObjectMeta& pod, std::string_view annotation) {
  const auto found = pod.annotations.find(annotation);
  if (found == pod.annotations.end()) return 0;
  const std::string& text = found->second;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool valid = error == std::errc() && end == text.data() + text.size() && count >= 0 &&
                     count <= std::numeric_limits<std::int32_t>::max();
  return valid ? count : 0;
}

bool is_release(const Action& claim) {
  const Value* owners = find_at(claim.document, {"metadata", "ownerReferences"});
  return owners != nullptr && owners->is_array() && !owners->array().empty() &&
         owners->array().front().find("$patch") != nullptr;
}

}  // namespace

bool is_tracked(const kube::ObjectMeta& pod) { return has_finalizer(pod, kube::kJobTracking); }

Action untrack(const kube::ObjectMeta& pod) {
  return remove_finalizer(kind_name<kube::Pod>(), pod, kube::kJobTracking);
}

std::vector<Action> with_tracking(std::vector<Action> claims) {
  for (Action& claim : claims) {
    const std::string_view list = is_release(claim) ? "$deleteFromPrimitiveList/finalizers" : "finalizers";
    claim.document = with_at(std::move(claim.document), {"metadata", list}, Value(Array{Value(kube::kJobTracking)}));
  }
  return claims;
}

IndexFailures index_failures(const kube::ObjectMeta& pod) {
  return {count_at(pod, kube::kJobIndexFailureCount), count_at(pod, kube::kJobIndexIgnoredFailureCount)};
}

IndexFailures after_failure(const kube::Job& job, const kube::Pod& failed) {
  IndexFailures failures = index_failures(failed.metadata);
  ++(judge_failure(job.spec.pod_failure_policy, failed).counts() ? failures.counted : failures.ignored);
  return failures;
}

void note(const IndexFailures& failures, workloads::PodDraft& draft) {
  draft.annotations.emplace_back(kube::kJobIndexFailureCount, std::to_string(failures.counted));
  if (failures.ignored == 0) return;
  draft.annotations.emplace_back(kube::kJobIndexIgnoredFailureCount, std::to_string(failures.ignored));
}

JobPods take_misfits(JobPods& active, std::int64_t completions, Instant now) {
  JobPods misfits;
  std::map<std::int64_t, JobPods> by_index;
  for (const auto* pod : active) {
    const auto index = workloads::completion_index(pod->metadata());
    (index && *index < completions ? by_index[*index] : misfits).push_back(pod);
  }
  active.clear();
  for (const auto& [index, pods] : by_index) {
    const JobPods surplus = first_to_delete(pods, pods.size() - 1, {}, now);
    for (const auto* pod : pods) {
      const bool goes = std::find(surplus.begin(), surplus.end(), pod) != surplus.end();
      (goes ? misfits : active).push_back(pod);
    }
  }
  return misfits;
}

}  // namespace loadline::controllers
