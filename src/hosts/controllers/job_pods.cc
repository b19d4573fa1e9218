#include "hosts/controllers/job_pods.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/deletion_order.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/controllers/job_failure_policy.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::find_at;
using document::Object;
using document::Value;
using document::with_at;

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";
constexpr std::string_view kIgnoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count";
constexpr std::size_t kMaxGeneratedNameBase = 58;

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

bool declares(const Value& environment, std::string_view name) {
  const Array& variables = environment.array();
  return std::any_of(variables.begin(), variables.end(),
                     [&](const Value& variable) { return document::text_at(variable, {"name"}) == name; });
}

Value index_variable() {
  const std::string path = "metadata.labels['" + std::string(kCompletionIndex) + "']";
  Value reference(Object{{"fieldRef", Value(Object{{"fieldPath", Value(path), {}}}), {}}});
  return Value(Object{{"name", Value(kIndexVariable), {}}, {"valueFrom", std::move(reference), {}}});
}

Value with_index_variable(Value container) {
  const Value* environment = container.find("env");
  if (environment == nullptr || !environment->is_array()) {
    return std::move(container).with("env", Value(Array{index_variable()}));
  }
  if (declares(*environment, kIndexVariable)) return container;
  Array variables = environment->array();
  variables.push_back(index_variable());
  return std::move(container).with("env", Value(std::move(variables)));
}

Value with_index_variables(Value pod) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    const Value* containers = find_at(pod, {"spec", list});
    if (containers == nullptr || !containers->is_array()) continue;
    Array changed;
    for (const Value& container : containers->array()) changed.push_back(with_index_variable(container));
    pod = with_at(std::move(pod), {"spec", list}, Value(std::move(changed)));
  }
  return pod;
}

Value with_tracking_finalizer(Value pod) {
  const Value* existing = find_at(pod, {"metadata", "finalizers"});
  Array finalizers = existing != nullptr && existing->is_array() ? existing->array() : Array();
  const Value tracking(kTrackingFinalizer);
  if (std::find(finalizers.begin(), finalizers.end(), tracking) != finalizers.end()) return pod;
  finalizers.push_back(tracking);
  return with_at(std::move(pod), {"metadata", "finalizers"}, Value(std::move(finalizers)));
}

/// `<job>-<index>-`, the job's name cut so that five characters still fit.
std::string name_prefix(const std::string& job, const std::string& index) {
  const std::string suffix = '-' + index + '-';
  if (job.size() + suffix.size() <= kMaxGeneratedNameBase) return job + suffix;
  return job.substr(0, kMaxGeneratedNameBase - suffix.size()) + suffix;
}

bool is_release(const Action& claim) {
  const Value* owners = find_at(claim.document, {"metadata", "ownerReferences"});
  return owners != nullptr && owners->is_array() && !owners->array().empty() &&
         owners->array().front().find("$patch") != nullptr;
}

}  // namespace

bool is_tracked(const kube::ObjectMeta& pod) { return has_finalizer(pod, kTrackingFinalizer); }

Action untrack(const kube::ObjectMeta& pod) {
  return remove_finalizer(kind_name<kube::Pod>(), pod, kTrackingFinalizer);
}

std::vector<Action> with_tracking(std::vector<Action> claims) {
  for (Action& claim : claims) {
    const std::string_view list = is_release(claim) ? "$deleteFromPrimitiveList/finalizers" : "finalizers";
    claim.document = with_at(std::move(claim.document), {"metadata", list}, Value(Array{Value(kTrackingFinalizer)}));
  }
  return claims;
}

IndexFailures index_failures(const kube::ObjectMeta& pod) {
  return {count_at(pod, kFailureCount), count_at(pod, kIgnoredFailureCount)};
}

IndexFailures after_failure(const kube::Job& job, const kube::Pod& failed) {
  IndexFailures failures = index_failures(failed.metadata);
  ++(judge_failure(job.spec.pod_failure_policy, failed).counts() ? failures.counted : failures.ignored);
  return failures;
}

JobPodMaker::JobPodMaker(const Observed<kube::Job>& job) : job_(job), reference_(reference_to(job)) {
  const Value* pod_template = find_at(job.document, {"spec", "template"});
  prototype_ = with_tracking_finalizer(pod_from_template(pod_template == nullptr ? Value(Object()) : *pod_template,
                                                         job.metadata().name,
                                                         controller_reference(kind_name<kube::Job>(), job.metadata())));
  if (job.view.spec.indexed) prototype_ = with_index_variables(std::move(prototype_));
}

Action JobPodMaker::creation(Value pod) const {
  Action action = create(kind_name<kube::Pod>(), job_.metadata().namespace_, std::move(pod));
  action.said_when_done = Event{reference_, Event::Type::kNormal, "SuccessfulCreate", "Created pod: "};
  action.names_the_object = true;
  action.said_if_failed = Event{reference_, Event::Type::kWarning, "FailedCreate", "Error creating: "};
  return action;
}

Action JobPodMaker::pod(std::int64_t index, const std::optional<IndexFailures>& failures) const {
  const std::string text = std::to_string(index);
  const std::string& job = job_.metadata().name;
  Value made = with_at(prototype_, {"metadata", "generateName"}, Value(name_prefix(job, text)));
  made = with_at(std::move(made), {"metadata", "labels", kCompletionIndex}, Value(text));
  made = with_at(std::move(made), {"metadata", "annotations", kCompletionIndex}, Value(text));
  made = with_at(std::move(made), {"spec", "hostname"}, Value(job + '-' + text));
  const auto annotate = [&](std::string_view name, std::int64_t count) {
    made = with_at(std::move(made), {"metadata", "annotations", name}, Value(std::to_string(count)));
  };
  if (failures) annotate(kFailureCount, failures->counted);
  if (failures && failures->ignored > 0) annotate(kIgnoredFailureCount, failures->ignored);
  return creation(std::move(made));
}

Action remove_pod(const Observed<kube::Job>& job, const Observed<kube::Pod>& pod) {
  const Value reference = reference_to(job);
  Action action = remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
  action.said_when_done =
      Event{reference, Event::Type::kNormal, "SuccessfulDelete", "Deleted pod: " + pod.metadata().name};
  action.said_if_failed = Event{reference, Event::Type::kWarning, "FailedDelete", "Error deleting: "};
  return action;
}

JobPods take_misfits(JobPods& active, std::int64_t completions, Instant now) {
  JobPods misfits;
  std::map<std::int64_t, JobPods> by_index;
  for (const auto* pod : active) {
    const auto index = completion_index(pod->metadata());
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
