#pragma once

#include "bench/placement/workload.h"

namespace loadline::bench {

/// A large cluster's day: 1,000,000 pods of 1,000 templates on 100,000 nodes.
///
/// Nodes are of scheduler_perf's size, in three zones; each tenth belongs to the pool "batch", each twentieth is
/// tainted "dedicated". A template takes its CPU and memory from a menu of common sizes; of a hundred templates, ten
/// select the pool, five tolerate the taint, three prefer nodes with pods of their own template and three prefer to be
/// spread over zones. The pods ask for about a half of what is there, so that all of them fit.
/// `interleave`: pods come one of each template in turn; else template after template.
Workload million(bool interleave);

}  // namespace loadline::bench
