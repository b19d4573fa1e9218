#include "hosts/kubelet/pod_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/kubelet/container_statuses.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Observed;
using State = ContainerRun::State;

/// What a condition says, but for when it began to.
struct ConditionState {
  std::string_view type;
  bool is_true = true;
  std::string_view reason = {};
  std::string message = {};
};

/// "[a b]", as Go prints a list.
std::string bracketed(const std::vector<std::string_view>& names) { return fmt::format("[{}]", fmt::join(names, " ")); }

class Generator {
 public:
  Generator(const Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run, const PodAddress& address,
            Instant now)
      : pod_(pod), plan_(plan), run_(run), address_(address), now_(now), phase_(phase()) {}

  Value generate() {
    Object status;
    status.push_back({"observedGeneration", Value(pod_.metadata().generation), {}});
    status.push_back({"phase", Value(phase_), {}});
    add_reason(status);
    status.push_back({"conditions", conditions(), {}});
    add_address(status);
    status.push_back({"startTime", Value(format_rfc3339(run_.accepted())), {}});
    if (plan_.init_count > 0) status.push_back({"initContainerStatuses", containers(0, plan_.init_count), {}});
    status.push_back({"containerStatuses", containers(plan_.init_count, plan_.containers.size()), {}});
    return Value(std::move(status));
  }

 private:
  // ---- phase. Source: getPhase and TerminatePod in pkg/kubelet, v1.36 ----------------------------------------------
  [[nodiscard]] std::string_view phase() const {
    if (run_.is_over(plan_)) return has_succeeded() ? "Succeeded" : "Failed";
    bool all_have_run = true;
    bool any_has_run = false;
    for (std::size_t i = plan_.init_count; i < plan_.containers.size(); ++i) {
      const ContainerRun& run = run_.containers()[i];
      const bool has_run = run.state == State::kRunning || run.last.has_value();
      all_have_run = all_have_run && has_run;
      any_has_run = any_has_run || has_run;
    }
    return all_have_run && any_has_run ? "Running" : "Pending";
  }

  [[nodiscard]] bool has_succeeded() const {
    if (run_.is_past_deadline()) return false;
    for (std::size_t i = plan_.init_count; i < plan_.containers.size(); ++i) {
      const std::optional<Termination>& last = run_.containers()[i].last;
      if (!last || last->exit_code != 0) return false;
    }
    return true;
  }

  void add_reason(Object& status) const {
    if (phase_ == "Failed" && run_.is_past_deadline()) {
      status.push_back({"message", Value("Pod was active on the node longer than the specified deadline"), {}});
      status.push_back({"reason", Value("DeadlineExceeded"), {}});
    } else if (!pod_.view.status.reason.empty()) {  // an eviction's, a node's that was away
      const bool is_stale = pod_.view.status.reason == "NodeLost";
      status.push_back({"message", is_stale ? Value() : Value(pod_.view.status.message), {}});
      status.push_back({"reason", is_stale ? Value() : Value(pod_.view.status.reason), {}});
    }
  }

  // ---- conditions. Source: pkg/kubelet/status/generate.go, v1.36 ---------------------------------------------------
  [[nodiscard]] Value conditions() const {
    Array list;
    const bool has_sandbox = run_.has_run() && !run_.is_over(plan_);
    list.push_back(condition({"PodReadyToStartContainers", has_sandbox}));
    list.push_back(condition(initialized()));
    const ConditionState containers = containers_ready();
    list.push_back(condition(ready(containers)));
    list.push_back(condition(containers));
    list.push_back(condition({"PodScheduled"}));
    return Value(std::move(list));
  }

  [[nodiscard]] Value condition(const ConditionState& verdict) const {
    const std::string_view status = verdict.is_true ? "True" : "False";
    const kube::Condition* before = kube::find_condition(pod_.view.status.conditions, verdict.type);
    const bool is_same = before != nullptr && before->status == status && before->last_transition_time;
    Object object{{"type", Value(verdict.type), {}},
                  {"status", Value(status), {}},
                  {"observedGeneration", Value(pod_.metadata().generation), {}},
                  {"lastTransitionTime", Value(format_rfc3339(is_same ? *before->last_transition_time : now_)), {}}};
    if (!verdict.reason.empty()) object.push_back({"reason", Value(verdict.reason), {}});
    if (!verdict.message.empty()) object.push_back({"message", Value(verdict.message), {}});
    return Value(std::move(object));
  }

  [[nodiscard]] ConditionState initialized() const {
    if (phase_ == "Succeeded") return {"Initialized", true, "PodCompleted"};
    std::vector<std::string_view> incomplete;
    for (std::size_t i = 0; i < plan_.init_count; ++i) {
      const bool is_done =
          plan_.containers[i].is_sidecar ? run_.is_started(plan_, i, now_) : run_.is_ready(plan_, i, now_);
      if (!is_done) incomplete.push_back(plan_.containers[i].name);
    }
    for (std::size_t i = plan_.init_count; i < plan_.containers.size(); ++i) {
      if (run_.containers()[i].state == State::kRunning || run_.containers()[i].last) return {"Initialized"};
    }
    if (incomplete.empty()) return {"Initialized"};
    return {"Initialized", false, "ContainersNotInitialized",
            "containers with incomplete status: " + bracketed(incomplete)};
  }

  [[nodiscard]] ConditionState containers_ready() const {
    if (phase_ == "Succeeded") return {"ContainersReady", false, "PodCompleted"};
    if (phase_ == "Failed") return {"ContainersReady", false, "PodFailed"};
    std::vector<std::string_view> unready;
    for (std::size_t i = 0; i < plan_.containers.size(); ++i) {
      if (i < plan_.init_count && !plan_.containers[i].is_sidecar) continue;
      if (!run_.is_ready(plan_, i, now_)) unready.push_back(plan_.containers[i].name);
    }
    if (unready.empty()) return {"ContainersReady"};
    return {"ContainersReady", false, "ContainersNotReady", "containers with unready status: " + bracketed(unready)};
  }

  [[nodiscard]] ConditionState ready(const ConditionState& containers) const {
    if (!containers.is_true) return {"Ready", false, containers.reason, containers.message};
    const Value* gates = document::find_at(pod_.document, {"spec", "readinessGates"});
    if (gates == nullptr || !gates->is_array()) return {"Ready"};
    std::vector<std::string> unmet;
    for (const Value& gate : gates->array()) {
      const std::string_view type = document::text_at(gate, {"conditionType"});
      const kube::Condition* condition = kube::find_condition(pod_.view.status.conditions, type);
      if (condition == nullptr) {
        unmet.push_back(fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.", type));
      } else if (condition->status != "True") {
        unmet.push_back(
            fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}", type, condition->status));
      }
    }
    if (unmet.empty()) return {"Ready"};
    return {"Ready", false, "ReadinessGatesNotReady", fmt::format("{}", fmt::join(unmet, ", "))};
  }

  // ---- addresses, containers ---------------------------------------------------------------------------------------
  void add_address(Object& status) const {
    const auto add = [&](const char* one, const char* many, const std::string& address) {
      if (address.empty()) return;
      status.push_back({one, Value(address), {}});
      status.push_back({many, Value(Array{Value(Object{{"ip", Value(address), {}}})}), {}});
    };
    add("hostIP", "hostIPs", address_.host_ip);
    if (run_.has_run() || !pod_.view.status.pod_ip.empty()) add("podIP", "podIPs", address_.pod_ip);
  }

  [[nodiscard]] Value containers(std::size_t begin, std::size_t end) const {
    Array list;
    list.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) list.push_back(container_status(pod_, plan_, run_, i, now_));
    return Value(std::move(list));
  }

  const Observed<kube::Pod>& pod_;
  const PodPlan& plan_;
  const PodRun& run_;
  const PodAddress& address_;
  Instant now_;
  std::string_view phase_;
};

/// The elements of a list whose member of that name differs from what is there, or is not there.
Array changed_elements(const Array& wanted, const Value* there, std::string_view key) {
  Array changed;
  for (const Value& element : wanted) {
    const std::string_view name = document::text_at(element, {key});
    bool is_same = false;
    if (there != nullptr && there->is_array()) {
      for (const Value& other : there->array()) {
        if (document::text_at(other, {key}) != name) continue;
        // The API server writes a null there, which a kubelet does not set.
        is_same = document::same_document(other.without("lastProbeTime"), element);
      }
    }
    if (!is_same) changed.push_back(element);
  }
  return changed;
}

/// A condition that says less than before has to say so.
Value with_nulls(Value condition) {
  for (const char* name : {"reason", "message"}) {
    if (condition.find(name) == nullptr) condition = std::move(condition).with(name, Value());
  }
  return condition;
}

void add_conditions(const Observed<kube::Pod>& pod, const Value& wanted, const Value* there, Object& patch) {
  Array changed = changed_elements(wanted.array(), there, "type");
  if (changed.empty()) return;
  Array order;  // others' conditions first
  const auto add = [&](std::string_view type) { order.emplace_back(Object{{"type", Value(type), {}}}); };
  for (const kube::Condition& condition : pod.view.status.conditions) {
    const auto& ours = wanted.array();
    const bool is_ours = std::any_of(
        ours.begin(), ours.end(), [&](const Value& one) { return document::text_at(one, {"type"}) == condition.type; });
    if (!is_ours) add(condition.type);
  }
  for (const Value& condition : wanted.array()) add(document::text_at(condition, {"type"}));
  for (Value& condition : changed) condition = with_nulls(std::move(condition));
  patch.push_back({"$setElementOrder/conditions", Value(std::move(order)), {}});
  patch.push_back({"conditions", Value(std::move(changed)), {}});
}

/// Addresses are merged by the server: what is not theirs any more has to be taken away.
void add_addresses(const document::Member& wanted, const Value* there, Object& patch) {
  Array changes;
  if (there != nullptr && there->is_array()) {
    for (const Value& before : there->array()) {
      const Array& now = wanted.value.array();
      if (std::find(now.begin(), now.end(), before) != now.end()) continue;
      changes.emplace_back(
          Object{{"$patch", Value("delete"), {}}, {"ip", Value(document::text_at(before, {"ip"})), {}}});
    }
  }
  changes.insert(changes.end(), wanted.value.array().begin(), wanted.value.array().end());
  patch.push_back({wanted.key, Value(std::move(changes)), {}});
}

}  // namespace

Value pod_status(const Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run, const PodAddress& address,
                 Instant now) {
  return Generator(pod, plan, run, address, now).generate();
}

Value rejected_status(const Observed<kube::Pod>& pod, const std::string& reason, const std::string& message,
                      Instant now) {
  return Value(Object{{"observedGeneration", Value(pod.metadata().generation), {}},
                      {"phase", Value("Failed"), {}},
                      {"message", Value("Pod was rejected: " + message), {}},
                      {"reason", Value(reason), {}},
                      {"startTime", Value(format_rfc3339(now)), {}}});
}

Value status_patch(const Observed<kube::Pod>& pod, const Value& status) {
  const Value* there = pod.document.find("status");
  Object patch;
  for (const document::Member& member : status.object()) {
    const Value* before = there == nullptr ? nullptr : there->find(member.key);
    if (member.key == "conditions") {
      add_conditions(pod, member.value, before, patch);
    } else if (before == nullptr ? !member.value.is_null() : !document::same_document(*before, member.value)) {
      const bool are_addresses = member.key == "hostIPs" || member.key == "podIPs";
      are_addresses ? add_addresses(member, before, patch) : patch.push_back(member);
    }
  }
  if (patch.empty()) return {};
  return Value(Object{{"metadata", Value(Object{{"uid", Value(pod.metadata().uid), {}}}), {}},
                      {"status", Value(std::move(patch)), {}}});
}

std::string pod_in_messages(const kube::ObjectMeta& pod) {
  return fmt::format("{}_{}({})", pod.name, pod.namespace_, pod.uid);
}

}  // namespace loadline::kubelet
