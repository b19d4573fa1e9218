#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The operator of PyTorchJobs, TFJobs, XGBoostJobs, PaddleJobs and JAXJobs (kubeflow.org/v1).
/// Source: kubeflow/training-operator v1.9.3.
[[nodiscard]] Operator training_operator();

}  // namespace loadline::operators
