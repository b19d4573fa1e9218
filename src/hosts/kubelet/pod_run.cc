#include "hosts/kubelet/pod_run.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "foundation/base/rng.h"
#include "foundation/document/at.h"

namespace loadline::kubelet {
namespace {

using State = ContainerRun::State;
using IncidentKind = PodIncident::Kind;

// Source: pkg/kubelet/kubelet.go, v1.36: the first restart comes with the next sync, the others with back-off, which is
// forgotten when a run has lasted twice the longest.
constexpr Duration kRestartLatency = Duration::seconds(1);
constexpr Duration kFirstBackOff = Duration::seconds(10);
constexpr Duration kLongestBackOff = Duration::seconds(300);
constexpr Duration kForgetsBackOff = Duration::seconds(600);

/// A machine that slept for days under a fast clock catches up in pieces.
constexpr int kMostAtOnce = 1000;

Duration next_back_off(Duration last) {
  if (last.nanoseconds == 0) return kFirstBackOff;
  return std::min(Duration{last.nanoseconds * 2}, kLongestBackOff);
}

/// What was waited for before the restart of that number.
Duration back_off_before(std::int32_t restart) {
  Duration span;
  for (std::int32_t i = 1; i < restart && span < kLongestBackOff; ++i) span = next_back_off(span);
  return span;
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

/// The same chance for the same run of the same container.
double chance(const std::string& uid, const std::string& container, std::int32_t run) {
  std::uint64_t seed = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const std::string_view text : {std::string_view(uid), std::string_view(container)}) {
    for (const char letter : text) seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  Rng rng(seed + static_cast<std::uint64_t>(run));
  return static_cast<double>(rng.below(1'000'000)) / 1'000'000;
}

/// What lastState tells of a container, which is in no struct.
std::optional<Termination> last_termination(const document::Value& pod, const ContainerPlan& container,
                                            std::int32_t run) {
  const document::Value* list =
      document::find_at(pod, {"status", container.is_init ? "initContainerStatuses" : "containerStatuses"});
  if (list == nullptr || !list->is_array()) return std::nullopt;
  for (const document::Value& status : list->array()) {
    if (document::text_at(status, {"name"}) != container.name) continue;
    const document::Value* end = document::find_at(status, {"lastState", "terminated"});
    const document::Value* code = end == nullptr ? nullptr : end->find("exitCode");
    const auto started_at = end == nullptr ? std::nullopt : parse_rfc3339(document::text_at(*end, {"startedAt"}));
    const auto finished_at = end == nullptr ? std::nullopt : parse_rfc3339(document::text_at(*end, {"finishedAt"}));
    if (code == nullptr || !code->is_integer() || !started_at || !finished_at) return std::nullopt;
    return Termination{*started_at,
                       *finished_at,
                       static_cast<std::int32_t>(code->integer()),
                       std::string(document::text_at(*end, {"reason"})),
                       "",
                       run};
  }
  return std::nullopt;
}

/// Containers that may end: not sidecars.
bool is_regular(const ContainerPlan& plan) { return !plan.is_sidecar; }

}  // namespace

PodRun::PodRun(const PodPlan& plan, Instant accepted)
    : containers_(plan.containers.size()), accepted_(accepted), last_(accepted) {
  plan_starts(plan, accepted);
}

PodRun PodRun::resume(const PodPlan& plan, const watching::Observed<kube::Pod>& pod, Instant now) {
  PodRun run;
  const kube::PodStatus& status = pod.view.status;
  run.containers_.resize(plan.containers.size());
  run.accepted_ = status.start_time.value_or(now);
  run.last_ = now;
  std::vector<PodIncident> ignored;
  for (std::size_t i = 0; i < plan.containers.size(); ++i) {
    const ContainerPlan& container = plan.containers[i];
    const auto& known = container.is_init ? status.init_container_statuses : status.container_statuses;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == container.name; });
    if (found == known.end()) continue;
    ContainerRun& resumed = run.containers_[i];
    resumed.restarts = found->restart_count;
    resumed.back_off = back_off_before(resumed.restarts);
    if (found->state.running) {
      resumed.state = State::kRunning;
      resumed.started_at = found->state.running->started_at.value_or(now);
      if (resumed.restarts > 0) resumed.last = last_termination(pod.document, container, resumed.restarts - 1);
    } else if (found->state.terminated) {
      const kube::ContainerStateTerminated& end = *found->state.terminated;
      resumed.state = State::kTerminated;
      resumed.last = Termination{end.started_at.value_or(run.accepted_),
                                 end.finished_at.value_or(now),
                                 end.exit_code,
                                 end.reason,
                                 "",
                                 resumed.restarts};
      run.plan_restart(container, i, resumed.last->finished_at, ignored);
    } else if (resumed.restarts > 0 || (found->state.waiting && found->state.waiting->reason == "CrashLoopBackOff")) {
      resumed.state = State::kTerminated;
      resumed.last = last_termination(pod.document, container, resumed.restarts)
                         .value_or(Termination{run.accepted_, now, 1, "Error", "", resumed.restarts});
      run.plan_restart(container, i, resumed.last->finished_at, ignored);
    }
  }
  run.plan_starts(plan, now);
  return run;
}

// ---- time ----------------------------------------------------------------------------------------------------------

std::optional<Instant> PodRun::advance(const PodPlan& plan, Instant now, std::vector<PodIncident>& incidents) {
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& run = containers_[i];
    if (!run.is_pulling || run.is_pull_told) continue;
    run.is_pull_told = true;
    incidents.push_back({IncidentKind::kPulling, i, {}});
  }
  for (int done = 0; done < kMostAtOnce; ++done) {
    const std::optional<Instant> next = next_due(plan);
    if (!next || *next > now) {
      last_ = std::max(last_, now);
      return next;
    }
    last_ = std::max(last_, *next);
    happen(plan, last_, incidents);
  }
  return now;
}

std::optional<Instant> PodRun::next_due(const PodPlan& plan) const {
  std::optional<Instant> next = deadline(plan);
  for (std::size_t i = 0; i < containers_.size(); ++i) next = earlier(next, due(plan.containers[i], containers_[i]));
  return next;
}

std::optional<Instant> PodRun::deadline(const PodPlan& plan) const {
  if (!plan.active_deadline || stopping_ || is_over(plan)) return std::nullopt;
  return accepted_ + *plan.active_deadline;
}

std::optional<Instant> PodRun::due(const ContainerPlan& plan, const ContainerRun& run) const {
  if (run.state != State::kRunning) return run.starts_at;
  std::optional<Instant> next = run.stopped_by;
  if (plan.run_time) next = earlier(next, run.started_at + *plan.run_time);
  // Being started or ready changes what others see, and may do.
  const auto later = [&](Duration delay) {
    const Instant at = run.started_at + delay;
    if (at > last_) next = earlier(next, at);
  };
  later(plan.startup_delay);
  if (plan.ready_delay) later(*plan.ready_delay);
  return next;
}

void PodRun::happen(const PodPlan& plan, Instant at, std::vector<PodIncident>& incidents) {
  if (const auto end = deadline(plan); end && *end <= at) {
    past_deadline_ = true;
    incidents.push_back({IncidentKind::kDeadlineExceeded, 0, {}});
    stop(plan, at, plan.grace, incidents);
  }
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& run = containers_[i];
    if (run.state != State::kRunning) {
      if (run.starts_at && *run.starts_at <= at) start(plan, i, at, incidents);
      continue;
    }
    const std::optional<Duration>& run_time = plan.containers[i].run_time;
    const bool ends = run_time && run.started_at + *run_time <= at;
    if (ends || (run.stopped_by && *run.stopped_by <= at)) finish(plan, i, at, incidents);
  }
  plan_starts(plan, at);
  if (!stopping_ && has_done_its_work(plan)) stopping_ = true, killed_at_ = at + plan.grace;
  if (stopping_) stop_sidecars(plan, at, incidents);
}

// ---- starting ------------------------------------------------------------------------------------------------------

void PodRun::plan_starts(const PodPlan& plan, Instant at) {
  if (stopping_) return;
  const Instant first = accepted_ + plan.start_delay;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& run = containers_[i];
    if (run.state == State::kWaiting && !run.starts_at && !run.is_blocked) {
      run.starts_at = std::max(first, at);
      run.is_pulling = plan.start_delay.nanoseconds > 0;
    }
    if (i < plan.init_count && !is_initialized(plan, i, at)) return;  // the others wait for it
  }
}

void PodRun::start(const PodPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents) {
  ContainerRun& run = containers_[container];
  run.starts_at.reset();
  if (!plan.containers[container].cannot_start.empty()) {
    run.is_blocked = true;
    incidents.push_back({IncidentKind::kCannotStart, container, {}});
    return;
  }
  if (run.is_pulling) {
    if (!run.is_pull_told) incidents.push_back({IncidentKind::kPulling, container, {}});
    incidents.push_back({IncidentKind::kPulled, container, plan.start_delay});
  } else {
    incidents.push_back({IncidentKind::kAlreadyPresent, container, {}});
  }
  run.is_pulling = false;
  incidents.push_back({IncidentKind::kCreated, container, {}});
  incidents.push_back({IncidentKind::kStarted, container, {}});
  if (run.last) ++run.restarts;
  run.state = State::kRunning;
  run.in_back_off = false;
  run.started_at = at;
}

bool PodRun::is_initialized(const PodPlan& plan, std::size_t container, Instant now) const {
  const ContainerRun& run = containers_[container];
  if (plan.containers[container].is_sidecar) return is_started(plan, container, now) || run.last.has_value();
  return run.state == State::kTerminated && run.last->exit_code == 0;
}

// ---- ending --------------------------------------------------------------------------------------------------------

bool PodRun::is_failing(const PodPlan& plan, std::size_t container) const {
  const ContainerPlan& of = plan.containers[container];
  const std::int32_t run = containers_[container].restarts;
  if (of.always_fails || run < of.fail_times) return true;
  return of.failure_rate > 0 && chance(plan.uid, of.name, run) < of.failure_rate;
}

void PodRun::finish(const PodPlan& plan, std::size_t container, Instant at, std::vector<PodIncident>& incidents) {
  const ContainerPlan& of = plan.containers[container];
  ContainerRun& run = containers_[container];
  Termination end{run.started_at, at, 0, "", "", run.restarts};
  if (run.stopped_by && *run.stopped_by <= at) {
    end.exit_code = run.is_killed ? 137 : of.stop_exit_code;
  } else if (is_failing(plan, container)) {
    end.exit_code = of.failure_code;
    end.reason = of.failure_reason;
  } else {
    end.exit_code = of.exit_code;
  }
  if (end.reason.empty()) end.reason = end.exit_code == 0 ? "Completed" : "Error";
  if (at - run.started_at >= kForgetsBackOff) run.back_off = {};
  run.state = State::kTerminated;
  run.before_last = std::exchange(run.last, std::move(end));
  run.stopping_at.reset();
  run.stopped_by.reset();
  plan_restart(of, container, at, incidents);
}

void PodRun::plan_restart(const ContainerPlan& plan, std::size_t container, Instant at,
                          std::vector<PodIncident>& incidents) {
  ContainerRun& run = containers_[container];
  const bool restarts =
      plan.restart == Restart::kAlways || (plan.restart == Restart::kOnFailure && run.last->exit_code != 0);
  if (stopping_ || !restarts) return;
  const bool is_first = run.restarts == 0 || (run.back_off.nanoseconds == 0 &&
                                              run.last->finished_at - run.last->started_at >= kForgetsBackOff);
  if (is_first) {
    run.starts_at = at + kRestartLatency;
    return;
  }
  run.back_off = next_back_off(run.back_off);
  run.in_back_off = true;
  run.starts_at = at + run.back_off;
  incidents.push_back({IncidentKind::kBackOff, container, run.back_off});
}

bool PodRun::has_failed_to_initialize(const PodPlan& plan) const {
  for (std::size_t i = 0; i < plan.init_count; ++i) {
    const ContainerRun& run = containers_[i];
    if (is_regular(plan.containers[i]) && run.state == State::kTerminated && !run.starts_at &&
        run.last->exit_code != 0) {
      return true;
    }
  }
  return false;
}

bool PodRun::has_done_its_work(const PodPlan& plan) const {
  if (has_failed_to_initialize(plan)) return true;
  for (std::size_t i = plan.init_count; i < containers_.size(); ++i) {
    if (containers_[i].state != State::kTerminated || containers_[i].starts_at) return false;
  }
  return true;
}

bool PodRun::is_running() const {
  return std::any_of(containers_.begin(), containers_.end(),
                     [](const ContainerRun& run) { return run.state == State::kRunning; });
}

bool PodRun::has_run() const {
  return std::any_of(containers_.begin(), containers_.end(), [](const ContainerRun& run) {
    return run.state == State::kRunning || run.last.has_value() || run.is_blocked;
  });
}

bool PodRun::is_over(const PodPlan& plan) const { return !is_running() && (stopping_ || has_done_its_work(plan)); }

// ---- stopping ------------------------------------------------------------------------------------------------------

void PodRun::stop(const PodPlan& plan, Instant at, Duration grace, std::vector<PodIncident>& incidents) {
  const Instant end = at + grace;
  killed_at_ = stopping_ ? std::min(killed_at_, end) : end;
  stopping_ = true;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& run = containers_[i];
    run.starts_at.reset();
    run.in_back_off = false;
    if (run.state != State::kRunning) continue;
    if (run.stopped_by && *run.stopped_by > killed_at_) {
      run.stopped_by = killed_at_;
      run.is_killed = true;
    } else if (!run.stopped_by && is_regular(plan.containers[i])) {
      stop_container(plan, i, at, incidents);
    }
  }
  stop_sidecars(plan, at, incidents);
}

void PodRun::stop_container(const PodPlan& plan, std::size_t container, Instant at,
                            std::vector<PodIncident>& incidents) {
  const ContainerPlan& of = plan.containers[container];
  ContainerRun& run = containers_[container];
  const Instant end = at + of.pre_stop + of.stop_time;
  run.stopping_at = at;
  run.is_killed = end > killed_at_;
  run.stopped_by = run.is_killed ? std::max(killed_at_, at) : end;
  incidents.push_back({IncidentKind::kKilling, container, {}});
}

/// Sidecars go when all others are gone, the last one first.
void PodRun::stop_sidecars(const PodPlan& plan, Instant at, std::vector<PodIncident>& incidents) {
  for (std::size_t i = containers_.size(); i-- > 0;) {
    ContainerRun& run = containers_[i];
    if (plan.containers[i].is_sidecar) run.starts_at.reset();
    if (run.state != State::kRunning) continue;
    if (is_regular(plan.containers[i]) || run.stopped_by) return;
    return stop_container(plan, i, at, incidents);
  }
}

void PodRun::crash(const PodPlan& plan, Instant at, Instant now) {
  std::vector<PodIncident> ignored;
  last_ = std::max(last_, now);
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& run = containers_[i];
    if (run.state == State::kRunning) {
      run.state = State::kTerminated;
      run.last = Termination{run.started_at, at, 255, "Unknown", "", run.restarts};
      run.stopped_by.reset();
      run.stopping_at.reset();
      plan_restart(plan.containers[i], i, now, ignored);
      if (run.starts_at) run.starts_at = now;
      run.in_back_off = false;
    } else if (run.starts_at) {
      run.starts_at = std::max(*run.starts_at, now);
    }
  }
}

// ---- what is seen --------------------------------------------------------------------------------------------------

bool PodRun::is_started(const PodPlan& plan, std::size_t container, Instant now) const {
  const ContainerRun& run = containers_[container];
  return run.state == State::kRunning && run.started_at + plan.containers[container].startup_delay <= now;
}

bool PodRun::is_ready(const PodPlan& plan, std::size_t container, Instant now) const {
  const ContainerPlan& of = plan.containers[container];
  const ContainerRun& run = containers_[container];
  if (of.is_init && !of.is_sidecar) return run.state == State::kTerminated && run.last->exit_code == 0;
  return run.state == State::kRunning && of.ready_delay && run.started_at + *of.ready_delay <= now;
}

}  // namespace loadline::kubelet
