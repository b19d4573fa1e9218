#pragma once

#include "objects/kube/scalars.h"

namespace loadline::kube {

struct ClusterQueue;
struct Cohort;
struct ObjectMeta;
struct KueueWorkload;
struct ResourceFlavor;

/// What Kueue's validating webhooks refuse of an object that is created, in their words and order. They are asked when
/// its definition has nothing against it, so they say nothing that a CEL rule there says. Gates are as they are by
/// default: rules of concurrent admission and of priority boosts are off.
/// Source: kueue v0.19.2, pkg/webhooks. O(size of the object).
FieldErrors webhook_refusals(const ClusterQueue& queue);
FieldErrors webhook_refusals(const Cohort& cohort);
FieldErrors webhook_refusals(const ResourceFlavor& flavor);
FieldErrors webhook_refusals(const KueueWorkload& workload);

/// Of kAdmissionGatedByAnnotation, on a Workload or a job, and where it was another before. It may lose gates, and not
/// get any. Source: kueue v0.19.2, pkg/util/webhook/validation_admissiongatedby.go.
FieldErrors admission_gate_refusals(const ObjectMeta& object);
FieldErrors admission_gate_refusals(const ObjectMeta& before, const ObjectMeta& after);

}  // namespace loadline::kube
