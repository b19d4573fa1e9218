#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

#include "foundation/base/result.h"
#include "hosts/trace/lines.h"
#include "hosts/trace/work.h"

namespace loadline::trace {

/// Whether the first line of a file is a header of our own CSV, or seems to be meant as one.
bool is_csv_header(std::string_view line);

/// Works of our own CSV, a row each, in order of `time`. The header names columns in any order; all but `time` may be
/// left out, and so may any field of a row:
///
///   time        when it arrives: seconds, 1h30m, or 2026-01-01T00:00:00Z, counted from the first
///   name        else work-1, work-2, …
///   pods        how many, alike; 1
///   cpu, memory, gpus, and any resource by its name (example.com/dongle): of each pod; gpus are nvidia.com/gpu
///   duration    how long it runs, once its last pod has started; else until it is deleted
///   estimate    of the duration, as its owner gives it
///   deleted     when its owner deletes it
///   gang        true: its pods start together or not at all; else false; true where there are several
///   class, tenant   how results are grouped, and the namespace ("default")
///   priority    a number, or the name of a PriorityClass
///   selector    of nodes: key=value;key=value
///   tolerations of taints: key=value:Effect;key:Effect;key
///
/// Source: docs/traces.md. Memory: a row, and what differs among pods. `lines` are the reader's.
Result<std::unique_ptr<WorkSource>> read_csv_work(std::unique_ptr<Lines> lines);

}  // namespace loadline::trace
