#include "hosts/advice/lint/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/advice/lint/wording.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/service.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::advice::lint {
namespace {

template <class Kind, class Visit>
void for_each_judged(const LintInput& input, std::string_view kind, Visit visit) {
  for (const Kind& object : input.objects().of<Kind>()) {
    if (!input.judges(object.metadata) || object.metadata.controller() != nullptr) continue;
    visit(object, fmt::format("{} {}/{}", kind, object.metadata.namespace_, object.metadata.name));
  }
}

std::vector<std::string> services_of(const LintInput& input, std::string_view name_space) {
  std::vector<std::string> names;
  for (const kube::Service& service : input.objects().of<kube::Service>()) {
    if (service.metadata.namespace_ == name_space) names.push_back(service.metadata.name);
  }
  return names;
}

/// That no Service of that name is there, if the input shows all there are, or one that its author may have meant.
struct Missing {
  bool is_known = false;
  std::string hint;
};
Missing missing_service(const LintInput& input, std::string_view name_space, std::string_view name) {
  const std::vector<std::string> names = services_of(input, name_space);
  if (std::ranges::find(names, name) != names.end()) return {};
  std::string near = did_you_mean(name, names);
  const bool is_known = !near.empty() || input.knows_pods();
  return {is_known, std::move(near)};
}

void check_stateful_sets(const LintInput& input, Findings& findings) {
  for_each_judged<kube::StatefulSet>(
      input, "StatefulSet", [&](const kube::StatefulSet& set, const std::string& subject) {
        if (set.service_name.empty()) return;
        const Missing missing = missing_service(input, set.metadata.namespace_, set.service_name);
        if (missing.hint.empty()) return;  // many get one, and need none
        findings.add(subject, set.metadata.source, "spec.serviceName",
                     fmt::format("names a Service {} that is not there, so {}-0.{} and the others have no address",
                                 set.service_name, set.metadata.name, set.service_name),
                     missing.hint);
      });
}

/// The operator makes a Service of the name of each pod of the job.
bool is_of_the_job(const kube::PyTorchJob& job, std::string_view host) {
  return host.starts_with(job.metadata.name + "-master-") || host.starts_with(job.metadata.name + "-worker-");
}

void check_training_jobs(const LintInput& input, Findings& findings) {
  for_each_judged<kube::PyTorchJob>(input, "PyTorchJob", [&](const kube::PyTorchJob& job, const std::string& subject) {
    if (!job.spec.elastic || job.spec.elastic->rendezvous_host.empty()) return;
    const std::string_view whole = job.spec.elastic->rendezvous_host;
    const std::string_view host = whole.substr(0, whole.find('.'));
    const bool is_address = host.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_elsewhere = std::ranges::count(whole, '.') > 1;  // of another namespace, or of the world
    if (is_address || is_elsewhere || is_of_the_job(job, host)) return;
    const Missing missing = missing_service(input, job.metadata.namespace_, host);
    if (!missing.is_known) return;
    findings.add(subject, job.metadata.source, "spec.elasticPolicy.rdzvHost",
                 fmt::format("names {}, of which there is no Service, so workers do not find each other", whole),
                 missing.hint);
  });
}

void check_coordinators(const LintInput& input, Findings& findings) {
  for_each_judged<kube::JobSet>(input, "JobSet", [&](const kube::JobSet& set, const std::string& subject) {
    if (!set.coordinator || set.has_dns_hostnames) return;
    findings.add(subject, set.metadata.source, "spec.coordinator",
                 "its pods have no DNS names, so nobody finds the coordinator by the name that they are told",
                 "network: {enableDNSHostnames: true}");
  });
}

}  // namespace

void check_job_set_jobs(const LintInput& input, Findings& findings) {
  for_each_judged<kube::JobSet>(input, "JobSet", [&](const kube::JobSet& set, const std::string& subject) {
    for (std::size_t i = 0; i < set.replicated_jobs.size(); ++i) {
      if (!set.replicated_jobs[i].job_spec.ttl_seconds_after_finished) continue;
      findings.add(subject, set.metadata.source,
                   fmt::format("spec.replicatedJobs[{}].template.spec.ttlSecondsAfterFinished", i),
                   "removes each Job once it has ended, and the JobSet makes it anew as long as another one runs",
                   "ttlSecondsAfterFinished of the JobSet");
    }
  });
}

void check_rendezvous(const LintInput& input, Findings& findings) {
  check_stateful_sets(input, findings);
  check_training_jobs(input, findings);
  check_coordinators(input, findings);
}

}  // namespace loadline::advice::lint
