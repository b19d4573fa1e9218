#include "hosts/advice/lint/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/service_account.h"
#include "hosts/advice/lint/wording.h"
#include "objects/kube/validation.h"

namespace loadline::advice::lint {

void check_runtime_classes(const LintInput& input, Findings& findings) {
  std::vector<std::string> names;
  for (const kube::RuntimeClass& each : input.objects().of<kube::RuntimeClass>()) names.push_back(each.metadata.name);
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->runtime_class_name;
    if (!workload.judged) continue;
    if (name.empty() || std::ranges::find(names, name) != names.end()) {
      if (!workload.runtime_rejection) continue;
      findings.add(workload.subject(), workload.metadata->source,
                   workload.path(name.empty() ? "overhead" : "runtimeClassName"),
                   "its pods are refused: " + admission::aggregate(workload.runtime_rejection->details));
      continue;
    }
    std::string hint = did_you_mean(name, names);
    if (hint.empty() && !input.knows_runtime_classes()) continue;  // the cluster may have it
    if (hint.empty() && !names.empty()) hint = "there are " + listed(names);
    if (hint.empty()) hint = fmt::format("add the RuntimeClass {}, as the cluster has it", name);
    findings.add(workload.subject(), workload.metadata->source, workload.path("runtimeClassName"),
                 fmt::format("there is no RuntimeClass {}, so its pods are refused", name), hint);
  }
}

void check_service_accounts(const LintInput& input, Findings& findings) {
  const admission::ServiceAccounts accounts(input.objects());
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->service_account_name;
    if (!workload.judged || accounts.has(workload.name_space(), name)) continue;
    const auto known = accounts.names().find(workload.name_space());
    std::vector<std::string> names;
    if (known != accounts.names().end()) names.assign(known->second.begin(), known->second.end());
    const std::string hint = did_you_mean(name, names);
    if (hint.empty() && !accounts.knows_all(workload.name_space())) continue;  // the namespace may have it
    findings.add(workload.subject(), workload.metadata->source, workload.path("serviceAccountName"),
                 fmt::format("there is no ServiceAccount {} in namespace {}, so its pods are refused", name,
                             workload.name_space()),
                 hint);
  }
}

void check_pod_templates(const LintInput& input, Findings& findings) {
  constexpr std::string_view kSpec = "spec.";
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged || workload.kind == "Pod") continue;
    for (const kube::FieldError& error : kube::validate(workload.pod)) {
      if (!error.path.starts_with(kSpec)) continue;
      findings.add(workload.subject(), workload.metadata->source, workload.path(error.path.substr(kSpec.size())),
                   "the API server refuses its pods: " + error.message, error.hint);
    }
  }
}

}  // namespace loadline::advice::lint
