#pragma once

#include "objects/kube/field_report.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// A template that a StatefulSet, DaemonSet or LeaderWorkerSet had, or has. Controllers read it as a document, as time
/// passes: by it they know which pods are of which revision. A plan of one moment reads nothing of it.
struct ControllerRevision {
  ObjectMeta metadata;
};

FieldErrors validate(const ControllerRevision& revision);

}  // namespace loadline::kube
