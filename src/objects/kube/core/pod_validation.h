#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

/// ValidatePodTemplateSpec.
void validate_pod_template(FieldReport& report, const Path& at, const PodTemplateSpec& pod_template);

/// What a ReplicaSet, Deployment, DaemonSet, StatefulSet or ReplicationController asks of its template besides:
/// restartPolicy Always, no deadline. `kind` is named in the message.
void validate_long_running(FieldReport& report, const Path& template_at, const PodSpec& spec, std::string_view kind);

}  // namespace loadline::kube
