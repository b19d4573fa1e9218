#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/core/pod.h"
#include "kube/meta.h"

namespace loadline::kube {

struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  bool indexed = false;  ///< completionMode Indexed
  bool suspend = false;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
};

struct Job {
  ObjectMeta metadata;
  JobSpec spec;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string completed_indexes;  ///< "0-3,7"
  std::vector<Condition> conditions;
};

struct CronJob {
  ObjectMeta metadata;
  std::string schedule;
  std::string time_zone;
  bool suspend = false;
  ObjectMeta job_metadata;
  JobSpec job_spec;
};

}  // namespace loadline::kube
