#include "hosts/advice/lint/gangs.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_clique_set_rules.h"
#include "brain/workloads/volcano_rules.h"

namespace loadline::advice::lint {
namespace {

/// As a sentence by itself: Volcano strings its complaints together.
std::string alone(std::string_view complaint) {
  while (complaint.starts_with(' ')) complaint.remove_prefix(1);
  while (complaint.ends_with(';')) complaint.remove_suffix(1);
  return std::string(complaint);
}

template <class Kind, class Visit>
void for_each_judged(const LintInput& input, Visit visit) {
  for (const Kind& object : input.objects().of<Kind>()) {
    if (!input.judges(object.metadata) || object.metadata.controller() != nullptr) continue;
    visit(object,
          fmt::format("{} {}/{}", workloads::kind_name<Kind>(), object.metadata.namespace_, object.metadata.name));
  }
}

template <class Kind>
void report_refusals(const LintInput& input, Findings& findings) {
  for_each_judged<Kind>(input, [&](const Kind& object, const std::string& subject) {
    for (const kube::FieldError& each : workloads::refusals_of(object)) {
      findings.add(subject, object.metadata.source, each.path, alone(each.message), each.hint);
    }
  });
}

}  // namespace

void check_volcano_jobs(const LintInput& input, Findings& findings) {
  report_refusals<kube::VolcanoJob>(input, findings);
}

void check_pod_clique_sets(const LintInput& input, Findings& findings) {
  report_refusals<kube::PodCliqueSet>(input, findings);
}

void check_clique_orders(const LintInput& input, Findings& findings) {
  for_each_judged<kube::PodCliqueSet>(input, [&](const kube::PodCliqueSet& set, const std::string& subject) {
    if (set.startup_type == "CliqueStartupTypeExplicit") return;
    for (std::size_t i = 0; i < set.cliques.size(); ++i) {
      if (set.cliques[i].spec.starts_after.empty()) continue;
      findings.add(subject, set.metadata.source, fmt::format("spec.template.cliques[{}].spec.startsAfter", i),
                   "is not heeded: cliques start after those that they name only if the order is explicit",
                   "cliqueStartupType: CliqueStartupTypeExplicit");
    }
  });
}

}  // namespace loadline::advice::lint
