#pragma once

#include <memory>

#include "foundation/base/result.h"
#include "hosts/trace/lines.h"
#include "hosts/trace/work.h"
#include "objects/kube/objects.h"

namespace loadline::trace {

/// Works of JSON lines, an object on each, in order of `time`. Besides the fields of our CSV (csv_work.h: time, name,
/// duration, estimate, deleted, gang, class, tenant) one that says which pods come:
///
///   "object": {…}        a Pod, a Job, or any kind that makes pods; it may lack a name
///   "template": "job/train"   an object of `templates`, under the work's name
///   "pod": {"cpu": 4, "memory": "16Gi", "gpus": 8, "selector": {"zone": "a"}}, "pods": 4    pods of one container
///
/// Where `duration` or `estimate` is absent, annotations serve, and activeDeadlineSeconds (object_pods.h).
/// Source: docs/traces.md. Memory: a line, and what differs among templates. `templates` must outlive it.
Result<std::unique_ptr<WorkSource>> read_json_lines_work(std::unique_ptr<Lines> lines,
                                                         const kube::Objects* templates = nullptr);

}  // namespace loadline::trace
