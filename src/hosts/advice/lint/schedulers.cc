#include "hosts/advice/lint/schedulers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/facts/kubelet_rejection.h"
#include "hosts/advice/lint/wording.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::advice::lint {
namespace {

constexpr std::string_view kFit = "NodeResourcesFit";
constexpr std::string_view kBalanced = "NodeResourcesBalancedAllocation";

std::string subject_of(const kube::SchedulerProfile& profile) {
  return "KubeSchedulerConfiguration profile " + profile.scheduler_name;
}

bool names(const std::vector<kube::PluginReference>& plugins, std::string_view name) {
  return std::ranges::any_of(plugins, [&](const kube::PluginReference& each) { return each.name == name; });
}

bool disables(const kube::SchedulerProfile& profile, std::string_view plugin) {
  const auto& plugins = profile.plugins;
  return names(plugins.score.disabled, plugin) || names(plugins.multi_point.disabled, plugin);
}

bool promises_to_pack(std::string_view name) {
  return name.find("pack") != std::string_view::npos || name.find("most-allocated") != std::string_view::npos;
}

std::string counted_resources(const kube::SchedulerProfile& profile) {
  std::vector<std::string> names;
  names.reserve(profile.args.fit.resources.size());
  for (const kube::ResourceSpec& each : profile.args.fit.resources) names.push_back(each.name);
  return listed(names);
}

/// Schedulers that pods which run already were placed by.
std::set<std::string> schedulers_at_work(const LintInput& input) {
  std::set<std::string> names;
  for (const kube::Pod& pod : input.objects().of<kube::Pod>()) {
    if (pod.metadata.from_cluster() && !pod.spec->node_name.empty()) names.insert(pod.spec->scheduler_name);
  }
  return names;
}

}  // namespace

void check_schedulers_exist(const LintInput& input, Findings& findings) {
  std::vector<std::string> known;
  for (const kube::SchedulerProfile& profile : input.configuration().profiles) known.push_back(profile.scheduler_name);
  const std::set<std::string> at_work = schedulers_at_work(input);
  known.insert(known.end(), at_work.begin(), at_work.end());
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->scheduler_name;
    if (!workload.judged || std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    // Another scheduler may run that the input does not show, unless the user gave a scheduler configuration.
    if (meant.empty() && !input.has_configuration()) continue;
    findings.add(workload.subject(), workload.metadata->source, workload.path("schedulerName"),
                 fmt::format("no profile of the configuration is called {}, so its pods stay pending", name),
                 meant.empty() ? "profiles: " + listed(known) : fmt::format("did you mean {}?", meant));
  }
}

void check_packing_profiles(const LintInput& input, Findings& findings) {
  for (const kube::SchedulerProfile& profile : input.configuration().profiles) {
    if (!input.judges(profile.source) || !promises_to_pack(profile.scheduler_name)) continue;
    if (profile.args.fit.strategy != kube::ScoringStrategyType::kLeastAllocated) continue;
    findings.add(subject_of(profile), profile.source, "pluginConfig",
                 fmt::format("is named for packing, but NodeResourcesFit scores by LeastAllocated, which spreads{}",
                             disables(profile, kBalanced) ? "; leaving out NodeResourcesBalancedAllocation does not "
                                                            "change that"
                                                          : ""),
                 "give NodeResourcesFit the argument scoringStrategy: {type: MostAllocated}");
  }
}

void check_packing_counts_gpus(const LintInput& input, Findings& findings) {
  std::set<std::string> gpus;
  for (const kube::Node& node : input.nodes()) {
    for (const auto& [name, amount] : node.allocatable) {
      if (kube::is_gpu_resource(name) && amount.sign() > 0) gpus.insert(name);
    }
  }
  if (gpus.empty()) return;
  for (const kube::SchedulerProfile& profile : input.configuration().profiles) {
    if (!input.judges(profile.source) || disables(profile, kFit)) continue;
    if (profile.args.fit.strategy != kube::ScoringStrategyType::kMostAllocated) continue;
    const auto counts = [&](const kube::ResourceSpec& each) { return gpus.contains(each.name); };
    if (std::ranges::any_of(profile.args.fit.resources, counts)) continue;
    findings.add(subject_of(profile), profile.source, "pluginConfig",
                 fmt::format("packs by {} and takes no account of {}", counted_resources(profile),
                             listed({gpus.begin(), gpus.end()})),
                 fmt::format("add to scoringStrategy.resources: {{name: {}, weight: 5}}", *gpus.begin()));
  }
}

namespace {

/// A pod that runs, and is not to be created.
bool is_there_already(const LintInput& input, const JudgedWorkload& workload) {
  if (workload.kind != "Pod") return false;
  if (workload.metadata->from_cluster()) return true;
  return std::ranges::any_of(input.objects().of<kube::Pod>(), [&](const kube::Pod& pod) {
    const bool has_begun = pod.status.phase != kube::PodPhase::kPending || pod.status.start_time.has_value();
    return has_begun && pod.metadata.name == workload.metadata->name &&
           pod.metadata.namespace_ == workload.name_space();
  });
}

bool has_node(const LintInput& input, const std::string& name) {
  return std::ranges::any_of(input.nodes(), [&](const kube::Node& node) { return node.metadata.name == name; });
}

/// What the node's kubelet would refuse the pod for even if nothing else ran there; empty: nothing.
std::string refused_by_kubelet(const LintInput& input, const JudgedWorkload& workload) {
  const kube::ResourceList nothing;
  for (const kube::Node& node : input.nodes()) {
    if (node.metadata.name != workload.written->node_name) continue;
    const auto rejection = cluster::kubelet_rejection(workload.pod, node, {nothing});
    return rejection ? fmt::format("{}: {}", rejection->reason, rejection->message) : std::string();
  }
  return {};
}

}  // namespace

void check_node_names(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged || workload.written->node_name.empty() || is_there_already(input, workload)) continue;
    const std::string mend =
        fmt::format("write nodeSelector: {{kubernetes.io/hostname: {}}}", workload.written->node_name);
    if (const std::string why = refused_by_kubelet(input, workload); !why.empty()) {
      findings.add(workload.subject(), workload.metadata->source, workload.path("nodeName"),
                   fmt::format("names {} past the scheduler, and its kubelet refuses the pod even if nothing else runs "
                               "there: {}",
                               workload.written->node_name, why),
                   mend);
      continue;
    }
    if (workload.kind == "Pod") {
      if (has_node(input, workload.written->node_name)) continue;  // where it fits, as far as that can be told
      findings.add(workload.subject(), workload.metadata->source, workload.path("nodeName"),
                   fmt::format("puts the pod on {} past the scheduler, full or not", workload.written->node_name),
                   mend);
      continue;
    }
    findings.add(workload.subject(), workload.metadata->source, workload.path("nodeName"),
                 fmt::format("puts every pod on {} past the scheduler, full or not", workload.written->node_name),
                 fmt::format("write nodeSelector: {{kubernetes.io/hostname: {}}}", workload.written->node_name));
  }
}

}  // namespace loadline::advice::lint
