#include <array>
#include <optional>
#include <string>

#include "objects/kube/condition.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kPodColumns = {
    kName,
    TableColumn{"Ready", "string", "", "How many of the pod's containers are ready."},
    TableColumn{"Status", "string", "", "What the pod's containers are doing, in a word."},
    TableColumn{"Restarts", "string", "", "How often containers were restarted, and when the last one was."},
    kAge,
    TableColumn{"IP", "string", "", "The address of the pod.", 1},
    TableColumn{"Node", "string", "", "The node that the pod is bound to.", 1},
    TableColumn{"Nominated Node", "string", "", "The node on which other pods are preempted for this one.", 1},
    TableColumn{"Readiness Gates", "string", "", "How many of the pod's readiness gates are open.", 1},
};

/// What the cells of a pod are derived from. The rules are upstream's printPod, step by step.
class PodSummary {
 public:
  explicit PodSummary(const Value& pod)
      : pod_(pod), phase_(text_at(pod, "status", "phase")), containers_(elements_at(pod, "spec", "containers").size()) {
    word_ = text_at(pod, "status", "reason").empty() ? phase_ : text_at(pod, "status", "reason");
    for (const Value& condition : elements_at(pod, "status", "conditions")) {
      if (text_at(condition, "type") == "PodScheduled" && text_at(condition, "reason") == "SchedulingGated") {
        word_ = "SchedulingGated";
      }
    }
    const bool is_initializing = read_init_containers();
    if (!is_initializing || kube::has_true_condition(pod, "Initialized")) {
      read_containers();
    }
    if (!is_being_deleted(pod)) return;
    if (text_at(pod, "status", "reason") == "NodeLost") {
      word_ = "Unknown";
    } else if (phase_ != "Failed" && phase_ != "Succeeded") {
      word_ = "Terminating";
    }
  }

  [[nodiscard]] std::string_view phase() const { return phase_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] std::string ready() const { return std::to_string(ready_) + "/" + std::to_string(containers_); }
  [[nodiscard]] std::string restarts(const CellWriter& cells) const {
    std::string text = std::to_string(restarts_.count);
    if (restarts_.count != 0 && restarts_.last) text += " (" + cells.since(restarts_.last) + " ago)";
    return text;
  }

 private:
  struct Restarts {
    std::int64_t count = 0;
    std::optional<Instant> last;

    void add(const Value& status) {
      count += integer_at(status, "restartCount");
      const auto finished = time_at(status, "lastState", "terminated", "finishedAt");
      if (finished && (!last || *last < *finished)) last = finished;
    }
  };

  /// Containers that start in order but stay (sidecars) count among the containers.
  [[nodiscard]] bool is_sidecar(std::string_view name) const {
    for (const Value& container : elements_at(pod_, "spec", "initContainers")) {
      if (text_at(container, "name") == name) return text_at(container, "restartPolicy") == "Always";
    }
    return false;
  }

  /// True if one of the containers that come first is not done.
  bool read_init_containers() {
    const auto containers = elements_at(pod_, "spec", "initContainers");
    for (const Value& container : containers) {
      if (text_at(container, "restartPolicy") == "Always") ++containers_;
    }
    std::size_t index = 0;
    for (const Value& status : elements_at(pod_, "status", "initContainerStatuses")) {
      restarts_.add(status);
      const bool is_sidecar = this->is_sidecar(text_at(status, "name"));
      if (is_sidecar) sidecar_restarts_.add(status);
      const Value* terminated = at(status, "state", "terminated");
      const std::size_t position = index++;
      if (terminated != nullptr && integer_at(*terminated, "exitCode") == 0) continue;
      if (is_sidecar && boolean_at(status, "started")) {
        if (boolean_at(status, "ready")) ++ready_;
        continue;
      }
      word_ = "Init:" + init_word(status, terminated, position, containers.size());
      return true;
    }
    return false;
  }

  static std::string init_word(const Value& status, const Value* terminated, std::size_t position, std::size_t count) {
    if (terminated != nullptr) return termination(*terminated);
    const std::string_view waiting = text_at(status, "state", "waiting", "reason");
    if (!waiting.empty() && waiting != "PodInitializing") return std::string(waiting);
    return std::to_string(position) + "/" + std::to_string(count);
  }

  static std::string termination(const Value& terminated) {
    const std::string_view reason = text_at(terminated, "reason");
    if (!reason.empty()) return std::string(reason);
    const std::int64_t signal = integer_at(terminated, "signal");
    if (signal != 0) return "Signal:" + std::to_string(signal);
    return "ExitCode:" + std::to_string(integer_at(terminated, "exitCode"));
  }

  void read_containers() {
    restarts_ = sidecar_restarts_;
    bool has_running = false;
    std::string error;
    const auto statuses = elements_at(pod_, "status", "containerStatuses");
    for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
      restarts_.add(*status);
      const std::string_view waiting = text_at(*status, "state", "waiting", "reason");
      if (!waiting.empty()) {
        word_ = waiting;
      } else if (const Value* terminated = at(*status, "state", "terminated")) {
        word_ = termination(*terminated);
        if (integer_at(*terminated, "exitCode") != 0) error = word_;
      } else if (boolean_at(*status, "ready") && at(*status, "state", "running") != nullptr) {
        has_running = true;
        ++ready_;
      }
    }
    if (word_ != "Completed") return;
    // One container may be done while others still run.
    if (has_running && has_ready_condition()) {
      word_ = "Running";
    } else if (!error.empty()) {
      word_ = error;
    } else if (has_running) {
      word_ = "NotReady";
    }
  }

  [[nodiscard]] bool has_ready_condition() const {
    for (const Value& condition : elements_at(pod_, "status", "conditions")) {
      if (text_at(condition, "type") == "Ready" && is_true(&condition)) return true;
    }
    return false;
  }

  const Value& pod_;
  std::string_view phase_;
  std::size_t containers_;
  std::size_t ready_ = 0;
  std::string word_;
  Restarts restarts_;
  Restarts sidecar_restarts_;
};

std::string_view pod_ip(const Value& pod) {
  const std::string_view ip = text_at(pod, "status", "podIP");
  if (!ip.empty()) return ip;
  const auto ips = elements_at(pod, "status", "podIPs");
  return ips.empty() ? std::string_view() : text_at(ips.front(), "ip");
}

std::string readiness_gates(const Value& pod) {
  const auto gates = elements_at(pod, "spec", "readinessGates");
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const Value& gate : gates) {
    if (kube::has_true_condition(pod, text_at(gate, "conditionType"))) ++open;
  }
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

void write_pod(const Value& pod, CellWriter& cells) {
  const PodSummary summary(pod);
  if (summary.phase() == "Succeeded") cells.complete("Succeeded", "The pod has completed successfully.");
  if (summary.phase() == "Failed") cells.complete("Failed", "The pod failed.");
  cells.text(name_of(pod));
  cells.text(summary.ready());
  cells.text(summary.word());
  cells.text(summary.restarts(cells));
  cells.age(pod);
  cells.text_or(pod_ip(pod), "<none>");
  cells.text_or(text_at(pod, "spec", "nodeName"), "<none>");
  cells.text_or(text_at(pod, "status", "nominatedNodeName"), "<none>");
  cells.text(readiness_gates(pod));
}

constexpr std::array<std::string_view, 16> kKept = {"metadata.name",
                                                    "metadata.creationTimestamp",
                                                    "metadata.deletionTimestamp",
                                                    "spec.nodeName",
                                                    "spec.readinessGates",
                                                    "spec.containers.name",
                                                    "spec.initContainers.name",
                                                    "spec.initContainers.restartPolicy",
                                                    "status.phase",
                                                    "status.reason",
                                                    "status.podIP",
                                                    "status.podIPs",
                                                    "status.nominatedNodeName",
                                                    "status.conditions",
                                                    "status.initContainerStatuses",
                                                    "status.containerStatuses"};

constexpr std::array kPodKinds = {KindColumns{"", "Pod", kPodColumns, write_pod, kKept}};

}  // namespace

std::span<const KindColumns> pod_columns() { return kPodKinds; }

}  // namespace loadline::api
