#include "hosts/advice/lint/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hosts/advice/lint/amounts.h"
#include "hosts/advice/lint/annotations.h"
#include "hosts/advice/lint/budgets.h"
#include "hosts/advice/lint/capacity.h"
#include "hosts/advice/lint/claims.h"
#include "hosts/advice/lint/contradictions.h"
#include "hosts/advice/lint/gang_order.h"
#include "hosts/advice/lint/gangs.h"
#include "hosts/advice/lint/gpu_nodes.h"
#include "hosts/advice/lint/labels.h"
#include "hosts/advice/lint/pod_affinity.h"
#include "hosts/advice/lint/pod_groups.h"
#include "hosts/advice/lint/preferences.h"
#include "hosts/advice/lint/priorities.h"
#include "hosts/advice/lint/queues.h"
#include "hosts/advice/lint/quotas.h"
#include "hosts/advice/lint/ray.h"
#include "hosts/advice/lint/references.h"
#include "hosts/advice/lint/schedulers.h"
#include "hosts/advice/lint/spread.h"
#include "hosts/advice/lint/tolerations.h"
#include "hosts/advice/lint/training.h"
#include "hosts/advice/lint/unsatisfiable.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

constexpr auto kAdvice = Severity::kAdvice;
constexpr auto kWarning = Severity::kWarning;
using enum Needs;
using enum Asked;

// clang-format off
constexpr std::array kRules = {
    // No node could ever run it.
    Rule{"selector-matches-no-node", kWarning, kNodes, kAlways,
         "nodeSelector or required node affinity that no node satisfies",
         "The pods stay pending until a node gets such labels.", check_selectors},
    Rule{"affinity-contradicts-itself", kWarning, kNothing, kAlways,
         "nodeSelector and required node affinity that no node could satisfy, whatever its labels",
         "The pods stay pending whatever nodes are added.", check_contradictions},
    Rule{"request-exceeds-every-node", kWarning, kNodes, kAlways,
         "requests larger than any node that the pod may use",
         "Even an empty cluster cannot run the pod.", check_requests},
    Rule{"resource-on-no-node", kWarning, kNothing, kAlways,
         "an extended resource that no node offers, often a misspelt one",
         "A misspelt resource is accepted and never found.", check_resources_exist},
    Rule{"taint-not-tolerated", kWarning, kNodes, kAlways,
         "pods without a toleration for taints of all the nodes that they fit on",
         "The pods stay pending beside nodes that are meant for them.", check_taints},

    // Not all replicas could.
    Rule{"anti-affinity-exceeds-nodes", kWarning, kNodes, kAlways,
         "required anti-affinity among more replicas than there are nodes or zones for them",
         "The replicas beyond stay pending.", check_anti_affinity_room},
    Rule{"host-port-exceeds-nodes", kWarning, kNodes, kAlways,
         "more replicas with a host port than nodes that could run one",
         "Two pods of one node cannot have the same host port.", check_host_port_room},
    Rule{"spread-leaves-pods-out", kWarning, kNodes, kAlways,
         "required spread in which a domain that can take no more holds the others down",
         "The replicas beyond stay pending, mostly for nodes whose taints keep them off and which count.", check_spread_room},
    Rule{"replicas-exceed-cluster", kAdvice, kNodes, kAlways,
         "more replicas than fit into the empty cluster",
         "Without further nodes the replicas beyond stay pending.", check_resource_room},
    Rule{"rollout-deadlock", kWarning, kNodes, kAlways,
         "a rolling update that needs room for one pod more than the cluster holds, and removes none first",
         "Common with GPUs: the new pod waits for a GPU that only an old pod could free.", check_rollout_room},

    // Constraints that do not do what they say.
    Rule{"preference-changes-nothing", kAdvice, kNodes, kAlways,
         "preferred node affinity met by none, or by each, of the nodes that could run the pods",
         "The author believes in a preference that decides nothing.", check_preferences},
    Rule{"spread-selects-others", kAdvice, kNothing, kAlways,
         "a spread constraint whose selector does not match the pods it stands on",
         "It counts other pods, and spreads these nowhere.", check_spread_selectors},
    Rule{"spread-over-one-domain", kAdvice, kNodes, kAlways,
         "spread over zones or hosts of which only one has nodes that could run the pods",
         "All replicas share one failure domain, though the manifest says otherwise.", check_spread_domains},
    Rule{"topology-key-on-no-node", kWarning, kNodes, kAlways,
         "a topologyKey that no node has",
         "A required constraint keeps the pods pending; a preferred one does nothing.", check_topology_keys},
    Rule{"affinity-selects-no-pod", kWarning, kNodes, kAlways,
         "required pod affinity to pods that do not exist",
         "The pods wait for neighbours that never come.", check_affinity_targets},
    Rule{"term-selects-no-pod", kAdvice, kNodes, kAlways,
         "anti-affinity or preferred affinity that selects no pod, not even its own",
         "Nothing is kept apart or together.", check_terms_without_pods},
    Rule{"toleration-near-miss", kAdvice, kNodes, kAlways,
         "a toleration that covers no taint and is nearly one that would",
         "A misspelt toleration is accepted and does nothing.", check_toleration_spelling},
    Rule{"tolerates-every-taint", kAdvice, kNodes, kAlways,
         "pods without GPUs that tolerate every taint in a cluster with guarded GPU nodes",
         "They take cpu and memory of GPU nodes, whose GPUs then lie idle.", check_tolerates_everything},
    Rule{"node-name-bypasses-scheduler", kAdvice, kNothing, kAlways,
         "a template, or a new pod, with spec.nodeName",
         "The kubelet refuses what does not fit, and the controller makes new pods without end.", check_node_names},
    Rule{"queue-not-decided", kAdvice, kNothing, kAlways,
         "a workload in a queue of another project: Kueue, Volcano, KAI",
         "The queue decides whether and when it starts, and no plan says that yet.", check_queues},
    Rule{"queue-not-there", kWarning, kNothing, kAlways,
         "names of Kueue's queues and flavors that nothing has",
         "What waits there never starts, and nothing but a status says so.", check_queues_are_there},
    Rule{"queue-holds-no-such-kind", kWarning, kNothing, kAlways,
         "a Kueue queue's name on an object that no queue holds",
         "What it makes starts at once, and counts towards no quota.", check_queues_hold},
    Rule{"scheduler-unknown", kWarning, kNothing, kAlways,
         "a schedulerName that no profile answers to",
         "No scheduler takes the pods up; they stay pending without an event.", check_schedulers_exist},
    Rule{"retired-label", kAdvice, kNothing, kAlways,
         "labels and annotations that Kubernetes has given up, where nodes are selected",
         "New nodes may lack them, and then nothing matches.", check_retired_labels},

    // GPU nodes.
    Rule{"gpu-node-untainted", kAdvice, kNodes, kAlways,
         "nodes with GPUs that no taint keeps other pods off",
         "Pods without GPUs fill the most expensive nodes.", check_untainted_gpu_nodes},
    Rule{"gpu-daemon-kept-off", kWarning, kNodes, kAlways,
         "a DaemonSet for GPUs (device plugin, exporter) that does not tolerate the taints of GPU nodes",
         "Without its device plugin a node offers no GPU; without its exporter it has no metrics.", check_gpu_daemons},
    Rule{"device-plugin-priority", kWarning, kNothing, kAlways,
         "a device plugin of lower priority than the pods that need its devices",
         "Those pods may preempt the plugin, and lose the devices.", check_device_plugin_priority},

    // Pod groups.
    Rule{"pod-group-missing", kWarning, kNothing, kAlways,
         "pods of a PodGroup that no object describes",
         "They wait for it before any node is looked at.", check_pod_groups_exist},
    Rule{"pod-group-lacks-pods", kWarning, kNothing, kAlways,
         "a PodGroup whose minCount is above the pods that name it",
         "Its pods start together or not at all, so none of them ever starts.", check_pod_group_members},
    Rule{"minimum-counts-later-pods", kWarning, kNothing, kAlways,
         "a minimum that counts pods which are created only once the first ones run",
         "The first ones wait for them: schedulers that count what is not there start nothing.",
         check_minimums_of_later_pods},
    Rule{"role-without-label", kWarning, kNothing, kAlways,
         "pods of a Volcano PodGroup whose role stands in an annotation alone",
         "Roles are told by the label, so the minimum of the role is never met.", check_role_labels},
    Rule{"pod-groups-contradict", kWarning, kNothing, kAlways,
         "pods that name two pod groups, in the words of different projects",
         "A pod is of one group; the other one lacks it.", check_pod_group_names},

    // Annotations that scheduling reads.
    Rule{"run-annotation-unreadable", kWarning, kNothing, kAlways,
         "an annotation or a label about the run of pods whose value cannot be read",
         "It counts as absent, and nothing is known of when the pods end, or what they lose.", check_run_annotations},
    Rule{"topology-annotation-unreadable", kWarning, kNothing, kAlways,
         "annotations that ask for a topology and cannot be read, or lack their other half",
         "The pods are placed anywhere, or wait for what no topology has.", check_topology_annotations},

    // Ray clusters.
    Rule{"ray-replicas-out-of-bounds", kWarning, kNothing, kAlways,
         "a group of Ray workers whose replicas are not between its minReplicas and its maxReplicas",
         "KubeRay silently makes as many as the bound says.", check_ray_replicas},
    Rule{"ray-head-takes-gpus", kAdvice, kNothing, kAlways,
         "a Ray head with GPUs beside workers",
         "A head coordinates; its GPUs mostly lie idle, and it lives on the most expensive nodes.", check_ray_heads},

    // Training jobs.
    Rule{"jobset-remakes-jobs", kWarning, kNothing, kAlways,
         "a JobSet whose Jobs are removed once they have ended",
         "The JobSet makes each of them anew, and the work is done again.", check_job_set_jobs},
    Rule{"rendezvous-without-service", kWarning, kNothing, kAlways,
         "pods that are to find each other by a name for which there is no Service",
         "The name leads nowhere: workers wait for each other until they give up.", check_rendezvous},

    // Volcano and Grove.
    Rule{"volcano-job-refused", kWarning, kNothing, kAlways,
         "a Job of Volcano that its webhook refuses",
         "Nothing of it is created where Volcano is installed.", check_volcano_jobs},
    Rule{"pod-clique-set-refused", kWarning, kNothing, kAlways,
         "a PodCliqueSet that Grove's webhook refuses",
         "Nothing of it is created where Grove is installed.", check_pod_clique_sets},
    Rule{"clique-order-unheeded", kWarning, kNothing, kAlways,
         "a clique with startsAfter in a set whose order of start is not explicit",
         "Grove reads startsAfter only there; the pods start at once.", check_clique_orders},

    // Priorities.
    Rule{"priority-class-missing", kWarning, kNothing, kAlways,
         "a priorityClassName that does not exist",
         "The API server refuses the pods; a Deployment shows none at all.", check_classes_exist},
    Rule{"global-default-twice", kWarning, kNothing, kAlways,
         "more than one PriorityClass marked globalDefault",
         "Only one of them counts, that of the lowest value.", check_single_default},
    Rule{"default-outranks-important", kAdvice, kNothing, kAlways,
         "a global default higher than a class whose name promises importance",
         "Pods that say nothing preempt those that matter.", check_default_rank},
    Rule{"priority-inversion", kAdvice, kNothing, kAlways,
         "required pod affinity only to pods of lower priority",
         "A pod that preempts the lower one takes away what the higher one needs.", check_priority_inversion},

    // What the API server looks at, and looks up.
    Rule{"pod-template-refused", kWarning, kNothing, kAlways,
         "a template in a custom resource of which the API server refuses the pods",
         "The definition takes it, so nobody says so before the operator fails to create a pod.", check_pod_templates},
    Rule{"runtime-class-missing", kWarning, kNothing, kAlways,
         "a runtimeClassName that does not exist, or a class that contradicts the pod",
         "The API server refuses the pods.", check_runtime_classes},
    Rule{"service-account-missing", kWarning, kNothing, kAlways,
         "a serviceAccountName that does not exist in the namespace",
         "The API server refuses the pods; a Deployment shows none at all.", check_service_accounts},
    Rule{"storage-class-missing", kWarning, kNothing, kAlways,
         "a claim that names a StorageClass that does not exist, or none where none is the default",
         "No volume is made for it, and the pods that mount it stay pending.", check_storage_classes},

    // Quotas and limits.
    Rule{"quota-too-small", kWarning, kNothing, kAlways,
         "a workload that does not fit into a quota of its namespace, even an unused one",
         "The API server refuses the pods beyond.", check_quota_room},
    Rule{"quota-demands-missing", kWarning, kNothing, kAlways,
         "a template without the requests or limits that a quota insists on",
         "The API server refuses the pods.", check_quota_demands},
    Rule{"quota-limits-nothing", kAdvice, kNothing, kAlways,
         "a line of a quota that Kubernetes accepts and never counts, as limits.nvidia.com/gpu",
         "The team believes in a limit that is not there.", check_quota_names},
    Rule{"quota-scope-matches-nothing", kAdvice, kNothing, kAlways,
         "quota scopes that exclude each other, or name only classes that do not exist",
         "The quota limits nothing.", check_quota_scopes},
    Rule{"limit-range-refuses", kWarning, kNothing, kAlways,
         "a template that a LimitRange of its namespace refuses",
         "The API server refuses the pods.", check_limit_ranges},
    Rule{"memory-unit-slip", kWarning, kNothing, kAlways,
         "memory or storage of less than 1Mi, as 512m for 512Mi",
         "512m is half a byte; no container starts with that.", check_memory_units},

    // Disruption and ownership.
    Rule{"budget-blocks-drains", kAdvice, kNothing, kAlways,
         "a PodDisruptionBudget that never allows a disruption",
         "Drains and upgrades of nodes wait forever.", check_budgets_allow},
    Rule{"budget-guards-nothing", kAdvice, kNodes, kAlways,
         "a PodDisruptionBudget that selects no pod",
         "The pods that it was written for are not guarded.", check_budgets_guard},
    Rule{"budgets-overlap", kWarning, kNothing, kAlways,
         "pods that two PodDisruptionBudgets guard",
         "Kubernetes then refuses to evict them at all.", check_budgets_overlap},
    Rule{"service-selects-no-pod", kAdvice, kNothing, kAlways,
         "a Service that no pod is behind",
         "Connections are refused.", check_services},
    Rule{"selectors-overlap", kAdvice, kNothing, kAlways,
         "controllers of one namespace whose selectors match each other's pods",
         "Whatever selects the pods of one takes those of both.", check_selectors_apart},
    Rule{"namespace-misspelt", kAdvice, kNodes, kAlways,
         "a namespace that is nearly one that the input declares",
         "The object misses the quotas and limits that it was meant for.", check_namespaces},

    // Scheduler configuration.
    Rule{"packing-profile-spreads", kAdvice, kNothing, kAlways,
         "a profile named for packing that scores by LeastAllocated",
         "Without MostAllocated the pods are spread.", check_packing_profiles},
    Rule{"packing-ignores-gpus", kAdvice, kNodes, kAlways,
         "packing that takes no account of the GPUs of the cluster",
         "Whole free GPU nodes are what packing is for, and it does not look at GPUs.", check_packing_counts_gpus},

    // Asked by name only.
    Rule{"memory-limit-absent", kAdvice, kNothing, kByName,
         "a container without a memory limit",
         "It may take all memory of its node, and others are killed for it.", check_memory_limits},
    Rule{"requests-absent", kAdvice, kNothing, kByName,
         "a container that requests neither cpu nor memory",
         "The scheduler counts it as nearly nothing, and overfills the node.", check_requests_given},
};
// clang-format on

const Rule* find_rule(std::string_view name) {
  const auto found = std::ranges::find_if(kRules, [&](const Rule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

Result<const Rule*> named(const std::string& name) {
  if (const Rule* rule = find_rule(name)) return rule;
  std::vector<std::string> names;
  names.reserve(kRules.size());
  for (const Rule& rule : kRules) names.emplace_back(rule.name);
  const std::string hint = did_you_mean(name, names);
  return failure(fmt::format("there is no rule \"{}\"{}", name, hint.empty() ? "" : "; " + hint));
}

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

Result<std::vector<const Rule*>> choose_rules(const std::vector<std::string>& only,
                                              const std::vector<std::string>& without) {
  std::vector<const Rule*> left_out;
  for (const std::string& name : without) {
    const Result<const Rule*> rule = named(name);
    if (!rule) return tl::unexpected(rule.error());
    left_out.push_back(*rule);
  }
  std::vector<const Rule*> wanted;
  for (const std::string& name : only) {
    const Result<const Rule*> rule = named(name);
    if (!rule) return tl::unexpected(rule.error());
    wanted.push_back(*rule);
  }
  std::vector<const Rule*> chosen;
  for (const Rule& rule : kRules) {
    const bool asked = only.empty() ? rule.asked == Asked::kAlways : std::ranges::find(wanted, &rule) != wanted.end();
    if (asked && std::ranges::find(left_out, &rule) == left_out.end()) chosen.push_back(&rule);
  }
  return chosen;
}

Advice advise(const LintInput& input, const std::vector<const Rule*>& rules, const kube::SourceIndex& sources) {
  Advice advice;
  Findings findings(sources);
  for (const Rule* rule : rules) {
    if (rule->needs == Needs::kNodes && input.nodes().empty()) {
      ++advice.without_nodes;
      continue;
    }
    findings.begin(rule->name, rule->severity);
    rule->check(input, findings);
  }
  advice.findings = std::move(findings).sorted();
  return advice;
}

}  // namespace loadline::advice::lint
