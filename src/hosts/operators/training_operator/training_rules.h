#pragma once

#include "foundation/document/value.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// What the operator's webhook refuses of a training job, in its words and order. `before`: what is changed; null: it
/// is new. Source: pkg/webhooks, training-operator v1.9.3.
[[nodiscard]] kube::FieldErrors faults_of_training_job(kube::Framework framework, const document::Value& job,
                                                       const document::Value* before);

/// The webhooks that ask for that, one a kind.
[[nodiscard]] apiserver::Webhooks make_training_webhooks();

}  // namespace loadline::operators
