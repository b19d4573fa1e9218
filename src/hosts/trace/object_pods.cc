#include "hosts/trace/object_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_count.h"
#include "hosts/trace/trace_time.h"
#include "objects/kube/defaults.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::trace {
namespace {

constexpr std::int64_t kMostPodsOfAWork = 100'000;  // as many as a row of a trace may say

// Two names that no object has: what differs between the expansions under them comes of the name.
constexpr std::string_view kOneName = "loadline-one-of-a-trace";
constexpr std::string_view kOtherName = "loadline-other-of-a-trace";

void rename(kube::Objects& objects, const std::string& name, const std::string& tenant) {
  const auto rename_each = [&](auto& of_kind) {
    for (auto& object : of_kind) {
      object.metadata.name = name;
      object.metadata.namespace_ = tenant;
    }
  };
  rename_each(objects.of<kube::Pod>());
  workloads::for_each_kind([&]<class Kind>() { rename_each(objects.of<Kind>()); });
}

/// Its pods as they would be created, all else with them.
workloads::Expansion expansion_of(const kube::Objects& object, const std::string& name, const std::string& tenant) {
  kube::Objects renamed = object;
  rename(renamed, name, tenant);
  workloads::Expansion expansion = workloads::expand(renamed, {}, 0);
  for (kube::Pod& pod : renamed.of<kube::Pod>()) expansion.pods.push_back({std::move(pod), {"Pod", tenant, name}});
  return expansion;
}

/// Whether what it says of other pods, or of nodes, may be said in the name of its workload: labels count then, as they
/// are.
bool minds_names(const kube::PodSpec& spec) {
  if (!spec.topology_spread_constraints.empty()) return true;
  if (spec.affinity && (spec.affinity->pod || spec.affinity->pod_anti)) return true;
  return std::ranges::any_of(spec.node_selector,
                             [](const auto& label) { return label.second.find(kOneName) != std::string::npos; });
}

void keep_common(kube::StringMap& texts, const kube::StringMap& others) {
  const kube::StringMap all = texts;
  for (const auto& [name, text] : all) {
    const auto found = others.find(name);
    if (found == others.end() || found->second != text) texts.erase(name);
  }
}

/// Gives the pods defaults, as a plan does: those that share a spec go on sharing it. What ties them to controllers
/// goes, and so does their group, if `leaves_group`: it is the work's then.
void prepare(std::vector<kube::Pod>& pods, bool leaves_group) {
  std::map<std::shared_ptr<const kube::PodSpec>, std::shared_ptr<const kube::PodSpec>> prepared;
  for (kube::Pod& pod : pods) {
    auto& spec = prepared[pod.spec];
    if (spec == nullptr) {
      kube::PodSpec changed = *pod.spec;
      if (leaves_group) changed.pod_group_name.clear();
      pod.spec = std::make_shared<const kube::PodSpec>(std::move(changed));
      kube::set_defaults(pod);
      spec = pod.spec;
    }
    pod.spec = spec;
    cluster::spellings::forget_groups(pod.metadata);
    kube::prepare_for_create(pod);
    pod.metadata.name.clear();
    pod.metadata.generate_name.clear();
    pod.metadata.owner_references.clear();
    pod.metadata.finalizers.clear();
    pod.metadata.source = {};
    pod.status = {};
  }
}

std::vector<kube::Pod> taken_pods(workloads::Expansion& expansion) {
  std::vector<kube::Pod> pods;
  pods.reserve(expansion.pods.size());
  for (workloads::CreatedPod& created : expansion.pods) pods.push_back(std::move(created.pod));
  return pods;
}

/// The pods of one spec become one entry, with the labels that they have in common.
std::vector<PodsAlike> alike(std::vector<kube::Pod> pods) {
  std::vector<std::pair<kube::Pod, std::size_t>> groups;
  std::unordered_map<std::shared_ptr<const kube::PodSpec>, std::size_t> places;
  for (kube::Pod& pod : pods) {
    const auto [place, is_new] = places.try_emplace(pod.spec, groups.size());
    if (is_new) {
      groups.emplace_back(std::move(pod), 1);
      continue;
    }
    auto& [first, count] = groups[place->second];
    keep_common(first.metadata.labels, pod.metadata.labels);
    keep_common(first.metadata.annotations, pod.metadata.annotations);
    ++count;
  }
  std::vector<PodsAlike> result;
  for (auto& [pod, count] : groups) result.push_back({std::make_shared<const kube::Pod>(std::move(pod)), count});
  return result;
}

/// Each for itself, as its labels are its own.
std::vector<PodsAlike> each_alone(std::vector<kube::Pod> pods) {
  std::vector<PodsAlike> result;
  for (kube::Pod& pod : pods) result.push_back({std::make_shared<const kube::Pod>(std::move(pod)), 1});
  return result;
}

/// Why there is nothing to replay; nothing if there is.
std::optional<std::string> obstacle(const workloads::Expansion& expansion) {
  if (!expansion.claims.empty()) return "its controller makes volume claims, which a trace cannot bring";
  if (!expansion.pods.empty()) return std::nullopt;
  if (expansion.notes.empty()) return "it makes no pods";
  return fmt::format("it makes no pods: {}", expansion.notes.front().message);
}

bool groups_pods(const workloads::Expansion& expansion) {
  bool has_minimum = false;
  SymbolTable symbols;
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    for (const Kind& group : expansion.made.of<Kind>()) {
      has_minimum |= cluster::spellings::describe(group, symbols).min_count > 0;
    }
  });
  return has_minimum;
}

/// Of the pods, else of the workload itself.
std::optional<std::string> annotation(const kube::Objects& objects, const kube::Pod& pod, std::string_view name) {
  const auto found = pod.metadata.annotations.find(name);
  if (found != pod.metadata.annotations.end()) return found->second;
  std::optional<std::string> text;
  workloads::for_each_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) {
      const auto of_object = object.metadata.annotations.find(name);
      if (of_object != object.metadata.annotations.end()) text = of_object->second;
    }
  });
  return text;
}

Result<std::optional<Duration>> annotated_span(const kube::Objects& objects, const kube::Pod& pod,
                                               std::string_view name) {
  const auto text = annotation(objects, pod, name);
  if (!text || *text == "forever") return std::nullopt;
  const auto span = parse_span(*text);
  if (!span) return failure(fmt::format("its annotation {}: {}", name, span.error().message));
  return *span;
}

std::optional<Duration> deadline_of(const kube::Objects& objects, const kube::Pod& pod) {
  std::optional<std::int64_t> seconds = pod.spec->active_deadline_seconds;
  for (const kube::Job& job : objects.of<kube::Job>()) {
    if (job.spec.active_deadline_seconds) seconds = job.spec.active_deadline_seconds;
  }
  if (!seconds) return std::nullopt;
  const auto span = parse_span(std::to_string(*seconds));
  return span ? std::optional(*span) : std::nullopt;
}

}  // namespace

Result<ObjectPods> NamedObject::pods(const std::string& name, const std::string& tenant) {
  if (const auto known = by_tenant_.find(tenant); known != by_tenant_.end()) return known->second;
  const workloads::PodsToMake count = workloads::pods_to_make(object_, kMostPodsOfAWork);
  if (count.weight > kMostPodsOfAWork) {
    return failure(fmt::format("{}: makes {} pods, more than {}, which is the most of a work",
                               count.largest->count.field, count.weight, kMostPodsOfAWork));
  }
  workloads::Expansion one = expansion_of(object_, std::string(kOneName), tenant);
  if (const auto why = obstacle(one)) return failure(*why);
  const bool is_each_its_own =
      std::ranges::any_of(one.pods, [](const auto& created) { return minds_names(*created.pod.spec); });
  if (is_each_its_own) {
    workloads::Expansion named = expansion_of(object_, name, tenant);
    return finished(named, Labels::kKept);
  }
  // Both have the same pods in the same order, but for names.
  const workloads::Expansion other = expansion_of(object_, std::string(kOtherName), tenant);
  for (std::size_t i = 0; i < std::min(one.pods.size(), other.pods.size()); ++i) {
    keep_common(one.pods[i].pod.metadata.labels, other.pods[i].pod.metadata.labels);
    keep_common(one.pods[i].pod.metadata.annotations, other.pods[i].pod.metadata.annotations);
  }
  auto result = finished(one, Labels::kShared);
  if (result) by_tenant_.emplace(tenant, *result);
  return result;
}

Result<ObjectPods> NamedObject::finished(workloads::Expansion& expansion, Labels labels) const {
  ObjectPods result;
  result.is_gang = groups_pods(expansion);
  std::vector<kube::Pod> pods = taken_pods(expansion);
  const auto run_time = annotated_span(object_, pods.front(), kRunTimeAnnotation);
  if (!run_time) return tl::unexpected(run_time.error());
  result.run_time = *run_time;
  const auto estimate = annotated_span(object_, pods.front(), kExpectedDurationAnnotation);
  if (!estimate) return tl::unexpected(estimate.error());
  result.estimate = *estimate ? *estimate : deadline_of(object_, pods.front());
  prepare(pods, result.is_gang);
  result.pods = labels == Labels::kKept ? each_alone(std::move(pods)) : alike(std::move(pods));
  return result;
}

}  // namespace loadline::trace
