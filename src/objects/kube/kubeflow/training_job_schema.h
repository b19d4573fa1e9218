#pragma once

#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kTrainingJobStatusSchema;
extern constinit const Schema kPyTorchJobSchema;
extern constinit const Schema kTensorFlowJobSchema;
extern constinit const Schema kXgBoostJobSchema;
extern constinit const Schema kPaddleJobSchema;
extern constinit const Schema kJaxJobSchema;
extern constinit const Schema kMpiJobSchema;

}  // namespace loadline::kube
