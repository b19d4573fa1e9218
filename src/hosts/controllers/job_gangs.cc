#include "hosts/controllers/job_gangs.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/encoder.h"
#include "objects/kube/scheduling/pod_group_schema.h"
#include "objects/kube/scheduling/workload_schema.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;
using workloads::JobGang;

/// The owner waits for what it controls, and for nothing else, when it is deleted in the foreground.
Value document_of(const kube::OwnerReference& owner) {
  Object members{{"apiVersion", Value(owner.api_version), {}},
                 {"kind", Value(owner.kind), {}},
                 {"name", Value(owner.name), {}},
                 {"uid", Value(owner.uid), {}}};
  if (owner.controller) {
    members.push_back({"controller", Value(true), {}});
    members.push_back({"blockOwnerDeletion", Value(true), {}});
  }
  return Value(std::move(members));
}

template <class Kind>
Action make(const Kind& object, const kube::Schema& schema) {
  const KindName& kind = kind_name<Kind>();
  Array owners;
  for (const kube::OwnerReference& owner : object.metadata.owner_references) owners.push_back(document_of(owner));
  Value metadata(Object{{"name", Value(object.metadata.name), {}}, {"ownerReferences", Value(std::move(owners)), {}}});
  return create(kind, object.metadata.namespace_,
                Value(Object{{"apiVersion", Value(kind.api_version()), {}},
                             {"kind", Value(kind.kind), {}},
                             {"metadata", std::move(metadata), {}},
                             {"spec", document::value_at(kube::encode_object(schema, &object), {"spec"}), {}}}));
}

Action make_workload(const Observed<kube::Job>& job) {
  const kube::Workload workload = workloads::workload_of(job.view, job.metadata().uid);
  Action action = make(workload, kube::kWorkloadSchema);
  action.said_when_done =
      Event{reference_to(job), Event::Type::kNormal, "WorkloadCreated",
            fmt::format("Created Workload {} for Job {}", workload.metadata.name, job.metadata().name)};
  return action;
}

Action make_group(const Observed<kube::Job>& job, const kube::Workload& workload) {
  return make(workloads::group_of(job.view, job.metadata().uid, workload), kube::kPodGroupSchema);
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
