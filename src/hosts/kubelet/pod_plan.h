#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

enum class Restart : std::uint8_t { kAlways, kOnFailure, kNever };

/// What will become of one container.
struct ContainerPlan {
  std::string name;
  std::string image;
  bool is_init = false;
  bool is_sidecar = false;
  Restart restart = Restart::kAlways;

  std::string cannot_start;          ///< "ErrImagePull", …: the waiting reason for ever; empty: it starts
  std::optional<Duration> run_time;  ///< nothing: it runs until it is stopped
  std::int32_t exit_code = 0;        ///< of the runs that do not fail
  std::int32_t failure_code = 1;     ///< of those that do
  std::string failure_reason;        ///< "OOMKilled"; empty: by the code
  bool always_fails = false;
  std::int32_t fail_times = 0;  ///< this many runs fail first
  double failure_rate = 0;      ///< later runs fail by this chance

  std::optional<Duration> ready_delay = Duration{};  ///< nothing: it is never ready
  bool has_readiness = false;                        ///< it is asked; without a probe, what is started is ready
  Duration startup_delay;                            ///< until its startup probe succeeds
  Duration pre_stop;                                 ///< how long its hook takes
  Duration stop_time;                                ///< from the signal to its end
  std::int32_t stop_exit_code = 143;
};

/// What will become of a pod, by its spec and its annotations: docs/virtual-nodes.md.
struct PodPlan {
  std::string uid;
  Duration start_delay;
  std::vector<ContainerPlan> containers;  ///< init containers first, in order
  std::size_t init_count = 0;
  std::optional<Duration> active_deadline;
  Duration grace = Duration::seconds(30);
  std::vector<std::string> problems;  ///< annotations that cannot be read
};

/// `slowness`: the node's factor on all spans that the annotations and defaults give; 1 for a node like any.
PodPlan plan_pod(const watching::Observed<kube::Pod>& pod, double slowness);

}  // namespace loadline::kubelet
