#include "app/report/group_obstacle_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/report/amount.h"
#include "foundation/base/text.h"

namespace loadline::report {
namespace {

using advice::GroupObstacle;
using placement::ReasonKind;

constexpr std::size_t kShownValues = 4;
constexpr std::size_t kShownDomains = 3;
constexpr std::string_view kTrouble = "node.kubernetes.io/";

std::string shortage(const GroupObstacle& it, std::size_t nodes) {
  const std::string needs = scheduler_amount(it.subject, it.needs);
  if (it.of == 0) return fmt::format("has no {} (needs {})", it.subject, needs);
  const std::string offered = scheduler_amount(it.subject, it.of);
  const bool differ = nodes > 1 && !it.uniform;
  const std::string_view most = differ ? "at most " : "";
  const std::string where = differ ? fmt::format(" ({})", it.nearest) : "";
  if (it.needs > it.of) {
    const std::string_view extent = nodes > 1 && it.uniform ? "each" : "in all";
    return fmt::format("too small: {}{} {} {}{}, needs {}", most, offered, it.subject, extent, where, needs);
  }
  const std::string free = it.has <= 0 ? "none" : scheduler_amount(it.subject, it.has);
  if (it.has <= 0) return fmt::format("full: no {} free, needs {}", it.subject, needs);
  const std::string_view each = nodes > 1 && it.uniform ? " on each" : "";
  return fmt::format("{}: needs {}, {}{} of {} free{}{}", it.subject, needs, most, free, offered, each, where);
}

/// Kubernetes' own taints say what is wrong: "not ready (taint node.kubernetes.io/not-ready:NoSchedule)".
std::string taint(const GroupObstacle& it) {
  if (!it.subject.starts_with(kTrouble)) return fmt::format("taint {} is not tolerated", it.subject);
  const std::string_view key = std::string_view(it.subject).substr(0, it.subject.find_first_of(":="));
  return fmt::format("{} (taint {})", trouble_text(key), it.subject);
}

/// "v100 (3 nodes), t4 (2), none (1)".
std::string values_text(const GroupObstacle& it) {
  std::vector<std::pair<std::string, std::size_t>> values(it.found.begin(), it.found.end());
  std::ranges::stable_sort(values, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> texts;
  for (const auto& [value, nodes] : values) {
    std::string& text = texts.emplace_back(value.empty() ? "no such label" : value);
    if (values.size() > 1) text += fmt::format(" ({})", counted(nodes, "node"));
  }
  return some_of(texts, kShownValues);
}

std::string mismatch(const GroupObstacle& it) {
  if (it.subject.empty()) return it.message;
  if (it.found.size() == 1 && it.found.begin()->first.empty()) {
    return it.wanted == "any value" ? fmt::format("no label {}", it.subject)
                                    : fmt::format("no label {} (wants {})", it.subject, it.wanted);
  }
  return fmt::format("{} is {}, wants {}", it.subject, values_text(it), it.wanted);
}

/// "us-east-1a and us-east-1b have at least 2 pods".
std::string domains_with(const GroupObstacle& it) {
  const std::string pods = counted(static_cast<std::size_t>(it.has), "pod");
  if (it.found.size() == 1) return fmt::format("{} has {}", it.found.begin()->first, pods);
  if (it.found.size() > kShownDomains) return fmt::format("{} others have at least {}", it.found.size(), pods);
  std::string names;
  std::size_t left = it.found.size();
  for (const auto& [name, nodes] : it.found) {
    names += name;
    if (--left > 0) names += left == 1 ? " and " : ", ";
  }
  return fmt::format("{} have at least {}", names, pods);
}

std::string skew(const GroupObstacle& it) {
  const std::string pods = it.wanted.empty() ? "" : fmt::format(" with {}", it.wanted);
  const std::string fewest = it.needs == 0 ? "none" : std::to_string(it.needs);
  return fmt::format("{}: {}{}, {} {}; one more would exceed maxSkew {}", it.subject, domains_with(it), pods,
                     it.emptiest.empty() ? "the emptiest" : it.emptiest, fewest, it.of);
}

std::string distance(const GroupObstacle& it) {
  if (it.subject == "kubernetes.io/hostname") {
    return fmt::format("a pod with {} is there already (podAntiAffinity on {})", it.wanted, it.subject);
  }
  return fmt::format("a pod with {} is in the same {} already (podAntiAffinity)", it.wanted, it.subject);
}

std::string affinity_text(const GroupObstacle& it) {
  if (it.needs == 0) {
    return fmt::format("no pod anywhere has {} (podAffinity on {})", it.wanted, it.subject);
  }
  return fmt::format("no pod with {} in the same {} (podAffinity); {} elsewhere", it.wanted, it.subject,
                     counted(static_cast<std::size_t>(it.needs), "such pod"));
}

}  // namespace

std::string scheduler_amount(const std::string& resource, std::int64_t amount) {
  return exact_amount(resource, resource == "cpu" ? kube::Quantity::of_milli(amount) : kube::Quantity::of(amount));
}

std::string trouble_text(std::string_view key) {
  std::string text(key.starts_with(kTrouble) ? key.substr(kTrouble.size()) : key);
  std::ranges::replace(text, '-', ' ');
  return text;
}

std::string group_obstacle_text(const GroupObstacle& it, std::size_t nodes) {
  switch (it.kind) {
    case ReasonKind::kInsufficientResource:
      return it.subject.empty() ? it.message : shortage(it, nodes);
    case ReasonKind::kTooManyPods:
      return it.of == 0 && it.has == 0 ? it.message : fmt::format("{} of {} pods are there already", it.has, it.of);
    case ReasonKind::kUntoleratedTaint:
      return it.subject.empty() ? it.message : taint(it);
    case ReasonKind::kNodeAffinityMismatch:
      return mismatch(it);
    case ReasonKind::kNodeUnschedulable:
      return "cordoned";
    case ReasonKind::kSpreadSkew:
      return it.subject.empty() ? it.message : skew(it);
    case ReasonKind::kSpreadLabelMissing:
      return it.subject.empty() ? it.message
                                : fmt::format("no label {}, which the spread constraint needs", it.subject);
    case ReasonKind::kPodAffinity:
      return it.subject.empty() ? it.message : affinity_text(it);
    case ReasonKind::kPodAntiAffinity:
      return it.subject.empty() ? it.message : distance(it);
    case ReasonKind::kExistingAntiAffinity:
      if (it.subject.empty()) return it.message;
      return fmt::format("{} keeps such pods away by its podAntiAffinity on {}",
                         nodes == 1 && !it.wanted.empty() ? "Pod " + it.wanted : "a pod there", it.subject);
    case ReasonKind::kNodePortConflict:
      if (it.subject.empty()) return it.message;
      return fmt::format("hostPort {} is taken{}", it.subject,
                         nodes == 1 && !it.wanted.empty() ? " by Pod " + it.wanted : "");
    case ReasonKind::kVolumeNodeAffinityConflict:
      if (it.subject.empty()) return it.message;
      return fmt::format("the volume of claim {} is tied to {}", it.subject, it.wanted);
    default:
      return it.message;
  }
}

}  // namespace loadline::report
