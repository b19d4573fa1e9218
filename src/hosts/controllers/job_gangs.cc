#include "hosts/controllers/job_gangs.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "objects/kube/encoder.h"
#include "objects/kube/scheduling/pod_group_schema.h"
#include "objects/kube/scheduling/workload_schema.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;
using workloads::JobGang;

Value owned(const KindName& kind, const kube::ObjectMeta& metadata, Array owners, Value spec) {
  Value meta(Object{{"name", Value(metadata.name), {}}, {"ownerReferences", Value(std::move(owners)), {}}});
  return Value(Object{{"apiVersion", Value(kind.api_version()), {}},
                      {"kind", Value(kind.kind), {}},
                      {"metadata", std::move(meta), {}},
                      {"spec", std::move(spec), {}}});
}

Value controller_of(const Observed<kube::Job>& job) {
  return controller_reference(kind_name<kube::Job>(), job.metadata());
}

Action make_workload(const Observed<kube::Job>& job) {
  const kube::Workload workload = workloads::workload_of(job.view, job.metadata().uid);
  Value spec = document::value_at(kube::encode_object(kube::kWorkloadSchema, &workload), {"spec"});
  Action action = create(kind_name<kube::Workload>(), workload.metadata.namespace_,
                         owned(kind_name<kube::Workload>(), workload.metadata, {controller_of(job)}, std::move(spec)));
  action.said_when_done =
      Event{reference_to(job), Event::Type::kNormal, "WorkloadCreated",
            fmt::format("Created Workload {} for Job {}", workload.metadata.name, job.metadata().name)};
  return action;
}

/// With the policy that the Workload has by now, whole.
Action make_group(const Observed<kube::Job>& job, const Observed<kube::Workload>& workload) {
  const kube::PodGroup group = workloads::group_of(job.view, job.metadata().uid, workload.view);
  Value spec = document::value_at(kube::encode_object(kube::kPodGroupSchema, &group), {"spec"});
  const Array templates = document::items_at(workload.document, {"spec", "podGroupTemplates"});
  spec = std::move(spec).with("schedulingPolicy", document::value_at(templates.front(), {"schedulingPolicy"}));
  const KindName& kind = kind_name<kube::Workload>();
  Value made_of(Object{{"apiVersion", Value(kind.api_version()), {}},
                       {"kind", Value(kind.kind), {}},
                       {"name", Value(workload.metadata().name), {}},
                       {"uid", Value(workload.metadata().uid), {}}});
  return create(
      kind_name<kube::PodGroup>(), group.metadata.namespace_,
      owned(kind_name<kube::PodGroup>(), group.metadata, {controller_of(job), std::move(made_of)}, std::move(spec)));
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

JobGangs::Answer JobGangs::ask(const Observed<kube::Job>& job, bool has_pods, const Caches& caches) const {
  const JobGang gang = workloads::gang_of(job.view, has_pods, index_);
  switch (gang.next) {
    case JobGang::Next::kNothing:
      return {};
    case JobGang::Next::kMakeWorkload:
      return {make_workload(job), ""};
    case JobGang::Next::kMakeGroup: {
      const auto workload = caches.of<kube::Workload>().find(job.metadata().namespace_, gang.workload->metadata.name);
      return {make_group(job, *workload), ""};
    }
    case JobGang::Next::kJoinGroup:
      break;
  }
  return {std::nullopt, gang.group->metadata.name};
}

}  // namespace loadline::controllers
