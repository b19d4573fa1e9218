#include "hosts/operators/kueue/pod_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "foundation/base/digest.h"
#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "hosts/controllers/finalizers.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Array;
using document::Object;
using document::Value;

std::string_view annotation_in(const kube::ObjectMeta& object, std::string_view name) {
  const auto found = object.annotations.find(name);
  return found == object.annotations.end() ? std::string_view() : std::string_view(found->second);
}

Value shape_of_containers(const Value& spec, std::string_view field) {
  Array shapes;
  for (const Value& container : document::items_at(spec, {field})) {
    const Value requests = document::value_at(container, {"resources", "requests"});
    shapes.emplace_back(Object{{"ports", document::value_at(container, {"ports"}), {}},
                               {"resources", Value(Object{{"requests", requests, {}}}), {}}});
  }
  return shapes.empty() ? Value() : Value(std::move(shapes));
}

std::pair<std::vector<PodPtr>, std::vector<PodPtr>> parted(const std::vector<PodPtr>& pods) {
  std::pair<std::vector<PodPtr>, std::vector<PodPtr>> parts;
  for (const PodPtr& each : pods) {
    (is_runnable_or_succeeded(each->view) ? parts.first : parts.second).push_back(each);
  }
  return parts;
}

/// Those without a finalizer, those that are gated, and the youngest come last.
void sort_active(std::vector<PodPtr>& pods) {
  std::ranges::stable_sort(pods, {}, [](const PodPtr& pod) {
    return std::tuple(!controllers::has_finalizer(pod->metadata(), kManagedPod), is_gated_for_admission(pod->view),
                      pod->metadata().creation_timestamp);
  });
}

Instant last_active(const kube::Pod& pod, Instant now) {
  Instant last = pod.metadata.deletion_timestamp.value_or(now);
  const auto* ready = kube::find_condition(pod.status.conditions, "ContainersReady");
  if (ready != nullptr && ready->status == "False" && ready->reason == "PodFailed" && ready->last_transition_time) {
    last = std::min(last, *ready->last_transition_time);
  }
  return last;
}

/// Those with a finalizer, and those that were active last, come last.
void sort_inactive(std::vector<PodPtr>& pods, Instant now) {
  std::ranges::stable_sort(pods, {}, [now](const PodPtr& pod) {
    return std::tuple(controllers::has_finalizer(pod->metadata(), kManagedPod),
                      -last_active(pod->view, now).nanoseconds, pod->metadata().creation_timestamp);
  });
}

/// Moves those behind the first `most` away.
void move_rest(std::vector<PodPtr>& from, std::size_t most, std::vector<PodPtr>& kept, std::vector<PodPtr>& rest) {
  for (std::size_t i = 0; i < from.size(); ++i) (i < most ? kept : rest).push_back(std::move(from[i]));
}

std::vector<PodPtr> of_role(const std::vector<PodPtr>& pods, std::string_view role) {
  std::vector<PodPtr> found;
  for (const PodPtr& each : pods) {
    if (role_of_pod(*each) == role) found.push_back(each);
  }
  return found;
}

}  // namespace

std::string_view pod_group_of(const kube::ObjectMeta& pod) {
  for (const kube::StringMap* names : {&pod.annotations, &pod.labels}) {
    const auto found = names->find(kube::kPodGroupName);
    if (found != names->end() && !found->second.empty()) return found->second;
  }
  return {};
}

bool is_gated_for_admission(const kube::Pod& pod) {
  return pod.spec != nullptr &&
         std::ranges::find(pod.spec->scheduling_gates, kube::kAdmissionGate) != pod.spec->scheduling_gates.end();
}

bool is_terminated(const kube::Pod& pod) {
  return pod.status.phase == kube::PodPhase::kFailed || pod.status.phase == kube::PodPhase::kSucceeded;
}

bool is_runnable_or_succeeded(const kube::Pod& pod) {
  const bool has_node = pod.spec != nullptr && !pod.spec->node_name.empty();
  if (pod.metadata.deletion_timestamp && !has_node) return false;
  return pod.status.phase != kube::PodPhase::kFailed;
}

Value shape_of_pod_spec(const Value& spec) {
  Object shape;
  shape.push_back({"containers", shape_of_containers(spec, "containers"), {}});
  shape.push_back({"initContainers", shape_of_containers(spec, "initContainers"), {}});
  for (const std::string_view field : {"affinity", "nodeSelector", "overhead", "priority", "resourceClaims",
                                       "runtimeClassName", "tolerations", "topologySpreadConstraints"}) {
    shape.push_back({std::string(field), document::value_at(spec, {field}), {}});
  }
  if (const Value* resources = document::find_at(spec, {"resources"})) {
    shape.push_back({"resources", document::value_at(*resources, {"requests"}), {}});
  }
  return Value(std::move(shape));
}

std::string role_hash_of(const Value& pod) {
  constexpr std::size_t kDigits = 8;
  return sha1_hex(document::write_go_json(shape_of_pod_spec(document::value_at(pod, {"spec"})))).substr(0, kDigits);
}

std::string role_of_pod(const watching::Observed<kube::Pod>& pod) {
  const std::string_view written = annotation_in(pod.metadata(), kRoleHash);
  return written.empty() ? role_hash_of(pod.document) : std::string(written);
}

Result<std::int64_t> group_size(const kube::ObjectMeta& pod) {
  const std::string_view text = annotation_in(pod, kube::kPodGroupTotalCount);
  if (!pod.annotations.contains(kube::kPodGroupTotalCount)) {
    return failure(fmt::format("failed to extract '{}' annotation", kube::kPodGroupTotalCount));
  }
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) {
    return failure(fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", text));
  }
  if (count < 1) {
    return failure(fmt::format("incorrect annotation value '{}={}': group total count should be greater than zero",
                               kube::kPodGroupTotalCount, text));
  }
  return count;
}

bool is_admitted_fast(const kube::ObjectMeta& pod) { return annotation_in(pod, kFastAdmission) == "true"; }

bool is_serving(const kube::ObjectMeta& pod) { return annotation_in(pod, kServing) == "true"; }

PodSetDocuments group_documents(const std::vector<PodPtr>& pods) {
  PodSetDocuments sets;
  for (const PodPtr& pod : pods) {
    if (!is_runnable_or_succeeded(pod->view)) continue;
    const std::string role = role_of_pod(*pod);
    const auto known = std::ranges::find(sets, role, &PodSetDocument::name);
    if (known != sets.end()) {
      ++known->count;
      continue;
    }
    const Value spec = document::value_at(pod->document, {"spec"});
    sets.push_back({role, Value(Object{{"spec", spec, {}}}), 1, std::nullopt});
    if (!is_admitted_fast(pod->metadata())) continue;
    sets.front().count = static_cast<std::int32_t>(group_size(pod->metadata()).value_or(1));
    return sets;
  }
  std::ranges::sort(sets, {}, &PodSetDocument::name);
  return sets;
}

GroupMembers members_of(const std::vector<PodPtr>& pods, const kube::KueueWorkload& workload, Instant now) {
  GroupMembers members;
  const auto [active, inactive] = parted(pods);
  const bool is_fast = !pods.empty() && is_admitted_fast(pods.front()->metadata());
  for (const kube::PodSet& set : workload.pod_sets) {
    std::vector<PodPtr> running = of_role(active, set.name);
    std::vector<PodPtr> gone = of_role(inactive, set.name);
    const auto wanted = static_cast<std::size_t>(std::max(set.count, 0));
    const std::size_t missing = wanted - std::min(wanted, running.size());
    members.absent += static_cast<std::int64_t>(is_fast ? std::size_t{wanted > 0 && running.empty()} : missing);
    const std::size_t kept_gone = std::min(gone.size(), missing);
    sort_active(running);
    move_rest(running, wanted, members.kept, members.excess);
    sort_inactive(gone, now);
    move_rest(gone, kept_gone, members.kept, members.replaced);
  }
  return members;
}

Result<GroupMembers> new_members_of(const std::vector<PodPtr>& pods) {
  const kube::ObjectMeta& first = pods.front()->metadata();
  const Result<std::int64_t> size = group_size(first);
  if (!size) return tl::unexpected(size.error());
  auto [active, inactive] = parted(pods);
  const auto most = static_cast<std::size_t>(*size);
  if (!is_admitted_fast(first) && active.size() < most) {
    return failure(fmt::format("'{}' group has fewer runnable pods than expected", pod_group_of(first)));
  }
  const auto queue_of = [](const kube::ObjectMeta& pod) {
    const auto found = pod.labels.find(kube::kQueueName);
    return found == pod.labels.end() ? std::string_view() : std::string_view(found->second);
  };
  for (const PodPtr& each : active) {
    if (queue_of(each->metadata()) != queue_of(first)) {
      return failure(fmt::format("pods '{}' and '{}' has different queue names: {}!={}", first.name,
                                 each->metadata().name, queue_of(first), queue_of(each->metadata())));
    }
    const Result<std::int64_t> count = group_size(each->metadata());
    if (!count) return tl::unexpected(count.error());
    if (*count != *size) {
      return failure(fmt::format("pods '{}' and '{}' has different '{}' values: {}!={}", first.name,
                                 each->metadata().name, kube::kPodGroupTotalCount, *size, *count));
    }
  }
  GroupMembers members;
  sort_active(active);
  move_rest(active, most, members.kept, members.excess);
  members.replaced = std::move(inactive);
  return members;
}

bool is_same_group(const PodSetDocuments& sets, const kube::KueueWorkload& workload) {
  return std::ranges::all_of(sets, [&](const PodSetDocument& set) {
    const auto known = std::ranges::find(workload.pod_sets, set.name, &kube::PodSet::name);
    return known != workload.pod_sets.end() && known->count >= set.count;
  });
}

}  // namespace loadline::operators::kueue
