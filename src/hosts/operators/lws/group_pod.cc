#include "hosts/operators/lws/group_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "brain/workloads/leader_worker_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/lws/pod_name.h"
#include "hosts/operators/lws/tpu_variables.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;
using workloads::GroupMember;
template <class T>
using Verdict = tl::expected<T, std::string>;

std::string_view lws_label(const Value& pod, std::string_view name) {
  return text_at(pod, {"metadata", "labels", name});
}
std::string_view lws_annotation(const Value& pod, std::string_view name) {
  return text_at(pod, {"metadata", "annotations", name});
}

/// As strconv.Atoi reads it.
Verdict<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return number;
  return tl::unexpected(fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", text));
}

/// Whether the pod requires to be near some pods, and away from some, in domains of that key.
bool has_terms_about(const Value& pod, std::string_view topology) {
  const auto has = [&](std::string_view field) {
    const Value* terms =
        document::find_at(pod, {"spec", "affinity", field, "requiredDuringSchedulingIgnoredDuringExecution"});
    return terms != nullptr && terms->is_array() &&
           std::any_of(terms->array().begin(), terms->array().end(),
                       [&](const Value& term) { return text_at(term, {"topologyKey"}) == topology; });
  };
  return has("podAffinity") && has("podAntiAffinity");
}

/// The topology, unless the pod has its terms already.
std::string topology_to_apply(const Value& pod, std::string_view annotation) {
  const std::string topology(lws_annotation(pod, annotation));
  return has_terms_about(pod, topology) ? std::string() : topology;
}

Verdict<GroupMember> place_of(const Value& pod, std::string_view name_space) {
  const std::string_view name = text_at(pod, {"metadata", "name"});
  const std::string_view size = lws_annotation(pod, kube::kLwsSize);
  if (size.empty()) return tl::unexpected(fmt::format("size annotation is unexpectedly missing for pod {}", name));
  const Verdict<std::int64_t> count = number_in(size);
  if (!count) return tl::unexpected(count.error());
  GroupMember member;
  member.name_space = name_space;
  member.size = *count;
  const bool leads = lws_label(pod, kube::kLwsWorkerIndex) == "0";
  const std::optional<PodName> parsed = parse_pod_name(name);
  if (!parsed && !(leads && !lws_label(pod, kube::kLwsGroupIndex).empty()))
    return tl::unexpected(fmt::format("parsing pod ordinal for pod {}", name));
  member.leader = leads ? name : lws_annotation(pod, kube::kLwsLeaderName);
  if (parsed) (leads ? member.group : member.worker) = parsed->ordinal;
  member.exclusive_topology = topology_to_apply(pod, kube::kLwsExclusiveTopology);
  member.sub_group_exclusive_topology = topology_to_apply(pod, kube::kLwsSubGroupExclusiveTopology);
  member.has_own_subdomain = lws_annotation(pod, kube::kLwsSubdomainPolicy) == "UniquePerReplica";
  const std::string_view part = lws_annotation(pod, kube::kLwsSubGroupSize);
  if (part.empty() || !lws_label(pod, kube::kLwsSubGroupIndex).empty()) return member;
  const Verdict<std::int64_t> part_size = number_in(part);
  if (!part_size) return tl::unexpected(part_size.error());
  member.sub_groups.emplace();
  member.sub_groups->size = static_cast<std::int32_t>(*part_size);
  member.sub_groups->excludes_leader = lws_annotation(pod, kube::kLwsSubGroupPolicyType) == "LeaderExcluded";
  return member;
}

/// Before the variables that the container has; one that it has of that name goes.
Value with_first(Value container, const Array& variables) {
  Array all = variables;
  const Value* declared = container.find("env");
  if (declared != nullptr && declared->is_array()) {
    for (const Value& each : declared->array()) {
      const std::string_view name = text_at(each, {"name"});
      const bool is_known =
          std::any_of(all.begin(), all.end(), [&](const Value& known) { return text_at(known, {"name"}) == name; });
      if (!is_known) all.push_back(each);
    }
  }
  return std::move(container).with("env", Value(std::move(all)));
}

Value lws_variable(std::string_view name, std::string_view value) {
  return Value(Object{{"name", Value(name), {}}, {"value", Value(value), {}}});
}

/// Where the group's leader is, how large the group is, and where the pod is in it.
Verdict<Value> with_group_variables(Value pod, std::string_view name_space) {
  const std::string_view name = text_at(pod, {"metadata", "name"});
  const std::string_view group = lws_label(pod, kube::kLwsGroupIndex);
  if (group.empty()) {
    return tl::unexpected(fmt::format(
        "Failure constructing environment variables, no group index label found for pod {}/{}", name_space, name));
  }
  const std::string leader = fmt::format("{}-{}.{}.{}", lws_label(pod, kube::kLwsName), group,
                                         text_at(pod, {"spec", "subdomain"}), name_space);
  const Array variables{lws_variable("LWS_LEADER_ADDRESS", leader),
                        lws_variable("LWS_GROUP_SIZE", lws_annotation(pod, kube::kLwsSize)),
                        lws_variable("LWS_WORKER_INDEX", lws_label(pod, kube::kLwsWorkerIndex))};
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Value* found = document::find_at(pod, {"spec", list});
    if (found == nullptr || !found->is_array() || found->array().empty()) continue;
    Array containers;
    for (const Value& container : found->array()) containers.push_back(with_first(container, variables));
    pod = document::with_at(std::move(pod), {"spec", list}, Value(std::move(containers)));
  }
  return pod;
}

}  // namespace

bool is_group_pod(const Value& pod) {
  return document::find_at(pod, {"metadata", "labels", kube::kLwsName}) != nullptr;
}

Verdict<Value> as_group_pod(Value pod, std::string_view name_space) {
  if (!is_group_pod(pod)) return pod;
  const Verdict<GroupMember> member = place_of(pod, name_space);
  if (!member) return tl::unexpected(member.error());
  workloads::PodDraft draft = workloads::member_draft(*member);
  // Labels that the pod brings along stay; but a worker's index is what its name says.
  std::erase_if(draft.labels, [&](const auto& label) {
    return label.first != kube::kLwsWorkerIndex && !lws_label(pod, label.first).empty();
  });
  pod = controllers::with_draft(std::move(pod), draft);
  Verdict<Value> with_tpus = with_tpu_variables(std::move(pod), member->size);
  if (!with_tpus) return with_tpus;
  return with_group_variables(std::move(*with_tpus), name_space);
}

}  // namespace loadline::operators
