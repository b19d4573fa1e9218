#include "hosts/advice/lint/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

constexpr std::string_view kName = "schedulingGroup.podGroupName";

/// The pods that name a group.
struct Namers {
  std::int64_t pods = 0;     ///< at most: of controllers, what they want and what they have made
  bool is_countable = true;  ///< not for a DaemonSet: as many as there are nodes
  std::vector<const JudgedWorkload*> workloads;
};

std::map<std::pair<std::string, std::string>, Namers> namers_by_group(const LintInput& input) {
  std::map<std::pair<std::string, std::string>, Namers> groups;
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->pod_group_name;
    if (name.empty()) continue;
    Namers& namers = groups[{workload.name_space(), name}];
    namers.pods += workload.replicas;
    namers.is_countable &= !workload.daemon;
    namers.workloads.push_back(&workload);
  }
  for (const kube::Pod* pod : input.other_pods()) {
    const std::string& name = pod->spec->pod_group_name;
    if (!name.empty()) ++groups[{pod->metadata.namespace_, name}].pods;
  }
  return groups;
}

void report(const LintInput& input, const kube::PodGroup& group, const Namers& namers, Findings& findings) {
  const std::string hint = namers.pods > 0 ? fmt::format("a minCount of {}, or more replicas", namers.pods) : "";
  const std::string waits = fmt::format("{} must start together, and {} {} it, so none starts",
                                        counted(static_cast<std::size_t>(*group.policy.min_count), "pod"),
                                        namers.pods == 0 ? "none" : std::to_string(namers.pods),
                                        namers.pods == 1 || namers.pods == 0 ? "names" : "name");
  if (input.judges(group.metadata)) {
    findings.add("PodGroup " + group.metadata.namespace_ + "/" + group.metadata.name, group.metadata.source,
                 "spec.schedulingPolicy.gang.minCount", waits, hint);
    return;
  }
  for (const JudgedWorkload* workload : namers.workloads) {
    if (!workload->judged) continue;
    findings.add(workload->subject(), workload->metadata->source, workload->path(kName),
                 fmt::format("of PodGroup {} {}", group.metadata.name, waits), hint);
  }
}

}  // namespace

void check_pod_groups_exist(const LintInput& input, Findings& findings) {
  std::map<std::string, std::vector<std::string>> known;
  for (const kube::PodGroup& each : input.objects().of<kube::PodGroup>()) {
    known[each.metadata.namespace_].push_back(each.metadata.name);
  }
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->pod_group_name;
    const std::vector<std::string>& names = known[workload.name_space()];
    if (!workload.judged || name.empty() || std::ranges::find(names, name) != names.end()) continue;
    std::string hint = did_you_mean(name, names);
    if (hint.empty() && !input.knows_pod_groups()) continue;
    if (hint.empty()) hint = fmt::format("add a PodGroup {}", name);
    findings.add(workload.subject(), workload.metadata->source, workload.path(kName),
                 fmt::format("there is no PodGroup {} in namespace {}, so its pods wait", name, workload.name_space()),
                 hint);
  }
}

void check_pod_group_members(const LintInput& input, Findings& findings) {
  const bool others_may_come = !input.objects().of<kube::Node>().empty() && !input.knows_pods();
  if (others_may_come || input.scales_elsewhere() || !input.knows_pod_groups()) return;
  const auto groups = namers_by_group(input);
  for (const kube::PodGroup& group : input.objects().of<kube::PodGroup>()) {
    const auto found = groups.find({group.metadata.namespace_, group.metadata.name});
    const Namers namers = found == groups.end() ? Namers{} : found->second;
    if (!namers.is_countable || namers.pods >= group.policy.min_count.value_or(0)) continue;
    if (namers.pods == 0 && !input.knows_pods()) continue;  // its pods may be in another folder
    report(input, group, namers, findings);
  }
}

}  // namespace loadline::advice::lint
