#include "hosts/operators/kueue/owner_kinds.h"

#include "brain/queue/kueue/jobs/job_kinds.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators::kueue {

void read_owner_kinds(watching::Subscriptions& to) {
  queue::kueue::for_each_job_kind([&]<class Kind>() { to.reads<Kind>(); });
  to.reads<kube::ReplicaSet>();
  to.reads<kube::Deployment>();
  to.reads<kube::StatefulSet>();
  to.reads<kube::LeaderWorkerSet>();
  to.reads<kube::Pod>();
}

}  // namespace loadline::operators::kueue
