#include "hosts/advice/lint/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/admission/limit_range.h"
#include "brain/admission/quota_usage.h"
#include "brain/admission/resource_quota.h"
#include "foundation/base/text.h"
#include "hosts/advice/lint/pod_fields.h"
#include "hosts/advice/lint/wording.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/schema.h"
#include "objects/kube/validation.h"

namespace loadline::advice::lint {
namespace {

using kube::ResourceQuotaScope;

std::string subject_of(const kube::ResourceQuota& quota) {
  return "ResourceQuota " + quota.metadata.namespace_ + "/" + quota.metadata.name;
}

/// What one pod of the workload is charged to the quota, which is taken to be unused.
admission::QuotaCharge charge_of(const JudgedWorkload& workload, const kube::ResourceQuota& quota) {
  kube::ResourceQuota unused = quota;
  unused.status_used.clear();
  return admission::QuotaLedger({unused}).charge_of_pod(workload.name_space(), *workload.pod.spec, nullptr);
}

/// Calls report(workload, quota, charge) for every judged workload and quota of its namespace.
template <class Report>
void each_charge(const LintInput& input, const Report& report) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged || workload.priority_rejection) continue;
    for (const kube::ResourceQuota& quota : input.objects().of<kube::ResourceQuota>()) {
      if (quota.metadata.namespace_ != workload.name_space()) continue;
      report(workload, quota, charge_of(workload, quota));
    }
  }
}

/// The container's field behind a name of a quota: "requests.cpu" and "cpu" are requests.
std::string field_of(const JudgedWorkload& workload, std::string_view resource) {
  if (resource.starts_with("requests.")) return resource_path(workload, resource.substr(9));
  if (resource.starts_with("limits.")) return workload.path("containers");
  return resource == "pods" || resource.starts_with("count/") ? "spec" : resource_path(workload, resource);
}

/// Of an operator's kind, beside the template of the role.
std::string replicas_field(const JudgedWorkload& workload, std::string_view resource) {
  if (workload.kind == "Pod" || workload.daemon) return field_of(workload, resource);
  if (workload.kind == "CronJob") return "spec.jobTemplate.spec.parallelism";
  if (workload.kind == "Job") return "spec.parallelism";
  constexpr std::string_view kTemplate = ".template";
  std::string_view role = workload.template_path;
  if (workload.kind == "LeaderWorkerSet" || role == "spec.template") return "spec.replicas";
  if (role.ends_with(kTemplate)) role.remove_suffix(kTemplate.size());
  return fmt::format("{}.{}", role, workload.kind == "JobSet" ? "parallelism" : "replicas");
}

void judge_room(const JudgedWorkload& workload, const kube::ResourceQuota& quota, const kube::ResourceList& amounts,
                Findings& findings) {
  for (const auto& [resource, amount] : amounts) {
    const auto hard = quota.hard.find(resource);
    if (hard == quota.hard.end()) continue;
    const std::string limit = fmt::format("quota {} allows {}", quota.metadata.name, hard->second.to_string());
    if (amount > hard->second) {
      findings.add(
          workload.subject(), workload.metadata->source, field_of(workload, resource),
          fmt::format("one pod takes {} {}, and {} in all: it is always refused", amount.to_string(), resource, limit));
    } else if (amount.times(workload.replicas) > hard->second) {
      findings.add(workload.subject(), workload.metadata->source, replicas_field(workload, resource),
                   fmt::format("its {} take {} {}, and {}: not all of them can exist",
                               counted(static_cast<std::size_t>(workload.replicas), "pod"),
                               amount.times(workload.replicas).to_string(), resource, limit));
    }
  }
}

/// What all roles of one object take together.
struct ObjectDemand {
  const JudgedWorkload* first = nullptr;
  const kube::ResourceQuota* quota = nullptr;
  std::int64_t pods = 0;
  std::size_t roles = 0;
  kube::ResourceList amounts;
  bool is_told = false;  ///< a role does not fit by itself
};

using Demands = std::map<std::pair<std::string, std::string>, ObjectDemand>;  // by subject and quota

void add_role(const JudgedWorkload& workload, const kube::ResourceQuota& quota, const kube::ResourceList& amounts,
              Demands& demands) {
  ObjectDemand& demand = demands[{workload.subject(), quota.metadata.name}];
  if (demand.first == nullptr) demand.first = &workload;
  demand.quota = &quota;
  ++demand.roles;
  demand.pods += workload.replicas;
  for (const auto& [resource, amount] : amounts) {
    const kube::Quantity all = amount.times(workload.replicas);
    const auto hard = quota.hard.find(resource);
    if (hard == quota.hard.end()) continue;
    demand.is_told = demand.is_told || all > hard->second;
    demand.amounts[resource] = demand.amounts[resource] + all;
  }
}

void judge_together(const Demands& demands, Findings& findings) {
  for (const auto& [key, demand] : demands) {
    if (demand.roles < 2 || demand.is_told) continue;
    for (const auto& [resource, amount] : demand.amounts) {
      const kube::Quantity& hard = demand.quota->hard.find(resource)->second;
      if (!(amount > hard)) continue;
      findings.add(demand.first->subject(), demand.first->metadata->source, "spec",
                   fmt::format("its {} in {} take {} {}, and quota {} allows {}: not all of them can exist",
                               counted(static_cast<std::size_t>(demand.pods), "pod"), counted(demand.roles, "role"),
                               amount.to_string(), resource, demand.quota->metadata.name, hard.to_string()));
    }
  }
}

// ---- scopes --------------------------------------------------------------------------------------------------------

std::set<ResourceQuotaScope> plain_scopes(const kube::ResourceQuota& quota) {
  std::set<ResourceQuotaScope> scopes(quota.scopes.begin(), quota.scopes.end());
  for (const auto& requirement : quota.scope_selector) {
    if (requirement.op == kube::LabelSelectorOperator::kExists) scopes.insert(requirement.scope);
  }
  return scopes;
}

/// Why no pod is in all of the scopes; empty: some may be.
std::string excluding_scopes(const kube::ResourceQuota& quota) {
  using enum ResourceQuotaScope;
  const std::set<ResourceQuotaScope> scopes = plain_scopes(quota);
  for (const auto& [one, other] : {std::pair(kBestEffort, kNotBestEffort), std::pair(kTerminating, kNotTerminating)}) {
    if (scopes.contains(one) && scopes.contains(other)) {
      return fmt::format("limits nothing: no pod is {} and {}", kube::name_of(one), kube::name_of(other));
    }
  }
  return "";
}

/// The requirement that names only classes that do not exist, by its index.
std::optional<std::size_t> unknown_classes(const LintInput& input, const kube::ResourceQuota& quota) {
  if (!input.knows_classes()) return std::nullopt;
  for (std::size_t i = 0; i < quota.scope_selector.size(); ++i) {
    const auto& requirement = quota.scope_selector[i];
    const bool names_classes =
        requirement.scope == ResourceQuotaScope::kPriorityClass && requirement.op == kube::LabelSelectorOperator::kIn;
    const auto known = [&](const std::string& name) { return input.has_class(name); };
    if (names_classes && std::ranges::none_of(requirement.values, known)) return i;
  }
  return std::nullopt;
}

// ---- limit ranges --------------------------------------------------------------------------------------------------

/// What is wrong with a pod once the ranges have filled in their defaults: a request above the default limit.
std::vector<std::string> broken_by_defaults(const JudgedWorkload& workload) {
  std::vector<std::string> complaints;
  if (!workload.changed_by_limits) return complaints;
  for (const kube::FieldError& error : kube::validate(workload.pod)) {
    if (error.path.starts_with("spec.containers") || error.path.starts_with("spec.initContainers")) {
      complaints.push_back(error.path + ": " + error.message);
    }
  }
  return complaints;
}

}  // namespace

void check_quota_room(const LintInput& input, Findings& findings) {
  Demands demands;
  each_charge(input, [&](const JudgedWorkload& workload, const kube::ResourceQuota& quota,
                         const admission::QuotaCharge& charge) {
    if (charge.rejection) return;
    for (const auto& share : charge.shares) {
      judge_room(workload, quota, share.amounts, findings);
      add_role(workload, quota, share.amounts, demands);
    }
  });
  judge_together(demands, findings);
}

void check_quota_demands(const LintInput& input, Findings& findings) {
  each_charge(input, [&](const JudgedWorkload& workload, const kube::ResourceQuota& quota,
                         const admission::QuotaCharge& charge) {
    if (!charge.rejection) return;
    findings.add(workload.subject(), workload.metadata->source, workload.path("containers[0].resources"),
                 fmt::format("its pods are refused: quota {} insists on amounts that they lack: {}",
                             quota.metadata.name, joined(charge.rejection->details, "; ")),
                 "write them, or give the namespace a LimitRange with defaults");
  });
}

void check_quota_names(const LintInput& input, Findings& findings) {
  for (const kube::ResourceQuota& quota : input.objects().of<kube::ResourceQuota>()) {
    if (!input.judges(quota.metadata)) continue;
    for (const auto& [resource, amount] : quota.hard) {
      const std::optional<std::string> counts = admission::name_that_counts(resource);
      if (!counts) continue;
      findings.add(subject_of(quota), quota.metadata.source, "spec.hard[" + resource + "]",
                   "limits nothing: quotas count extended resources as requests only", "write " + *counts);
    }
  }
}

void check_quota_scopes(const LintInput& input, Findings& findings) {
  for (const kube::ResourceQuota& quota : input.objects().of<kube::ResourceQuota>()) {
    if (!input.judges(quota.metadata)) continue;
    if (const std::string why = excluding_scopes(quota); !why.empty()) {
      const std::string path = quota.scope_selector.empty() ? "spec.scopes" : "spec.scopeSelector";
      findings.add(subject_of(quota), quota.metadata.source, path, why);
    } else if (const auto index = unknown_classes(input, quota)) {
      findings.add(
          subject_of(quota), quota.metadata.source,
          fmt::format("spec.scopeSelector.matchExpressions[{}].values", *index),
          fmt::format("limits nothing: there is no PriorityClass {}", listed(quota.scope_selector[*index].values)));
    }
  }
}

void check_limit_ranges(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    bool refused = false;
    for (const kube::LimitRange& range : input.objects().of<kube::LimitRange>()) {
      if (range.metadata.namespace_ != workload.name_space()) continue;
      const auto rejection = admission::check_bounds(range, *workload.pod.spec);
      if (!rejection) continue;
      refused = true;
      findings.add(workload.subject(), workload.metadata->source, workload.path("containers[0].resources"),
                   fmt::format("its pods are refused by LimitRange {}: {}", range.metadata.name,
                               joined(rejection->details, "; ")));
    }
    if (refused) continue;
    for (const std::string& complaint : broken_by_defaults(workload)) {
      findings.add(workload.subject(), workload.metadata->source, workload.path("containers[0].resources"),
                   fmt::format("its pods are refused once a LimitRange has filled in its defaults: {}", complaint));
    }
  }
}

}  // namespace loadline::advice::lint
