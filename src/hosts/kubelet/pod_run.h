#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/kubelet/pod_plan.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// How a run of a container ended.
struct Termination {
  Instant started_at;
  Instant finished_at;
  std::int32_t exit_code = 0;
  std::string reason;    ///< "Completed", "Error", "OOMKilled", …
  std::string message;   ///< mostly none
  std::int32_t run = 0;  ///< the how-manieth run that was, from 0
};

struct ContainerRun {
  enum class State : std::uint8_t { kWaiting, kRunning, kTerminated };
  State state = State::kWaiting;
  std::optional<Instant> starts_at;    ///< while it waits or has terminated; nothing: not before something else happens
  bool in_back_off = false;            ///< it crashed, and waits until starts_at
  bool is_pulling = false;             ///< its image is being pulled until starts_at
  bool is_pull_told = false;           ///< an incident said so
  bool is_blocked = false;             ///< it cannot start, and never will
  Instant started_at;                  ///< while it runs
  std::optional<Instant> stopping_at;  ///< it was told to stop then
  std::optional<Instant> stopped_by;   ///< when it will have stopped
  bool is_killed = false;              ///< at stopped_by it is killed, since its grace period is over
  std::optional<Termination> last;     ///< what it ended with, if it ever ran
  std::optional<Termination> before_last;  ///< likewise, the time before
  std::int32_t restarts = 0;               ///< starts after the first
  Duration back_off;                       ///< the last one
};

/// Something that people want to read about in events.
struct PodIncident {
  enum class Kind : std::uint8_t {
    kPulling,
    kPulled,          ///< it took `span`
    kAlreadyPresent,  ///< the image
    kCreated,
    kStarted,
    kKilling,
    kBackOff,
    kCannotStart,
    kDeadlineExceeded,
  };
  Kind kind = Kind::kPulled;
  std::size_t container = 0;  ///< of PodPlan::containers
  Duration span;
};

/// A pod on its virtual machine: what its containers do, by its plan, from one point in time to the next. Pure: same
/// plan and times, same run. Everything happens at its exact time, however late it is asked about.
class PodRun {
 public:
  /// The machine took the pod at `accepted`.
  PodRun(const PodPlan& plan, Instant accepted);
  /// As the pod's own status tells: what a kubelet finds when it starts.
  static PodRun resume(const PodPlan& plan, const watching::Observed<kube::Pod>& pod, Instant now);

  /// Lets everything happen that is due by `now`. Returns when the next thing will; nothing: never.
  std::optional<Instant> advance(const PodPlan& plan, Instant now, std::vector<PodIncident>& incidents);

  /// Tells all containers to stop, and kills them after `grace`. A second time with less grace hurries it.
  void stop(const PodPlan& plan, Instant at, Duration grace, std::vector<PodIncident>& incidents);
  /// The machine lost power at `at`, and is back at `now`: what ran has died.
  void crash(const PodPlan& plan, Instant at, Instant now);

  [[nodiscard]] const std::vector<ContainerRun>& containers() const { return containers_; }
  [[nodiscard]] Instant accepted() const { return accepted_; }
  [[nodiscard]] bool is_past_deadline() const { return past_deadline_; }
  /// No container runs, and none will.
  [[nodiscard]] bool is_over(const PodPlan& plan) const;
  [[nodiscard]] bool is_started(const PodPlan& plan, std::size_t container, Instant now) const;
  [[nodiscard]] bool is_ready(const PodPlan& plan, std::size_t container, Instant now) const;
  /// A container has been started, so the pod has an address.
  [[nodiscard]] bool has_run() const;
  [[nodiscard]] bool is_running() const;

 private:
  PodRun() = default;
  [[nodiscard]] std::optional<Instant> next_due(const PodPlan& plan) const;
  [[nodiscard]] std::optional<Instant> due(const ContainerPlan& plan, const ContainerRun& run) const;
  [[nodiscard]] std::optional<Instant> deadline(const PodPlan& plan) const;
  void happen(const PodPlan& plan, Instant at, std::vector<PodIncident>& incidents);
  void start(const PodPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents);
  void finish(const PodPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents);
  void plan_restart(const ContainerPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents);
  void plan_starts(const PodPlan& plan, Instant at);
  void stop_container(const PodPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents);
  void stop_sidecars(const PodPlan& plan, Instant at, std::vector<PodIncident>& incidents);
  [[nodiscard]] bool has_failed_to_initialize(const PodPlan& plan) const;
  [[nodiscard]] bool has_done_its_work(const PodPlan& plan) const;
  [[nodiscard]] bool is_failing(const PodPlan& plan, std::size_t container) const;
  [[nodiscard]] bool is_initialized(const PodPlan& plan, std::size_t container, Instant now) const;

  std::vector<ContainerRun> containers_;
  Instant accepted_;
  Instant last_;       ///< up to here everything has happened
  Instant killed_at_;  ///< while it is stopping: the end of the grace period
  bool stopping_ = false;
  bool past_deadline_ = false;
};

}  // namespace loadline::kubelet
