#pragma once

#include "brain/workloads/training_job.h"
#include "foundation/document/value.h"
#include "hosts/watching/kind_name.h"

namespace loadline::operators {

/// The HorizontalPodAutoscaler of a job whose elastic policy names metrics. `written` is the job's document.
/// REQUIRES: it has an elastic policy. Source: desiredHPA in pkg/controller.v1/pytorch/hpa.go, training-operator
/// v1.9.3.
[[nodiscard]] document::Value autoscaler_document(const watching::KindName& kind, const workloads::TrainingView& job,
                                                  const document::Value& written);

}  // namespace loadline::operators
