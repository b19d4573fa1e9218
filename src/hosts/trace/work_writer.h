#pragma once

#include <cstddef>
#include <iosfwd>

#include "foundation/base/result.h"
#include "hosts/trace/work.h"

namespace loadline::trace {

// Each writes all works of a source, one after the other, and says how many there were. Reading what was written yields
// equal works. Errors: the source's, a stream that takes no more, or a work that the format cannot say, by its name.

/// Our own CSV (csv_work.h), a row each: works of pods of one container that ask for cpu, memory and GPUs.
Result<std::size_t> write_csv(WorkSource& works, std::ostream& out);

/// JSON lines (json_lines_work.h) in their short form: likewise, and any other resource.
Result<std::size_t> write_json_lines(WorkSource& works, std::ostream& out);

/// Manifests of Jobs, without their times of arrival: the run time and the estimate as annotations, a PodGroup for each
/// gang, and the Namespaces and PriorityClasses that they need, each before its first Job.
Result<std::size_t> write_manifests(WorkSource& works, std::ostream& out);

}  // namespace loadline::trace
