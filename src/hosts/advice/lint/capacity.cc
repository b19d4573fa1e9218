#include "hosts/advice/lint/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "foundation/base/text.h"
#include "hosts/advice/lint/affinity_terms.h"
#include "objects/kube/workload_names.h"

namespace loadline::advice::lint {
namespace {

/// Workloads of which some replicas cannot run, because that plugin keeps the next one out.
template <class Report>
void each_blocked_by(const LintInput& input, std::string_view plugin, const Report& report) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || workload.fit->takers.empty()) continue;
    const Room& room = workload.fit->room;
    // An empty cluster takes a first pod, unless a topology key is on no node, which has a rule of its own.
    if (room.pods == 0 || room.blocker != plugin) continue;
    if (static_cast<std::int64_t>(room.pods) < workload.replicas) report(workload, room.pods);
  }
}

std::string of_replicas(const JudgedWorkload& workload, std::size_t room) {
  return fmt::format("{} of its {} pods fit{} into the cluster, even if it is empty", room, workload.replicas,
                     room == 1 ? "s" : "");
}

std::string anti_affinity_path(const JudgedWorkload& workload) {
  for (const PlacedTerm& each : affinity_terms(workload)) {
    const auto& own = workload.pod.metadata;
    const bool to_itself = term_matches(*each.term, own.namespace_, own.namespace_, own.labels);
    if (each.required && to_itself) return each.path;
  }
  return workload.path("affinity");
}

std::string host_port_path(const JudgedWorkload& workload) {
  const auto& containers = workload.written->containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    for (std::size_t j = 0; j < containers[i].ports.size(); ++j) {
      if (containers[i].ports[j].host_port == 0) continue;
      return workload.path(fmt::format("containers[{}].ports[{}].{}", i, j,
                                       workload.written->host_network ? "containerPort" : "hostPort"));
    }
  }
  return workload.path("containers");
}

std::string replicas_path(const JudgedWorkload& workload) {
  if (workload.kind == "CronJob") return "spec.jobTemplate.spec.parallelism";
  if (workload.kind == "Pod") return "spec";
  return workload.kind == "Job" ? "spec.parallelism" : "spec.replicas";
}

/// A percentage of the replicas, rounded down, or the number.
std::int64_t resolved_downward(const kube::IntOrString& amount, std::int64_t replicas) {
  if (amount.integer) return *amount.integer;
  std::int64_t percent = 0;
  std::from_chars(amount.text.data(), amount.text.data() + amount.text.size(), percent);
  return percent * replicas / 100;
}

/// Whether a rolling update may take down a pod before its successor is ready.
bool removes_first(const kube::Deployment& deployment) {
  if (deployment.recreate) return true;
  const kube::IntOrString quarter{std::nullopt, "25%"};
  return resolved_downward(deployment.max_unavailable.value_or(quarter), deployment.replicas) > 0;
}

/// The new pods are told from the old ones by what the ReplicaSet adds, so the old ones do not repel them.
bool told_apart_by_template(const JudgedWorkload& workload) {
  const auto names_hash = [](const std::vector<std::string>& keys) {
    return std::ranges::find(keys, kube::kPodTemplateHash) != keys.end();
  };
  return std::ranges::any_of(workload.written->topology_spread_constraints,
                             [&](const auto& each) { return names_hash(each.match_label_keys); }) ||
         std::ranges::any_of(affinity_terms(workload),
                             [&](const PlacedTerm& each) { return names_hash(each.term->match_label_keys); });
}

}  // namespace

void check_anti_affinity_room(const LintInput& input, Findings& findings) {
  each_blocked_by(input, "InterPodAffinity", [&](const JudgedWorkload& workload, std::size_t room) {
    findings.add(workload.subject(), workload.metadata->source, anti_affinity_path(workload),
                 fmt::format("keeps its pods apart, so only {}", of_replicas(workload, room)),
                 "make it preferred, or spread with topologySpreadConstraints");
  });
}

void check_host_port_room(const LintInput& input, Findings& findings) {
  each_blocked_by(input, "NodePorts", [&](const JudgedWorkload& workload, std::size_t room) {
    findings.add(workload.subject(), workload.metadata->source, host_port_path(workload),
                 fmt::format("one pod a node can have this host port, so only {}", of_replicas(workload, room)),
                 "leave hostPort out and reach the pods through a Service");
  });
}

void check_spread_room(const LintInput& input, Findings& findings) {
  each_blocked_by(input, "PodTopologySpread", [&](const JudgedWorkload& workload, std::size_t room) {
    const bool closed = workload.fit->selected.size() > workload.fit->takers.size();
    findings.add(workload.subject(), workload.metadata->source, workload.path("topologySpreadConstraints"),
                 fmt::format("a domain that can take no more holds the others down to maxSkew above it, so only {}",
                             of_replicas(workload, room)),
                 closed ? "nodeTaintsPolicy: Honor leaves out nodes whose taints keep its pods off"
                        : "whenUnsatisfiable: ScheduleAnyway makes it a preference");
  });
}

void check_resource_room(const LintInput& input, Findings& findings) {
  each_blocked_by(input, "NodeResourcesFit", [&](const JudgedWorkload& workload, std::size_t room) {
    findings.add(workload.subject(), workload.metadata->source, replicas_path(workload),
                 fmt::format("only {}", of_replicas(workload, room)));
  });
}

void check_rollout_room(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || workload.deployment == nullptr || workload.fit->takers.empty()) continue;
    const bool full = workload.fit->room.pods > 0 &&
                      static_cast<std::int64_t>(workload.fit->room.pods) == workload.replicas &&
                      workload.fit->asked > workload.fit->room.pods;
    if (!full || removes_first(*workload.deployment) || told_apart_by_template(workload)) continue;
    findings.add(
        workload.subject(), workload.metadata->source, "spec.strategy.rollingUpdate.maxUnavailable",
        fmt::format("a rolling update can never finish: {} {} all the room there is, even if nothing else ran, and "
                    "maxUnavailable comes to 0, so the new pod waits for an old one and that for it",
                    counted(static_cast<std::size_t>(workload.replicas), "replica"),
                    workload.replicas == 1 ? "fills" : "fill"),
        "set maxUnavailable: 1 (and maxSurge: 0), or strategy.type: Recreate");
  }
}

}  // namespace loadline::advice::lint
