#pragma once

namespace loadline::workloads {

/// What Kubernetes' controllers of workloads do behind feature gates that are off by default.
struct Gates {
  bool workload_with_job = false;  ///< WorkloadWithJob (alpha in 1.36): see job_gang.h
};

}  // namespace loadline::workloads
