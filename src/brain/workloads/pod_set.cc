#include "brain/workloads/pod_set.h"

#include "brain/workloads/job.h"

namespace loadline::workloads {
namespace {

template <class Kind>
PodSets replicas_in(const Kind& object) {
  return {{&template_in(object), "spec.template", object.replicas}};
}

}  // namespace

PodSets pod_sets(const kube::Deployment& deployment) { return replicas_in(deployment); }
PodSets pod_sets(const kube::ReplicaSet& set) { return replicas_in(set); }
PodSets pod_sets(const kube::ReplicationController& controller) { return replicas_in(controller); }
PodSets pod_sets(const kube::StatefulSet& set) { return replicas_in(set); }

PodSets pod_sets(const kube::DaemonSet& set) { return {{&template_in(set), "spec.template", 0, true}}; }

PodSets pod_sets(const kube::Job& job) { return {{&template_in(job), "spec.template", pods_at_once(job.spec)}}; }

PodSets pod_sets(const kube::CronJob& cron_job) {
  return {{&template_in(cron_job), "spec.jobTemplate.spec.template", pods_at_once(cron_job.job_spec)}};
}

}  // namespace loadline::workloads
