#include "hosts/kubelet/pod_plan.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "objects/kube/workload_names.h"

namespace loadline::kubelet {
namespace {

using document::Value;

/// How long a pod that is meant to end runs if no annotation says so.
constexpr Duration kDefaultRunTime = Duration::seconds(10);
constexpr Duration kDefaultInitTime = Duration::seconds(1);
constexpr Duration kRaySubmitterRunTime = Duration::seconds(30);

constexpr std::array<std::string_view, 6> kReasonsNotToStart = {"ErrImagePull",      "ImagePullBackOff",
                                                                "InvalidImageName",  "CreateContainerError",
                                                                "RunContainerError", "CreateContainerConfigError"};

Duration stretched(Duration span, double factor) {
  if (factor == 1) return span;
  const double stretched = static_cast<double>(span.nanoseconds) * factor;
  constexpr double kLongest = 1e18;  // 30 years
  return {static_cast<std::int64_t>(std::min(stretched, kLongest))};
}

/// What 64 bits of nanoseconds can hold twice.
Duration bounded_seconds(std::int64_t seconds) {
  return Duration::seconds(std::clamp<std::int64_t>(seconds, 0, 1'000'000'000));
}

Duration seconds_at(const Value& owner, std::string_view field) {
  const Value* found = owner.find(field);
  return bounded_seconds(found != nullptr && found->is_integer() ? found->integer() : 0);
}

/// From the start until a probe has succeeded as often as it must, if it succeeds at once.
Duration until_success(const Value& probe) {
  const Value* successes = probe.find("successThreshold");
  const std::int64_t more = successes != nullptr && successes->is_integer() ? successes->integer() - 1 : 0;
  const std::int64_t repeated = bounded_seconds(seconds_at(probe, "periodSeconds").nanoseconds / 1'000'000'000 *
                                                std::clamp<std::int64_t>(more, 0, 1000))
                                    .nanoseconds;
  return {seconds_at(probe, "initialDelaySeconds").nanoseconds + repeated};
}

class Planner {
 public:
  Planner(const watching::Observed<kube::Pod>& pod, double slowness)
      : pod_(pod), spec_(*pod.view.spec), slowness_(slowness) {}

  PodPlan run() {
    plan_.uid = pod_.metadata().uid;
    AnnotationReader annotations(pod_.metadata().annotations);
    plan_.start_delay = span(annotations, kStartDelay, "pod-create.stage.kwok.x-k8s.io/delay").value_or(Duration{});
    keep_problems(annotations);
    if (spec_.active_deadline_seconds) plan_.active_deadline = bounded_seconds(*spec_.active_deadline_seconds);
    if (spec_.termination_grace_period_seconds) {
      plan_.grace = bounded_seconds(*spec_.termination_grace_period_seconds);
    }
    plan_.init_count = spec_.init_containers.size();
    plan_.containers.reserve(plan_.init_count + spec_.containers.size());
    add(spec_.init_containers, "initContainers", true);
    add(spec_.containers, "containers", false);
    return std::move(plan_);
  }

 private:
  void add(const std::vector<kube::Container>& containers, std::string_view field, bool is_init) {
    const Value* documents = document::find_at(pod_.document, {"spec", field});
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const bool is_there = documents != nullptr && documents->is_array() && i < documents->array().size();
      plan_.containers.push_back(container(containers[i], is_there ? documents->array()[i] : Value(), is_init));
    }
  }

  ContainerPlan container(const kube::Container& container, const Value& document, bool is_init) {
    ContainerPlan plan;
    plan.name = container.name;
    plan.image = container.image;
    plan.is_init = is_init;
    plan.is_sidecar = is_init && container.restartable_init();
    plan.restart = restart_of(container, plan);
    AnnotationReader annotations(pod_.metadata().annotations, container.name);
    read_end(annotations, plan);
    read_readiness(annotations, document, plan);
    read_stop(annotations, document, plan);
    keep_problems(annotations);
    return plan;
  }

  [[nodiscard]] Restart restart_of(const kube::Container& container, const ContainerPlan& plan) const {
    if (plan.is_sidecar) return Restart::kAlways;
    switch (container.restart_policy) {
      case kube::ContainerRestartPolicy::kAlways:
        return Restart::kAlways;
      case kube::ContainerRestartPolicy::kOnFailure:
        return Restart::kOnFailure;
      case kube::ContainerRestartPolicy::kNever:
        return Restart::kNever;
      case kube::ContainerRestartPolicy::kUnset:
        break;
    }
    switch (spec_.restart_policy) {
      case kube::RestartPolicy::kNever:
        return Restart::kNever;
      case kube::RestartPolicy::kOnFailure:
        return Restart::kOnFailure;
      case kube::RestartPolicy::kAlways:
        break;
    }
    // An init container of a pod that always restarts is repeated until it succeeds.
    return plan.is_init ? Restart::kOnFailure : Restart::kAlways;
  }

  void read_end(AnnotationReader& annotations, ContainerPlan& plan) {
    // Init containers and sidecars are meant only if they are named.
    const std::string own = '.' + plan.name;
    const auto has = [&](std::string_view key) {
      return plan.is_init ? pod_.metadata().annotations.contains(std::string(key) + own)
                          : annotations.text(key) != nullptr;
    };
    if (has(kFailure)) read_failure(*annotations.text(kFailure), plan);
    if (has(kExitCode)) {
      if (const auto code = annotations.integer(kExitCode)) {
        plan.exit_code = *code;
        if (*code != 0) plan.failure_code = *code;
      }
    }
    if (has(kFailTimes)) plan.fail_times = annotations.integer(kFailTimes).value_or(0);
    if (has(kFailureRate)) plan.failure_rate = annotations.number(kFailureRate).value_or(0);
    if (plan.fail_times > 0 || plan.failure_rate > 0) {  // the others succeed
      plan.exit_code = 0;
      plan.always_fails = false;
    }

    const bool is_meant_to_end = plan.restart != Restart::kAlways || plan.always_fails || plan.exit_code != 0;
    if (has(kRunTime) && annotations.is(kRunTime, "forever")) {
      plan.run_time.reset();
    } else if (has(kRunTime)) {
      plan.run_time = annotations.duration(kRunTime);
    } else if (!plan.is_init && annotations.text("pod-complete.stage.kwok.x-k8s.io/delay") != nullptr) {
      plan.run_time = annotations.duration("pod-complete.stage.kwok.x-k8s.io/delay");
    } else if (plan.is_init && !plan.is_sidecar) {
      plan.run_time = kDefaultInitTime;
    } else if (is_node_of_ray() && plan.exit_code == 0 && !plan.always_fails) {
      if (plan.name == kube::kRaySubmitterContainer) plan.run_time = kRaySubmitterRunTime;
    } else if (is_meant_to_end) {
      plan.run_time = kDefaultRunTime;
    }
    if (plan.run_time) plan.run_time = stretched(*plan.run_time, slowness_);
  }

  /// Ray's processes serve until they are told to stop, also where they are not to be restarted.
  [[nodiscard]] bool is_node_of_ray() const {
    const auto type = pod_.metadata().labels.find(kube::kRayNodeType);
    return type != pod_.metadata().labels.end() &&
           (type->second == workloads::kRayHead || type->second == workloads::kRayWorker);
  }

  static void read_failure(const std::string& reason, ContainerPlan& plan) {
    if (std::find(kReasonsNotToStart.begin(), kReasonsNotToStart.end(), reason) != kReasonsNotToStart.end()) {
      plan.cannot_start = reason;
      return;
    }
    plan.always_fails = true;
    plan.failure_reason = reason;
    if (reason == "OOMKilled") plan.failure_code = 137;
    if (reason == "StartError" || reason == "ContainerCannotRun") plan.failure_code = 128;
  }

  void read_readiness(AnnotationReader& annotations, const Value& document, ContainerPlan& plan) {
    const Value* startup = document.find("startupProbe");
    if (startup != nullptr && startup->is_object()) plan.startup_delay = until_success(*startup);
    const Value* readiness = document.find("readinessProbe");
    plan.has_readiness = readiness != nullptr && readiness->is_object();
    if (annotations.is(kReadyDelay, "never")) {
      plan.ready_delay.reset();
      return;
    }
    if (plan.has_readiness) plan.ready_delay = until_success(*readiness);
    if (const auto said = span(annotations, kReadyDelay, "pod-ready.stage.kwok.x-k8s.io/delay")) {
      plan.ready_delay = *said;
    }
    plan.ready_delay = std::max(*plan.ready_delay, plan.startup_delay);
  }

  void read_stop(AnnotationReader& annotations, const Value& document, ContainerPlan& plan) {
    const Value* hook = document::find_at(document, {"lifecycle", "preStop"});
    if (hook != nullptr && hook->is_object()) {
      const Value* sleep = hook->find("sleep");
      plan.pre_stop = sleep != nullptr && sleep->is_object() ? seconds_at(*sleep, "seconds")
                                                             : span(annotations, kPreStopTime).value_or(Duration{});
    }
    plan.stop_time = span(annotations, kStopTime, "pod-delete.stage.kwok.x-k8s.io/delay").value_or(Duration{});
    plan.stop_exit_code = annotations.integer(kStopExitCode).value_or(143);
  }

  /// `other`: another project's word for the same.
  std::optional<Duration> span(AnnotationReader& annotations, std::string_view key, std::string_view other = {}) const {
    std::optional<Duration> found;
    if (annotations.text(key) != nullptr) {
      found = annotations.duration(key);
    } else if (!other.empty() && annotations.text(other) != nullptr) {
      found = annotations.duration(other);
    }
    if (found) found = stretched(*found, slowness_);
    return found;
  }

  void keep_problems(const AnnotationReader& annotations) {
    for (const std::string& problem : annotations.problems()) {
      if (std::find(plan_.problems.begin(), plan_.problems.end(), problem) == plan_.problems.end()) {
        plan_.problems.push_back(problem);
      }
    }
  }

  const watching::Observed<kube::Pod>& pod_;
  const kube::PodSpec& spec_;
  double slowness_;
  PodPlan plan_;
};

}  // namespace

PodPlan plan_pod(const watching::Observed<kube::Pod>& pod, double slowness) { return Planner(pod, slowness).run(); }

}  // namespace loadline::kubelet
