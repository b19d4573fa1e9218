#include "hosts/advice/obstacle_edits.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using placement::ReasonKind;

constexpr std::string_view kTroubleTaints = "node.kubernetes.io/";

std::optional<kube::Taint> parse_taint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view effect = text.substr(colon + 1);
  const std::string_view pair = text.substr(0, colon);
  const std::size_t equals = pair.find('=');
  kube::Taint taint;
  taint.key = pair.substr(0, equals);
  if (equals != std::string_view::npos) taint.value = pair.substr(equals + 1);
  for (const kube::TaintEffect each : {kube::TaintEffect::kNoSchedule, kube::TaintEffect::kNoExecute}) {
    if (effect != kube::name_of(each)) continue;
    taint.effect = each;
    return taint;
  }
  return std::nullopt;
}

/// Machines with devices are kept from pods that want none on purpose.
bool keeps_for_others(const kube::Taint& taint, const kube::PodSpec& spec) {
  if (!kube::is_gpu_resource(taint.key)) return false;
  const kube::ResourceList requests = kube::pod_requests(spec, nullptr, {});
  return std::ranges::none_of(requests, [](const auto& request) { return kube::is_gpu_resource(request.first); });
}

std::optional<Edit> tolerate(const Obstacle& obstacle, const kube::PodSpec& spec) {
  const std::optional<kube::Taint> taint = parse_taint(obstacle.subject);
  if (!taint || taint->key.starts_with(kTroubleTaints) || keeps_for_others(*taint, spec)) return std::nullopt;
  kube::Toleration toleration;
  toleration.key = taint->key;
  toleration.op = taint->value.empty() ? kube::TolerationOperator::kExists : kube::TolerationOperator::kEqual;
  toleration.value = taint->value;
  toleration.effect = taint->effect;
  return Tolerate{toleration};
}

std::optional<Edit> accept_label(const Obstacle& obstacle, const kube::PodSpec& spec) {
  const auto selected = spec.node_selector.find(obstacle.subject);
  if (selected != spec.node_selector.end() && selected->second != obstacle.found) {
    const auto to = obstacle.found.empty() ? std::nullopt : std::optional(obstacle.found);
    return SelectLabel{obstacle.subject, selected->second, to};
  }
  if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return std::nullopt;
  return AcceptLabel{obstacle.subject, obstacle.found};
}

/// Rounded down to what people write: whole devices, 50m of cpu, 64Mi of memory, half a Gi of much memory; nothing if
/// nothing is left.
std::optional<kube::Quantity> round_amount(const std::string& resource, std::int64_t amount,
                                           kube::Quantity::Format format) {
  constexpr std::int64_t kMilliStep = 50;
  constexpr std::int64_t kByteStep = std::int64_t{64} << 20;
  constexpr std::int64_t kLargeByteStep = std::int64_t{512} << 20;
  constexpr std::int64_t kLarge = std::int64_t{4} << 30;
  if (resource == "cpu") {
    amount -= amount % kMilliStep;
    return amount > 0 ? std::optional(kube::Quantity::of_milli(amount)) : std::nullopt;
  }
  if (resource == "memory" || resource == "ephemeral-storage")
    amount -= amount % (amount < kLarge ? kByteStep : kLargeByteStep);
  return amount > 0 ? std::optional(kube::Quantity::of(amount, format)) : std::nullopt;
}

std::optional<Edit> request_less(const Obstacle& obstacle, const kube::PodSpec& spec) {
  const kube::ResourceList requests = kube::pod_requests(spec, nullptr, {});
  const auto from = requests.find(obstacle.subject);
  if (from == requests.end()) return std::nullopt;
  const auto to = round_amount(obstacle.subject, obstacle.has, from->second.format());
  if (!to || *to >= from->second || to->times(2) < from->second) return std::nullopt;
  return RequestLess{obstacle.subject, from->second, *to};
}

std::optional<Edit> relax_spread(const Obstacle& obstacle) {
  if (obstacle.reason.kind == ReasonKind::kSpreadLabelMissing) return RelaxSpread{obstacle.subject, std::nullopt};
  const std::int64_t skew = obstacle.has + 1 - obstacle.needs;
  // A bound that is far off says no more than no bound.
  if (skew > 2 * obstacle.of + 1) return RelaxSpread{obstacle.subject, std::nullopt};
  return RelaxSpread{obstacle.subject, static_cast<std::int32_t>(skew)};
}

/// True if the pod itself requires distance on the key: then those that keep it away are likely its siblings.
bool keeps_apart(const kube::PodSpec& spec, std::string_view key) {
  if (!spec.affinity || !spec.affinity->pod_anti) return false;
  return std::ranges::any_of(spec.affinity->pod_anti->required,
                             [&](const kube::PodAffinityTerm& term) { return term.topology_key == key; });
}

}  // namespace

bool states_a_fact(std::string_view key) {
  const std::string_view prefix = key.substr(0, key.find('/'));
  if (prefix.size() == key.size()) return false;
  constexpr std::string_view kStated[] = {"kubernetes.io", "k8s.io",       "google.com", "amazonaws.com",
                                          "azure.com",     "karpenter.sh", "nvidia.com", "amd.com"};
  return std::ranges::any_of(kStated, [&](std::string_view domain) { return prefix.ends_with(domain); });
}

std::optional<Edit> edit_on_pod(const Obstacle& obstacle, const kube::PodSpec& spec) {
  switch (obstacle.reason.kind) {
    case ReasonKind::kUntoleratedTaint:
      return tolerate(obstacle, spec);
    case ReasonKind::kNodeAffinityMismatch:
      return obstacle.subject.empty() ? std::nullopt : accept_label(obstacle, spec);
    case ReasonKind::kInsufficientResource:
      return request_less(obstacle, spec);
    case ReasonKind::kSpreadSkew:
    case ReasonKind::kSpreadLabelMissing:
      return relax_spread(obstacle);
    case ReasonKind::kPodAffinity:
      return PreferPodAffinity{obstacle.subject, false};
    case ReasonKind::kPodAntiAffinity:
      return PreferPodAffinity{obstacle.subject, true};
    case ReasonKind::kExistingAntiAffinity:
      return keeps_apart(spec, obstacle.subject) ? std::optional<Edit>(PreferPodAffinity{obstacle.subject, true})
                                                 : std::nullopt;
    case ReasonKind::kNodePortConflict:
      return DropHostPort{static_cast<std::int32_t>(std::stol(obstacle.subject))};
    default:
      return std::nullopt;
  }
}

std::optional<Edit> edit_on_node(const Obstacle& obstacle, const kube::Node& node) {
  switch (obstacle.reason.kind) {
    case ReasonKind::kNodeUnschedulable:
      return Uncordon{node.metadata.name};
    case ReasonKind::kUntoleratedTaint: {
      const std::optional<kube::Taint> taint = parse_taint(obstacle.subject);
      if (!taint || !taint->key.starts_with(kTroubleTaints)) return std::nullopt;
      if (taint->key == "node.kubernetes.io/unschedulable") return Uncordon{node.metadata.name};
      return RemoveTaint{node.metadata.name, *taint};
    }
    case ReasonKind::kNodeAffinityMismatch: {
      const bool one_value = !obstacle.wanted.empty() && obstacle.wanted.find(' ') == std::string::npos;
      if (!obstacle.found.empty() || !one_value || states_a_fact(obstacle.subject)) return std::nullopt;
      return LabelNode{node.metadata.name, obstacle.subject, obstacle.wanted};
    }
    default:
      return std::nullopt;
  }
}

double cost_of(const Edit& edit) {
  struct Cost {
    double operator()(const UseScheduler&) const { return 0.5; }
    double operator()(const UseClaim&) const { return 0.5; }
    double operator()(const RenameRequest&) const { return 0.5; }
    double operator()(const DropGate&) const { return 0.5; }
    double operator()(const AddRuntimeClass&) const { return 1; }
    double operator()(const DefaultStorageClass& each) const { return each.is_new ? 1 : 0.75; }
    double operator()(const Uncordon&) const { return 1; }
    double operator()(const Tolerate&) const { return 1; }
    double operator()(const LabelNode&) const { return 1.5; }
    double operator()(const SelectLabel& each) const {
      if (each.from.empty()) return 1.9;
      return each.to ? 1.5 : 1.75;
    }
    double operator()(const AcceptLabel&) const { return 1.5; }
    double operator()(const RemoveTaint&) const { return 2; }
    double operator()(const DropHostPort&) const { return 1.75; }
    /// The looser, the less it says.
    double operator()(const RelaxSpread& each) const { return each.max_skew ? 1.8 + 0.1 * *each.max_skew : 2.25; }
    double operator()(const PreferPodAffinity&) const { return 2.25; }
    /// A little less is nothing; half is another pod.
    double operator()(const RequestLess& each) const {
      const double whole = each.from.approximate();
      return 1.25 + (whole > 0 ? 4 * (whole - each.to.approximate()) / whole : 0);
    }
    double operator()(const UsePriorityClass&) const { return 3.5; }
    double operator()(const RaiseQuota&) const { return 3; }
    double operator()(const ResumeQueue&) const { return 1; }
    double operator()(const UseQueue&) const { return 1.5; }
    double operator()(const JoinCohort&) const { return 2.75; }
    double operator()(const RaiseQueueQuota& each) const {
      return each.limit == RaiseQueueQuota::Limit::kBorrowing ? 2.5 : 3;
    }
    double operator()(const UseWorkloadPriority&) const { return 3.5; }
    double operator()(const LimitLess&) const { return 1.5; }
    double operator()(const Scale& each) const { return 4 + 0.1 * (each.from - each.to); }
    double operator()(const AddNodes& each) const { return 4.5 + 0.5 * static_cast<double>(each.nodes.count); }
  };
  return std::visit(Cost{}, edit);
}

}  // namespace loadline::advice
