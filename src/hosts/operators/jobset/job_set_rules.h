#pragma once

#include <functional>
#include <optional>
#include <string>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::operators {

/// A JobSet with what the operator's webhook fills in where its author said nothing: Jobs are indexed, their pods are
/// restarted, all have to succeed. Source: Default in pkg/webhooks/jobset_webhook.go, jobset v0.12.0.
[[nodiscard]] document::Value with_job_set_defaults(document::Value set);

/// What the webhook refuses of a new JobSet, in its words and order. `find_claim` finds a PersistentVolumeClaim of the
/// JobSet's namespace. Feature gates are as they are by default: InPlaceRestart, RestartJob and ElasticJobSet are off.
/// Source: ValidateCreate, ibidem.
using FindClaim = std::function<std::optional<document::Value>(const std::string& name)>;
[[nodiscard]] kube::FieldErrors faults_of_job_set(const document::Value& set, const FindClaim& find_claim);

/// What it refuses of a change: replicated jobs stay as they are; while the JobSet is suspended, labels, annotations,
/// node selectors, tolerations and scheduling gates of its pods may change. Source: ValidateUpdate, ibidem.
[[nodiscard]] kube::FieldErrors faults_of_job_set_change(const document::Value& before, const document::Value& after);

/// "JobSet.jobset.x-k8s.io "train" is invalid: spec.replicatedJobs: …"; nothing: there is no fault.
[[nodiscard]] std::optional<std::string> job_set_refusal(const document::Value& set, const kube::FieldErrors& faults);

}  // namespace loadline::operators
