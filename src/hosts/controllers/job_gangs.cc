#include "hosts/controllers/job_gangs.h"

#include <fmt/format.h>

#include <utility>

#include "hosts/controllers/typed_creation.h"
#include "objects/kube/scheduling/pod_group_schema.h"
#include "objects/kube/scheduling/workload_schema.h"

namespace loadline::controllers {
namespace {

using workloads::JobGang;

Action make_workload(const Observed<kube::Job>& job) {
  const kube::Workload workload = workloads::workload_of(job.view, job.metadata().uid);
  Action action = creation_of(workload, kube::kWorkloadSchema);
  action.said_when_done =
      Event{reference_to(job), Event::Type::kNormal, "WorkloadCreated",
            fmt::format("Created Workload {} for Job {}", workload.metadata.name, job.metadata().name)};
  return action;
}

Action make_group(const Observed<kube::Job>& job, const kube::Workload& workload) {
  return creation_of(workloads::group_of(job.view, job.metadata().uid, workload), kube::kPodGroupSchema);
}

/// Tells the index of a change.
template <class Kind>
void follow(workloads::GangIndex& index, const Change<Kind>& change) {
  if (change.before != nullptr) index.remove(change.before->view);
  if (change.after != nullptr) index.add(change.after->view);
}

}  // namespace

void JobGangs::subscribe(Subscriptions& to) {
  to.on<kube::Workload>([this](const Change<kube::Workload>& change, Keys& keys) {
    follow(index_, change);
    const std::string_view job = workloads::job_of(change.last().view);
    if (!job.empty()) keys.insert({change.last().metadata().namespace_, std::string(job)});
  });
  to.on<kube::PodGroup>([this](const Change<kube::PodGroup>& change, Keys&) { follow(index_, change); });
  to.on<kube::PodGroup>(controllers_of<kube::PodGroup>("Job", "batch"));
}

JobGangs::Answer JobGangs::ask(const Observed<kube::Job>& job, bool has_pods) const {
  const JobGang gang = workloads::gang_of(job.view, has_pods, index_);
  switch (gang.next) {
    case JobGang::Next::kNothing:
      return {};
    case JobGang::Next::kMakeWorkload:
      return {make_workload(job), ""};
    case JobGang::Next::kMakeGroup:
      return {make_group(job, *gang.workload), ""};
    case JobGang::Next::kJoinGroup:
      break;
  }
  return {std::nullopt, gang.group->metadata.name};
}

}  // namespace loadline::controllers
