#include "hosts/operators/kueue/held_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/operators/custom_finalizers.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/view.h"

namespace loadline::operators::kueue {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Action;

constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";
constexpr std::string_view kRetriable = "kueue.x-k8s.io/retriable-in-group";

bool is_suspended_pod(const kube::Pod& pod) { return is_terminated(pod) || is_gated_for_admission(pod); }

bool is_stuck(const kube::Pod& pod, Instant now) {
  if (!pod.metadata.deletion_timestamp || !pod.metadata.deletion_grace_period_seconds) return false;
  return now > *pod.metadata.deletion_timestamp + Duration::seconds(*pod.metadata.deletion_grace_period_seconds);
}

bool is_unretriable(const PodPtr& pod) {
  const auto found = pod->metadata().annotations.find(kRetriable);
  return found != pod->metadata().annotations.end() && found->second == "false";
}

/// A pod is a template of its own.
workloads::PodSet place_of_pod(const kube::PodTemplateSpec* pod_template) {
  return {pod_template, "", 1, false, {}, "spec", "metadata"};
}

}  // namespace

Value without_gates(Value pod) {
  Array gates;
  for (const Value& each : document::items_at(pod, {"spec", "schedulingGates"})) {
    const std::string_view name = document::text_at(each, {"name"});
    if (name != kube::kAdmissionGate && name != kTopologyGate) gates.push_back(each);
  }
  if (gates.empty()) return document::without_at(std::move(pod), {"spec", "schedulingGates"});
  return document::with_at(std::move(pod), {"spec", "schedulingGates"}, Value(std::move(gates)));
}

std::vector<const kube::ObjectMeta*> HeldPods::members() const {
  std::vector<const kube::ObjectMeta*> all;
  for (const PodPtr& pod : pods_) all.push_back(&pod->metadata());
  return all;
}

bool HeldPods::is_suspended() const {
  return std::ranges::any_of(pods_, [](const PodPtr& pod) { return is_suspended_pod(pod->view); });
}

bool HeldPods::is_active() const {
  return is_group() && std::ranges::any_of(pods_, [this](const PodPtr& pod) {
           return pod->view.status.phase == kube::PodPhase::kRunning && !is_stuck(pod->view, now_);
         });
}

std::optional<JobEnding> HeldPods::ending() const {
  const kube::Pod& first = pods_.front()->view;
  if (!is_group()) {
    if (!is_terminated(first)) return std::nullopt;
    return JobEnding{first.status.message, first.status.phase == kube::PodPhase::kSucceeded};
  }
  if (is_serving(first.metadata)) return std::nullopt;
  const Result<std::int64_t> size = group_size(first.metadata);
  if (!size) return std::nullopt;
  const auto succeeded = std::ranges::count_if(
      pods_, [](const PodPtr& pod) { return pod->view.status.phase == kube::PodPhase::kSucceeded; });
  const bool is_going = std::ranges::any_of(pods_, [](const PodPtr& pod) { return !is_terminated(pod->view); });
  const bool is_given_up = !is_going && std::ranges::any_of(pods_, is_unretriable);
  if (succeeded != *size && !is_given_up) return std::nullopt;
  return JobEnding{fmt::format("Pods succeeded: {}/{}.", succeeded, *size), true};
}

bool HeldPods::are_pods_ready() const {
  const auto is_ready = [](const PodPtr& pod) {
    return kube::has_true_condition(pod->view.status.conditions, "Ready");
  };
  const Result<std::int64_t> size = is_group() ? group_size(metadata()) : Result<std::int64_t>(1);
  return size && static_cast<std::int64_t>(pods_.size()) >= *size && std::ranges::all_of(pods_, is_ready);
}

std::optional<std::vector<kube::ReclaimablePods>> HeldPods::reclaimable_pods() const {
  std::vector<kube::ReclaimablePods> ended;
  if (!is_group() || is_serving(metadata())) return ended;
  for (const PodPtr& pod : pods_) {
    if (pod->view.status.phase != kube::PodPhase::kSucceeded) continue;
    const std::string role = role_of_pod(*pod);
    const auto known = std::ranges::find(ended, role, &kube::ReclaimablePods::name);
    known == ended.end() ? ended.push_back({role, 1}) : void(++known->count);
  }
  return ended;
}

queue::kueue::JobPodSets HeldPods::pod_sets() const {
  queue::kueue::JobPodSets sets;
  for (const PodSetDocument& each : documents({})) {
    kube::PodSet set;
    set.name = each.name;
    set.count = each.count;
    set.template_ = kube::view<kube::PodTemplateSpec>(each.pod_template, kube::kPodTemplateSpecSchema).object;
    sets.push_back(std::move(set));
  }
  return sets;
}

PodSetDocuments HeldPods::documents(const queue::kueue::JobPodSets& /*sets*/) const {
  if (is_group()) return group_documents(pods_);
  const Value spec = document::value_at(document(), {"spec"});
  return {{"main", Value(Object{{"spec", spec, {}}}), 1, std::nullopt}};
}

Result<std::vector<Action>> HeldPods::start(const std::vector<queue::kueue::PodSetInfo>& infos,
                                            const std::string& message) const {
  std::vector<Action> actions;
  for (const PodPtr& pod : pods_) {
    if (!is_gated_for_admission(pod->view)) continue;
    const std::string role = is_group() ? role_of_pod(*pod) : "main";
    const auto info = std::ranges::find(infos, role, &queue::kueue::PodSetInfo::name);
    if (info == infos.end()) {
      return failure(fmt::format("invalid podset infos: podSetInfo with the name '{}' is not found", role));
    }
    kube::PodTemplateSpec itself;
    itself.metadata = pod->metadata();
    itself.spec = pod->view.spec;
    const Result<kube::PodTemplateSpec> after = queue::kueue::merged(itself, *info);
    if (!after) return tl::unexpected(after.error());
    const Value changed = without_gates(with_infos(pod->document, {place_of_pod(&itself)}, {*info}));
    std::optional<Action> patch = patch_between(kind(), pod->document, changed);
    if (!patch) continue;
    patch->said_when_done = told(kind(), pod->document, "Started", message);
    actions.push_back(std::move(*patch));
  }
  return actions;
}

std::vector<Action> HeldPods::stop(const WorkloadObject* /*workload*/, std::string_view reason,
                                   const std::string& message) const {
  std::vector<Action> actions;
  for (const PodPtr& pod : pods_) {
    const bool is_over = reason != kWorkloadDeleted && is_suspended_pod(pod->view);
    if (pod->is_being_deleted() || is_over) continue;
    const Value condition(Object{{"type", Value("TerminationTarget"), {}},
                                 {"status", Value("True"), {}},
                                 {"lastTransitionTime", Value(format_rfc3339(now_)), {}},
                                 {"reason", Value(reason), {}},
                                 {"message", Value(message), {}}});
    actions.push_back(watching::patch(kind(), pod->key(), kube::PatchType::kStrategic,
                                      document::with_at(Value(), {"status", "conditions"}, Value(Array{condition})),
                                      "status"));
    Action removal = watching::remove(kind(), pod->key(), pod->metadata().uid);
    removal.said_when_done = told(kind(), pod->document, "Stopped", message);
    actions.push_back(std::move(removal));
  }
  if (is_group() && reason == kWorkloadDeleted) {
    for (Action& each : finalize()) actions.push_back(std::move(each));
  }
  return actions;
}

std::vector<Action> HeldPods::finalize() const {
  std::vector<Action> actions;
  for (const PodPtr& pod : pods_) {
    if (auto release = pod_release(*pod)) actions.push_back(std::move(*release));
  }
  return actions;
}

std::optional<Action> pod_release(const watching::Observed<kube::Pod>& pod) {
  if (!controllers::has_finalizer(pod.metadata(), kManagedPod)) return std::nullopt;
  return controllers::remove_finalizer(watching::kind_name<kube::Pod>(), pod.metadata(), kManagedPod);
}

}  // namespace loadline::operators::kueue
