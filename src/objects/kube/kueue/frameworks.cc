#include "objects/kube/kueue/frameworks.h"

#include <algorithm>

namespace loadline::kube {
namespace {

constexpr KueueFramework kFrameworks[] = {
    {"batch/job", "Job.v1.batch"},
    {"deployment", "Deployment.v1.apps"},
    {"jobset.x-k8s.io/jobset", "JobSet.v1alpha2.jobset.x-k8s.io"},
    {"kubeflow.org/jaxjob", "JAXJob.v1.kubeflow.org"},
    {"kubeflow.org/mpijob", "MPIJob.v2beta1.kubeflow.org"},
    {"kubeflow.org/paddlejob", "PaddleJob.v1.kubeflow.org"},
    {"kubeflow.org/pytorchjob", "PyTorchJob.v1.kubeflow.org"},
    {"kubeflow.org/tfjob", "TFJob.v1.kubeflow.org"},
    {"kubeflow.org/xgboostjob", "XGBoostJob.v1.kubeflow.org"},
    {"leaderworkerset.x-k8s.io/leaderworkerset", "LeaderWorkerSet.v1.leaderworkerset.x-k8s.io"},
    {"pod", "Pod.v1."},
    {"ray.io/raycluster", "RayCluster.v1.ray.io"},
    {"ray.io/rayjob", "RayJob.v1.ray.io"},
    {"ray.io/rayservice", "RayService.v1.ray.io"},
    {"sparkoperator.k8s.io/sparkapplication", "SparkApplication.v1beta2.sparkoperator.k8s.io"},
    {"statefulset", "StatefulSet.v1.apps"},
    {"trainer.kubeflow.org/trainjob", "TrainJob.v1alpha1.trainer.kubeflow.org"},
    {"workload.codeflare.dev/appwrapper", "AppWrapper.v1beta2.workload.codeflare.dev"},
};

}  // namespace

std::span<const KueueFramework> kueue_frameworks() { return kFrameworks; }

const KueueFramework* find_kueue_framework(std::string_view name) {
  const auto* found = std::ranges::find(kFrameworks, name, &KueueFramework::name);
  return found == std::end(kFrameworks) ? nullptr : found;
}

}  // namespace loadline::kube
