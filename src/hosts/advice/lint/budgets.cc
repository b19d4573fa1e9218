#include "hosts/advice/lint/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

std::string subject_of(const kube::PodDisruptionBudget& budget) {
  return "PodDisruptionBudget " + budget.metadata.namespace_ + "/" + budget.metadata.name;
}

bool guards(const kube::PodDisruptionBudget& budget, const kube::ObjectMeta& pod) {
  return budget.metadata.namespace_ == pod.namespace_ && budget.selector && kube::matches(*budget.selector, pod.labels);
}

std::vector<const JudgedWorkload*> guarded(const LintInput& input, const kube::PodDisruptionBudget& budget) {
  std::vector<const JudgedWorkload*> found;
  for (const JudgedWorkload& workload : input.workloads()) {
    if (guards(budget, workload.pod.metadata)) found.push_back(&workload);
  }
  return found;
}

bool guards_others(const LintInput& input, const kube::PodDisruptionBudget& budget) {
  return std::ranges::any_of(input.other_pods(), [&](const kube::Pod* pod) { return guards(budget, pod->metadata); });
}

/// By labels that no template has.
bool guards_made_pods(const LintInput& input, const kube::PodDisruptionBudget& budget) {
  return std::ranges::any_of(input.made_pods(), [&](const kube::ObjectMeta& pod) { return guards(budget, pod); });
}

/// The disruption controller knows how many pods these should have.
bool has_scale(const JudgedWorkload& workload) {
  return workload.kind == "Deployment" || workload.kind == "ReplicaSet" || workload.kind == "StatefulSet" ||
         workload.kind == "ReplicationController";
}

/// An amount of `expected` pods; a percentage is rounded up.
std::int64_t resolved_upward(const kube::IntOrString& amount, std::int64_t expected) {
  if (amount.integer) return *amount.integer;
  std::int64_t percent = 0;
  std::from_chars(amount.text.data(), amount.text.data() + amount.text.size(), percent);
  return (percent * expected + 99) / 100;
}

std::string as_written(const kube::IntOrString& amount) {
  return amount.integer ? std::to_string(*amount.integer) : amount.text;
}

/// What of the budget never lets a pod go, and why; nothing if some may go.
struct Block {
  std::string path;
  std::string why;
  std::string cure = "allow one pod to go: maxUnavailable: 1";
};

/// What to write for pods whose controller has no scale: they are counted for a whole minAvailable only.
std::string cure_without_scale(const std::vector<const JudgedWorkload*>& workloads) {
  const auto is_daemon = [](const JudgedWorkload* each) { return each->daemon; };
  if (std::ranges::all_of(workloads, is_daemon))
    return "drop it: a drain leaves the pods of a DaemonSet where they are";
  if (const auto daemon = std::ranges::find_if(workloads, is_daemon); daemon != workloads.end()) {
    return "select other pods than those of " + (*daemon)->subject();
  }
  std::int64_t expected = 0;
  for (const JudgedWorkload* each : workloads) {
    if (each->kind != "Pod") expected += each->replicas;
  }
  if (expected < 2) return "drop it: there is only one pod, and it must be able to go";
  return fmt::format("say how many must stay, as a whole number: minAvailable: {}", expected - 1);
}

std::optional<Block> block_of(const kube::PodDisruptionBudget& budget,
                              const std::vector<const JudgedWorkload*>& workloads) {
  const bool whole_minimum = budget.min_available && budget.min_available->integer;
  std::int64_t expected = 0;
  for (const JudgedWorkload* each : workloads) {
    if (each->daemon && whole_minimum) return std::nullopt;  // as many pods as nodes
    if (each->kind == "Pod" && !whole_minimum) continue;     // no controller's replicas: not counted
    expected += each->replicas;
    if (has_scale(*each) || whole_minimum) continue;
    // The controller counts pods of such workloads for a whole minAvailable only.
    return Block{budget.max_unavailable ? "spec.maxUnavailable" : "spec.minAvailable",
                 fmt::format("allows no disruption: {} has no scale to take {} of", each->subject(),
                             as_written(budget.max_unavailable ? *budget.max_unavailable : *budget.min_available)),
                 cure_without_scale(workloads)};
  }
  if (expected == 0) return std::nullopt;
  if (budget.max_unavailable && resolved_upward(*budget.max_unavailable, expected) == 0) {
    return Block{"spec.maxUnavailable",
                 fmt::format("{} of {} never allows a disruption", as_written(*budget.max_unavailable),
                             counted(static_cast<std::size_t>(expected), "pod"))};
  }
  if (budget.min_available && resolved_upward(*budget.min_available, expected) >= expected) {
    return Block{"spec.minAvailable",
                 fmt::format("{} of {} never allows a disruption", as_written(*budget.min_available),
                             counted(static_cast<std::size_t>(expected), "pod"))};
  }
  return std::nullopt;
}

/// No disruption is allowed, however many pods there are.
bool blocks_any_number(const kube::PodDisruptionBudget& budget) {
  if (budget.max_unavailable) return resolved_upward(*budget.max_unavailable, 100) == 0;
  return budget.min_available && !budget.min_available->integer && resolved_upward(*budget.min_available, 100) >= 100;
}

// ---- services ------------------------------------------------------------------------------------------------------

bool selects(const kube::Service& service, const kube::ObjectMeta& pod) {
  return service.metadata.namespace_ == pod.namespace_ && std::ranges::all_of(service.selector, [&](const auto& pair) {
           const auto found = pod.labels.find(pair.first);
           return found != pod.labels.end() && found->second == pair.second;
         });
}

bool selects_any(const LintInput& input, const kube::Service& service) {
  return std::ranges::any_of(input.workloads(),
                             [&](const JudgedWorkload& each) { return selects(service, each.pod.metadata); }) ||
         std::ranges::any_of(input.other_pods(),
                             [&](const kube::Pod* each) { return selects(service, each->metadata); }) ||
         std::ranges::any_of(input.made_pods(), [&](const kube::ObjectMeta& each) { return selects(service, each); });
}

/// A workload of the namespace that the selector misses by one label whose value is nearly right: "app is web-server on
/// Deployment default/web".
std::string nearly_selected(const LintInput& input, const kube::Service& service) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (workload.name_space() != service.metadata.namespace_) continue;
    std::string miss;
    std::size_t misses = 0;
    for (const auto& [key, value] : service.selector) {
      const auto found = workload.pod.metadata.labels.find(key);
      const bool there = found != workload.pod.metadata.labels.end();
      if (there && found->second == value) continue;
      ++misses;
      if (there && !nearest(value, {found->second}).empty()) {
        miss = fmt::format("{} of {} has {}={}", "the template", workload.subject(), key, found->second);
      }
    }
    if (misses == 1 && !miss.empty()) return miss;
  }
  return "";
}

}  // namespace

void check_budgets_allow(const LintInput& input, Findings& findings) {
  for (const kube::PodDisruptionBudget& budget : input.objects().of<kube::PodDisruptionBudget>()) {
    if (!input.judges(budget.metadata) || guards_others(input, budget)) continue;
    if (!budget.min_available && !budget.max_unavailable) continue;
    const auto block = block_of(budget, guarded(input, budget));
    if (!block || (input.scales_elsewhere() && !blocks_any_number(budget))) continue;
    findings.add(subject_of(budget), budget.metadata.source, block->path,
                 block->why + ", so a drain of their nodes never ends", block->cure);
  }
}

void check_budgets_guard(const LintInput& input, Findings& findings) {
  for (const kube::PodDisruptionBudget& budget : input.objects().of<kube::PodDisruptionBudget>()) {
    if (!input.judges(budget.metadata) || !input.knows_pods()) continue;
    if (!guarded(input, budget).empty() || guards_others(input, budget)) continue;
    if (guards_made_pods(input, budget)) continue;
    findings.add(subject_of(budget), budget.metadata.source, "spec.selector",
                 fmt::format("selects no pod of namespace {}, so it guards nothing", budget.metadata.namespace_));
  }
}

void check_budgets_overlap(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    const kube::PodDisruptionBudget* first = nullptr;
    for (const kube::PodDisruptionBudget& budget : input.objects().of<kube::PodDisruptionBudget>()) {
      if (!guards(budget, workload.pod.metadata)) continue;
      if (first == nullptr) {
        first = &budget;
        continue;
      }
      if (!input.judges(budget.metadata) && !input.judges(first->metadata)) continue;
      findings.add(subject_of(budget), budget.metadata.source, "spec.selector",
                   fmt::format("guards pods of {}, as does {}; Kubernetes evicts no pod that two budgets guard, so "
                               "drains fail",
                               workload.subject(), first->metadata.name));
    }
  }
}

void check_services(const LintInput& input, Findings& findings) {
  for (const kube::Service& service : input.objects().of<kube::Service>()) {
    if (!input.judges(service.metadata) || service.selector.empty() || service.type == "ExternalName") continue;
    if (selects_any(input, service)) continue;
    const std::string near = nearly_selected(input, service);
    if (near.empty() && !input.knows_pods()) continue;
    findings.add("Service " + service.metadata.namespace_ + "/" + service.metadata.name, service.metadata.source,
                 "spec.selector",
                 fmt::format("selects no pod of namespace {}, so nothing answers", service.metadata.namespace_), near);
  }
}

void check_selectors_apart(const LintInput& input, Findings& findings) {
  std::map<std::string, std::vector<const JudgedWorkload*>> controllers;  // by namespace
  for (const JudgedWorkload& workload : input.workloads()) {
    if (workload.selector != nullptr && *workload.selector) controllers[workload.name_space()].push_back(&workload);
  }
  const auto reaches = [](const JudgedWorkload& a, const JudgedWorkload& b) {
    return kube::matches(**a.selector, b.pod.metadata.labels);
  };
  for (const auto& [name_space, all] : controllers) {
    for (std::size_t later = 1; later < all.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const JudgedWorkload& a = *all[earlier];
        const JudgedWorkload& b = *all[later];
        if ((!a.judged && !b.judged) || !reaches(a, b) || !reaches(b, a)) continue;
        const JudgedWorkload& told = b.judged ? b : a;
        const JudgedWorkload& other = b.judged ? a : b;
        findings.add(
            told.subject(), told.metadata->source, "spec.selector",
            fmt::format("matches the pods of {}, and its selector matches these: Services, budgets, spread and "
                        "anti-affinity take both for one application",
                        other.subject()),
            "give each a label of its own");
      }
    }
  }
}

}  // namespace loadline::advice::lint
