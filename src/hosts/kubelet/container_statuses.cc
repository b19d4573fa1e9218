#include "hosts/kubelet/container_statuses.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/kubelet/fake_identity.h"
#include "hosts/kubelet/go_duration.h"
#include "hosts/kubelet/pod_status.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Observed;
using State = ContainerRun::State;

std::string container_id(const PodPlan& plan, const ContainerPlan& container, std::int32_t run) {
  return "containerd://" + digest_of(plan.uid, container.name, run);
}

Value terminated(const PodPlan& plan, const ContainerPlan& container, const Termination& end) {
  Object state{{"exitCode", Value(std::int64_t{end.exit_code}), {}}, {"reason", Value(end.reason), {}}};
  if (!end.message.empty()) state.push_back({"message", Value(end.message), {}});
  state.push_back({"startedAt", Value(format_rfc3339(end.started_at)), {}});
  state.push_back({"finishedAt", Value(format_rfc3339(end.finished_at)), {}});
  state.push_back({"containerID", Value(container_id(plan, container, end.run)), {}});
  return Value(Object{{"terminated", Value(std::move(state)), {}}});
}

Value waiting(std::string_view reason, const std::string& message = {}) {
  Object state;
  if (!message.empty()) state.push_back({"message", Value(message), {}});
  state.push_back({"reason", Value(reason), {}});
  return Value(Object{{"waiting", Value(std::move(state)), {}}});
}

/// The volumes that a container sees, as the kubelet tells of them.
Value volume_mounts(const Value& container) {
  Array mounts;
  const Value* declared = container.find("volumeMounts");
  if (declared == nullptr || !declared->is_array()) return {};
  for (const Value& mount : declared->array()) {
    Object seen{{"name", Value(document::text_at(mount, {"name"})), {}},
                {"mountPath", Value(document::text_at(mount, {"mountPath"})), {}}};
    const Value* read_only = mount.find("readOnly");
    if (read_only != nullptr && read_only->is_boolean() && read_only->boolean()) {
      seen.push_back({"readOnly", Value(true), {}});
      seen.push_back({"recursiveReadOnly", Value("Disabled"), {}});
    }
    mounts.emplace_back(std::move(seen));
  }
  return mounts.empty() ? Value() : Value(std::move(mounts));
}

class StatusOf {
 public:
  StatusOf(const Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run, std::size_t container)
      : pod_(pod),
        plan_(plan),
        of_(plan.containers[container]),
        now_(run.containers()[container]),
        is_over_(run.is_over(plan)) {}

  [[nodiscard]] Value state() const {
    if (now_.state == State::kRunning) {
      const Value started(Object{{"startedAt", Value(format_rfc3339(now_.started_at)), {}}});
      return Value(Object{{"running", started, {}}});
    }
    if (now_.in_back_off) {
      return waiting("CrashLoopBackOff",
                     fmt::format("back-off {} restarting failed container={} pod={}", go_duration(now_.back_off),
                                 of_.name, pod_in_messages(pod_.metadata())));
    }
    if (now_.state == State::kTerminated) return terminated(plan_, of_, *now_.last);
    if (now_.is_blocked) return waiting(of_.cannot_start, blocked_message());
    if (is_over_ && plan_.init_count == 0) return lost();
    return waiting(plan_.init_count > 0 ? "PodInitializing" : "ContainerCreating");
  }

  [[nodiscard]] Value last_state() const {
    const bool is_past = now_.state == State::kRunning || now_.in_back_off;
    const std::optional<Termination>& end = is_past ? now_.last : now_.before_last;
    return end ? terminated(plan_, of_, *end) : Value(Object());
  }

  [[nodiscard]] bool has_been_created() const { return now_.state == State::kRunning || now_.last.has_value(); }
  [[nodiscard]] std::string id() const {
    return container_id(plan_, of_, now_.state == State::kRunning ? now_.restarts : now_.last->run);
  }

 private:
  [[nodiscard]] std::string blocked_message() const {
    if (of_.cannot_start == "ErrImagePull" || of_.cannot_start == "ImagePullBackOff") {
      return fmt::format("Back-off pulling image \"{}\"", of_.image);
    }
    return {};
  }
  /// Of a container that was never started when its pod ended.
  static Value lost() {
    return Value(
        Object{{"terminated",
                Value(Object{{"exitCode", Value(std::int64_t{137}), {}},
                             {"reason", Value("ContainerStatusUnknown"), {}},
                             {"message", Value("The container could not be located when the pod was terminated"), {}},
                             {"startedAt", Value(), {}},
                             {"finishedAt", Value(), {}}}),
                {}}});
  }

  const Observed<kube::Pod>& pod_;
  const PodPlan& plan_;
  const ContainerPlan& of_;
  const ContainerRun& now_;
  bool is_over_;
};

const Value* declared(const Observed<kube::Pod>& pod, const PodPlan& plan, std::size_t container) {
  const bool is_init = container < plan.init_count;
  const Value* list = document::find_at(pod.document, {"spec", is_init ? "initContainers" : "containers"});
  const std::size_t index = is_init ? container : container - plan.init_count;
  return list != nullptr && list->is_array() && index < list->array().size() ? &list->array()[index] : nullptr;
}

}  // namespace

Value container_status(const Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run, std::size_t container,
                       Instant now) {
  const ContainerPlan& of = plan.containers[container];
  const StatusOf status(pod, plan, run, container);
  const bool is_created = status.has_been_created();
  Object object{{"name", Value(of.name), {}},
                {"state", status.state(), {}},
                {"lastState", status.last_state(), {}},
                {"ready", Value(run.is_ready(plan, container, now)), {}},
                {"restartCount", Value(std::int64_t{run.containers()[container].restarts}), {}},
                {"image", Value(is_created ? full_image_name(of.image) : of.image), {}},
                {"imageID", Value(is_created ? image_id(of.image) : std::string()), {}}};
  if (is_created) object.push_back({"containerID", Value(status.id()), {}});
  object.push_back({"started", Value(run.is_started(plan, container, now)), {}});
  const Value* spec = declared(pod, plan, container);
  if (spec == nullptr) return Value(std::move(object));
  if (is_created) {
    const Value* resources = spec->find("resources");
    const Value* requests = document::find_at(*spec, {"resources", "requests"});
    if (requests != nullptr) object.push_back({"allocatedResources", *requests, {}});
    object.push_back({"resources", resources != nullptr && resources->is_object() ? *resources : Value(Object()), {}});
  }
  if (Value mounts = volume_mounts(*spec); !mounts.is_null()) object.push_back({"volumeMounts", std::move(mounts), {}});
  return Value(std::move(object));
}

}  // namespace loadline::kubelet
